/// A calendar length as ISO 8601 writes it: `P21D`, `P1M`, `P1Y`, `PT10M`.
///
/// Years and months are calendar arithmetic (31 January + 1 month is 28 or 29 February), days keep the wall clock,
/// and `milliseconds` is exact time.
public struct CivilDuration: Sendable, Equatable, Hashable {
    /// Calendar years, applied together with the months.
    public var years: Int
    /// Calendar months; twelve are not turned into a year.
    public var months: Int
    /// Days by the wall clock, of 23 to 25 hours; added after years and months.
    public var days: Int
    /// Exact time, added last.
    public var milliseconds: Int64

    /// Makes a length of any parts, negative ones too; nothing is checked or normalized.
    public init(years: Int = 0, months: Int = 0, days: Int = 0, milliseconds: Int64 = 0) {
        self.years = years
        self.months = months
        self.days = days
        self.milliseconds = milliseconds
    }
}
