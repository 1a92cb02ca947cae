import DaybookEvents

/// One event as the reference model reads it: names, texts and JSON, after corrections.
final class KnownEvent {
    /// The wire name; empty where this build does not know the type or its version.
    let type: EventTypeName
    let version: Int
    let occurredAt: Int64
    /// When the source said so; else when it happened (rule 1).
    let signedAt: Int64
    let sequence: Int64
    let source: String
    let key: String
    let trust: Trust
    let subject: String?
    let profile: String?
    let draft: EventDraft
    /// The customer or lineage that it belongs to (rule 6).
    private(set) var belonging = Belonging.ledger

    convenience init(_ recorded: RecordedEvent) {
        self.init(recorded.draft, position: recorded.position, recordedAt: recorded.recordedAt)
    }

    private init(_ draft: EventDraft, position: Int64, recordedAt: Int64) {
        self.draft = draft
        let isKnown = Vocabulary.schema(named: draft.type, version: draft.version) != nil
        // Law 8: an unknown type is kept and skipped.
        type = isKnown ? draft.type : EventTypeName(rawValue: "")
        version = draft.version
        occurredAt = draft.occurredAt ?? recordedAt
        signedAt = draft.source.signedAt ?? draft.occurredAt ?? recordedAt
        sequence = draft.sequence ?? 0
        source = draft.source.kind
        key = draft.source.key ?? "@\(position)"
        trust = draft.trust
        subject = draft.subject
        profile = draft.data["profile"]?.text ?? draft.profile
        belonging = Belonging(self)
    }

    var fields: JSONObject { draft.data }

    /// Rule 20: fields replaced in place; `nil` where the result is no event of its type any more (E76).
    func replacing(_ patch: JSONObject) -> KnownEvent? {
        var changed = draft
        for member in patch.members {
            changed.data[member.name] = member.value == .null ? nil : member.value
        }
        guard let valid = try? EventValidator.canonical(changed) else { return nil }
        return KnownEvent(valid, position: 0, recordedAt: occurredAt)
    }

    func text(_ name: String) -> String? { fields[name]?.text }
    func integer(_ name: String) -> Int64? { fields[name]?.integer }
    func bool(_ name: String) -> Bool? { fields[name]?.bool }

    /// A word of a closed list under its own name, whatever spelling was sent (docs/rules.md#vocabulary).
    func word(_ name: String) -> String? {
        let path = name.split(separator: ".").map(String.init)
        guard let value = fields.value(at: path) else { return nil }
        guard let said = value.text ?? value.integer.map({ String($0) }) else { return nil }
        guard let schema = Vocabulary.schema(named: type, version: version),
            let field = schema.field(name), case .word(let words) = field.kind
        else { return said }
        return words.first { $0.name == said || $0.spellings.contains(said) }?.name ?? said
    }

    /// An old event of a consumable whose buyer was not known: it had to name a customer, and named the store's own id.
    var isNamedAfterStore: Bool {
        trust == .verified && word("kind") == "consumable" && subject?.hasPrefix("apple:") == true
    }

    /// Rule 20: what names an event for a correction.
    var identity: EventIdentity { EventIdentity(source: source, key: key) }

    /// Rule 2: (occurredAt, sequence, source, key), numbers and then bytes.
    static func isOrdered(_ left: KnownEvent, _ right: KnownEvent) -> Bool {
        (left.occurredAt, left.sequence, left.identity)
            < (right.occurredAt, right.sequence, right.identity)
    }

    /// Rule 3: a statement's rank is (class, signedAt, source, key); the greater one wins.
    static func isOutranked(_ left: KnownEvent, by right: KnownEvent) -> Bool {
        (left.trust.classRank, left.signedAt, left.identity)
            < (right.trust.classRank, right.signedAt, right.identity)
    }
}

/// The name of an event within one environment (rule 16).
struct EventIdentity: Hashable, Comparable {
    let source: String
    let key: String

    static func < (left: EventIdentity, right: EventIdentity) -> Bool {
        left.source == right.source
            ? precedes(left.key, right.key) : precedes(left.source, right.source)
    }
}

/// Byte order of two texts (rule 2).
func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
}

/// Rule 6: the customer or lineage that an event belongs to, worked out from the event alone.
enum Belonging: Hashable {
    case customer(String)
    case lineage(String)
    case ledger

    init(_ event: KnownEvent) {
        switch event.type {
        case .correctionVoided, .correctionAmended, .catalogPublished, .catalogRolledBack:
            self = .ledger
        case .purchaseCompleted, .purchaseRefunded, .purchaseRefundReversed,
            .purchaseRevoked, .purchaseClaimed, .refundRequested, .refundDeclined:
            self = Self.lineage(of: event)
        case .purchaseTransferred:
            self =
                event.text("original_transaction_id") == nil
                ? Self.customerOrLedger(event.text("from")) : Self.lineage(of: event)
        case let type where type.isOf(.subscription) || type.isOf(.store):
            self = Self.lineage(of: event)
        default:
            self = Self.customerOrLedger(event.subject)
        }
    }

    /// `<store>:<original transaction>`, of a consumable its own one; the store is Apple's unless said otherwise.
    private static func lineage(of event: KnownEvent) -> Belonging {
        let isConsumable =
            event.type.isOf(.purchase) || event.type.isOf(.refund)
            ? event.word("kind") == "consumable" : false
        let names =
            isConsumable
            ? ["transaction_id", "original_transaction_id"]
            : ["original_transaction_id", "transaction_id"]
        let lineage = names.lazy.compactMap { event.text($0) }.first ?? ""
        return .lineage("\(event.text("store") ?? "apple"):\(lineage)")
    }

    private static func customerOrLedger(_ name: String?) -> Belonging {
        name.map(Belonging.customer) ?? .ledger
    }
}
