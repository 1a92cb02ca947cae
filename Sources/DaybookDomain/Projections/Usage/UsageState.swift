public import DaybookEvents

/// What a customer used: facts in canonical order, from which every answer about meters is computed.
///
/// Sums are not kept: which period a use belongs to depends on zones and anchors, which `evolve` must not see
/// (rule 8), and every use must be remembered anyway because its ref counts once for ever (rule 12).
public struct UsageState: Sendable, Equatable {
    public var entries: [UsageEntry] = []
    public var reservations: [Reservation] = []
    public var outcomes: [ReservationOutcome] = []
    public var reversals: [Reversal] = []
    public var resets: [Reset] = []
    public var pins: [Pin] = []
    /// Set when a number was so large that a sum was cut at the limit of Int64 (rule 30).
    public var isSaturated = false

    public init() {}

    /// Begins anew and keeps the allocated memory of the entries.
    mutating func reset() {
        var room = entries
        entries = []
        room.removeAll(keepingCapacity: true)
        self = UsageState()
        entries = room
    }

    public struct UsageEntry: Sendable, Equatable {
        public var at: Int64
        public var amount: Int64
        public var meter: NameID
        public var coveredBy: NameID
        public var profile: NameID
        /// `Reference.none` where the use names nothing.
        public var reference: Reference
        public var key: Reference
    }
    public struct Reservation: Sendable, Equatable {
        public var at: Int64
        public var id: Reference
        public var meter: NameID
        public var amount: Int64
        /// Exclusive.
        public var expiresAt: Int64
        public var coveredBy: NameID
        public var profile: NameID
        public var key: Reference
    }
    public struct ReservationOutcome: Sendable, Equatable {
        public var at: Int64
        public var id: Reference
        public var isCommit: Bool
        /// `Event.absent`: the reserved amount.
        public var amount: Int64
        public var key: Reference
    }
    public struct Reversal: Sendable, Equatable {
        public var at: Int64
        /// Key or ref of the use; of reserved units the reservation, or the key of what reserved or committed them.
        public var target: Reference
        /// 0: of the first meter that has the target.
        public var meter: NameID
    }
    public struct Reset: Sendable, Equatable {
        public var meter: NameID
        public var effectiveAt: Int64
        /// Evidence of what time does by itself: it is in no answer and no digest (rules 14 and 23), and only tells
        /// the ledger that it has been written. The latest of each meter is kept.
        public var isScheduled: Bool
        /// Later periods are counted from it.
        public var movesAnchor = false
        /// What was used beyond the limit counts as used after it.
        public var preservesOverage = false
    }
    public struct Pin: Sendable, Equatable {
        public var at: Int64
        public var meter: NameID
        public var reference: Reference
    }
}
