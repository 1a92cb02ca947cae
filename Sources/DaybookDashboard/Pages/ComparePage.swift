import Daybook

/// What is different about one customer between two moments, each with its own time and its own knowledge.
struct ComparePage {
    let call: PageCall
    let subject: String
    /// The other moment; the page's own is the first.
    let other: Clocks

    func page(_ ledger: Ledger) throws -> Frame.Page {
        var page = Frame.Page(
            title: "\(subject): compared", template: "compare", section: .customers)
        let found = try ledger.difference(
            of: subject, environment: call.environment, from: call.moment, to: other.moment)
        page.model["subject"] = subject
        page.model["back"] = call.link(call.address(of: subject))
        page.model["path"] = call.path
        page.model["first"] = Frame.sentence(call.moment)
        page.model["second"] = Frame.sentence(other.moment)
        page.model["from"] = found.from.sentence
        page.model["to"] = found.to.sentence
        page.model["to_at"] = other.at ?? ""
        page.model["to_known_at"] = other.knownAt ?? ""
        page.model["first_at"] = call.clocks.at ?? ""
        page.model["first_known_at"] = call.clocks.knownAt ?? ""
        page.model["environment"] = call.environment.name
        page.model["changes"] = found.difference.changes.map(\.row)
        page.model["same"] = found.difference.changes.isEmpty
        page.model["events"] = try between(ledger, found.from.position, found.to.position)
        return page
    }

    /// The customer's events that the one moment knows and the other does not, which are what made the difference.
    private func between(_ ledger: Ledger, _ first: Int64, _ second: Int64) throws -> [Model] {
        let range = min(first, second)..<max(first, second)
        let all = try ledger.history(of: subject, environment: call.environment)
        return all.filter { range.contains($0.event.position - 1) }.prefix(100).map { entry in
            [
                "position": entry.event.position, "label": entry.label,
                "href": call.event(entry.event.position),
                "happened": PageTime.model(
                    entry.event.draft.occurredAt ?? entry.event.recordedAt) ?? [:],
                "recorded": PageTime.model(entry.event.recordedAt) ?? [:],
            ]
        }
    }
}
