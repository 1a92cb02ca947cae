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

/// Who is the same person, and who gave everything to whom: read before any fold, never inside one (rule 7).
///
/// Every link keeps its position, so that the same value answers for any earlier cut. The order of arrival does
/// not matter: of two statements about one pair the later in canonical order decides.
public struct Identity: Sendable {
    struct Link: Sendable {
        var other: NameID
        var isAliasSide: Bool
        var isOn: Bool
        var order: OrderKey
        var position: Int64
        var target: EventKey
    }

    /// A transfer of everything that a customer owns.
    public struct Handover: Sendable {
        public var from: NameID
        public var to: NameID
        public var at: Int64
        var position: Int64
        var target: EventKey
    }

    private var links: [CustomerKey: [Link]] = [:]
    private var handovers: [CustomerKey: [Handover]] = [:]

    public init() {}

    /// Whether anybody at all is linked: the common shortcut.
    public var isEmpty: Bool { links.isEmpty && handovers.isEmpty }

    /// Takes an alias, an un-alias or a transfer without a line; other events are ignored.
    public mutating func note(_ event: Event, environment: Environment) {
        let target = EventKey(environment, event.source, event.key)
        switch event.type {
        case .subjectAliased, .subjectUnaliased:
            guard event.nameA != 0 else { return }
            let isOn = event.type == .subjectAliased
            let link = Link(
                other: event.nameB, isAliasSide: true, isOn: isOn, order: OrderKey(event),
                position: event.position, target: target)
            links[CustomerKey(environment, event.nameA), default: []].append(link)
            guard event.nameB != 0 else { return }
            var mirrored = link
            mirrored.other = event.nameA
            mirrored.isAliasSide = false
            links[CustomerKey(environment, event.nameB), default: []].append(mirrored)
        case .purchaseTransferred:
            let handover = Handover(
                from: event.nameA, to: event.nameB, at: event.occurredAt,
                position: event.position, target: target)
            for name in Set([event.nameA, event.nameB]) {
                handovers[CustomerKey(environment, name), default: []].append(handover)
            }
        default: break
        }
    }

    /// All ids of one person as known at a cut, in the order of the names' bytes, and the one that is shown: the
    /// member that no alias event names as `alias`, of several the smallest.
    public func person(
        _ key: CustomerKey, cut: Int64, corrections: CorrectionBook, names: NameTable
    ) -> (members: [NameID], shown: NameID) {
        guard links[key] != nil else { return ([key.name], key.name) }
        var members: [NameID] = [key.name]
        var aliased: Set<NameID> = []
        var next = 0
        while next < members.count {
            let name = members[next]
            next += 1
            for link in activeLinks(
                CustomerKey(key.environment, name), cut: cut, corrections: corrections)
            {
                aliased.insert(link.isAliasSide ? name : link.other)
                if !members.contains(link.other) { members.append(link.other) }
            }
        }
        members.sort { precedesInBytes(names[$0], names[$1]) }
        return (members, members.first { !aliased.contains($0) } ?? members[0])
    }

    /// The ids that an alias links with one directly, in the order of the names' bytes, and whether this one is the
    /// alias.
    public func links(
        of key: CustomerKey, cut: Int64, corrections: CorrectionBook, names: NameTable
    ) -> [(other: NameID, isAliasSide: Bool)] {
        activeLinks(key, cut: cut, corrections: corrections).map { ($0.other, $0.isAliasSide) }
            .sorted { precedesInBytes(names[$0.0], names[$1.0]) }
    }

    private func activeLinks(
        _ key: CustomerKey, cut: Int64, corrections: CorrectionBook
    ) -> [Link] {
        guard let all = links[key] else { return [] }
        var latest: [NameID: Link] = [:]
        var cutAll: OrderKey?
        for link in all where link.position <= cut {
            if corrections.isVoid(link.target, cut: cut) { continue }
            if link.other == 0 {
                if cutAll.map({ Self.isLater(link.order, $0) }) ?? true { cutAll = link.order }
            } else if let other = latest[link.other] {
                if Self.isLater(link.order, other.order) { latest[link.other] = link }
            } else {
                latest[link.other] = link
            }
        }
        return latest.values.filter { link in
            guard link.isOn else { return false }
            guard let cutAll, link.isAliasSide else { return true }
            return Self.isLater(link.order, cutAll)
        }
    }

    private static func isLater(_ left: OrderKey, _ right: OrderKey) -> Bool {
        right.isBefore(left)
            ?? ((right.key.high, right.key.low) < (left.key.high, left.key.low))
    }

    /// Transfers of everything that name one of the members, by time.
    public func handovers(
        of members: [NameID], in environment: Environment, cut: Int64, corrections: CorrectionBook
    ) -> [Handover] {
        guard !handovers.isEmpty else { return [] }
        var found: [Handover] = []
        for name in members {
            for handover in handovers[CustomerKey(environment, name)] ?? [] {
                guard handover.position <= cut,
                    !corrections.isVoid(handover.target, cut: cut),
                    !found.contains(where: { $0.target == handover.target })
                else { continue }
                found.append(handover)
            }
        }
        return found.sorted { ($0.at, $0.target.key.high) < ($1.at, $1.target.key.high) }
    }
}
