import DaybookDomain
import DaybookEvents
import DaybookStore

/// A publication whose document was read on the caller's thread.
struct PreparedPublication: Sendable {
    let publication: CatalogPublication
    /// With everything that is asked of a new catalog; `nil` where an older one comes back.
    let reading: CatalogCache.Outcome?
    let digest: String

    init(_ publication: CatalogPublication, _ zones: ZoneDirectory, _ catalogCache: CatalogCache) {
        self.publication = publication
        guard publication.rollBackTo == nil else {
            (reading, digest) = (nil, "")
            return
        }
        digest = Digest.hexadecimal(Digest.sha256(publication.document))
        do throws(CatalogProblems) {
            let catalog = try CatalogReader.read(
                publication.document, knownEventTypes: Vocabulary.names,
                knownMetrics: Metric.targetNames,
                zones: zones)
            reading = .catalog(catalog)
            catalogCache.keep(.catalog(catalog), digest)
        } catch {
            reading = .unreadable(error)
        }
    }
}

extension CatalogCache {
    /// Reads ahead the catalog that a report brings, or names.
    /// - Throws: Where the store cannot be read.
    func take(from report: PreparedEvent, _ store: any EventStore) throws {
        let draft = report.draft
        guard !report.isPlain, draft.type == .catalogPublished else { return }
        let digest = draft.data["document_sha256"]?.text ?? ""
        if self[digest] != nil { return }
        let text = draft.data["document"]?.text.map { Array($0.utf8) }
        guard
            let bytes = try report.document?.bytes ?? text ?? store.document(sha256: digest),
            Digest.hexadecimal(Digest.sha256(bytes)) == digest
        else { return }
        take(bytes, digest)
    }
}
