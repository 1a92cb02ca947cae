public import DaybookEvents

/// The place of an event in the canonical order of its aggregate (rule 2), without the texts of long keys.
public struct OrderKey: Sendable, Equatable {
    /// When it happened to the customer, in milliseconds since 1970 UTC.
    public var occurredAt: Int64
    /// The source's own counter, or the stream version of a command's event; 0 where there is none.
    public var sequence: Int64
    /// The source's kind, as a number of the name table; its text orders, the number does not.
    public var source: NameID
    /// The event's key: exact where it is short or a UUID, else its digest.
    public var key: Reference

    /// Comes before every event.
    public static let first = OrderKey(
        occurredAt: Int64.min, sequence: Int64.min, source: 0, key: .none)
    /// Of a link that no event makes and none undoes: after every event.
    public static let spelling = OrderKey(
        occurredAt: Int64.max, sequence: Int64.max, source: 0, key: .none)

    /// Makes a place from its parts; nothing is checked.
    @inlinable
    public init(occurredAt: Int64, sequence: Int64, source: NameID, key: Reference) {
        self.occurredAt = occurredAt
        self.sequence = sequence
        self.source = source
        self.key = key
    }

    /// Makes the place of an event.
    @inlinable
    public init(_ event: Event) {
        self.init(
            occurredAt: event.occurredAt, sequence: event.sequence, source: event.source,
            key: event.key)
    }

    /// Whether this comes before the other; `nil` when only texts can tell.
    public func isBefore(_ other: OrderKey) -> Bool? {
        if occurredAt != other.occurredAt { return occurredAt < other.occurredAt }
        if sequence != other.sequence { return sequence < other.sequence }
        // Numbers of names say nothing about the order of their texts.
        if source != other.source { return nil }
        return Reference.isOrdered(key, before: other.key)
    }

    /// Whether this comes before the other where no row is at hand: events of one millisecond, one sequence and one
    /// source under two long keys are told apart by the keys' digests.
    public func precedes(_ other: OrderKey, names: borrowing NameTable) -> Bool {
        if occurredAt != other.occurredAt { return occurredAt < other.occurredAt }
        if sequence != other.sequence { return sequence < other.sequence }
        if source != other.source { return precedesInBytes(names[source], names[other.source]) }
        return (key.high, key.low) < (other.key.high, other.key.low)
    }
}

/// An event together with the texts that settle ties.
public struct OrderedEvent: Sendable {
    /// The event, with names as numbers.
    public var event: Event
    /// Text of the event's key, which decides between events of one source.
    public var key: String

    /// Makes a pair; that the key is the event's is not checked.
    public init(event: Event, key: String) {
        self.event = event
        self.key = key
    }

    /// Sorts into canonical order.
    /// - Complexity: O(*n* log *n*); texts are looked at on ties only.
    public static func sort(_ events: inout [OrderedEvent], names: NameTable) {
        events.sort { left, right in
            if left.event.occurredAt != right.event.occurredAt {
                return left.event.occurredAt < right.event.occurredAt
            }
            if left.event.sequence != right.event.sequence {
                return left.event.sequence < right.event.sequence
            }
            if left.event.source != right.event.source {
                return precedesInBytes(names[left.event.source], names[right.event.source])
            }
            return precedesInBytes(left.key, right.key)
        }
    }
}

/// How much a statement about a store fact weighs: the greatest wins (rule 3).
public struct StatementRank: Sendable, Equatable {
    /// 1 for an authoritative statement, 0 for a provisional one.
    public var classRank: UInt8
    /// When the source made the statement, in milliseconds since 1970 UTC.
    public var signedAt: Int64
    /// The source's kind, as a number of the name table; its text ranks, the number does not.
    public var source: NameID
    /// Key of the event that made the statement.
    public var key: Reference

    /// The rank of no statement, which every statement outranks.
    public static let none = StatementRank(
        classRank: 0, signedAt: Int64.min, source: 0, key: .none)

    /// Makes a rank from its parts; nothing is checked.
    public init(classRank: UInt8, signedAt: Int64, source: NameID, key: Reference) {
        self.classRank = classRank
        self.signedAt = signedAt
        self.source = source
        self.key = key
    }

    /// Makes the rank of what an event states.
    public init(_ event: Event) {
        self.init(
            classRank: event.trust.classRank, signedAt: event.signedAt, source: event.source,
            key: event.key)
    }

    /// Whether it is the rank of no statement.
    public var isNone: Bool { signedAt == Int64.min }

    /// Whether this statement replaces the other.
    ///
    /// Two statements of one class, signed in the same millisecond by one source under two long keys are told
    /// apart by the keys' digests: a total order of content, though not the order of the texts.
    public func outranks(_ other: StatementRank, names: borrowing NameTable) -> Bool {
        if classRank != other.classRank { return classRank > other.classRank }
        if signedAt != other.signedAt { return signedAt > other.signedAt }
        if source != other.source { return precedesInBytes(names[other.source], names[source]) }
        return (other.key.high, other.key.low) < (key.high, key.low)
    }
}
