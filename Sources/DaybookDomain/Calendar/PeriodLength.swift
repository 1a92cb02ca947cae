/// How long the periods of a meter are: whole months or whole days on the customer's wall clock, or exact time.
///
/// Years are months, and weeks are days. A length of several units, such as `P1M3D`, is none: its periods would depend
/// on the order in which the units are added.
public struct PeriodLength: Sendable, Hashable {
    /// What is counted.
    public enum Unit: Sendable, Hashable {
        /// Months, whose ends follow the calendar.
        case months
        /// Days of 23 to 25 hours.
        case days
        /// Milliseconds, whatever the clocks on the wall do.
        case milliseconds
    }

    /// What the length counts.
    public let unit: Unit

    /// How many of them: up to a hundred years, and exact time from an hour on.
    public let count: Int

    /// One month.
    public static let month = PeriodLength(.months, 1)

    private init(_ unit: Unit, _ count: Int) {
        self.unit = unit
        self.count = count
    }

    /// Takes a length of one unit.
    ///
    /// - Returns: `nil` where the length mixes units, is zero, is longer than a hundred years, or is exact time of less
    ///   than an hour.
    public init?(_ duration: CivilDuration) {
        let months = duration.years * 12 + duration.months
        switch (months, duration.days, duration.milliseconds) {
        case (1...1_200, 0, 0): self.init(.months, months)
        case (0, 1...36_525, 0): self.init(.days, duration.days)
        case (0, 0, 3_600_000...3_155_760_000_000):
            self.init(.milliseconds, Int(duration.milliseconds))
        default: return nil
        }
    }

    /// As ISO 8601 writes it, in the largest unit that is whole: `P1Y`, `P3M`, `P2W`, `PT720H`.
    public var iso8601: String {
        func text(_ units: [(count: Int, name: String)], _ prefix: String) -> String {
            let unit = units.first { count.isMultiple(of: $0.count) }
            return "\(prefix)\(count / (unit?.count ?? 1))\(unit?.name ?? "")"
        }
        return switch unit {
        case .months: text([(12, "Y"), (1, "M")], "P")
        case .days: text([(7, "W"), (1, "D")], "P")
        case .milliseconds: text([(3_600_000, "H"), (60_000, "M"), (1_000, "S")], "PT")
        }
    }

    /// Where a period of this length ends that begins at an instant, by the days of UTC.
    func following(_ instant: Int64) -> Int64 {
        switch unit {
        case .months: ZoneTable.utc.adding(CivilDuration(months: count), to: instant)
        case .days: ZoneTable.utc.adding(CivilDuration(days: count), to: instant)
        case .milliseconds: instant.addingSaturated(Int64(count))
        }
    }
}
