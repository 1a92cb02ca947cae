import DaybookDomain
import DaybookEvents
import DaybookStore

/// Brings a catalog into force, or an older one back (rule 8).
struct PublishStep {
    let prepared: PreparedPublication
    let app: String
    let store: any EventStore
    private var publication: CatalogPublication { prepared.publication }

    func run(
        _ group: inout GroupDecision, _ state: inout LedgerState
    ) throws -> Result<Receipt, LedgerError> {
        let plan: PublicationPlan
        do throws(LedgerError) {
            plan = try PublicationCheck(app: app, catalogs: state.catalogs).plan(
                prepared, now: group.now, position: group.nextPosition,
                isTaken: {
                    try group.position(of: Self.key("catalog/\($0)", state), state) != nil
                })
        } catch {
            return .failure(error)
        }
        let entry = plan.entry
        if plan.isInForceAlready {
            return .success(receipt([], group, key: "catalog/\(entry.version)"))
        }
        if publication.rollBackTo != nil { return try rollBack(to: entry, &group, &state) }
        var data: JSONObject = [
            "version": .integer(entry.version), "effective_at": .integer(entry.effectiveAt),
            "document_sha256": .string(entry.documentDigest),
            "applies_to": .string(entry.scope.kind.word),
        ]
        data["percent"] = entry.scope.percent.map { .integer($0) }
        group.add(StoredDocument(sha256: entry.documentDigest, bytes: publication.document))
        return append(.catalogPublished, data, key: "catalog/\(entry.version)", &group, &state)
    }

    private func rollBack(
        to entry: CatalogVersion, _ group: inout GroupDecision, _ state: inout LedgerState
    ) throws -> Result<Receipt, LedgerError> {
        let key = "rollback/\(group.now)/\(entry.version)/\(entry.effectiveAt)"
        // Asked twice within one millisecond of the clock, it is one rollback.
        if let position = try group.position(of: Self.key(key, state), state) {
            return .success(receipt([position], group, key: key))
        }
        return append(
            .catalogRolledBack,
            [
                "to_version": .integer(entry.version),
                "effective_at": .integer(entry.effectiveAt),
            ], key: key, &group, &state)
    }

    /// The name of an event of the ledger's own; catalogs are the same for all environments.
    private static func key(_ key: String, _ state: LedgerState) -> EventKey {
        EventKey(.production, state.names.id(of: "ledger") ?? 0, Reference(key))
    }

    private func append(
        _ type: EventType, _ data: JSONObject, key: String, _ group: inout GroupDecision,
        _ state: inout LedgerState
    ) -> Result<Receipt, LedgerError> {
        let draft = EventDraft(
            type: EventTypeName(type), subject: nil, occurredAt: group.now,
            source: EventSource(kind: "ledger", key: key), trust: .admin, data: data,
            extras: JSONObject(actor: publication.actor))
        let canonical: EventDraft
        do throws(EventProblem) {
            canonical = try EventValidator.canonical(draft)
        } catch {
            return .failure(
                .bad(error.code.rawValue, "\(error.member): \(error.reason)"))
        }
        group.add(
            canonical, in: EventRouter.stream(of: canonical),
            requestDigest: EventJSON.requestDigest(of: canonical), state: &state,
            isCommand: false)
        return .success(receipt([group.rows.last?.event.position ?? 0], group, key: key))
    }

    private func receipt(_ positions: [Int64], _ group: GroupDecision, key: String) -> Receipt {
        Receipt(
            key: key, positions: positions, recordedAt: group.recordedAt,
            durability: store.durability, decision: nil)
    }
}
