import DaybookDomain
import DaybookEvents
import DaybookIngest

extension LedgerCore {
    /// What is known to the ledger's catalogs, and to those that are published by some of the events themselves.
    package func unknownNames(beside events: [ReadEvent]) throws -> UnknownNames {
        var known = try catalogs().versions.map(\.catalog)
        for event in events where event.draft.type == .catalogPublished {
            guard let document = event.draft.data["document"]?.text else { continue }
            // A document that cannot be read is refused with its reason where it is taken in.
            if let catalog = try? CatalogReader.read(Array(document.utf8)) { known.append(catalog) }
        }
        return UnknownNames(known)
    }
}
