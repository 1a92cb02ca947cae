/// Checks a draft against the vocabulary, the bounds of rule 30 and the ban on personal data, and brings it into
/// the canonical form: absent instead of null, the lineage named.
public enum EventValidator {
    /// The draft in canonical form. The canonical form of a canonical draft is itself.
    /// - Throws: `EventProblem` for the first thing that is wrong.
    public static func canonical(_ draft: EventDraft) throws(EventProblem) -> EventDraft {
        try canonical(draft, Vocabulary.schema(named: draft.type, version: draft.version))
    }

    /// The same where the schema of the draft's type and version is at hand; `nil`: this build does not know it.
    public static func canonical(
        _ draft: consuming EventDraft, _ schema: EventSchema?
    ) throws(EventProblem) -> EventDraft {
        try bringIntoForm(&draft, schema)
        return draft
    }

    /// Brings a draft into canonical form where it is, without a copy; one that is no event is left half done.
    /// - Parameter schema: Of the draft's type and version; `nil`: this build does not know it.
    /// - Throws: As `canonical`.
    package static func bringIntoForm(
        _ draft: inout EventDraft, _ schema: EventSchema?
    ) throws(EventProblem) {
        try checkCustomers(draft, schema?.type)
        // A redemption uses a code up for ever.
        if haveSameBytes(draft.source.kind, EventSource.promotion), schema?.type != .grantIssued {
            throw EventProblem(
                .forbidden, "source.kind",
                "\"\(EventSource.promotion)\" is the source of codes that were redeemed; only a grant comes from there"
            )
        }
        unmixNames(&draft, schema?.type)
        try bringIntoForm(recorded: &draft, schema)
    }

    /// A customer's id that is a UUID stays in capitals or in small letters, as programs write it; the ledger takes the
    /// two for one. Any other mixture is written in small letters.
    private static func unmixNames(_ draft: inout EventDraft, _ type: EventType?) {
        if let subject = draft.subject, UUIDText.isMixed(subject) {
            draft.subject = UUIDText.lowercased(subject)
        }
        let members: [String] =
            switch type {
            case .subjectAliased, .subjectUnaliased: ["alias", "canonical"]
            case .purchaseTransferred: ["from", "to"]
            default: ["app_account_token"]
            }
        for member in members {
            guard let name = draft.data[member]?.text, UUIDText.isMixed(name) else { continue }
            draft.data[member] = .string(UUIDText.lowercased(name))
        }
    }

    /// The same for an event that is there already, perhaps with other fields: its customer was accepted then,
    /// and a rule that became stricter must not change what it means.
    static func bringIntoForm(
        recorded draft: inout EventDraft, _ schema: EventSchema?
    ) throws(EventProblem) {
        try EnvelopeBounds.check(draft)
        try checkPersonalData(draft, schema)
        if let schema {
            try TrustRules.check(draft, schema.type)
            try checkFields(&draft, schema)
            try checkMeaning(draft, schema.type)
            try checkKey(draft, schema.type)
            try route(&draft, schema)
        }
        if draft.trust == .debug, draft.environment == .production {
            throw EventProblem(
                .forbidden, "trust", "debug events are refused in production; use sandbox or test")
        }
        if draft.source.key == nil { draft.source.key = try digestKey(draft) }
        try checkSize(draft, schema)
    }

    /// Whether the key of a canonical draft stands in for one that the source did not give.
    package static func hasDigestKey(_ draft: EventDraft) -> Bool {
        var keyless = draft
        keyless.source.key = nil
        guard draft.occurredAt != nil, let key = draft.source.key else { return false }
        return haveSameBytes(
            key, EventSource.digestKey(of: EventJSON.canonicalBytes(of: keyless)))
    }

    /// Stands in for a key that the source does not give (rule 2).
    private static func digestKey(_ draft: EventDraft) throws(EventProblem) -> String {
        // The ledger's clock is no part of the bytes, so every later one would be the same event for ever.
        guard draft.occurredAt != nil else {
            throw EventProblem(
                .missingField, "occurred_at",
                "\(draft.type) needs occurred_at or source.key: without both, two of them would be one event"
            )
        }
        return EventSource.digestKey(of: EventJSON.canonicalBytes(of: draft))
    }

    /// The canonical event, less a document, which has a bound of its own.
    private static func checkSize(
        _ draft: EventDraft, _ schema: EventSchema?
    ) throws(EventProblem) {
        let byteCountMax = EventBounds.eventByteCountMax
        let data = withoutDocuments(draft.data, schema)
        let rough = data.roughByteCount + draft.extras.roughByteCount
        // The names of an envelope, six bytes for each of theirs, and its numbers take less than a quarter.
        if rough <= byteCountMax * 3 / 4 { return }
        var draft = draft
        draft.data = data
        let byteCount = EventJSON.canonicalBytes(of: draft).count
        guard byteCount <= byteCountMax else {
            throw EventProblem(
                .tooLarge, "event", "the event has \(byteCount) bytes, more than \(byteCountMax)")
        }
    }

    private static func withoutDocuments(_ data: JSONObject, _ schema: EventSchema?) -> JSONObject {
        guard let schema, !schema.documents.isEmpty else { return data }
        var data = data
        for field in schema.documents { data.remove(at: field.path) }
        return data
    }

    private static func checkCustomers(
        _ draft: EventDraft, _ type: EventType?
    ) throws(EventProblem) {
        guard let subject = draft.subject else { return }
        // An alias that was accepted once must be possible to take back.
        if type == .subjectUnaliased { return try PersonalData.checkAddress(subject, "subject") }
        try PersonalData.checkCustomer(subject, "subject")
        guard type == .subjectAliased else { return }
        for member in ["alias", "canonical"] {
            if let name = draft.data[member]?.text {
                try PersonalData.checkCustomer(name, "data.\(member)")
            }
        }
    }

    private static func checkPersonalData(
        _ draft: EventDraft, _ schema: EventSchema?
    ) throws(EventProblem) {
        try PersonalData.check(withoutDocuments(draft.data, schema), at: "data")
        try PersonalData.check(draft.extras, at: "event")
    }

    private static func checkFields(
        _ draft: inout EventDraft, _ schema: EventSchema
    ) throws(EventProblem) {
        for field in schema.fields {
            if field.path.count > 1, let outer = draft.data[field.path[0]] {
                guard outer.object != nil || outer == .null else {
                    throw EventProblem(
                        .wrongType, "data.\(field.path[0])",
                        "must be an object, not \(outer.kindName)")
                }
            }
            guard let value = draft.data.value(at: field.path), value != .null else {
                draft.data.removeNull(at: field.path)
                if field.isRequired {
                    throw EventProblem(
                        .missingField, place(field), "\(schema.name) needs \(field.name)")
                }
                continue
            }
            try check(value, field)
        }
        for names in schema.alternatives where !names.contains(where: { draft.data[$0] != nil }) {
            throw EventProblem(
                .missingField, "data.\(names[0])",
                "\(schema.name) needs one of \(names.joined(separator: ", "))")
        }
    }

    /// Where a field stands, for messages.
    private static func place(_ field: EventField) -> String { "data.\(field.name)" }

    /// Checks one value against its field.
    package static func check(_ value: JSONValue, _ field: EventField) throws(EventProblem) {
        switch field.kind {
        case .text: try checkText(value, field, EventBounds.nameByteCountMax)
        case .currency:
            guard case .string(let code) = value, CurrencyCode.isValid(code) else {
                throw EventProblem(
                    .wrongType, place(field),
                    "must be a currency of ISO 4217, three capital letters such as EUR")
            }
        case .document: try checkText(value, field, EventBounds.documentByteCountMax)
        case .bool:
            guard value.bool != nil else {
                throw EventProblem(.wrongType, place(field), "must be true or false")
            }
        case .word:
            if case .integer = value { return }
            guard case .string(let text) = value else {
                throw EventProblem(
                    .wrongType, place(field), "must be a word, not \(value.kindName)")
            }
            try checkLength(text, EventBounds.nameByteCountMax, field)
        case .any: break
        case .integer, .amount, .money, .time: try checkNumber(value, field)
        }
    }

    private static func checkText(
        _ value: JSONValue, _ field: EventField, _ byteCountMax: Int
    ) throws(EventProblem) {
        guard case .string(let text) = value else {
            throw EventProblem(.wrongType, place(field), "must be text, not \(value.kindName)")
        }
        try checkLength(text, byteCountMax, field)
    }

    private static func checkLength(
        _ text: String, _ byteCountMax: Int, _ field: EventField
    ) throws(EventProblem) {
        guard !text.isEmpty else {
            throw EventProblem(
                .wrongType, place(field), "must not be empty; leave it out instead")
        }
        guard text.utf8.count <= byteCountMax else {
            throw EventProblem(
                .tooLarge, place(field), "is longer than \(byteCountMax) bytes")
        }
    }

    private static func checkNumber(
        _ value: JSONValue, _ field: EventField
    ) throws(EventProblem) {
        guard let number = value.integer else {
            throw EventProblem(
                .wrongType, place(field), "must be an integer, not \(value.kindName)")
        }
        let range = field.range
        guard range.contains(number) else {
            throw EventProblem(
                .outOfBounds, place(field),
                "\(number) is outside \(range.lowerBound) to \(range.upperBound)")
        }
    }

    /// What no single field can tell.
    private static func checkMeaning(_ draft: EventDraft, _ type: EventType) throws(EventProblem) {
        let data = draft.data
        switch type {
        case .correctionAmended:
            guard let patch = data["patch"]?.object, !patch.isEmpty else {
                throw EventProblem(
                    .wrongType, "data.patch", "must be an object with the fields to replace")
            }
        case .grantIssued where data["meter"] != nil:
            // `amount|unlimited` (docs/rules.md#vocabulary): without either it is unknown how much was given.
            guard data["amount"] != nil || data["unlimited"]?.bool == true else {
                throw EventProblem(
                    .missingField, "data.amount",
                    "a grant of a meter needs amount, or unlimited: true")
            }
        case .rateRecorded:
            guard data["from"]?.text != data["to"]?.text else {
                throw EventProblem(.wrongType, "data.to", "is the same currency as from")
            }
        default: break
        }
    }

    /// A report without a key may be told apart by its bytes, unless two equal ones are two facts (rule 2).
    private static func checkKey(
        _ draft: EventDraft, _ type: EventType
    ) throws(EventProblem) {
        guard draft.source.key == nil else { return }
        if type.needsKey {
            throw EventProblem(
                .missingKey, "source.key",
                "\(draft.type) needs a key: without one two equal events would collapse")
        }
    }

    private static func route(
        _ draft: inout EventDraft, _ schema: EventSchema
    ) throws(EventProblem) {
        switch schema.type {
        // Catalogs, epochs and rates are the same for all environments, and stand in one stream each (rule 8).
        case .catalogPublished, .catalogRolledBack, .ledgerRestored, .rateRecorded:
            draft.environment = .production
        default: break
        }
        if schema.hasStore, let store = draft.data["store"]?.text {
            // A lineage is named `store:id`, so a colon in the store would give two lineages one name.
            guard !store.utf8.contains(UInt8(ascii: ":")) else {
                throw EventProblem(
                    .wrongType, "data.store", "must not hold a colon; it names the store alone")
            }
            if haveSameBytes(store, "apple") { draft.data["store"] = nil }
        }
        let isLineage = EventRouter.kind(of: draft, schema) == .lineage
        if isLineage, draft.data["original_transaction_id"] == nil {
            // One of the two is there: a field is required, or the schema has them as alternatives.
            draft.data["original_transaction_id"] = draft.data["transaction_id"]
        }
        if schema.needsSubject, draft.subject == nil {
            throw EventProblem(.missingSubject, "subject", "\(schema.name) needs a subject")
        }
    }
}
