import DaybookEvents

/// Who is who, and who owns what: read before the fold (rule 7).
struct Identities {
    private let edges: [(alias: String, canonical: String)]
    private let transfers: [KnownEvent]

    init(_ history: KnownHistory) {
        var edges: [(alias: String, canonical: String)] = []
        for event in history.events {
            guard let alias = event.text("alias") else { continue }
            let canonical = event.text("canonical")
            switch event.type {
            case "subject.aliased":
                if let canonical { edges.append((alias, canonical)) }
            case "subject.unaliased":
                // Of two statements about a pair the later decides; without a canonical id the alias is split from
                // everybody whose alias it was.
                edges.removeAll { edge in
                    guard let canonical else { return edge.alias == alias }
                    return Set([edge.alias, edge.canonical]) == Set([alias, canonical])
                }
            default: break
            }
        }
        self.edges = edges
        transfers = history.events.filter { $0.type == "purchase.transferred" }
    }

    /// Everybody who is the same person for every T: aliases are timeless (rule 7).
    func person(_ name: String) -> Set<String> {
        var members: Set<String> = [name]
        var isGrowing = true
        while isGrowing {
            isGrowing = false
            for edge in edges where members.contains(edge.alias) != members.contains(edge.canonical)
            {
                members.formUnion([edge.alias, edge.canonical])
                isGrowing = true
            }
        }
        return members
    }

    /// The member that no alias names as `alias`, of several the smallest (rule 7).
    func shownName(_ person: Set<String>) -> String {
        let aliases = Set(edges.map(\.alias))
        let candidates = person.subtracting(aliases)
        let names = candidates.isEmpty ? person : candidates
        return names.min(by: precedes) ?? ""
    }

    /// Who owns a line at T (rule 7): the first naming, then every transfer until T.
    func owner(ofLine line: String, events: [KnownEvent], at instant: Int64) -> String? {
        var owner = Self.firstNamed(events)
        for transfer in transfers where transfer.occurredAt <= instant {
            guard let target = transfer.text("to") else { continue }
            if transfer.text("original_transaction_id") != nil {
                if Belonging(transfer) == .line(line) { owner = target }
            } else if let current = owner, let from = transfer.text("from"),
                person(from).contains(current)
            {
                // Without a transaction id everything that `from` owns at that time moves.
                owner = target
            }
        }
        return owner
    }

    /// A verified appAccountToken before a named customer, the first in canonical order of each.
    private static func firstNamed(_ events: [KnownEvent]) -> String? {
        let namings = events.filter { $0.type != "purchase.transferred" }
        for event in namings
        where event.trust == .verified && LineFacts.purchaseTypes.contains(event.type) {
            if let token = event.text("app_account_token") { return token }
        }
        for event in namings {
            if let name = event.subject ?? event.text("app_account_token") { return name }
        }
        return nil
    }
}
