import Daybook
import DaybookDomain
import DaybookEvents
import DaybookServer

/// What one published catalog says otherwise than another, and the way to who would notice.
struct CatalogChangesPage {
    let call: PageCall
    let version: String
    /// `nil`: the one before it.
    let from: Int64?

    func page(_ ledger: Ledger) throws -> Frame.Page {
        let known = Set(try ledger.catalogs().versions.map(\.version)).sorted()
        guard let to = Int64(version), known.contains(to) else {
            throw Problem.notFound(
                "unknown_version", "\(ShownText.escaped(version)) is no version of a catalog")
        }
        let first = from ?? known.last { $0 < to } ?? to
        let found = try ledger.catalogDifference(from: first, to: to)
        return Frame.Page(
            title: "Catalog \(to): changes", template: "catalog-changes", section: .catalog,
            model: [
                "path": call.path, "from": String(first), "to": String(to),
                "others": FormField.hidden(call.clocks.parameters),
                "back": call.link(call.address("/catalog")),
                "versions": known.map { number -> Model in
                    ["value": String(number), "current": number == first]
                },
                "changes": found.changes.map(\.row), "same": found.changes.isEmpty,
                "command": "daybook catalog diff \(first) \(to)",
                "request":
                    "GET /v1/\(Link.encoded(call.app ?? ""))/catalogs/\(to)/difference?from=\(first)",
                "what_if": call.link(
                    call.address("/catalog/what-if"), [("version", String(to))]),
            ])
    }
}

extension JSONDifference {
    var row: Model {
        [
            "path": path, "before": Self.word(before, path), "after": Self.word(after, path),
        ]
    }
}
