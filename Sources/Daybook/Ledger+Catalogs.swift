public import DaybookDomain
public import DaybookEvents
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
            throw LedgerError.bad(
                "unknown_version",
                "there is no catalog version \(version); there are \(known.joined(separator: ", "))"
            )
        }
        let document = try core.document(
            found.documentDigest, of: "the document of version \(version)")
        return (found, document)
    }

    /// What one published catalog says otherwise than another one, part by part.
    /// - Throws: As `catalogDocument`.
    public func catalogDifference(from: Int64, to: Int64) throws -> CatalogDifference {
        let (first, before) = try catalogDocument(version: from)
        let (second, after) = try catalogDocument(version: to)
        return CatalogDifference(
            from: first, to: second, changes: try Self.catalogChanges(from: before, to: after))
    }

    /// What a document says otherwise than a published catalog.
    /// - Throws: As `catalogDocument`, and `LedgerError.badInput` for what is no YAML.
    public func catalogChanges(
        from version: Int64, to document: [UInt8]
    ) throws -> [JSONDifference] {
        try Self.catalogChanges(
            from: try catalogDocument(version: version).document, to: document)
    }

    private static func catalogChanges(
        from before: [UInt8], to after: [UInt8]
    ) throws -> [JSONDifference] {
        try LedgerError.reading { () throws(CatalogProblems) in
            JSONDifference.between(try CatalogReader.tree(before), try CatalogReader.tree(after))
        }
    }
}
