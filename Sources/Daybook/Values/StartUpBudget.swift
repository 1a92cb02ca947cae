/// How long an opening may read what came after the newest snapshot; beyond that the next one is due (decision 0019).
/// After a million events, and after many new names, one is due in any case, for they are held in memory (decision
/// 0039).
///
/// The time is compared with what the tail would take at the rate at which this process read events last: when it
/// opened the ledger, or took in what others had written meanwhile. Until it read enough of them at once to tell, an
/// assumed rate stands in.
public struct StartUpBudget: Sendable {
    /// Of the rows of a tail, events per second, where nothing was measured: below what `Benchmarks/` has measured.
    static let assumedRate: Double = 1_000_000
    /// A measured rate counts as this at least and at most: one bad moment of a machine must not make every commit
    /// write a snapshot, nor a clock that stood still none.
    static let sensibleRates: ClosedRange<Double> = 100_000...10_000_000
    /// Fewer events than this tell nothing about a rate.
    static let measuredCountMin: Int64 = 10_000
    /// A shorter tail is never worth a snapshot: the smallest distance of the ladder.
    static let tailCountMin: Int64 = 4_096

    /// What a start may take for the tail, 250 ms unless told otherwise. With zero every tail of 4,096 events is one
    /// too long.
    public var time: Duration
    /// Events per second that reading a tail was last seen to reach, within reason.
    private(set) var rate: Double
    private let isFixed: Bool

    /// A budget that measures by itself how fast events are read; the time must not be negative.
    public init(_ time: Duration = .milliseconds(250)) {
        self.init(time, rate: Self.assumedRate, isFixed: false)
    }

    /// A budget that measures nothing.
    /// - Parameter rate: Events per second, above 0; one beyond reason counts as the last within.
    package init(_ time: Duration, rate: Double) {
        self.init(time, rate: rate, isFixed: true)
    }

    private init(_ time: Duration, rate: Double, isFixed: Bool) {
        precondition(time >= .zero, "A start takes no less than no time.")
        self.time = time
        self.rate = Self.sensible(rate)
        self.isFixed = isFixed
    }

    private static func sensible(_ rate: Double) -> Double {
        min(max(rate, sensibleRates.lowerBound), sensibleRates.upperBound)
    }

    /// Takes in how long some events of a tail took.
    package mutating func note(_ count: Int64, took elapsed: Duration) {
        guard !isFixed, count >= Self.measuredCountMin else { return }
        rate = elapsed > .zero ? Self.sensible(Double(count) / (elapsed / .seconds(1))) : rate
    }

    /// The longest tail that an opening reads within the budget.
    package var tailCountMax: Int64 {
        // A day of reading is beyond any ledger, and what a number can hold.
        let seconds = min(time / .seconds(1), 86_400)
        return max(Self.tailCountMin, Int64(seconds * rate))
    }
}
