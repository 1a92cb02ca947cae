import Daybook

/// Customers found by any id of theirs, or listed by the beginning of their ids.
struct CustomersPage {
    let call: PageCall
    let text: String
    let after: String?

    static let count = 50

    func page(_ ledger: Ledger) throws -> Frame.Page {
        var page = Frame.Page(title: "Customers", template: "customers", section: .customers)
        page.model["text"] = text
        let environment = call.environment
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
        page.model["environment"] = environment.name
        if let next = list.next {
            page.model["next"] = call.link(
                call.path, [("q", text.isEmpty ? nil : text), ("after", next)])
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
        if let first = PageTime.model(row.firstSeenAt) { model["first_seen"] = first }
        return model
    }

    private func match(_ match: CustomerMatch) -> Model {
        var model: Model = [
            "kind": Words.spaced(match.kind.rawValue), "stream": match.stream ?? "",
        ]
        if let customer = match.customer {
            model["customer"] = row(customer)
        } else {
            model["ownerless"] = true
        }
        if let position = match.position {
            model["event"] = [
                "position": position, "href": call.event(position),
            ]
        }
        return model
    }
}
