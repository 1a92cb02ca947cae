/// A sum of fractions, without rounding.
struct ExactSum: Equatable {
    private(set) var numerator: Int128 = 0
    /// At least 1.
    private(set) var denominator: Int128 = 1
    /// Whether it became too large to be told: many prices for odd numbers of days have no small common denominator.
    private(set) var isTooLarge = false

    init() {}

    init(_ amounts: [ExactAmount]) {
        for amount in amounts { add(amount.numerator, over: amount.denominator) }
    }

    mutating func add(_ value: Int128, over divisor: Int128) {
        let other = max(1, divisor)
        let common = Self.divisor(denominator, other)
        let own = numerator.multipliedReportingOverflow(by: other / common)
        let new = value.multipliedReportingOverflow(by: denominator / common)
        let sum = own.partialValue.addingReportingOverflow(new.partialValue)
        let whole = (denominator / common).multipliedReportingOverflow(by: other)
        guard !isTooLarge, !own.overflow, !new.overflow, !sum.overflow, !whole.overflow else {
            // Whatever came before, so that the order of sums makes no difference.
            (isTooLarge, numerator, denominator) = (true, 0, 1)
            return
        }
        numerator = sum.partialValue
        denominator = whole.partialValue
    }

    /// The nearest whole number; of two the even one.
    var rounded: Int128 { numerator.dividedRoundingHalfToEven(by: denominator) }

    /// Of sums that are too large to be compared the first is not less.
    func isLess(than other: ExactSum) -> Bool {
        // Without what both are divided by, as in `add`.
        let common = Self.divisor(denominator, other.denominator)
        let left = numerator.multipliedReportingOverflow(by: other.denominator / common)
        let right = other.numerator.multipliedReportingOverflow(by: denominator / common)
        return !left.overflow && !right.overflow && left.partialValue < right.partialValue
    }

    static func divisor(_ left: Int128, _ right: Int128) -> Int128 {
        var (larger, smaller) = (left.magnitude, right.magnitude)
        while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
        return larger == 0 ? 1 : Int128(larger)
    }
}

extension Int128 {
    /// Millionths of what is left after a division, of money of the currency itself; rounded half to even. `nil`: they
    /// do not fit, or the divisor is 0.
    func micros(over divisor: Int128, isMoney: Bool) -> Int64? {
        guard divisor > 0 else { return nil }
        let scaled = multipliedReportingOverflow(by: isMoney ? 1_000 : 1_000_000)
        guard !scaled.overflow else { return nil }
        return Int64(exactly: scaled.partialValue.dividedRoundingHalfToEven(by: divisor))
    }

    /// The nearest whole number to a quotient; of two the even one.
    /// - Parameter divisor: At least 1.
    func dividedRoundingHalfToEven(by divisor: Int128) -> Int128 {
        let (quotient, rest) = flooredDivision(by: divisor)
        let half = divisor - rest
        let isUp = rest > half || (rest == half && quotient % 2 != 0)
        return quotient + (isUp ? 1 : 0)
    }
}
