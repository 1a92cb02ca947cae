public import DaybookDomain

/// How fast time runs for subscriptions of a sandbox.
///
/// Apple lets each Sandbox Apple Account choose how long a month lasts (App Store Connect Help, "Manage Sandbox Apple
/// Account settings"); every other length follows from it, weeks by a table. A trial lasts as long as a subscription of
/// its length.
public enum SandboxSpeed: String, Sendable, CaseIterable {
    /// Calendar time.
    case real
    case minutes60 = "60m"
    case minutes30 = "30m"
    case minutes15 = "15m"
    /// Apple's own default: a week is 3 minutes, a month 5 minutes, a year an hour.
    case minutes5 = "5m"
    case minutes3 = "3m"

    private static let minute: Int64 = 60_000
    private static let day: Int64 = 86_400_000

    /// How long a month lasts, and a week; `nil` in calendar time.
    private var lengths: (month: Int64, week: Int64)? {
        switch self {
        case .real: nil
        case .minutes60: (60 * Self.minute, 15 * Self.minute)
        case .minutes30: (30 * Self.minute, 10 * Self.minute)
        case .minutes15: (15 * Self.minute, 5 * Self.minute)
        case .minutes5: (5 * Self.minute, 3 * Self.minute)
        case .minutes3: (3 * Self.minute, 3 * Self.minute)
        }
    }

    /// The end of a period that begins at an instant.
    /// - Parameter period: In calendar time; days count as parts of a week.
    public func end(of period: CivilDuration, from start: Int64) -> Int64 {
        guard let lengths else { return ZoneTable.utc.adding(period, to: start) }
        let months = Int64(period.years) * 12 + Int64(period.months)
        let days = Int64(period.days) * lengths.week / 7
        return start + months * lengths.month + max(days, period.days > 0 ? Self.minute : 0)
    }

    /// How long access lasts after a failed charge where the app has a grace period: 16 days, and 6 for weekly
    /// subscriptions; in a sandbox as long as the shortest of its months, or weeks.
    func grace(_ period: CivilDuration) -> Int64 {
        let isWeekly = period.years == 0 && period.months == 0
        guard let lengths else { return (isWeekly ? 6 : 16) * Self.day }
        return isWeekly ? lengths.week : lengths.month
    }

    /// How long the store tries a failed charge again: 60 days; in a sandbox twice a month.
    var retry: Int64 { lengths.map { 2 * $0.month } ?? 60 * Self.day }
}
