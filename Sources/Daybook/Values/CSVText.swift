/// Comma-separated values (RFC 4180).
enum CSVText {
    /// A field, quoted where it must be.
    static func field(_ text: String) -> String {
        guard text.utf8.contains(where: { marks.contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }

    private static let marks: [UInt8] = [0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: "\"")]
}
