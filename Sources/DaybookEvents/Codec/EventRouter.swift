/// Which stream an event belongs to: a function of the event alone, so that no order of arrival can change it.
public enum EventRouter {
    static func kind(of draft: EventDraft, _ schema: EventSchema) -> StreamKind {
        switch schema.routing {
        case .customer: .customer
        case .lineage, .purchase: .lineage
        case .transfer: draft.data["original_transaction_id"] == nil ? .customer : .lineage
        case .ledger: .ledger
        }
    }

    /// What a lineage is named after: the original transaction, and of a consumable its own (rule 6).
    ///
    /// The two are one id wherever a store says what Apple says, so that what follows a consumable finds it also where
    /// it does not say of what kind it is.
    static func lineage(of draft: EventDraft, _ schema: EventSchema) -> String {
        let original = draft.data["original_transaction_id"]?.text
        let own = draft.data["transaction_id"]?.text
        let name = isConsumable(draft, schema) ? own ?? original : original ?? own
        return name ?? ""
    }

    private static func isConsumable(_ draft: EventDraft, _ schema: EventSchema) -> Bool {
        guard let words = schema.purchaseKinds, let said = draft.data["kind"] else { return false }
        return FlagBits.number(of: said, in: words) == 1
    }

    /// Where an event belongs that stands in another stream, as an earlier version recorded it; `nil`: it stands where
    /// it belongs.
    ///
    /// A consumable used to stand in the stream of the customer whom its event named, so that it counted once for each
    /// of them. A row that is moved keeps its key, its payload and its place in the ledger; only the stream is another,
    /// and so are the numbers that follow from it (version, previous event).
    /// - Parameter recorded: As it was read from its row and the stream in which that stands.
    public static func move(of recorded: RecordedEvent) -> StreamName? {
        let draft = recorded.draft
        guard recorded.stream.kind == .customer,
            let schema = Vocabulary.schema(named: draft.type, version: draft.version),
            schema.routing == .purchase
        else { return nil }
        let stream = stream(of: draft, schema)
        return stream == recorded.stream ? nil : stream
    }

    /// The stream of a canonical draft.
    public static func stream(of draft: EventDraft) -> StreamName {
        stream(of: draft, Vocabulary.schema(named: draft.type, version: draft.version))
    }

    /// The same where the schema of the draft's type and version is at hand; `nil`: this build does not know it.
    public static func stream(of draft: EventDraft, _ schema: EventSchema?) -> StreamName {
        let environment = draft.environment
        guard let schema else {
            if let subject = draft.subject { return StreamName(environment, .customer, subject) }
            return StreamName(environment, .ledger, "unknown")
        }
        switch kind(of: draft, schema) {
        case .customer:
            let from = schema.routing == .transfer ? draft.data["from"]?.text : nil
            return StreamName(environment, .customer, from ?? draft.subject ?? "")
        case .lineage:
            let store = draft.data["store"]?.text ?? "apple"
            return StreamName(environment, .lineage, "\(store):\(lineage(of: draft, schema))")
        case .ledger:
            switch schema.type {
            case .catalogPublished, .catalogRolledBack:
                // Catalogs are the same for all environments (rule 8).
                return StreamName(.production, .ledger, "catalogs")
            case .ledgerRestored: return StreamName(.production, .ledger, "epochs")
            case .ingestRejected: return StreamName(environment, .ledger, "ingest")
            case .reportFrozen: return StreamName(environment, .ledger, "reports")
            case .rateRecorded:
                // Money is worth the same in all environments.
                return StreamName(.production, .ledger, "rates")
            default: return StreamName(environment, .ledger, "corrections")
            }
        }
    }
}
