import DaybookEvents
import DaybookTesting

/// Invents canonical lines of every type that the vocabulary has, with all that an envelope may hold.
struct DraftGenerator {
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 1...100, using: &random) <= percent
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    // MARK: Texts

    private static let plain = Array("abcxyzABC0189-_./ #").map(String.init)
    /// Equal to one another or not, in pairs that Swift takes for equal; full-width, joined, right to left, unassigned.
    private static let odd = [
        "é", "e\u{301}", "Å", "\u{212B}", "A\u{30A}", "\u{212A}", "K", "ﬁ", "字", "한",
        "\u{1112}\u{1161}",
        "\u{301}", "🐕‍🦺", "👩‍👧", "ا", "\u{202E}", "\u{2028}", "\u{FFFD}", "\u{10FFFF}", "\u{FEFF}",
        "\"",
        "\\", "/", ":", "'", "\u{1F1F3}\u{1F1F1}",
    ]
    private static let control = [
        "\u{0}", "\n", "\t", "\r", "\u{8}", "\u{C}", "\u{1F}", "\u{7F}", "\u{85}",
    ]

    /// Text of 1 to so many bytes.
    mutating func text(_ byteCountMax: Int = 40, hasControl: Bool = true) -> String {
        var text = ""
        let count = Int.random(in: 1...max(1, byteCountMax / 3), using: &random)
        for _ in 0..<count {
            let piece = pick(
                chance(70) ? Self.plain : hasControl && chance(25) ? Self.control : Self.odd)
            if text.utf8.count + piece.utf8.count > byteCountMax { break }
            text += piece
        }
        return text.isEmpty ? "x" : text
    }

    /// A name of the envelope, now and then as long as one may be.
    mutating func name() -> String {
        // The digit keeps it from being one of the words that mean no customer.
        let text = "7" + text(chance(5) ? 255 : 30, hasControl: false)
        return chance(2) ? text + String(repeating: "n", count: 256 - text.utf8.count) : text
    }

    // MARK: Values

    /// Any JSON whose innermost value lies so many levels deep.
    mutating func nested(_ levels: Int) -> JSONValue {
        (0..<levels).reduce(scalar()) { value, _ in
            chance(50) ? [value, 1] : .object([text(12): value])
        }
    }

    private mutating func scalar() -> JSONValue {
        switch Int.random(in: 0...6, using: &random) {
        case 0: .null
        case 1: .bool(chance(50))
        case 2: .integer(pick([0, 1, -1, Int64.max, Int64.min]))
        case 3: .number(pick(["1.50", "-0", "1e400", "9223372036854775808", "-0.0E+3"]))
        case 4: [:]
        case 5: []
        default: .string(text())
        }
    }

    private mutating func integer(_ range: ClosedRange<Int64>) -> JSONValue {
        .integer(
            chance(20)
                ? pick([range.lowerBound, range.upperBound, max(0, range.lowerBound)])
                : Int64.random(in: range, using: &random))
    }

    private mutating func value(_ field: EventField) -> JSONValue {
        if let bounds = field.bounds { return integer(bounds) }
        switch field.kind {
        case .text:
            if field.name == "store" { return pick(["google", "stripe", "é", "e\u{301}"]) }
            return .string(chance(2) ? String(repeating: "é", count: 128) : text())
        case .currency: return .string(field.name == "to" ? "USD" : pick(["EUR", "JPY"]))
        case .document: return .string(String(repeating: text(100), count: 500))
        case .word(let words):
            let word = pick(words)
            let known = pick([word.name] + word.spellings)
            let number = JSONValue.integer(Int64.random(in: 0...9, using: &random))
            return chance(70) ? .string(known) : chance(70) ? .string(text(20)) : number
        case .bool: return .bool(chance(50))
        case .any: return nested(Int.random(in: 0...3, using: &random)).orZero
        case .amount: return integer(-EventBounds.amountMax...EventBounds.amountMax)
        case .money: return integer(-EventBounds.moneyMilliMax...EventBounds.moneyMilliMax)
        case .time: return integer(-Int64.max + 1...Int64.max - 1)
        case .integer:
            switch field.slot {
            case .amount: return integer(-EventBounds.amountMax...EventBounds.amountMax)
            case .flags: return integer(0...255)
            default: return integer(-Int64.max + 1...Int64.max - 1)
            }
        }
    }

    // MARK: Events

    /// One event in canonical form: no null where a field is meant, the lineage named, a key given.
    /// - Parameter isFull: Every field that the schema has.
    mutating func event(_ schema: EventSchema, isFull: Bool) -> JSONObject {
        var data = JSONObject()
        for field in schema.fields {
            let isChosen = schema.oneOf.first == field.name || field.isRequired
            guard isFull || isChosen || chance(50) else { continue }
            // Two parts of one name: a lineage is always named where there is one.
            data.put(value(field), at: field.path)
        }
        if schema.field("original_transaction_id") != nil, schema.routing != .transfer {
            data["original_transaction_id"] = .string(text())
        }
        if schema.field("transaction_id") != nil { data["transaction_id"] = .string(text()) }
        // What no single field can tell.
        if schema.type == .correctionAmended { data["patch"] = [text(12): nested(3)] }
        if schema.type == .grantIssued, data["meter"] != nil, data["amount"] == nil {
            data["unlimited"] = true
        }
        if isFull || chance(30) {
            // Data are at depth 1, and what is in them at 2.
            data["unknown " + text(12)] = nested(JSONReader.depthMax - 2)
        }
        var event = envelope(isFull: isFull)
        event["type"] = .string(schema.name)
        event["v"] = .integer(Int64(schema.version))
        event["data"] = .object(data)
        // Catalogs and rates are the same for all environments.
        if schema.name.hasPrefix("catalog.") || schema.name.hasPrefix("rate.")
            || schema.name == "ledger.restored"
        {
            event["environment"] = "production"
        }
        if schema.type.isDebug { event["environment"] = "sandbox" }
        let isProduction = event["environment"] == "production"
        if !schema.type.mayBeClientAsserted || (isProduction && event["trust"] == "debug") {
            event["trust"] = .string(pick(["verified", "imported", "admin", "system"]))
        }
        if schema.needsSubject { event["subject"] = .string(name()) }
        return event
    }

    /// An event of a type that no build knows.
    mutating func unknownEvent() -> JSONObject {
        var event = envelope(isFull: chance(50))
        event["type"] = .string("7" + text(20, hasControl: false))
        event["v"] = .integer(Int64.random(in: 1...65_535, using: &random))
        event["data"] = .object([
            text(9): nested(3), "kind": "consumable", "original_transaction_id": "7",
            "app_account_token": .string(name()),
        ])
        return event
    }

    private mutating func envelope(isFull: Bool) -> JSONObject {
        let occurredAt = Int64.random(in: 0...EventBounds.timeMax, using: &random)
        let environment = pick(Environment.allCases)
        let trust = pick(Trust.allCases.filter { $0 != .debug || environment != .production })
        var source: JSONObject = ["kind": .string(name()), "key": .string(key())]
        if isFull || chance(50) {
            source["signed_at"] = chance(50) ? .integer(occurredAt) : .integer(occurredAt / 2)
        }
        var event: JSONObject = [
            "environment": .string(environment.name), "trust": .string(trust.name),
            "occurred_at": .integer(occurredAt), "source": .object(source),
        ]
        if chance(60) { event["subject"] = .string(name()) }
        if isFull || chance(40) { event["profile"] = .string(name()) }
        if isFull || chance(40) {
            event["sequence"] =
                chance(30) ? 0 : .integer(Int64.random(in: 1..<1 << 32, using: &random))
        }
        if isFull || chance(40) { addExtras(&event) }
        return event
    }

    private mutating func addExtras(_ event: inout JSONObject) {
        for member in ["signed", "nobody", "m", "d", "e", "id", "actor", "reason"] where chance(50)
        {
            event[member] = chance(50) ? .string(name()) : .bool(chance(50))
        }
        event["deep " + text(12)] = nested(JSONReader.depthMax - 1)
        event["wide " + text(240)] = scalar()
    }

    private mutating func key() -> String {
        let (high, low) = (random.next(), random.next())
        return chance(40) ? UUIDText.format((high, low)) : name()
    }
}

extension JSONValue {
    /// A field that is given is not null.
    fileprivate var orZero: JSONValue { self == .null ? 0 : self }
}

extension JSONObject {
    /// Sets a value at a path of one or two names.
    fileprivate mutating func put(_ value: JSONValue, at path: [String]) {
        guard path.count == 2 else { return self[path[0]] = value }
        var inner = self[path[0]]?.object ?? JSONObject()
        inner[path[1]] = value
        self[path[0]] = .object(inner)
    }
}
