import DaybookEvents

/// What a unit of other currencies was worth in one, by day (docs/metrics.md#currencies).
public struct CurrencyConversion: Sendable, Equatable {
    /// As one `rate.recorded` tells it.
    public struct Rate: Sendable, Equatable {
        /// Since 1970, of UTC.
        public var day: Int64
        /// ISO 4217.
        public var from: String
        /// ISO 4217: the currency in which the other one is valued.
        public var to: String
        /// Billionths of `to` for one unit of `from`, 1 to `CurrencyCode.nanosMax`.
        public var nanos: Int64

        /// Makes a rate of the UTC day of an instant, in milliseconds since 1970 UTC; nothing is checked.
        public init(at instant: Int64, from: String, to: String, nanos: Int64) {
            day = instant.flooredDivision(by: .day).quotient
            self.from = from
            self.to = to
            self.nanos = nanos
        }
    }

    /// In how many days after its own a rate counts where no newer one is told: over weekends and holidays.
    public static let dayCountMax: Int64 = 7

    private struct Dated: Sendable, Equatable {
        var day: Int64
        var factor: Share
        /// Whether it is the reciprocal of what was told.
        var isReciprocal: Bool
    }

    /// ISO 4217.
    public let currency: String
    /// By currency, ascending by day, one a day.
    private let rates: [String: [Dated]]

    /// - Parameter told: Ascending by weight: of two for a day and direction the later one counts. Those that are not
    ///   of the currency make no difference.
    public init(to currency: String, _ told: [Rate]) {
        self.currency = currency
        var byDay: [String: [Int64: Dated]] = [:]
        for rate in told {
            let isReciprocal = rate.from == currency
            guard isReciprocal || rate.to == currency, rate.nanos > 0 else { continue }
            let other = isReciprocal ? rate.to : rate.from
            // What is told in the direction that is asked for goes before its reciprocal.
            if isReciprocal, byDay[other]?[rate.day]?.isReciprocal == false { continue }
            byDay[other, default: [:]][rate.day] = Dated(
                day: rate.day,
                factor: isReciprocal
                    ? Self.reciprocal(of: rate.nanos)
                    : Share(numerator: rate.nanos, denominator: 1_000_000_000),
                isReciprocal: isReciprocal)
        }
        rates = byDay.mapValues { $0.values.sorted { $0.day < $1.day } }
    }

    /// With twelve decimals, or nine where so many do not fit, rounded half to even: sums of many days stay exact over
    /// one denominator.
    private static func reciprocal(of nanos: Int64) -> Share {
        for places: Int128 in [1_000_000_000_000, 1_000_000_000] {
            let factor = (places * 1_000_000_000).dividedRoundingHalfToEven(by: Int128(nanos))
            if let factor = Int64(exactly: factor) {
                return Share(numerator: factor, denominator: Int64(places))
            }
        }
        // Of one billionth it is 10^18 over 10^9, which fits.
        return .one
    }

    /// The rates of the days up to that of a time.
    package func upTo(_ instant: Int64) -> CurrencyConversion {
        let day = instant.flooredDivision(by: .day).quotient
        return CurrencyConversion(
            currency: currency,
            rates: rates.mapValues { $0.filter { $0.day <= day } }.filter { !$0.value.isEmpty })
    }

    private init(currency: String, rates: [String: [Dated]]) {
        self.currency = currency
        self.rates = rates
    }

    /// By what an amount of a currency is multiplied at a time; `nil`: no rate of its day or the seven before is known.
    /// - Complexity: O(log *n*) in the days.
    func factor(from other: String, at instant: Int64) -> Share? {
        if other == currency { return .one }
        guard let rates = rates[other] else { return nil }
        let day = instant.flooredDivision(by: .day).quotient
        guard let newest = rates.prefix(rates.sortedPrefixCount { $0.day <= day }).last,
            day - newest.day <= Self.dayCountMax
        else { return nil }
        return newest.factor
    }

    /// The currency in which an amount is shown, and by what it is multiplied: its own where there is no rate.
    func shown(_ other: String, at instant: Int64) -> ShownCurrency {
        factor(from: other, at: instant).map { ShownCurrency(name: currency, factor: $0) }
            ?? ShownCurrency(name: other, factor: .one)
    }

    /// The currencies that can be converted on some day, with how many days are told.
    public var dayCounts: [(currency: String, count: Int)] {
        rates.map { ($0.key, $0.value.count) }.sorted { precedesInBytes($0.0, $1.0) }
    }
}

/// The currency in which an amount is shown, and by what the amount is multiplied.
struct ShownCurrency: Hashable {
    var name: String
    var factor: Share
}

/// An amount of money without rounding: thousandths of a currency over a whole number.
struct ExactAmount: Hashable {
    var numerator: Int128
    /// At least 1.
    var denominator: Int128

    /// Amounts beyond it count as much: some billions of them can be added up.
    private static let numberMax: Int128 = 1 << 94

    /// - Parameter share: By what it is multiplied.
    init(_ amount: Int64, times share: Share = .one, in currency: ShownCurrency) {
        let factor = currency.factor
        // At most 63 bits each.
        let part = Int128(amount) * Int128(share.numerator)
        let whole = part.multipliedReportingOverflow(by: Int128(factor.numerator))
        let most = part < 0 ? -Self.numberMax : Self.numberMax
        numerator =
            whole.overflow || whole.partialValue.magnitude > Self.numberMax.magnitude
            ? most : whole.partialValue
        denominator = Int128(share.denominator) * Int128(factor.denominator)
    }

    func times(_ factor: Int64) -> ExactAmount {
        var amount = self
        amount.numerator *= Int128(factor)
        return amount
    }
}
