public import DaybookDomain
import DaybookEvents
import DaybookStore

extension Ledger {
    /// A published catalog with its document, byte for byte as it was published.
    /// - Throws: `LedgerError.badInput` for a version that was not published; `LedgerError.store` where its document is
    ///   not in the file any more.
    public func catalogDocument(
        version: Int64
    ) throws -> (published: CatalogVersion, document: [UInt8]) {
        let history = try catalogs()
        guard let found = history.versions.first(where: { $0.version == version }) else {
            let known = Set(history.versions.map(\.version)).sorted().map(String.init)
            throw LedgerError.badInput([
                InputProblem(
                    line: nil, column: nil, code: "unknown_version",
                    reason:
                        "there is no catalog version \(version); there are \(known.joined(separator: ", "))"
                )
            ])
        }
        let document = try core.translating {
            try core.store.document(sha256: found.documentDigest)
        }
        guard let document else {
            throw LedgerError.store(
                StoreError(
                    .damaged,
                    "the document of version \(version) is not in the ledger; run daybook verify"))
        }
        return (found, document)
    }
}
