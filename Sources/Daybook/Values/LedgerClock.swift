import DaybookEvents
public import DaybookStore

/// The time at which a ledger decides and answers, and the one that it records.
///
/// Recorded times never go back, so the last of them may be ahead of the wall clock: it was written while a clock was
/// wrong, or the clock was put back since. A wrong minute then must not stop time: what is recorded keeps to the last
/// recorded time until that is reached, and everything else goes by the wall clock.
public struct LedgerClock: Sendable, Equatable {
    /// What the machine, or the program, says.
    public let wall: Int64
    /// The last recorded time.
    public let last: Int64

    /// Creates a clock of two times in milliseconds since 1970 UTC; in an empty ledger `last` is 0.
    public init(wall: Int64, last: Int64) {
        self.wall = wall
        self.last = last
    }

    /// A clock that steps back by no more than this, as time servers make it do, is waited for: the ledger's own
    /// events of one customer stay in the order in which they were decided.
    public static let stepMax: Int64 = 60_000
    /// A file may have been recorded on a machine whose clock is a time zone off, but not further ahead than that.
    public static let leadMax: Int64 = 86_400_000
    /// From 2000-01-01 until 2100-01-01: outside of it a clock was never set, or is broken.
    public static let plausible: Range<Int64> = 946_684_800_000..<4_102_444_800_000

    /// The ledger's clock at a commit (rule 1).
    public var recordedAt: Int64 { max(wall, last) }

    /// How far the last recorded time is ahead; 0: not noticeably. A clock that stands at the beginning of time cannot
    /// say that others are ahead of it.
    public var lead: Int64 {
        // A damaged row may tell any time.
        guard Self.plausible.contains(wall), last > wall else { return 0 }
        return last - wall > Self.stepMax ? last - wall : 0
    }

    /// When decisions are made, and what is asked about without a time.
    public var now: Int64 { lead > 0 ? wall : recordedAt }

    /// Why nothing may be recorded at this time; `nil`: it may.
    /// - Parameters:
    ///   - wall: What the clock says, in milliseconds since 1970 UTC.
    ///   - isMachine: Whether it is the machine's clock; a program's own may begin at 0.
    public static func problem(_ wall: Int64, isMachine: Bool) -> StoreError? {
        let isPlausible =
            isMachine ? plausible.contains(wall) : wall >= 0 && wall < plausible.upperBound
        if isPlausible { return nil }
        return StoreError(
            .wrongClock,
            "the clock says \(wall) ms since 1970, which is outside of the years 2000 to 2099, so nothing is recorded: recorded times never go back; set the clock"
        )
    }
}
