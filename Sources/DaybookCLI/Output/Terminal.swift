import Foundation

/// Where text goes; colour only on a terminal, and never with NO_COLOR (https://no-color.org).
struct Terminal: Sendable {
    enum Style: String, Sendable {
        case plain = ""
        case bold = "1"
        case dim = "2"
        case bad = "31"
        case good = "32"
        case warning = "33"
        case heading = "1;36"
    }

    static let output = Terminal(descriptor: 1)
    static let errors = Terminal(descriptor: 2)

    let isInteractive: Bool
    let hasColour: Bool
    private let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
        let environment = ProcessInfo.processInfo.environment
        isInteractive = isatty(descriptor) == 1
        hasColour =
            isInteractive && environment["NO_COLOR", default: ""].isEmpty
            && environment["TERM"] != "dumb"
    }

    func paint(_ text: String, _ style: Style) -> String {
        guard hasColour, style != .plain else { return text }
        return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
    }

    func write(_ text: String) { write(Array(text.utf8)) }

    /// Unbuffered: what a script reads after a kill is what was acknowledged before it.
    func write(_ bytes: [UInt8]) {
        var start = 0
        bytes.withUnsafeBytes { buffer in
            // The pointer is used inside this closure only; `start` never passes the end.
            while start < buffer.count, let base = buffer.baseAddress {
                let count = Foundation.write(descriptor, base + start, buffer.count - start)
                if count > 0 {
                    start += count
                } else if errno != EINTR && errno != EAGAIN {
                    return
                }
            }
        }
    }
}
