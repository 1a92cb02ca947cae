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
    /// `width` bits of the flags column from bit `shift` on; 0 means absent, all ones a word that is not in the list,
    /// so *n* words need 2^`width` - 2 ≥ *n*.
    case flags(shift: UInt8, width: UInt8)
    /// The name of the stream (a line's original transaction id).
    case stream
}

/// What a field may hold.
public enum EventFieldKind: Sendable, Equatable {
    /// Text of 1 to `EventBounds.nameByteCountMax` bytes.
    case text
    /// Text of 1 to `EventBounds.documentByteCountMax` bytes, which does not count towards the event's own size.
    case document
    case integer
    /// An amount of units, |value| ≤ `EventBounds.amountMax`.
    case amount
    /// Thousandths of a currency, |value| ≤ `EventBounds.moneyMilliMax`.
    case money
    /// Milliseconds since 1970 UTC; may lie outside the bounds of an event's own times (rule 30).
    case time
    case bool
    /// One of some words; each word may have other spellings. Unknown words are kept, and are none of the list to a
    /// fold.
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
    /// What a number may be, where that is less than its kind allows.
    public let bounds: ClosedRange<Int64>?
    /// One sentence for the generated schema.
    public let meaning: String

    public init(
        _ name: String, _ kind: EventFieldKind, _ slot: EventSlot? = nil, required: Bool = false,
        in bounds: ClosedRange<Int64>? = nil, _ meaning: String = ""
    ) {
        self.name = name
        path = name.split(separator: ".").map(String.init)
        self.kind = kind
        self.isRequired = required
        self.slot = slot
        self.bounds = bounds
        self.meaning = meaning
    }

    /// What a number may be; the fixed-size event keeps amounts in 32 bits and a few numbers in the flags.
    var range: ClosedRange<Int64> {
        if let bounds { return bounds }
        let bound: Int64
        switch (kind, slot) {
        case (_, .flags(_, let width)): return 0...(1 << Int64(width - 1)) - 1
        case (.amount, _), (_, .amount): bound = EventBounds.amountMax
        case (.money, _): bound = EventBounds.moneyMilliMax
        // The least number stands for none.
        default: bound = Int64.max - 1
        }
        return -bound...bound
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
    /// Whether the profile column holds a field of the data rather than the envelope's profile.
    let hasProfileSlot: Bool

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
        hasProfileSlot = fields.contains { $0.slot == .profile }
    }

    public func field(_ name: String) -> EventField? { fields.first { $0.name == name } }

    /// Sets of members of which at least one must be there each: `oneOf`, and what names a line.
    ///
    /// A line is named by the store's original transaction, else by the transaction, which then is the original one.
    public var alternatives: [[String]] {
        var sets = oneOf.isEmpty ? [] : [oneOf]
        if routing == .line {
            let ids = ["original_transaction_id", "transaction_id"].compactMap { field($0) }
            if !ids.contains(where: \.isRequired) { sets.append(ids.map(\.name)) }
        }
        return sets
    }
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
    /// The canonical JSON of one event, its document aside.
    public static let eventByteCountMax = 65_536
    /// A published catalog.
    public static let documentByteCountMax = 1 << 20
    /// One line of a file: an event with the longest document, each byte of which may be an escape of six.
    public static let lineByteCountMax = eventByteCountMax + 6 * documentByteCountMax
    /// Free text of more Unicode scalars is refused as possibly personal (DZ-41).
    ///
    /// Not what a reader sees as one character: that can be a letter and 20,000 accents.
    public static let freeTextScalarCountMax = 256
    /// The source's own counter.
    public static let sequenceMax = Int64(UInt32.max)
    public static let versionMax: Int64 = 65_535
    /// Of what is bought, given or set aside: nothing of it is negative.
    static let positive: ClosedRange<Int64> = 1...amountMax
    static let notNegative: ClosedRange<Int64> = 0...amountMax
    public static let eventsPerUnitMax = 1_000_000
}
