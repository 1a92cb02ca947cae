public import DaybookEvents

/// Walks from id to id along the aliases that hold at a cut. However many IDs are one person, each link is looked at
/// once: an ID that a broken client sends for all customers links thousands.
public struct IdentityWalk {
    /// What was said of one id.
    private struct Known {
        var links: [Identity.Link] = []
        /// The last un-alias of each pair; of most ids none.
        var ends: [NameID: OrderKey] = [:]
        /// The last un-alias from all other IDs.
        var split: OrderKey?
    }

    private let identity: Identity
    private let environment: Environment
    private let cut: Int64
    private let corrections: CorrectionBook
    private let names: NameTable
    private var known: [NameID: Known] = [:]
    /// How many links were looked at: what the walk costs.
    public private(set) var stepCount = 0

    /// Begins a walk in one environment.
    /// - Parameter cut: The last position that counts, inclusive.
    public init(
        _ identity: Identity, _ environment: Environment, cut: Int64, corrections: CorrectionBook,
        names: NameTable
    ) {
        self.identity = identity
        self.environment = environment
        self.cut = cut
        self.corrections = corrections
        self.names = names
    }

    /// All ids of one person, in the order of the names' bytes, and the one that is shown: the member that no alias
    /// event names as `alias`, of several the smallest.
    /// - Complexity: O(*n* log *n*) in the links of the members.
    public mutating func person(_ name: NameID) -> (members: [NameID], shown: NameID) {
        if !identity.isLinked(CustomerKey(environment, name)) { return ([name], name) }
        var members = [name]
        var found: Set<NameID> = [name]
        var aliases: [(alias: NameID, other: NameID)] = []
        var spellings: [(upper: NameID, lower: NameID)] = []
        var next = 0
        while next < members.count {
            let member = members[next]
            next += 1
            for link in activeLinks(of: member) {
                if link.isSpelling {
                    if link.isAliasSide { spellings.append((member, link.other)) }
                } else {
                    aliases.append(
                        link.isAliasSide ? (member, link.other) : (link.other, member))
                }
                if found.insert(link.other).inserted { members.append(link.other) }
            }
        }
        if members.count == 1 { return (members, name) }
        let aliased = Self.aliased(aliases, spellings)
        let texts = members.map { (text: names[$0], name: $0) }
        members = texts.sorted { precedesInBytes($0.text, $1.text) }.map(\.name)
        return (members, members.first { !aliased.contains($0) } ?? members[0])
    }

    /// The ids that are not shown as long as there are others. An alias of one spelling is one of both, and between the
    /// two the one in small letters is shown.
    private static func aliased(
        _ aliases: [(alias: NameID, other: NameID)], _ spellings: [(upper: NameID, lower: NameID)]
    ) -> Set<NameID> {
        if spellings.isEmpty { return Set(aliases.map(\.alias)) }
        let lower = Dictionary(
            spellings.map { ($0.upper, $0.lower) }, uniquingKeysWith: { first, _ in first })
        var aliased = Set(
            aliases.filter { lower[$0.alias] != $0.other && lower[$0.other] != $0.alias }
                .map(\.alias))
        for (upper, lower) in spellings {
            if aliased.contains(upper) { aliased.insert(lower) }
            aliased.insert(upper)
        }
        return aliased
    }

    /// The aliases of an id that no later un-alias of the pair, or of everything about the alias, took back.
    mutating func activeLinks(of name: NameID) -> [Identity.Link] {
        let own = look(at: name)
        var active: [Identity.Link] = []
        for link in own.links where link.isOn && link.other != 0 {
            stepCount += 1
            if let end = own.ends[link.other], link.order.precedes(end, names: names) { continue }
            // Without a canonical id the alias is split from all other IDs; such an event stands under the alias alone.
            let split = link.isAliasSide ? own.split : look(at: link.other).split
            if let split, link.order.precedes(split, names: names) { continue }
            active.append(link)
        }
        return active
    }

    private mutating func look(at name: NameID) -> Known {
        if let known = known[name] { return known }
        var found = Known()
        for link in identity.said(of: CustomerKey(environment, name)) {
            stepCount += 1
            guard link.position <= cut, !corrections.isVoid(link.target, cut: cut) else { continue }
            found.links.append(link)
            if link.isOn { continue }
            if link.other == 0 {
                found.split = later(found.split, link.order)
            } else {
                found.ends[link.other] = later(found.ends[link.other], link.order)
            }
        }
        known[name] = found
        return found
    }

    private func later(_ known: OrderKey?, _ order: OrderKey) -> OrderKey {
        guard let known, order.precedes(known, names: names) else { return order }
        return known
    }
}

extension Identity {
    /// All ids of one person as known at a cut, and the one that is shown.
    /// - Complexity: O(*n* log *n*) in the links of the members; a caller that asks about many customers
    ///   keeps an `IdentityWalk`, and asks once for each person.
    public func person(
        _ key: CustomerKey, cut: Int64, corrections: CorrectionBook, names: NameTable
    ) -> (members: [NameID], shown: NameID) {
        if isEmpty { return ([key.name], key.name) }
        var walk = IdentityWalk(
            self, key.environment, cut: cut, corrections: corrections, names: names)
        return walk.person(key.name)
    }

    /// The ids that an alias event links with one directly, each once, in the order of the names' bytes, and whether
    /// this one is the alias by the last statement about the pair.
    public func links(
        of key: CustomerKey, cut: Int64, corrections: CorrectionBook, names: NameTable
    ) -> [(other: NameID, isAliasSide: Bool)] {
        var walk = IdentityWalk(
            self, key.environment, cut: cut, corrections: corrections, names: names)
        var last: [NameID: Link] = [:]
        for link in walk.activeLinks(of: key.name) where !link.isSpelling {
            if let known = last[link.other], link.order.precedes(known.order, names: names) {
                continue
            }
            last[link.other] = link
        }
        return last.values.map { ($0.other, $0.isAliasSide) }
            .sorted { precedesInBytes(names[$0.0], names[$1.0]) }
    }
}
