/// Round times to write at an axis.
enum TimeTicks {
    struct Tick {
        var instant: Int64
        var text: String
    }

    private static let day: Int64 = 86_400_000
    private static let steps: [Int64] = [
        60_000, 5 * 60_000, 15 * 60_000, 3_600_000, 3 * 3_600_000, 6 * 3_600_000, 12 * 3_600_000,
        day, 2 * day, 7 * day, 14 * day, 28 * day, 56 * day, 91 * day, 182 * day, 364 * day,
        728 * day, 1_820 * day, 3_640 * day,
    ]

    /// - Parameter count: At most about so many.
    static func ticks(_ range: Range<Int64>, count: Int) -> [Tick] {
        let span = range.upperBound - range.lowerBound
        let step = steps.first { span / $0 <= Int64(count) } ?? max(1, span / Int64(count))
        var instant = (range.lowerBound / step + 1) * step
        var ticks: [Tick] = []
        while instant < range.upperBound, ticks.count < 2 * count + 2 {
            let text = self.text(instant, step, isLong: span > 300 * day)
            ticks.append(Tick(instant: instant, text: text))
            instant += step
        }
        return ticks
    }

    private static func text(_ instant: Int64, _ step: Int64, isLong: Bool) -> String {
        if step < day { return PageTime.clock(instant) }
        return isLong ? PageTime.month(instant) : PageTime.day(instant)
    }
}
