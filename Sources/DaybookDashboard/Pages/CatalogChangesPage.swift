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
        var page = Frame.Page(
            title: "Catalog \(to): changes", template: "catalog-changes", section: .catalog)
        page.model["path"] = call.path
        page.model["from"] = String(first)
        page.model["others"] = call.clocks.parameters.compactMap { name, value -> Model? in
            value.map { ["name": name, "value": $0] }
        }
        page.model["to"] = String(to)
        page.model["back"] = call.link(call.address("/catalog"))
        page.model["versions"] = known.map { number -> Model in
            ["value": String(number), "current": number == first]
        }
        page.model["changes"] = found.changes.map(\.row)
        page.model["same"] = found.changes.isEmpty
        page.model["command"] = "daybook catalog diff \(first) \(to)"
        page.model["request"] =
            "GET /v1/\(Link.encoded(call.app ?? ""))/catalogs/\(to)/difference?from=\(first)"
        page.model["what_if"] = call.link(
            call.address("/catalog/what-if"), [("version", String(to))])
        return page
    }
}

extension JSONDifference {
    var row: Model {
        [
            "path": path, "before": Self.word(before, path), "after": Self.word(after, path),
        ]
    }
}
