/// One event as folds see it: fixed size, no references, names as interned numbers.
///
/// 128 bytes, two cache lines. What a slot means for a type stands in `Vocabulary`; the accessors in
/// `Event+Fields.swift` give the slots their names. Absent numbers are `Event.absent`, absent names are 0.
public struct Event: Sendable, Equatable {
    /// Global, 1-based; 0 before it is appended.
    public var position: Int64 = 0
    /// When it happened to the customer, milliseconds since 1970 UTC.
    public var occurredAt: Int64 = 0
    /// When the source said so.
    public var signedAt: Int64 = 0
    public var reference = Reference.none
    public var key = Reference.none
    public var money: Int64 = Event.absent
    public var timeA: Int64 = Event.absent
    public var timeB: Int64 = Event.absent
    public var timeC: Int64 = Event.absent
    @usableFromInline var storedSequence: UInt32 = 0
    @usableFromInline var storedAmount: Int32 = Int32.min
    /// The stream's number, 1-based.
    public var stream: UInt32 = 0
    /// The customer that the event names, as a name.
    public var customer: NameID = 0
    public var profile: NameID = 0
    public var nameA: NameID = 0
    public var nameB: NameID = 0
    public var nameC: NameID = 0
    /// The source's kind, as a name.
    public var source: NameID = 0
    public var flags: UInt16 = 0
    @usableFromInline var storedType: UInt8 = 0
    public var trustCode: UInt8 = 0

    /// The source's own counter, or the stream version of the ledger's own commands; 0 where there is none.
    ///
    /// 0 to 2^32 - 1; checked at append, and held at the limits here.
    @inlinable
    public var sequence: Int64 {
        get { Int64(storedSequence) }
        set { storedSequence = UInt32(clamping: newValue) }
    }

    /// Units, in the range of Int32 (rule 30 allows 10^9), or `Event.absent`.
    @inlinable
    public var amount: Int64 {
        get { storedAmount == Int32.min ? Event.absent : Int64(storedAmount) }
        set { storedAmount = newValue == Event.absent ? Int32.min : Int32(clamping: newValue) }
    }

    @inlinable
    public var typeCode: UInt16 {
        get { UInt16(storedType) }
        set { storedType = UInt8(truncatingIfNeeded: newValue) }
    }

    /// Stands for a number that is not there.
    public static let absent = Int64.min

    public init() {}

    public var type: EventType { EventType(rawValue: typeCode) ?? .unknown }
    public var trust: Trust { Trust(rawValue: trustCode) ?? .clientAsserted }
}

/// An interned name; 0 is "none".
public typealias NameID = UInt32

extension Int64 {
    /// `nil` for the number that stands for nothing.
    public var orNil: Int64? { self == Event.absent ? nil : self }
}
