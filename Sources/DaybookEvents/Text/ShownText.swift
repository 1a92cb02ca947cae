/// Foreign text as it may be shown: on a terminal, in a line of a log, in the sentence of an error.
package enum ShownText {
    /// The text with everything that a terminal would obey spelled out, so that nothing that was recorded, and no path,
    /// can move a cursor, colour a terminal or pretend to be a line of ours: `\n`, `\t`, `\u{1B}`. Doing it twice
    /// changes nothing.
    package static func escaped(_ text: String) -> String {
        // Nearly all texts are plain ASCII.
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
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
