/// Where a field of an event lives in the fixed-size event and in the row's typed columns.
///
/// A fold reads slots only. A field without a slot stays in the row's JSON and is seen by audit and export alone.
public enum EventSlot: Sendable, Equatable {
    case nameA, nameB, nameC
    case reference
    /// A number; of a word, its place in the list from 1 on, and one more than the list is long for any other.
    case amount
    case money
    case timeA, timeB, timeC
    /// The profile column, shared with the envelope's `profile`.
    case profile
    /// `width` bits of the flags column from bit `shift` on; 0 means absent, all ones a word that is not in the list,
    /// so *n* words need 2^`width` - 2 ≥ *n*.
    case flags(shift: UInt8, width: UInt8)
    /// The name of the stream (a lineage's original transaction ID).
    case stream
}

/// What a field may hold.
public enum EventFieldKind: Sendable, Equatable {
    /// Text of 1 to `EventBounds.nameByteCountMax` bytes.
    case text
    /// A currency of ISO 4217: three capital letters.
    case currency
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
public struct EventWord: Sendable, Equatable, ExpressibleByStringLiteral {
    /// The word of the vocabulary.
    public let name: String
    /// Other texts that mean the same, compared byte by byte; an integer is compared by its decimal digits.
    public let spellings: [String]
    /// Creates a word from its name and its other spellings.
    public init(_ name: String, _ spellings: String...) {
        self.name = name
        self.spellings = spellings
    }
    /// A word with one spelling.
    public init(stringLiteral name: String) { self.init(name) }
}

/// One field of one event type. A reference to what never changes: handing it on costs one counter, whatever it holds.
public final class EventField: Sendable, Equatable {
    /// The name in JSON; `offer.type` is the member `type` of the object `offer`.
    public let name: String
    /// The member path: one name, or object and member.
    public let path: [String]
    /// What values the field takes.
    public let kind: EventFieldKind
    /// Whether an event is refused where the field is absent or `null`.
    public let isRequired: Bool
    /// The slot that folds read; `nil`: the value stays in the JSON of the row.
    public let slot: EventSlot?
    /// What a number may be, where that is less than its kind allows.
    public let bounds: ClosedRange<Int64>?
    /// One sentence for the generated schema.
    public let meaning: String

    /// Creates a field; nothing is checked.
    /// - Parameter bounds: Inclusive, in the place of those of the kind; `nil`: those of the kind hold.
    public init(
        _ name: String, _ kind: EventFieldKind, _ slot: EventSlot? = nil, required: Bool = false,
        in bounds: ClosedRange<Int64>? = nil, _ meaning: String = ""
    ) {
        self.name = name
        path = name.split(separator: ".").map(String.init)
        self.kind = kind
        isRequired = required
        self.slot = slot
        self.bounds = bounds
        self.meaning = meaning
    }

    /// Equal when name, kind, requirement, slot, bounds and meaning are equal.
    public static func == (left: EventField, right: EventField) -> Bool {
        left.name == right.name && left.kind == right.kind
            && left.isRequired == right.isRequired && left.slot == right.slot
            && left.bounds == right.bounds && left.meaning == right.meaning
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

/// What an event's stream is named after.
public enum EventRouting: Sendable, Equatable {
    /// The customer in `subject`.
    case customer
    /// The store's original transaction.
    case lineage
    /// The lineage; of a consumable that is the transaction itself.
    case purchase
    /// A transfer: the lineage where one is named, else the customer `from`.
    case transfer
    case ledger
}

/// One version of one event type: its fields and where they live. A reference to what never changes, as a field is.
public final class EventSchema: Sendable {
    /// The type by its number, which all its versions share.
    public let type: EventType
    /// The name under which events of the type are sent, such as `usage.recorded`.
    public let name: String
    /// From 1 on, within the type.
    public let version: Int
    /// What the stream of its events is named after.
    public let routing: EventRouting
    /// All fields of the data, with and without a slot, as they were declared.
    public let fields: [EventField]
    /// At least one of these must be there.
    public let oneOf: [String]
    /// One sentence for documentation and the generated JSON Schema.
    public let meaning: String
    /// Sets of members of which at least one must be there each: `oneOf`, and what names a lineage.
    ///
    /// A lineage is named by the store's original transaction, else by the transaction, which then is the original one.
    public let alternatives: [[String]]
    /// The fields that have a bound of their own.
    let documents: [EventField]
    /// The fields that have a slot, in ascending order of their paths' bytes: the order of an object's members.
    let slotted: [EventField]
    /// Whether the profile column holds a field of the data rather than the envelope's profile.
    package let hasProfileSlot: Bool
    let hasStore: Bool
    /// The words of the field `kind`, where it has some.
    let purchaseKinds: [EventWord]?

    /// Creates a schema; nothing is checked (`SchemaTable.conflicts()`).
    /// - Parameter oneOf: Names of fields of which an event needs at least one; empty: no such demand.
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
        alternatives = Self.alternatives(oneOf, routing, fields)
        documents = fields.filter { $0.kind == .document }
        slotted = fields.filter { $0.slot != nil }.sorted {
            $0.path.lexicographicallyPrecedes($1.path, by: precedesInBytes)
        }
        hasProfileSlot = fields.contains { $0.slot == .profile }
        hasStore = fields.contains { $0.name == "store" }
        if case .word(let words) = fields.first(where: { $0.name == "kind" })?.kind {
            purchaseKinds = words
        } else {
            purchaseKinds = nil
        }
    }

    /// Whether it needs the customer that it is about.
    public var needsSubject: Bool { routing == .customer || type == .purchaseClaimed }

    /// The field of a name as `EventField.name` gives it; `nil` where there is none. Searches all fields.
    public func field(_ name: String) -> EventField? { fields.first { $0.name == name } }

    private static func alternatives(
        _ oneOf: [String], _ routing: EventRouting, _ fields: [EventField]
    ) -> [[String]] {
        var sets = oneOf.isEmpty ? [] : [oneOf]
        if routing == .lineage {
            let ids = ["original_transaction_id", "transaction_id"].compactMap { name in
                fields.first { $0.name == name }
            }
            if !ids.contains(where: \.isRequired) { sets.append(ids.map(\.name)) }
        }
        return sets
    }
}

/// The bounds that are checked when an event is appended (rule 30).
public enum EventBounds {
    /// The greatest amount in units, inclusive; the least is its negative.
    public static let amountMax: Int64 = 1_000_000_000
    /// The greatest sum in thousandths of its currency, inclusive; the least is its negative.
    public static let moneyMilliMax: Int64 = 1_000_000_000_000_000
    /// 1970-01-01T00:00:00Z, inclusive.
    public static let timeMin: Int64 = 0
    /// 9999-12-31T23:59:59.999Z, inclusive.
    public static let timeMax: Int64 = 253_402_300_799_999
    /// All times that an event may have.
    package static let times = timeMin...timeMax
    /// Bytes of UTF-8 of a name, a key or a field of text, inclusive; the least is 1.
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
    /// The greatest schema version that an envelope may name, inclusive; the least is 1.
    public static let versionMax: Int64 = 65_535
    /// Of what is bought, given or set aside: nothing of it is negative.
    static let positive: ClosedRange<Int64> = 1...amountMax
    static let notNegative: ClosedRange<Int64> = 0...amountMax
    /// Events of one lineage, or of one customer with all ids that aliases join.
    public static let eventsPerAggregateMax = 1_000_000
    /// IDs of one person. People change phones and sign in anew, some dozens of times; hundreds of IDs are joined only
    /// by an ID that a broken client sends for all customers.
    public static let idsPerPersonMax = 256
}
