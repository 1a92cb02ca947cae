/// Which stream an event belongs to: a function of the event alone, so that no order of arrival can change it.
public enum EventRouter {
    static func kind(of draft: EventDraft, _ schema: EventSchema) -> StreamKind {
        switch schema.routing {
        case .customer: .customer
        case .line: .line
        case .purchase: isConsumable(draft, schema) ? .customer : .line
        case .transfer: draft.data["original_transaction_id"] == nil ? .customer : .line
        case .ledger: .ledger
        }
    }

    private static func isConsumable(_ draft: EventDraft, _ schema: EventSchema) -> Bool {
        guard let words = schema.purchaseKinds, let said = draft.data["kind"] else { return false }
        return FlagBits.number(of: said, in: words) == 1
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
        case .line:
            let store = draft.data["store"]?.text ?? "apple"
            let lineage = draft.data["original_transaction_id"]?.text ?? ""
            return StreamName(environment, .line, "\(store):\(lineage)")
        case .ledger:
            switch schema.type {
            case .catalogPublished, .catalogRolledBack:
                // Catalogs are the same for all environments (rule 8).
                return StreamName(.production, .ledger, "catalogs")
            case .ledgerRestored: return StreamName(.production, .ledger, "epochs")
            case .ingestRejected: return StreamName(environment, .ledger, "ingest")
            default: return StreamName(environment, .ledger, "corrections")
            }
        }
    }
}
