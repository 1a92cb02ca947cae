/// Where a field of an event lives in the fixed-size event and in the row's typed columns.
///
/// A fold reads slots only. A field without a slot stays in the row's JSON and is seen by audit and export alone.
public enum EventSlot: Sendable, Equatable {
    case nameA, nameB, nameC
    case reference
    case amount, money
    case timeA, timeB, timeC
    /// The profile column, shared with the envelope's `profile`.
    case profile
    /// `width` bits of the flags column from bit `shift` on; 0 means absent, all ones "another value".
    case flags(shift: UInt8, width: UInt8)
    /// The name of the stream (a line's original transaction id).
    case stream
}

/// What a field may hold.
public enum EventFieldKind: Sendable, Equatable {
    /// Text of at most `EventBounds.nameByteCountMax` bytes.
    case text
    case integer
    /// An amount of units, |value| ≤ `EventBounds.amountMax`.
    case amount
    /// Thousandths of a currency, |value| ≤ `EventBounds.moneyMilliMax`.
    case money
    /// Milliseconds since 1970 UTC; may lie outside the bounds of an event's own times (rule 30).
    case time
    case bool
    /// One of some words; each word may have other spellings. Unknown words are kept and read as "other".
    case word([EventWord])
    /// Any JSON, kept as it is.
    case any
}

/// A word of a closed list with the spellings under which others send it.
public struct EventWord: Sendable, Equatable {
    public let name: String
    public let spellings: [String]
    public init(_ name: String, _ spellings: String...) {
        self.name = name
        self.spellings = spellings
    }
}

/// One field of one event type.
public struct EventField: Sendable, Equatable {
    /// The name in JSON; `offer.type` is the member `type` of the object `offer`.
    public let name: String
    /// The member path: one name, or object and member.
    public let path: [String]
    public let kind: EventFieldKind
    public let isRequired: Bool
    public let slot: EventSlot?
    /// One sentence for the generated schema.
    public let meaning: String

    public init(
        _ name: String, _ kind: EventFieldKind, _ slot: EventSlot? = nil, required: Bool = false,
        _ meaning: String = ""
    ) {
        self.name = name
        path = name.split(separator: ".").map(String.init)
        self.kind = kind
        self.isRequired = required
        self.slot = slot
        self.meaning = meaning
    }

}

/// Who an event's stream is named after.
public enum EventRouting: Sendable, Equatable {
    /// The customer in `subject`.
    case customer
    /// The store's original transaction.
    case line
    /// The customer for a consumable, else the line.
    case purchase
    /// A transfer: the line where one is named, else the customer `from`.
    case transfer
    case ledger
}

/// One version of one event type: its fields and where they live.
public struct EventSchema: Sendable {
    public let type: EventType
    public let name: String
    public let version: Int
    public let routing: EventRouting
    public let fields: [EventField]
    /// At least one of these must be there.
    public let oneOf: [String]
    public let meaning: String

    public init(
        _ type: EventType, _ name: String, version: Int = 1,
        routing: EventRouting = .customer, _ meaning: String, oneOf: [String] = [],
        _ fields: [EventField] = []
    ) {
        self.type = type
        self.name = name
        self.version = version
        self.routing = routing
        self.fields = fields
        self.oneOf = oneOf
        self.meaning = meaning
    }

    public func field(_ name: String) -> EventField? { fields.first { $0.name == name } }
}

/// The bounds that are checked when an event is appended (rule 30).
public enum EventBounds {
    public static let amountMax: Int64 = 1_000_000_000
    public static let moneyMilliMax: Int64 = 1_000_000_000_000_000
    /// 1970-01-01T00:00:00Z, inclusive.
    public static let timeMin: Int64 = 0
    /// 9999-12-31T23:59:59.999Z, inclusive.
    public static let timeMax: Int64 = 253_402_300_799_999
    public static let nameByteCountMax = 256
    public static let eventByteCountMax = 65_536
    /// Free text longer than this is refused as possibly personal (DZ-41).
    public static let freeTextCharacterCountMax = 256
    public static let eventsPerUnitMax = 1_000_000
}
