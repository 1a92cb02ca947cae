/// Text for people. What is put into it (names, keys, texts of events and files) has its control characters escaped,
/// so that nothing that was recorded can move a cursor, colour a terminal or pretend to be a line of ours.
///
/// What we write ourselves stands as it is:
/// ```swift
/// let text: HumanText = "\(mark) \(subject) used \(amount)\n"   // subject "a\u{1B}]0;x" becomes a\u{1B}]0;x, spelled out
/// ```
struct HumanText: Sendable, Equatable, ExpressibleByStringInterpolation {
    /// Ready to be written.
    private(set) var rendered: String

    init(stringLiteral value: String) { rendered = value }

    init(stringInterpolation: StringInterpolation) { rendered = stringInterpolation.rendered }

    /// Foreign text in one piece.
    init(_ foreign: String) { rendered = Self.escaped(foreign) }

    /// Foreign text of several lines: sentences of ours with names of others in them.
    init(lines foreign: String) {
        rendered = foreign.split(separator: "\n", omittingEmptySubsequences: false)
            .map { Self.escaped(String($0)) }.joined(separator: "\n")
    }

    /// Bytes that were written by a command, which escaped them.
    init(written bytes: [UInt8]) { rendered = String(decoding: bytes, as: UTF8.self) }

    var isEmpty: Bool { rendered.isEmpty }

    static func + (left: HumanText, right: HumanText) -> HumanText {
        var sum = left
        sum += right
        return sum
    }

    static func += (left: inout HumanText, right: HumanText) { left.rendered += right.rendered }

    /// The same, each line that is not empty behind some spaces.
    func indented(_ count: Int) -> HumanText {
        var text = self
        let lines = rendered.split(separator: "\n", omittingEmptySubsequences: false)
        let space = String(repeating: " ", count: count)
        text.rendered = lines.map { $0.isEmpty ? "" : space + $0 }.joined(separator: "\n")
        return text
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var rendered = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            rendered.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) { rendered += literal }
        mutating func appendInterpolation(_ text: HumanText) { rendered += text.rendered }
        mutating func appendInterpolation(_ number: some BinaryInteger) { rendered += "\(number)" }
        mutating func appendInterpolation(_ foreign: some StringProtocol) {
            rendered += HumanText.escaped(String(foreign))
        }
        mutating func appendInterpolation(_ foreign: some CustomStringConvertible) {
            rendered += HumanText.escaped(foreign.description)
        }
    }

    /// The text with everything that a terminal would obey spelled out: `\n`, `\t`, `\u{1B}`.
    static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var shown = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": shown += "\\n"
            case "\r": shown += "\\r"
            case "\t": shown += "\\t"
            case _ where isControl(scalar):
                shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    /// C0, DEL and C1; line and paragraph separators; and what turns the direction of writing (Unicode TR #36 §2.4).
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
