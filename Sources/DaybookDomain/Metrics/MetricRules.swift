/// What a question about metrics leaves to whom asks it (docs/metrics.md#rules).
public struct MetricRules: Sendable, Equatable {
    /// When a refund counts.
    public enum Refunds: String, Sendable, CaseIterable {
        /// On the day on which the money went back.
        case atRefundDate = "at-refund-date"
        /// In the period of the payment, as if it had never been paid.
        case retroactive
        /// Not at all.
        case ignore
    }

    /// How the price of a period becomes a price for a month.
    public enum MonthlyPrice: String, Sendable, CaseIterable {
        /// A day counts thirty times, three days ten times, a week four times; months divide.
        case revenuecat
        /// A week is 0.23 of a month, a day a thirtieth; months divide.
        case adapty
        /// A month has 365.25 / 12 days.
        case calendar
    }

    /// When one who came back has come back.
    public enum Retention: String, Sendable, CaseIterable {
        /// On the calendar's day, or in its week or month, that lies so many after that of the first sight.
        case calendar
        /// The same in the time zone that was told with the customer's first sight, if one was.
        case ownCalendar = "own-calendar"
        /// Within as many times 24 hours from the moment of the first sight.
        case hours24 = "24-hours"
        /// On that day or at any time after it began.
        case onOrAfter = "on-or-after"
    }

    /// Which payment after a trial makes it a converted one.
    public enum Attribution: String, Sendable, CaseIterable {
        /// The first one of the same purchase, if it followed without a gap or was charged late.
        case strict
        /// Any later one of the same purchase, also one that the customer bought anew.
        case lineage
    }

    /// What the ages of a cohort are counted in.
    public enum AgeUnit: String, Sendable, CaseIterable {
        case day, week, month, quarter, year

        /// Where it is counted in days: months have 30 of them.
        var days: Int {
            switch self {
            case .day: 1
            case .week: 7
            case .month: 30
            case .quarter: 91
            case .year: 365
            }
        }
    }

    /// The highest `ageMax` that a question may ask for.
    public static let ageCountMax = 400

    /// Whom and what is counted; by default all customers and products.
    public var filter = MetricFilter()
    /// When a refund is taken off.
    public var refunds = Refunds.atRefundDate
    /// When a customer counts as back.
    public var retention = Retention.calendar
    /// Which payment makes a trial a converted one.
    public var attribution = Attribution.strict
    /// `nil`: as the periods are long; months where there is one whole period.
    public var ageUnit: AgeUnit?
    /// The highest age of a cohort, 0 to `ageCountMax`.
    public var ageMax = 12
    /// How recurring revenue spreads the price of a period over months.
    public var monthlyPrice = MonthlyPrice.revenuecat
    /// What the store keeps of each payment, in thousandths of a percent: 30 % is 30,000.
    public var commissionMilli: Int64 = 30_000
    /// ISO 4217: the currency in which money is shown, as far as rates are recorded; `nil`: each in its own.
    public var currency: String?

    /// Makes the rules of a question that states none.
    public init() {}
}

/// A whole number over another one, for sums that must come out exactly.
struct Share: Hashable {
    var numerator: Int64
    /// At least 1.
    var denominator: Int64

    static let one = Share(numerator: 1, denominator: 1)

    /// In lowest terms.
    init(numerator: Int64, denominator: Int64) {
        let common = Int64(ExactSum.divisor(Int128(numerator), Int128(denominator)))
        self.numerator = numerator / common
        self.denominator = denominator / common
    }
}

extension MetricRules.MonthlyPrice {
    /// By what the price of a period is multiplied.
    /// - Parameter length: Of months or of days.
    func factor(of length: PeriodLength) -> Share {
        let count = Int64(length.count)
        switch length.unit {
        case .months: return Share(numerator: 1, denominator: count)
        case .milliseconds where self == .calendar:
            return Share(numerator: 1_461 * .day / 48, denominator: count)
        case .milliseconds: return Share(numerator: 30 * .day, denominator: count)
        case .days: break
        }
        switch self {
        case .revenuecat where count % 7 == 0: return Share(numerator: 4, denominator: count / 7)
        case .revenuecat: return Share(numerator: 30, denominator: count)
        case .adapty where count % 7 == 0:
            return Share(numerator: 100, denominator: 23 * (count / 7))
        case .adapty: return Share(numerator: 30, denominator: count)
        case .calendar: return Share(numerator: 1_461, denominator: 48 * count)
        }
    }
}
