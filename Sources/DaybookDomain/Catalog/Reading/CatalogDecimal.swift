/// Reads decimal numbers into thousandths without passing through floating point.
enum CatalogDecimal {
    /// Money and targets beyond this are refused (rule 30).
    static let thousandthsMax: Int64 = 1_000_000_000_000_000

    /// The thousandths of a plain decimal such as `2.99`, `10` or `0.012`.
    ///
    /// - Returns: `nil` for signs, exponents, separators, more than `fractionDigits` decimals, or
    ///   too much.
    static func scaled(_ text: some StringProtocol, fractionDigits: Int) -> Int64? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first, !whole.isEmpty, parts.count <= 2 else { return nil }
        let fraction = parts.count == 2 ? parts[1] : "0"
        guard !fraction.isEmpty, fraction.utf8.count <= fractionDigits else { return nil }
        let padding = String(repeating: "0", count: fractionDigits - fraction.utf8.count)
        return digits("\(whole)\(fraction)\(padding)")
    }

    /// A whole number of ASCII digits, at most `thousandthsMax`.
    static func digits(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty else { return nil }
        var value: Int64 = 0
        for byte in text.utf8 {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            guard value <= thousandthsMax else { return nil }
        }
        return value
    }
}
