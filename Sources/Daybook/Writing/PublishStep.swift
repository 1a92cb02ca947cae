import DaybookDomain
import DaybookEvents
import DaybookStore

/// Brings a catalog into force, or an older one back (rule 8).
struct PublishStep {
    let publication: CatalogPublication
    let app: String
    let store: any EventStore

    func run(
        _ group: inout GroupDecision, _ state: inout LedgerState
    ) throws -> Result<Receipt, LedgerError> {
        let effectiveAt = publication.effectiveAt ?? group.recordedAt
        if effectiveAt < group.recordedAt, !state.catalogs.isEmpty, !publication.isRetroactive {
            return .failure(
                problem(
                    "retroactive",
                    "the catalog would take effect at \(RFC3339.format(effectiveAt)), which is past; say --retroactive if answers about the past shall change"
                ))
        }
        if let version = publication.rollBackTo {
            return rollBack(to: version, at: effectiveAt, &group, &state)
        }
        let catalog: Catalog
        do throws(CatalogProblems) {
            catalog = try CatalogReader.read(
                publication.document, knownEventTypes: Vocabulary.names)
        } catch {
            return .failure(
                .badInput(
                    error.problems.map {
                        InputProblem(
                            line: $0.line, column: $0.column, code: "catalog",
                            reason: "\($0.path): \($0.sentence) \($0.remedy)")
                    }))
        }
        guard catalog.app == app else {
            return .failure(
                problem(
                    "other_app",
                    "the catalog is of app \"\(catalog.app)\", this ledger is \"\(app)\""))
        }
        if let published = state.catalogs.newest {
            let conflicts = CatalogStructure(published.catalog).conflicts(
                with: CatalogStructure(catalog))
            guard conflicts.isEmpty else { return .failure(.catalogConflict(conflicts)) }
        }
        let digest = Digest.hexadecimal(Digest.sha256(publication.document))
        if let newest = state.catalogs.newest, newest.documentDigest == digest,
            newest.scope == publication.scope, publication.effectiveAt == nil
        {
            // The same document again changes nothing.
            return .success(receipt([], group, key: "catalog/\(newest.version)"))
        }
        return add(digest, effectiveAt, &group, &state)
    }

    private func add(
        _ digest: String, _ effectiveAt: Int64, _ group: inout GroupDecision,
        _ state: inout LedgerState
    ) -> Result<Receipt, LedgerError> {
        let version = state.catalogs.versionMax + 1
        var data: JSONObject = [
            "version": .integer(version), "effective_at": .integer(effectiveAt),
            "document_sha256": .string(digest),
        ]
        switch publication.scope {
        case .all: data["applies_to"] = "all"
        case .newSubjects: data["applies_to"] = "new_users"
        case .nextPeriod: data["applies_to"] = "next_period"
        case .cohort(let percent):
            data["applies_to"] = "cohort"
            data["percent"] = .integer(percent)
        }
        group.add(StoredDocument(sha256: digest, bytes: publication.document))
        return append(.catalogPublished, data, key: "catalog/\(version)", &group, &state)
    }

    private func rollBack(
        to version: Int64, at effectiveAt: Int64, _ group: inout GroupDecision,
        _ state: inout LedgerState
    ) -> Result<Receipt, LedgerError> {
        guard state.catalogs.versions.contains(where: { $0.version == version }) else {
            let known = Set(state.catalogs.versions.map(\.version)).sorted().map(String.init)
            return .failure(
                problem(
                    "unknown_version",
                    "no catalog version \(version); there are \(known.joined(separator: ", "))"))
        }
        return append(
            .catalogRolledBack,
            ["to_version": .integer(version), "effective_at": .integer(effectiveAt)],
            key: "rollback/\(group.recordedAt)/\(version)", &group, &state)
    }

    private func append(
        _ type: EventType, _ data: JSONObject, key: String, _ group: inout GroupDecision,
        _ state: inout LedgerState
    ) -> Result<Receipt, LedgerError> {
        var extras = JSONObject()
        if let actor = publication.actor { extras["actor"] = .string(actor) }
        let draft = EventDraft(
            type: Vocabulary.name(of: type), subject: nil, occurredAt: group.recordedAt,
            source: EventSource(kind: "ledger", key: key), trust: .admin, data: data,
            extras: extras)
        group.add(
            draft, requestDigest: EventJSON.requestDigest(EventJSON.object(of: draft)),
            state: &state, isCommand: false)
        return .success(receipt([group.rows.last?.event.position ?? 0], group, key: key))
    }

    private func receipt(_ positions: [Int64], _ group: GroupDecision, key: String) -> Receipt {
        Receipt(
            key: key, positions: positions, recordedAt: group.recordedAt,
            durability: store.durability, decision: nil)
    }

    private func problem(_ code: String, _ reason: String) -> LedgerError {
        .badInput([InputProblem(line: nil, column: nil, code: code, reason: reason)])
    }
}
