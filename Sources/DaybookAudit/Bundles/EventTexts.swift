import Daybook
import DaybookEvents

/// Which texts of an event could tell who a customer is, and what each names.
struct EventTexts {
    /// The catalogs that go along with the events.
    let documents: [String]
    /// The words that stand in them.
    private let catalogWords: Set<ExactText>
    private let zones: ZoneTables
    /// Schemas of the events, by source and key: what a patch speaks of.
    private let targets: [ExactText: EventSchema]

    /// Words of this program that stand in fields for free text.
    private static let words: Set<String> = [
        "billing_retry_ended", "compensation", "consumable", "developer", "family", "goodwill",
        "hard", "initial", "limit_reached", "not_entitled", "other", "paused",
        "price_increase_declined", "product_unavailable", "promo", "refunded", "resubscribe",
        "soft", "support", "voluntary", "window_exceeded",
    ]
    /// Members of the envelope that are texts; others that no schema knows are left out.
    private static let extras = ["actor", "causation", "correlation", "id", "reason"]
    /// Never kept, whatever they say.
    private static let free: Set<String> = [
        "actor", "country", "error", "legal_basis", "locale", "raw_sha256", "rule", "storefront",
        "ticket", "version",
    ]
    private static let things: [String: NamedThing] = [
        "alias": .subject, "canonical": .subject, "app_account_token": .subject,
        "subject": .subject, "for": .subject, "profile": .profile, "assigned_profile": .profile,
        "item": .profile, "transaction_id": .purchase, "original_transaction_id": .purchase,
        "order_id": .purchase, "ref": .ref, "reservation_id": .ref, "grant_id": .ref,
        "target": .ref, "attempt": .ref, "session": .ref, "key_id": .ref, "target.key": .key,
        "target.source": .source, "store": .store,
    ]

    init(_ drafts: [EventDraft], zones: ZoneTables) {
        self.zones = zones
        documents = drafts.compactMap { $0.data["document"]?.text }
        catalogWords = Set(
            documents.flatMap { document in
                document.utf8.split { !Self.isWordy($0) }.map { ExactText(String(Substring($0))) }
            })
        var targets: [ExactText: EventSchema] = [:]
        for draft in drafts {
            targets[Self.name(draft.source.kind, draft.source.key)] = Vocabulary.schema(
                named: draft.type, version: draft.version)
        }
        self.targets = targets
    }

    private static func name(_ source: String?, _ key: String?) -> ExactText {
        ExactText("\(source ?? "")\u{0}\(key ?? "")")
    }

    /// The event with every text that could tell who a customer is given to `replace`; what no schema names is left
    /// out.
    func replacing(
        _ draft: EventDraft, _ replace: (String, NamedThing) -> String
    ) -> EventDraft {
        var other = draft
        let schema = Vocabulary.schema(named: draft.type, version: draft.version)
        if !Vocabulary.isKnown(draft.type) {
            other.type = EventTypeName(rawValue: replace(draft.type.rawValue, .text))
        }
        other.subject = draft.subject.map { replace($0, .subject) }
        other.profile = draft.profile.map { replace($0, .profile) }
        other.source.kind = Self.known(draft.source.kind, EventSource.own, .source, replace)
        other.source.key = draft.source.key.map { replace($0, .key) }
        other.extras = JSONObject(
            Self.extras.compactMap { name in
                draft.extras[name]?.text.map {
                    .init(name: name, value: .string(replace($0, .text)))
                }
            })
        guard let schema else {
            // Of another build: no fold reads it.
            other.data = JSONObject()
            return other
        }
        other.data = object(draft.data, schema, [], replace)
        if let patch = draft.data["patch"]?.object {
            let target = targets[
                Self.name(
                    draft.data.value(at: ["target", "source"])?.text,
                    draft.data.value(at: ["target", "key"])?.text)]
            other.data["patch"] = .object(
                target.map { object(patch, $0, [], isPatch: true, replace) } ?? JSONObject())
        }
        return other
    }

    /// - Parameter path: Where the object stands in the data.
    private func object(
        _ object: JSONObject, _ schema: EventSchema, _ path: [String],
        isPatch: Bool = false, _ replace: (String, NamedThing) -> String
    ) -> JSONObject {
        JSONObject(
            object.members.compactMap { member in
                let place = path + [member.name]
                if let field = schema.fields.first(where: { $0.path == place }) {
                    let value = value(member.value, field, schema, replace)
                    return .init(name: member.name, value: value)
                }
                guard let inner = member.value.object,
                    schema.fields.contains(where: { $0.path.starts(with: place) })
                else {
                    // A patch with a field that its target does not have changes nothing, and must not begin to.
                    return isPatch
                        ? .init(name: replace(member.name, .text), value: true) : nil
                }
                return .init(
                    name: member.name,
                    value: .object(
                        self.object(inner, schema, place, isPatch: isPatch, replace)))
            })
    }

    private func value(
        _ value: JSONValue, _ field: EventField, _ schema: EventSchema,
        _ replace: (String, NamedThing) -> String
    ) -> JSONValue {
        guard case .string(let text) = value else {
            // Numbers and switches stay, unless the number is an id. Nothing reads the structure of what may be
            // anything.
            if value.object != nil { return [:] }
            if value.array != nil { return .array([]) }
            guard field.kind == .any, let thing = Self.things[field.name] else { return value }
            switch value {
            case .integer(let number): return .string(replace("\(number)", thing))
            case .number(let number): return .string(replace(number, thing))
            default: return value
            }
        }
        if field.kind == .document || field.kind.lists(text) { return value }
        return .string(self.text(text, field.name, schema, replace))
    }

    private func text(
        _ text: String, _ field: String, _ schema: EventSchema,
        _ replace: (String, NamedThing) -> String
    ) -> String {
        let isTransfer = schema.routing == .transfer && (field == "from" || field == "to")
        switch isTransfer ? .subject : Self.things[field] {
        case .store?: return Self.known(text, EventSource.stores, .store, replace)
        case .source?: return Self.known(text, EventSource.own, .source, replace)
        case let thing?: return replace(text, thing)
        case nil: break
        }
        if Self.free.contains(field) { return replace(text, .text) }
        switch field {
        case "document_sha256": return text
        case "currency" where CurrencyCode.isValid(text): return text
        case "tz" where zones.table(named: text) != nil: return text
        case "covered_by" where !isKept(text): return covering(text, replace)
        default: return isKept(text) ? text : replace(text, .text)
        }
    }

    /// What an unlimited source is called: an entitlement, a grant, or a lineage.
    private func covering(_ text: String, _ replace: (String, NamedThing) -> String) -> String {
        guard let colon = text.firstIndex(of: ":"), text.index(after: colon) < text.endIndex else {
            return replace(text, .ref)
        }
        let store = Self.known(String(text[..<colon]), EventSource.stores, .store, replace)
        return store + ":" + replace(String(text[text.index(after: colon)...]), .purchase)
    }

    private static func known(
        _ text: String, _ words: [String], _ thing: NamedThing,
        _ replace: (String, NamedThing) -> String
    ) -> String {
        words.contains { haveSameBytes($0, text) } ? text : replace(text, thing)
    }

    /// Whether it is a word of this program, or one that the catalogs bring along anyway.
    private func isKept(_ text: String) -> Bool {
        Self.words.contains(text) || catalogWords.contains(ExactText(text))
    }

    private static func isWordy(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x80...0xFF: true
        default: false
        }
    }
}

extension EventFieldKind {
    /// Whether a text is a word of the field's closed list, in any spelling.
    fileprivate func lists(_ text: String) -> Bool {
        guard case .word(let words) = self else { return false }
        return words.contains { $0.name == text || $0.spellings.contains(text) }
    }
}
