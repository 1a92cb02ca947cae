import DaybookEvents
import Foundation
import Synchronization

/// Where answers go; colour only on a terminal, and never with NO_COLOR (https://no-color.org).
struct Terminal: Sendable {
    enum Style: String, Sendable {
        case plain = ""
        case bold = "1"
        case dim = "2"
        case bad = "31"
        case good = "32"
        case warning = "33"
        case heading = "1;36"
        case heat1 = "30;48;5;194"
        case heat2 = "30;48;5;157"
        case heat3 = "30;48;5;120"
        case heat4 = "30;48;5;77"
        case heat5 = "30;48;5;34"

        /// From small values to large ones.
        static let heat = [heat1, heat2, heat3, heat4, heat5]
    }

    /// The standard output, or what stands for it while the demo runs a command.
    @TaskLocal static var output = Terminal(.output)
    static let errors = Terminal(.errors)

    let isInteractive: Bool
    let hasColour: Bool
    private let descriptor: Descriptor
    private let record: Record?

    private final class Record: Sendable {
        let bytes = Mutex<[UInt8]>([])
    }

    private init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
        record = nil
        let environment = ProcessInfo.processInfo.environment
        isInteractive = isatty(descriptor.number) == 1
        hasColour =
            isInteractive && environment["NO_COLOR", default: ""].isEmpty
            && environment["TERM"] != "dumb"
    }

    private init(recordingFor terminal: Terminal) {
        descriptor = terminal.descriptor
        record = Record()
        isInteractive = false
        hasColour = terminal.hasColour
    }

    /// What the body writes to `output`, instead of writing it; and what the body threw, if anything.
    static func recording(
        _ body: () async throws -> Void
    ) async -> (bytes: [UInt8], error: (any Error)?) {
        let terminal = Terminal(recordingFor: output)
        var thrown: (any Error)?
        do {
            try await $output.withValue(terminal) { try await body() }
        } catch {
            thrown = error
        }
        return (terminal.record?.bytes.withLock { $0 } ?? [], thrown)
    }

    /// - Parameter text: Foreign text is escaped.
    func paint(_ text: String, _ style: Style) -> HumanText {
        guard hasColour, style != .plain else { return HumanText(text) }
        return HumanText(
            stringLiteral: "\u{1B}[\(style.rawValue)m\(HumanText.escaped(text))\u{1B}[0m")
    }

    /// The mark before what was done.
    var tick: HumanText { paint("✓", .good) }

    /// - Throws: As `Descriptor.write` does; an answer that cannot be given is a failure.
    func write(_ text: HumanText) throws { try write(bytes: Array(text.rendered.utf8)) }

    /// One line of canonical JSON.
    func write(_ json: JSONObject) throws { try write(bytes: json.canonicalBytes + [0x0A]) }

    /// Ends a command that has nothing to write for long, and whose reader has gone meanwhile.
    /// - Throws: `ReaderIsGone`.
    func checkReader() throws {
        if record == nil, descriptor.isReaderGone { throw ReaderIsGone() }
    }

    /// A document, byte for byte.
    func write(bytes: [UInt8]) throws {
        guard let record else { return try descriptor.write(bytes) }
        record.bytes.withLock { $0 += bytes }
    }
}
