import DaybookEvents

/// Which IDs belong to one customer, and which customer owns which lineage: read before the fold (rule 7).
struct Identities {
    private let edges: [(alias: String, canonical: String)]
    /// UUIDs that are named in capitals and in small letters, in this order.
    private let twins: [[String]]
    /// The spellings that events name, by the one in small letters.
    private let spellings: [String: Set<String>]
    private let transfers: [KnownEvent]

    /// - Parameters:
    ///   - events: What was known, in canonical order.
    ///   - spellings: How UUIDs are written, by the UUID in small letters.
    init(_ events: [KnownEvent], spellings: [String: Set<String>]) {
        var edges: [(alias: String, canonical: String)] = []
        for event in events {
            guard let alias = event.text("alias") else { continue }
            let canonical = event.text("canonical")
            switch event.type {
            case .subjectAliased:
                if let canonical { edges.append((alias, canonical)) }
            case .subjectUnaliased:
                // Of two statements about a pair the later decides; without a canonical id the alias is split from
                // every ID that it was an alias of.
                edges.removeAll { edge in
                    guard let canonical else { return edge.alias == alias }
                    return Set([edge.alias, edge.canonical]) == Set([alias, canonical])
                }
            default: break
            }
        }
        // A UUID is one whatever the case of its letters (RFC 9562 §4); nothing takes that back.
        self.spellings = spellings
        twins = spellings.values.filter { $0.count > 1 }.map { $0.sorted() }
        edges += twins.map { (alias: $0[0], canonical: $0[1]) }
        self.edges = edges
        transfers = events.filter { $0.type == .purchaseTransferred }
    }

    /// All IDs of one person, the same for every T: aliases are timeless (rule 7).
    func person(_ name: String) -> Set<String> {
        var members: Set<String> = spellings[name.lowercased()] ?? [name]
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
        // In small letters a UUID is shown, unless an alias makes it another's in either spelling.
        let told = edges.filter { !twins.contains([$0.alias, $0.canonical].sorted()) }
        var aliases = Set(told.map(\.alias))
        for twin in twins {
            if aliases.contains(twin[0]) { aliases.insert(twin[1]) }
            aliases.insert(twin[0])
        }
        let candidates = person.subtracting(aliases)
        let names = candidates.isEmpty ? person : candidates
        return names.min(by: precedes) ?? ""
    }

    /// An owner of a lineage, and the time from which on; it lasts until the next one.
    struct Owning {
        let owner: String
        let from: Int64
        /// Rule 6: how many credits of a consumable were left when it was handed over; `nil`: not stated.
        let units: Int64?
    }

    /// All owners of a lineage, one after the other (rule 7): the first naming, then every transfer.
    func ownings(of lineage: LineageFacts) -> [Owning] {
        var ownings: [Owning] = []
        if let first = Self.firstNamed(lineage.events) {
            ownings.append(Owning(owner: first, from: Int64.min, units: nil))
        }
        // Rule 6: never moved, except by support, which names it.
        for transfer in transfers {
            guard let target = transfer.text("to") else { continue }
            let isNamed = transfer.text("original_transaction_id") != nil
            if isNamed, transfer.belonging != .lineage(lineage.name) { continue }
            if !isNamed {
                // Without a transaction id everything that `from` owns at that time moves.
                guard !lineage.isConsumable, let current = ownings.last,
                    let from = transfer.text("from"),
                    person(from).contains(current.owner),
                    lineage.events.contains(where: { $0.occurredAt <= transfer.occurredAt })
                else { continue }
            }
            ownings.append(
                Owning(
                    owner: target, from: transfer.occurredAt,
                    units: isNamed ? transfer.integer("units") : nil))
        }
        return ownings
    }

    /// A verified appAccountToken before a named customer, the first in canonical order of each.
    private static func firstNamed(_ events: [KnownEvent]) -> String? {
        // A claim counts only for what has no owner; what was transferred has one.
        let given = events.firstIndex { $0.type == .purchaseTransferred } ?? events.endIndex
        let namings = events.enumerated().filter { index, event in
            event.type != .purchaseTransferred
                && (event.type != .purchaseClaimed || index < given)
        }.map(\.element)
        for event in namings
        where event.trust == .verified && LineageFacts.purchaseTypes.contains(event.type) {
            if let token = event.text("app_account_token") { return token }
        }
        let named = namings.filter { !$0.isNamedAfterStore }
        for event in named {
            if let name = event.subject ?? event.text("app_account_token") { return name }
        }
        return namings.lazy.compactMap(\.subject).first
    }
}
