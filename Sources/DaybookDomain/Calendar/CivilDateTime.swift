/// What a wall clock and a wall calendar show, without saying in which time zone.
public struct CivilDateTime: Sendable, Hashable, Comparable {
    /// The day.
    public let date: CivilDate

    /// The milliseconds since midnight on the wall clock, 0...86,399,999.
    public let millisecondOfDay: Int

    /// Joins a date and a time of day.
    ///
    /// - Parameter millisecondOfDay: Since midnight on the wall clock; confined to one day.
    public init(date: CivilDate, millisecondOfDay: Int) {
        self.date = date
        self.millisecondOfDay = millisecondOfDay.confined(to: 0...Self.millisecondsPerDay - 1)
    }

    /// Makes a wall time from its parts, if calendar and clock have such a moment.
    ///
    /// - Returns: `nil` for a day that does not exist, an hour outside 0...23, or a minute or
    ///   second outside 0...59: leap seconds are no moments of POSIX time.
    public init?(
        year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0,
        millisecond: Int = 0
    ) {
        guard let date = CivilDate(year: year, month: month, day: day),
            0...23 ~= hour, 0...59 ~= minute, 0...59 ~= second, 0...999 ~= millisecond
        else { return nil }
        self.date = date
        self.millisecondOfDay = ((hour * 60 + minute) * 60 + second) * 1_000 + millisecond
    }

    /// Makes the wall time that lies a number of milliseconds after 1970 on the same wall clock.
    ///
    /// - Parameter localMilliseconds: Confined to the years -9999...9999.
    public init(localMilliseconds: Int64) {
        let (day, rest) = localMilliseconds.confined(to: Self.localMilliseconds)
            .flooredDivision(by: Int64(Self.millisecondsPerDay))
        self.date = CivilDate(daysSinceEpoch: Int(day))
        self.millisecondOfDay = Int(rest)
    }

    /// The milliseconds from 1 January 1970, 00:00, to this moment on the same wall clock.
    public var localMilliseconds: Int64 {
        Int64(date.daysSinceEpoch) * Int64(Self.millisecondsPerDay) + Int64(millisecondOfDay)
    }

    /// Orders wall times as the wall clock counts them.
    public static func < (left: CivilDateTime, right: CivilDateTime) -> Bool {
        left.date == right.date
            ? left.millisecondOfDay < right.millisecondOfDay : left.date < right.date
    }
}

extension CivilDateTime {
    /// The milliseconds since 1970 that wall times cover, both ends included: years -9999...9999.
    public static var localMilliseconds: ClosedRange<Int64> {
        -377_705_116_800_000...253_402_300_799_999
    }

    static var millisecondsPerDay: Int { 86_400_000 }
}
