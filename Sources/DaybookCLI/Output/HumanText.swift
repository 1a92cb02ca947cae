import DaybookEvents

/// Text for people. What is put into it (names, keys, texts of events and files) has its control characters escaped,
/// so that nothing that was recorded can move a cursor, colour a terminal or pretend to be a line of ours.
///
/// What we write ourselves stands as it is:
/// ```swift
/// let text: HumanText = "\(mark) \(subject) used \(amount)\n"   // subject "a\u{1B}]0;x" becomes a\u{1B}]0;x, spelled
/// out
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
        HumanText(stringLiteral: left.rendered + right.rendered)
    }

    static func += (left: inout HumanText, right: HumanText) { left.rendered += right.rendered }

    /// The same, each line that is not empty behind some spaces.
    func indented(_ count: Int) -> HumanText {
        let lines = rendered.split(separator: "\n", omittingEmptySubsequences: false)
        let space = String(repeating: " ", count: count)
        return HumanText(
            stringLiteral: lines.map { $0.isEmpty ? "" : space + $0 }.joined(separator: "\n"))
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

    static func escaped(_ text: String) -> String { ShownText.escaped(text) }
}
