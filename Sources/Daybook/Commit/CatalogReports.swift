import DaybookDomain
import DaybookEvents
import DaybookStore

/// Takes in catalogs that come as events, from an export: held to the rules of publishing as far as they are about
/// what stands in the ledger (rule 8).
///
/// Not checked is that they take effect in the past: an import brings history, and keeps its times (E11).
struct CatalogReports {
    let app: String
    /// What is published, with what this batch brings.
    private(set) var catalogs: CatalogHistory
    /// Where the last event that was taken would stand, about; grows with each.
    private(set) var position: Int64
    let catalogCache: CatalogCache

    /// Takes the document out of the event; it is kept by its digest.
    /// - Returns: `nil` where the event has none, or the ledger has the document already.
    static func takeDocument(
        _ draft: inout EventDraft, _ store: any EventStore
    ) throws -> StoredDocument? {
        guard draft.type.hasDocument else { return nil }
        let digest = draft.data["document_sha256"]?.text ?? ""
        if draft.type == .reportFrozen { try confirmName(draft) }
        guard let text = draft.data["document"]?.text else {
            let kept = try store.document(sha256: digest)
            if let kept, draft.type == .reportFrozen { try confirmReport(kept) }
            if kept == nil {
                throw EventProblem(
                    .missingField, "data.document",
                    "the document \(digest.prefix(12)) is not in this ledger; export writes it inline"
                )
            }
            return nil
        }
        let bytes = Array(text.utf8)
        try EventProblem.require(
            Digest.hexadecimal(Digest.sha256(bytes)) == digest, .wrongType, "data.document",
            "the document does not have the digest \(digest)")
        if draft.type == .reportFrozen { try confirmReport(bytes) }
        draft.data["document"] = nil
        return StoredDocument(sha256: digest, bytes: bytes)
    }

    private static func confirmReport(_ bytes: [UInt8]) throws {
        try EventProblem.require(
            (try? JSONReader.read(bytes))?.object != nil, .wrongType, "data.document",
            "the document of a report is a JSON object")
    }

    /// A report is known by its name alone, so that a name has one (rule 16).
    private static func confirmName(_ draft: EventDraft) throws {
        let name = draft.data["name"]?.text ?? ""
        try EventProblem.require(
            haveSameBytes(draft.source.kind, "ledger")
                && haveSameBytes(draft.source.key, "report/\(name)"), .forbidden, "source.key",
            "the report \"\(name)\" has the source ledger and the key report/\(name)")
    }

    /// An event that is neither a catalog nor a rollback.
    mutating func pass() { position += 1 }

    /// Checks a catalog or a rollback that is new here; everything else passes.
    mutating func take(
        _ draft: EventDraft, _ document: StoredDocument?, _ store: any EventStore
    ) throws {
        position += 1
        switch draft.type {
        case .catalogPublished: try takeCatalog(draft, document, store)
        case .catalogRolledBack:
            let version = draft.data["to_version"]?.integer ?? 0
            defer {
                catalogs.rollBack(
                    to: version,
                    effectiveAt: draft.data["effective_at"]?.integer ?? draft.occurredAt ?? 0,
                    position: position)
            }
            try EventProblem.require(
                catalogs.versions.contains(where: { $0.version == version }), .unknownName,
                "data.to_version",
                "there is no catalog version \(version) to go back to; import its catalog first")
        default: break
        }
    }

    private mutating func takeCatalog(
        _ draft: EventDraft, _ document: StoredDocument?, _ store: any EventStore
    ) throws {
        let scope = try scope(of: draft)
        let version = draft.data["version"]?.integer ?? 0
        if catalogs.versions.contains(where: { $0.version == version }) {
            throw EventProblem(
                .forbidden, "data.version",
                "catalog version \(version) is published already; a version has one document")
        }
        let digest = draft.data["document_sha256"]?.text ?? ""
        let outcome = try catalogCache.outcome(digest) {
            try document?.bytes ?? store.document(sha256: digest) ?? []
        }
        let catalog: Catalog
        do throws(CatalogProblems) {
            catalog = try outcome.get()
        } catch {
            throw EventProblem(
                .wrongType, "data.document",
                error.problems.first.map { "\($0)" } ?? "cannot be read")
        }
        do throws(LedgerError) {
            try PublicationCheck(app: app, catalogs: catalogs).check(catalog)
        } catch {
            throw EventProblem(.forbidden, "data.document", error.sentence)
        }
        catalogs.publish(
            CatalogVersion(
                version: version, effectiveAt: draft.data["effective_at"]?.integer ?? 0,
                scope: scope, position: position, catalog: catalog, documentDigest: digest))
    }

    private func scope(of draft: EventDraft) throws -> CatalogScope {
        let word = draft.data["applies_to"]?.text ?? ""
        guard let kind = CatalogScopeKind(word: word) else {
            let words = CatalogScopeKind.allCases.map(\.word).joined(separator: ", ")
            throw EventProblem(.unknownName, "data.applies_to", "\"\(word)\" is none of \(words)")
        }
        let scope = CatalogScope(kind, percent: draft.data["percent"]?.integer)
        guard let scope, (0...100).contains(scope.percent ?? 0) else {
            throw EventProblem(
                .outOfBounds, "data.percent", "a cohort needs a percent from 0 to 100")
        }
        return scope
    }
}

extension LedgerError {
    /// What is wrong, without places: there are none inside an event.
    fileprivate var sentence: String {
        if case .badInput(let problems) = self {
            return problems.map(\.reason).joined(separator: " ")
        }
        return description
    }
}
