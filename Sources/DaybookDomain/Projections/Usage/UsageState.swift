public import DaybookEvents

/// What a customer used: facts in canonical order, from which every answer about meters is computed.
///
/// Sums are not kept: which period a use belongs to depends on zones and anchors, which `evolve` must not see
/// (rule 8), and every use must be remembered anyway because its ref counts once for ever (rule 12).
public struct UsageState: Sendable, Equatable {
    /// Every use, also one that counts no more or never did.
    public var entries: [UsageEntry] = []
    /// Every reservation, open or settled.
    public var reservations: [Reservation] = []
    /// Commits and releases of reservations.
    public var outcomes: [ReservationOutcome] = []
    /// What was taken back.
    public var reversals: [Reversal] = []
    /// Every reset by hand or by a change of plan, and the latest scheduled one of each meter.
    public var resets: [Reset] = []
    /// What was chosen to stay writable over a gauge's limit.
    public var pins: [Pin] = []
    /// Set when a number was so large that a sum was cut at the limit of Int64 (rule 30).
    public var isSaturated = false

    /// The state before any event.
    public init() {}

    /// Begins anew in the memory that it has. Most lists but the entries are empty and left alone.
    mutating func reset() {
        entries.removeAll(keepingCapacity: true)
        isSaturated = false
        if !reservations.isEmpty { reservations.removeAll(keepingCapacity: true) }
        if !outcomes.isEmpty { outcomes.removeAll(keepingCapacity: true) }
        if !reversals.isEmpty { reversals.removeAll(keepingCapacity: true) }
        if !resets.isEmpty { resets.removeAll(keepingCapacity: true) }
        if !pins.isEmpty { pins.removeAll(keepingCapacity: true) }
    }

    /// One use of a counter, one arrival or departure on a gauge, or one reading.
    public struct UsageEntry: Sendable, Equatable {
        /// When it happened, in milliseconds since 1970 UTC.
        public var at: Int64
        /// Units of a counter, +1 or -1 on a gauge, the number of a reading; 0 where the event has none.
        public var amount: Int64
        /// As the event names it, perhaps by an alias.
        public var meter: NameID
        /// What covered the use, so that it burns no quota (rule 12); 0: nothing did.
        public var coveredBy: NameID
        /// The profile that it was for; 0: none in particular.
        public var profile: NameID
        /// `Reference.none` where the use names nothing.
        public var reference: Reference
        /// The key of its event.
        public var key: Reference
    }
    /// Units that were set aside.
    public struct Reservation: Sendable, Equatable {
        /// When they were set aside, in milliseconds since 1970 UTC.
        public var at: Int64
        /// The reservation's own id, under which it is committed or released.
        public var id: Reference
        /// As the event names it, perhaps by an alias.
        public var meter: NameID
        /// How many units were set aside.
        public var amount: Int64
        /// Exclusive.
        public var expiresAt: Int64
        /// What covers the units, so that they hold no quota (rule 12); 0: nothing does.
        public var coveredBy: NameID
        /// The profile that they are for; 0: none in particular.
        public var profile: NameID
        /// The key of its event.
        public var key: Reference
    }
    /// A commit or a release of a reservation.
    public struct ReservationOutcome: Sendable, Equatable {
        /// When it happened, in milliseconds since 1970 UTC.
        public var at: Int64
        /// The reservation's own id.
        public var id: Reference
        /// Whether the units became usage; else they were given back.
        public var isCommit: Bool
        /// `Event.absent`: the reserved amount.
        public var amount: Int64
        /// The key of its event.
        public var key: Reference
    }
    /// A use, or reserved units, taken back.
    public struct Reversal: Sendable, Equatable {
        /// When it was taken back, in milliseconds since 1970 UTC.
        public var at: Int64
        /// Key or ref of the use; of reserved units the reservation, or the key of what reserved or committed them.
        public var target: Reference
        /// 0: of the first meter that has the target.
        public var meter: NameID
    }
    /// The beginning of a new count.
    public struct Reset: Sendable, Equatable {
        /// As the event names it, perhaps by an alias.
        public var meter: NameID
        /// The first instant of the new count, in milliseconds since 1970 UTC.
        public var effectiveAt: Int64
        /// Evidence of what time does by itself: it is in no answer and no digest (rules 14 and 23), and only tells
        /// the ledger that it has been written. The latest of each meter is kept.
        public var isScheduled: Bool
        /// Later periods are counted from it.
        public var movesAnchor = false
        /// What was used beyond the limit counts as used after it.
        public var preservesOverage = false
    }
    /// The choice of one thing that stays writable while a gauge is over its limit (T20).
    public struct Pin: Sendable, Equatable {
        /// When it was chosen, in milliseconds since 1970 UTC.
        public var at: Int64
        /// The gauge; 0: every gauge that counts the thing.
        public var meter: NameID
        /// The thing's ref, or the id of a profile.
        public var reference: Reference
    }
}
