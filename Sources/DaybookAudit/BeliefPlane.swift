public import Daybook

/// What was so about one feature, meter or entitlement of a customer: by the time that is asked about (valid time), and
/// by what was known (decision 0034).
///
/// A row holds from one commit to the next; a rectangle is an answer that holds for a stretch of valid time in
/// neighbouring rows. The rectangles cover the plane and do not overlap.
public struct BeliefPlane: Sendable {
    /// What is told apart.
    public struct Answer: Sendable, Equatable {
        /// Whether a use of one unit was allowed; of an entitlement whether it was active.
        public var allowed: Bool
        /// The word of `check` after `granted.` or `denied.`; of an entitlement its state.
        public var reason: String
        /// Units of the meter that were left; `nil`: without a limit, or without a meter.
        public var remaining: Int64?

        /// Creates an answer; nothing is checked.
        public init(allowed: Bool, reason: String, remaining: Int64?) {
            self.allowed = allowed
            self.reason = reason
            self.remaining = remaining
        }
    }

    /// A state of knowledge: what one commit brought, and everything before.
    public struct Row: Sendable {
        /// The last position that is known.
        public var position: Int64
        /// From when on it was known, milliseconds since 1970 UTC; `Int64.min`: the first row, of all that came before.
        public var recordedAt: Int64
        /// What the commit brought of the customer; empty where a catalog or another customer's event made the row.
        public var events: [HistoryEntry]
    }

    /// One answer that held for a stretch of valid time, by the knowledge of some rows.
    public struct Rectangle: Sendable, Equatable {
        /// Half-open, milliseconds since 1970 UTC.
        public var valid: Range<Int64>
        /// Places in `rows`, half-open; one that ends with the last row holds as of now.
        public var rows: Range<Int>
        /// `nil`: no catalog ruled, or it had no such name.
        public var answer: Answer?
    }

    /// A stretch of time in which people were told something else than is known now.
    public struct Difference: Sendable, Equatable {
        /// When they were told, half-open.
        public var range: Range<Int64>
        /// What they were told, by what was known then; `nil`: no catalog ruled, or it had no such name.
        public var told: Answer?
        /// What is known of that time now.
        public var hindsight: Answer?
        /// The row with which that became known: its events did it.
        public var row: Int
    }

    /// What the name is in the newest known catalog that has it.
    public enum Kind: String, Sendable {
        case feature, meter, entitlement
    }

    /// The customer, by the id that was asked about.
    public var subject: String
    /// The name that was asked about.
    public var name: String
    /// What the name is.
    public var kind: Kind
    /// The profile that was asked about; `nil`: the customer as a whole.
    public var profile: String?
    /// Whether any event within the cut names the customer.
    public var isKnown: Bool
    /// The cut of the plane; its time ends what people were told.
    public var asOf: AsOf
    /// The valid time that is looked at, half-open.
    public var valid: Range<Int64>
    /// Ascending; at least one.
    public var rows: [Row]
    /// By row and valid time of their beginnings.
    public var rectangles: [Rectangle]
    /// Ascending; where only the number of units or the reason differs there is none.
    public var differences: [Difference]
    /// How many older events of the customer are in the first row without being told apart.
    public var passedCount: Int

    /// What was so at a time, as known in a row.
    public func answer(at instant: Int64, row: Int) -> Answer? {
        rectangles.first { $0.rows.contains(row) && $0.valid.contains(instant) }?.answer
    }

    /// The row of what was known at a time, that itself included.
    public func row(knownAt instant: Int64) -> Int {
        (rows.lastIndex { $0.recordedAt <= instant }) ?? 0
    }
}

/// What to tell of a customer.
public struct BeliefRequest: Sendable, Equatable {
    /// A feature or a meter, an alias of one, or an entitlement.
    public var name: String
    /// The profile that is asked about; `nil`: the customer as a whole.
    public var profile: String?
    /// Valid time, milliseconds since 1970 UTC; `nil`: the customer's first event, or the last changes where there are
    /// many.
    public var from: Int64?
    /// Exclusive; `nil`: 30 days after the time of the question.
    public var until: Int64?
    /// How many of the newest events may have a row of their own, 1 to `eventCountMax`; `nil`: `eventCountDefault`.
    public var eventCount: Int?

    /// The most events that may have a row of their own.
    public static let eventCountMax = 10_000

    /// 256, and of a customer with more than 2,500 events fewer, but at least 32: each row asks about all of them.
    /// - Parameter count: The customer's events.
    public static func eventCountDefault(ofEvents count: Int) -> Int {
        max(32, min(256, 640_000 / max(1, count)))
    }

    /// Asks about a name with all ranges left open; the name is checked when the question is answered.
    public init(_ name: String) { self.name = name }
}
