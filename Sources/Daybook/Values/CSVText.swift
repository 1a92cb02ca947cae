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

    private static let quote = UInt8(ascii: "\"")
    private static let marks: [UInt8] = [0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: "\"")]
}
