/// A sum of fractions, without rounding.
struct ExactSum: Equatable {
    private(set) var numerator: Int128 = 0
    /// At least 1.
    private(set) var denominator: Int128 = 1
    /// Whether it became too large to be told: many prices for odd numbers of days have no small common denominator.
    private(set) var isTooLarge = false

    init() {}

    init(_ shares: [Share]) {
        for share in shares { add(Int128(share.numerator), over: share.denominator) }
    }

    mutating func add(_ value: Int128, over divisor: Int64) {
        let other = Int128(max(1, divisor))
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

    /// Of sums that are too large to be compared the first is not less.
    func isLess(than other: ExactSum) -> Bool {
        let left = numerator.multipliedReportingOverflow(by: other.denominator)
        let right = other.numerator.multipliedReportingOverflow(by: denominator)
        return !left.overflow && !right.overflow && left.partialValue < right.partialValue
    }

    static func divisor(_ left: Int128, _ right: Int128) -> Int128 {
        var (larger, smaller) = (left.magnitude, right.magnitude)
        while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
        return larger == 0 ? 1 : Int128(larger)
    }
}
