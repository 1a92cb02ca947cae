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
    /// What the type refers to, such as a transaction, a grant or a `ref`; `none` where it is absent.
    public var reference = Reference.none
    /// The reference of the source's key.
    public var key = Reference.none
    /// Thousandths of a currency, or another number that the vocabulary puts here.
    public var money: Int64 = Event.absent
    /// The first time of the type, in milliseconds since 1970 UTC.
    public var timeA: Int64 = Event.absent
    /// The second time of the type, in milliseconds since 1970 UTC.
    public var timeB: Int64 = Event.absent
    /// The third time of the type, in milliseconds since 1970 UTC; of a grant the least units that roll over.
    public var timeC: Int64 = Event.absent
    @usableFromInline var storedSequence: UInt32 = 0
    @usableFromInline var storedAmount: Int32 = Int32.min
    /// The stream's number, 1-based.
    public var stream: UInt32 = 0
    /// The customer that the event names, as a name.
    public var customer: NameID = 0
    /// The profile that the envelope names, or the data where the type has a slot for it.
    public var profile: NameID = 0
    /// The first name of the type, mostly a product or a meter; of an unknown type, the name of the type.
    public var nameA: NameID = 0
    /// The second name of the type.
    public var nameB: NameID = 0
    /// The third name of the type.
    public var nameC: NameID = 0
    /// The source's kind, as a name.
    public var source: NameID = 0
    /// Words and small values of the type, some bits for each (`EventSlot.flags`); 0 where all are absent.
    public var flags: UInt16 = 0
    @usableFromInline var storedType: UInt8 = 0
    /// The number of the trust; 0 before it is given.
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

    /// The number of the type; 0 for one that was unknown when it came. Only the low 8 bits are kept.
    @inlinable
    public var typeCode: UInt16 {
        get { UInt16(storedType) }
        set { storedType = UInt8(truncatingIfNeeded: newValue) }
    }

    /// Stands for a number that is not there.
    public static let absent = Int64.min

    /// Creates an event without position, times, names and numbers.
    public init() {}

    /// The type; `unknown` for a number that this build does not know.
    public var type: EventType { EventType(rawValue: typeCode) ?? .unknown }
    /// The trust; `clientAsserted` for a number that this build does not know.
    public var trust: Trust { Trust(rawValue: trustCode) ?? .clientAsserted }
}

/// An interned name; 0 is "none".
public typealias NameID = UInt32

extension Int64 {
    /// `nil` for the number that stands for nothing.
    public var orNil: Int64? { self == Event.absent ? nil : self }
}
