/// What a correction may change of an event (rule 20, E76).
extension EventDraft {
    /// Whether fields of it can be replaced at all.
    ///
    /// A signed fact can be voided, never amended. Aliases, transfers, corrections and catalogs are read before any
    /// fold and say where others are folded: they are voided and recorded anew, too.
    public var isAmendable: Bool {
        guard trust != .verified, let schema = Vocabulary.schema(named: type, version: version)
        else { return false }
        switch schema.type {
        case .subjectAliased, .subjectUnaliased, .purchaseTransferred, .correctionVoided,
            .correctionAmended, .catalogPublished, .catalogRolledBack, .ledgerRestored,
            .reportFrozen:
            return false
        default: return true
        }
    }

    /// The event with the members of a patch in the place of its own; `null` removes one.
    /// - Returns: `nil` where `amending(by:)` refuses the patch: such a patch changes nothing.
    public func amended(by patch: JSONObject) -> EventDraft? {
        do throws(EventProblem) {
            return try amending(by: patch)
        } catch {
            return nil
        }
    }

    /// The same, or why the patch cannot be applied.
    ///
    /// The patch holds as a whole or not at all, and every value obeys the schema and the bounds of the event's type.
    /// - Throws: `EventProblem` with the code `forbidden` for what says which event, stream or customer it is,
    ///   `unknown_name` for a field that the type does not have, and else what is wrong with the outcome.
    public func amending(by patch: JSONObject) throws(EventProblem) -> EventDraft {
        guard isAmendable, let schema = Vocabulary.schema(named: type, version: version) else {
            throw EventProblem(
                .forbidden, "data.target",
                trust == .verified
                    ? "is signed: it can be voided, not amended"
                    : "\(type) cannot be amended; void it and record it anew")
        }
        var draft = self
        for member in patch.members {
            try Self.checkAmendable(member.name, schema)
            draft.data[member.name] = member.value == .null ? nil : member.value
        }
        try EventValidator.bringIntoForm(recorded: &draft, schema)
        try EventProblem.require(
            EventRouter.stream(of: draft) == EventRouter.stream(of: self), .forbidden,
            "data.patch", "moves the event to another stream; void it, record anew")
        return draft
    }

    /// Fields that say which event it is, where it belongs and which customer it is about.
    private static let naming: Set<String> = [
        "store", "original_transaction_id", "transaction_id", "app_account_token", "grant_id",
        "reservation_id", "profile", "subject",
    ]
    /// Members of the envelope, which no patch reaches.
    private static let envelope: Set<String> = [
        "type", "v", "environment", "subject", "profile", "occurred_at", "recorded_at", "sequence",
        "source", "key", "trust",
    ]

    private static func checkAmendable(
        _ field: String, _ schema: EventSchema
    ) throws(EventProblem) {
        let fields = Set(schema.fields.compactMap(\.path.first))
        // Whether a purchase is a consumable decides what its stream is named after (rule 6).
        let isRouting = schema.routing == .purchase && field == "kind"
        let isNaming = naming.contains(field) || isRouting
        try EventProblem.require(
            !isNaming && (fields.contains(field) || !envelope.contains(field)), .forbidden, field,
            "cannot be amended; void the event and record it anew")
        guard fields.contains(field) else {
            let names = fields.subtracting(naming).sorted().joined(separator: ", ")
            throw EventProblem(
                .unknownName, field, "\(schema.name) has no such field; it has \(names)")
        }
    }
}
