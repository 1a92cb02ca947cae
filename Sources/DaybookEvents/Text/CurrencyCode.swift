/// Currencies as events name them.
public enum CurrencyCode {
    /// The highest rate between two currencies: a billion units for one, in billionths.
    public static let nanosMax: Int64 = 1_000_000_000_000_000_000

    /// Whether a text has the form of ISO 4217: three capital letters.
    public static func isValid(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 3
            && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }
}
