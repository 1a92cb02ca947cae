/// A calendar length as ISO 8601 writes it: `P21D`, `P1M`, `P1Y`, `PT10M`.
///
/// Years and months are calendar arithmetic (31 January + 1 month is 28 or 29 February), days keep the wall clock,
/// and `milliseconds` is exact time.
public struct CivilDuration: Sendable, Equatable, Hashable {
    public var years: Int
    public var months: Int
    public var days: Int
    public var milliseconds: Int64

    public init(years: Int = 0, months: Int = 0, days: Int = 0, milliseconds: Int64 = 0) {
        self.years = years
        self.months = months
        self.days = days
        self.milliseconds = milliseconds
    }
}
