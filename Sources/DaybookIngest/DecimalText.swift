/// A decimal number exactly as it was written, read without floating point.
///
/// ```
/// -?digits(.digits)?([eE][+-]?digits)?      as in RFC 8259 §6, leading zeros allowed
/// ```
package struct DecimalText {
    private let isNegative: Bool
    /// Without leading zeros.
    private let digits: [UInt8]
    /// The value is the digits, taken as a whole number, times 10^`exponent`.
    private let exponent: Int

    /// Longer texts and larger exponents are no amount of money and no time.
    private static let byteCountMax = 64
    private static let exponentMax = 400

    /// - Returns: `nil` for anything that is no decimal number.
    package init?(_ text: some StringProtocol) {
        var bytes = Array(text.utf8)[...]
        guard bytes.count <= Self.byteCountMax else { return nil }
        isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative { bytes.removeFirst() }
        let whole = Self.takeDigits(&bytes)
        guard !whole.isEmpty else { return nil }
        var fraction: [UInt8] = []
        if bytes.first == UInt8(ascii: ".") {
            bytes.removeFirst()
            fraction = Self.takeDigits(&bytes)
            guard !fraction.isEmpty else { return nil }
        }
        guard let power = Self.takeExponent(&bytes), bytes.isEmpty else { return nil }
        digits = Array((whole + fraction).drop { $0 == 0 })
        exponent = power - fraction.count
    }

    private static func takeDigits(_ bytes: inout ArraySlice<UInt8>) -> [UInt8] {
        let found = bytes.prefix { $0 &- UInt8(ascii: "0") < 10 }
        bytes = bytes.dropFirst(found.count)
        return found.map { $0 - UInt8(ascii: "0") }
    }

    /// 0 where there is none; `nil` for one that is no number or too large.
    private static func takeExponent(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        guard let mark = bytes.first, mark | 0x20 == UInt8(ascii: "e") else { return 0 }
        bytes.removeFirst()
        let isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative || bytes.first == UInt8(ascii: "+") { bytes.removeFirst() }
        let digits = takeDigits(&bytes)
        guard !digits.isEmpty, digits.count <= 6 else { return nil }
        let value = digits.reduce(0) { $0 * 10 + Int($1) }
        guard value <= exponentMax else { return nil }
        return isNegative ? -value : value
    }

    /// The number times 10^`places`, and whether that is a whole number; if it is not, rounded to the nearest, a tie
    /// to the even one.
    /// - Returns: `nil` where it is no `Int64`.
    package func scaled(places: Int) -> (value: Int64, isExact: Bool)? {
        let shift = exponent + places
        if shift >= 0 {
            guard let value = magnitude(digits, zeros: digits.isEmpty ? 0 : shift) else {
                return nil
            }
            return (isNegative ? -value : value, true)
        }
        let kept = digits.dropLast(-shift)
        guard var value = magnitude(Array(kept), zeros: 0) else { return nil }
        // The digits that are cut off stand behind `-shift` places, zeros before them included.
        let cut = digits.suffix(-shift)
        let isExact = cut.allSatisfy { $0 == 0 }
        if !isExact, cut.count == -shift, let first = cut.first {
            let isMoreThanHalf = first > 5 || first == 5 && cut.dropFirst().contains { $0 != 0 }
            let isTie = first == 5 && !isMoreThanHalf
            if isMoreThanHalf || isTie && value % 2 == 1 { value += 1 }
        }
        return (isNegative ? -value : value, isExact)
    }

    /// The whole number of which this is one and a fraction: 1.9 gives 1, -1.9 gives -1.
    /// - Returns: `nil` where it is no `Int64`.
    var truncated: Int64? {
        let kept = exponent >= 0 ? digits : digits.dropLast(-exponent)
        guard let value = magnitude(kept, zeros: max(0, kept.isEmpty ? 0 : exponent)) else {
            return nil
        }
        return isNegative ? -value : value
    }

    /// Less than `Int64.max`, so that one may be added.
    private func magnitude(_ digits: [UInt8], zeros: Int) -> Int64? {
        guard digits.count + zeros <= 18 else { return nil }
        return (digits + Array(repeating: 0, count: zeros)).reduce(0) { $0 * 10 + Int64($1) }
    }

    /// The whole number of thousandths that a text says; `nil` where it says no number or not a whole one.
    static func thousandths(_ text: some StringProtocol) -> Int64? {
        guard let scaled = DecimalText(text)?.scaled(places: 3), scaled.isExact else { return nil }
        return scaled.value
    }
}
