import Daybook

/// What is different about one customer between two moments, each with its own time and its own knowledge.
struct ComparePage {
    let call: PageCall
    let subject: String
    /// The other moment; the page's own is the first.
    let other: Clocks

    func page(_ ledger: Ledger) throws -> Frame.Page {
        let found = try ledger.difference(
            of: subject, environment: call.environment, from: call.moment, to: other.moment)
        return Frame.Page(
            title: "\(subject): compared", template: "compare", section: .customers,
            model: [
                "subject": subject, "back": call.link(call.address(of: subject)),
                "path": call.path, "first": Frame.sentence(call.moment),
                "second": Frame.sentence(other.moment), "from": found.from.sentence,
                "to": found.to.sentence, "to_at": other.at ?? "",
                "to_known_at": other.knownAt ?? "", "first_at": call.clocks.at ?? "",
                "first_known_at": call.clocks.knownAt ?? "", "environment": call.environment.name,
                "changes": found.difference.changes.map(\.row),
                "same": found.difference.changes.isEmpty,
                "events": try between(ledger, found.from.position, found.to.position),
            ])
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
