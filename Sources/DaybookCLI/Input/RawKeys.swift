import Foundation

/// Single keys of the terminal on the standard input, without waiting for a line.
struct RawKeys {
    enum Key: Equatable {
        case character(Character)
        case left, right, up, down
        /// End of the input, Ctrl-C or Ctrl-D.
        case end
    }

    private let before: termios

    /// - Throws: `Failure` where the standard input is no terminal.
    init() throws {
        var settings = termios()
        try Failure.require(
            tcgetattr(STDIN_FILENO, &settings) == 0, .usage, "no_terminal",
            "keys need a terminal; write the steps to a file and name it with --script")
        before = settings
        listen()
    }

    /// Ctrl-C comes as a key, so that the terminal is restored where the user ends this way.
    private func listen() {
        var settings = before
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    /// Gives the terminal back as it was.
    func restore() {
        var settings = before
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    func next() -> Key? {
        guard let byte = Self.byte() else { return .end }
        switch byte {
        case 3, 4: return .end
        case 0x1B:
            // An arrow is ESC [ and a letter.
            guard Self.byte() == UInt8(ascii: "["), let letter = Self.byte() else { return nil }
            return switch letter {
            case UInt8(ascii: "A"): .up
            case UInt8(ascii: "B"): .down
            case UInt8(ascii: "C"): .right
            case UInt8(ascii: "D"): .left
            default: .character("\u{0}")
            }
        default: return .character(Character(UnicodeScalar(byte)))
        }
    }

    /// A whole line, seen while it is typed.
    func line(after prompt: String) -> String {
        restore()
        defer { listen() }
        try? Terminal.output.write(HumanText(prompt))
        return readLine() ?? ""
    }

    private static func byte() -> UInt8? {
        var byte: UInt8 = 0
        return read(STDIN_FILENO, &byte, 1) == 1 ? byte : nil
    }
}
