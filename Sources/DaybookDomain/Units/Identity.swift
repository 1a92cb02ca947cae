public import DaybookEvents

/// A customer's id within one environment.
public struct CustomerKey: Sendable, Hashable {
    public var environment: Environment
    public var name: NameID

    public init(_ environment: Environment, _ name: NameID) {
        self.environment = environment
        self.name = name
    }
}

/// The links of a ledger up to a position, where they lie elsewhere, such as in a mapped file.
public protocol IdentityBase: AnyObject, Sendable {
    var isUnlinked: Bool { get }
    /// In order of arrival.
    func links(of key: CustomerKey) -> [Identity.Link]
    /// In order of arrival.
    func handovers(of key: CustomerKey) -> [Identity.Handover]
    /// Each link and handover under each customer that it stands under.
    func forEach(
        _ link: (CustomerKey, Identity.Link) -> Void,
        _ handover: (CustomerKey, Identity.Handover) -> Void)
}

/// Who is the same person, and who gave everything to whom: read before any fold, never inside one (rule 7).
///
/// Every link keeps its position, so that the same value answers for any earlier cut. The order of arrival does
/// not matter: of two statements about one pair the later in canonical order decides.
public struct Identity: Sendable {
    /// What one alias or un-alias says of two ids, from the side of one of them.
    public struct Link: Sendable {
        /// 0: everybody.
        public var other: NameID
        public var isAliasSide: Bool
        public var isOn: Bool
        public var order: OrderKey
        public var position: Int64
        /// The event's own name, by which it may be corrected.
        public var target: EventKey

        public init(
            other: NameID, isAliasSide: Bool, isOn: Bool, order: OrderKey, position: Int64,
            environment: Environment
        ) {
            self.other = other
            self.isAliasSide = isAliasSide
            self.isOn = isOn
            self.order = order
            self.position = position
            target = EventKey(environment, order.source, order.key)
        }
    }

    /// A transfer of everything that a customer owns.
    public struct Handover: Sendable {
        public var from: NameID
        public var to: NameID
        public var order: OrderKey
        public var position: Int64
        public var target: EventKey

        public init(
            from: NameID, to: NameID, order: OrderKey, position: Int64, environment: Environment
        ) {
            self.from = from
            self.to = to
            self.order = order
            self.position = position
            target = EventKey(environment, order.source, order.key)
        }
    }

    private let base: (any IdentityBase)?
    private var links: [CustomerKey: [Link]] = [:]
    private var handovers: [CustomerKey: [Handover]] = [:]

    /// - Parameter base: What was said before; this value only adds to it.
    public init(base: (any IdentityBase)? = nil) { self.base = base }

    /// Whether anybody at all is linked: the common shortcut.
    public var isEmpty: Bool {
        links.isEmpty && handovers.isEmpty && base?.isUnlinked ?? true
    }

    /// What was ever said of a customer's ids, in order of arrival.
    private func said(of key: CustomerKey) -> [Link] {
        guard let base else { return links[key] ?? [] }
        return base.links(of: key) + (links[key] ?? [])
    }

    private func given(by key: CustomerKey) -> [Handover] {
        guard let base else { return handovers[key] ?? [] }
        return base.handovers(of: key) + (handovers[key] ?? [])
    }

    /// Everything that was noted, for whoever writes it down: each link under both of its customers.
    public func forEach(
        _ link: (CustomerKey, Link) -> Void, _ handover: (CustomerKey, Handover) -> Void
    ) {
        base?.forEach(link, handover)
        for (key, list) in links { for element in list { link(key, element) } }
        for (key, list) in handovers { for element in list { handover(key, element) } }
    }

    /// Takes an alias, an un-alias or a transfer without a line; other events are ignored.
    public mutating func note(_ event: Event, environment: Environment) {
        switch event.type {
        case .subjectAliased, .subjectUnaliased:
            guard event.nameA != 0 else { return }
            let isOn = event.type == .subjectAliased
            let link = Link(
                other: event.nameB, isAliasSide: true, isOn: isOn, order: OrderKey(event),
                position: event.position, environment: environment)
            links[CustomerKey(environment, event.nameA), default: []].append(link)
            guard event.nameB != 0 else { return }
            var mirrored = link
            mirrored.other = event.nameA
            mirrored.isAliasSide = false
            links[CustomerKey(environment, event.nameB), default: []].append(mirrored)
        case .purchaseTransferred:
            let handover = Handover(
                from: event.nameA, to: event.nameB, order: OrderKey(event),
                position: event.position, environment: environment)
            for name in Set([event.nameA, event.nameB]) {
                handovers[CustomerKey(environment, name), default: []].append(handover)
            }
        default: break
        }
    }

    /// Everybody who was ever said to be the same person as this one, whether it still holds or not.
    public func everLinked(to key: CustomerKey) -> [NameID] {
        Set(said(of: key).map(\.other)).subtracting([0]).sorted()
    }

    /// The aliases and un-aliases within a cut that name a customer, also those that were voided: where each stands,
    /// and the other id; 0: everybody.
    public func linkPositions(
        of key: CustomerKey, cut: Int64
    ) -> [(position: Int64, other: NameID)] {
        said(of: key).filter { $0.position <= cut }.map { ($0.position, $0.other) }
    }

    /// All ids of one person as known at a cut, in the order of the names' bytes, and the one that is shown: the
    /// member that no alias event names as `alias`, of several the smallest.
    public func person(
        _ key: CustomerKey, cut: Int64, corrections: CorrectionBook, names: NameTable
    ) -> (members: [NameID], shown: NameID) {
        guard !isEmpty, !said(of: key).isEmpty else { return ([key.name], key.name) }
        var members: [NameID] = [key.name]
        var aliased: Set<NameID> = []
        var next = 0
        while next < members.count {
            let name = members[next]
            next += 1
            let links = activeLinks(
                CustomerKey(key.environment, name), cut: cut, corrections: corrections,
                names: names)
            for link in links {
                aliased.insert(link.isAliasSide ? name : link.other)
                if !members.contains(link.other) { members.append(link.other) }
            }
        }
        members.sort { precedesInBytes(names[$0], names[$1]) }
        return (members, members.first { !aliased.contains($0) } ?? members[0])
    }

    /// The ids that an alias links with one directly, each once, in the order of the names' bytes, and whether this one
    /// is the alias by the last word about the pair.
    public func links(
        of key: CustomerKey, cut: Int64, corrections: CorrectionBook, names: NameTable
    ) -> [(other: NameID, isAliasSide: Bool)] {
        var last: [NameID: Link] = [:]
        for link in activeLinks(key, cut: cut, corrections: corrections, names: names) {
            if let known = last[link.other], link.order.precedes(known.order, names: names) {
                continue
            }
            last[link.other] = link
        }
        return last.values.map { ($0.other, $0.isAliasSide) }
            .sorted { precedesInBytes(names[$0.0], names[$1.0]) }
    }

    /// The aliases that no later un-alias of the pair, or of everything about the alias, took back.
    private func activeLinks(
        _ key: CustomerKey, cut: Int64, corrections: CorrectionBook, names: NameTable
    ) -> [Link] {
        func known(_ name: NameID) -> [Link] {
            said(of: CustomerKey(key.environment, name)).filter {
                $0.position <= cut && !corrections.isVoid($0.target, cut: cut)
            }
        }
        let own = known(key.name)
        return own.filter { link in
            guard link.isOn else { return false }
            // Without a canonical id the alias is split from everybody; such an event stands under the alias alone.
            let splits = (link.isAliasSide ? own : known(link.other)).filter { $0.other == 0 }
            let ends = own.filter { !$0.isOn && $0.other == link.other } + splits
            return !ends.contains { link.order.precedes($0.order, names: names) }
        }
    }

    /// Where the transfers of everything stand that name a customer on either side, also those that were voided.
    public func handoverPositions(of key: CustomerKey, cut: Int64) -> [Int64] {
        given(by: key).map(\.position).filter { $0 <= cut }
    }

    /// Transfers of everything that name one of the members, in canonical order.
    public func handovers(
        of members: [NameID], in environment: Environment, cut: Int64, corrections: CorrectionBook,
        names: NameTable
    ) -> [Handover] {
        guard !isEmpty else { return [] }
        var found: [Handover] = []
        for name in members {
            for handover in given(by: CustomerKey(environment, name)) {
                guard handover.position <= cut,
                    !corrections.isVoid(handover.target, cut: cut),
                    !found.contains(where: { $0.target == handover.target })
                else { continue }
                found.append(handover)
            }
        }
        return found.sorted { $0.order.precedes($1.order, names: names) }
    }
}
