/// Comma-separated values (RFC 4180).
enum CSVText {
    /// A field, quoted where it must be.
    static func field(_ text: String) -> String {
        guard text.utf8.contains(where: { marks.contains($0) }) else { return text }
        // By bytes: a quote with a combining mark behind it is one character, and still a quote.
        var quoted: [UInt8] = [quote]
        for byte in text.utf8 {
            if byte == quote { quoted.append(quote) }
            quoted.append(byte)
        }
        return String(decoding: quoted + [quote], as: UTF8.self)
    }

    /// Millionths as a decimal without anything that a program could misread.
    static func decimal(_ micros: Int64) -> String {
        let (whole, rest) = micros.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        let fraction = String(1_000_000 + rest).dropFirst()
        return "\(micros < 0 ? "-" : "")\(whole).\(fraction)"
    }

    /// A text for a spreadsheet: one that it would take for a formula begins with an apostrophe. No numbers: a
    /// negative one begins with what a formula may begin with.
    static func cell(_ text: String) -> String {
        let isFormula =
            text.unicodeScalars.first.map { "=+-@\t\r".unicodeScalars.contains($0) } ?? false
        return field(isFormula ? "'" + text : text)
    }

    private static let quote = UInt8(ascii: "\"")
    private static let marks: [UInt8] = [0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: "\"")]
}
