import Daybook

/// Customers found by any id of theirs, or listed by the beginning of their ids.
struct CustomersPage {
    let call: PageCall
    let text: String
    let after: String?

    static let count = 50

    func page(_ ledger: Ledger) throws -> Frame.Page {
        let environment = call.environment
        var page = Frame.Page(
            title: "Customers", template: "customers", section: .customers,
            model: ["text": text, "environment": environment.name])
        if !text.isEmpty, after == nil {
            let found = try ledger.customers(withID: text, environment: environment)
            page.model["matches"] = found.matches.prefix(Self.count).map(match)
            page.model["cut"] = found.isCut || found.matches.count > Self.count
        }
        let list = try ledger.customers(
            prefix: text,
            OverviewRequest(environment: environment, limit: Self.count, after: after))
        page.model["rows"] = list.rows.map(row)
        page.model["none"] = list.rows.isEmpty && (page.model["matches"] as? [Model] ?? []).isEmpty
        page.model["next"] = list.next.map {
            call.link(call.path, [("q", text.isEmpty ? nil : text), ("after", $0)])
        }
        return page
    }

    /// The customer that the text names as an id of their own, so that the page of that one is shown at once; `nil`
    /// where it names none, or others as well.
    func only(_ ledger: Ledger) throws -> String? {
        guard !text.isEmpty, after == nil else { return nil }
        let found = try ledger.customers(withID: text, environment: call.environment)
        let subjects = Set(found.matches.map { $0.customer?.subject })
        guard subjects.count == 1, let first = found.matches.first?.customer else { return nil }
        return first.subject
    }

    private func row(_ row: CustomerRow) -> Model {
        var model: Model = [
            "id": row.id, "href": call.link(call.address(of: row.id)),
            "word": row.status.map { Words.spaced($0) } ?? "",
            "entitlements": row.entitlements.joined(separator: ", "),
            "ids": row.ids.count > 1 ? "\(row.ids.count) ids" : "",
        ]
        model["first_seen"] = PageTime.model(row.firstSeenAt)
        return model
    }

    private func match(_ match: CustomerMatch) -> Model {
        var model: Model = [
            "kind": Words.spaced(match.kind.rawValue), "stream": match.stream ?? "",
            "ownerless": match.customer == nil,
        ]
        model["customer"] = match.customer.map(row)
        model["event"] = match.position.map(call.eventLink)
        return model
    }
}
