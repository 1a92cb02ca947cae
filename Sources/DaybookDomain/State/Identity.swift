public import DaybookEvents

/// A customer's id within one environment.
public struct CustomerKey: Sendable, Hashable, Comparable {
    /// The environment in which the id is a customer's (rule 9).
    public var environment: Environment
    /// The id, as a name.
    public var name: NameID

    /// Names a customer; nothing is checked, not even that it is known.
    public init(_ environment: Environment, _ name: NameID) {
        self.environment = environment
        self.name = name
    }

    /// By environment and number, which says nothing about the ids as texts.
    public static func < (left: CustomerKey, right: CustomerKey) -> Bool {
        (left.environment.rawValue, left.name) < (right.environment.rawValue, right.name)
    }
}

/// The links of a ledger up to a position, where they lie elsewhere, such as in a mapped file.
public protocol IdentityBase: AnyObject, Sendable {
    /// Whether there is neither a link nor a handover.
    var isUnlinked: Bool { get }
    /// In order of arrival.
    func links(of key: CustomerKey) -> [Identity.Link]
    /// In order of arrival.
    func handovers(of key: CustomerKey) -> [Identity.Handover]
    /// Each link under both of its customers, ascending by customer, those of one in order of arrival.
    func forEachLink(_ body: (CustomerKey, Identity.Link) -> Void)
    /// Each handover under each of its customers, in the same order.
    func forEachHandover(_ body: (CustomerKey, Identity.Handover) -> Void)
}

/// Which IDs belong to one customer, and which customer gave everything to which.
///
/// It is read before any fold, never inside one (rule 7). Every link keeps its position, so that the same value answers
/// for any earlier cut. The order of arrival does not matter: of two statements about one pair the later in canonical
/// order decides.
public struct Identity: Sendable {
    /// What one alias or un-alias says of two ids, from the side of one of them.
    public struct Link: Sendable {
        /// 0: all other IDs.
        public var other: NameID
        /// Whether the customer that it stands under is named as `alias`; else it is the canonical one.
        public var isAliasSide: Bool
        /// Whether the two are joined; else they are taken apart.
        public var isOn: Bool
        /// Decides which of two statements about one pair is the later one.
        public var order: OrderKey
        /// The event's position; the statement counts within cuts at or above it.
        public var position: Int64
        /// The event's own name, by which it may be corrected.
        public var target: EventKey

        /// Whether no event says so: the two ids are one UUID in two letter cases.
        public var isSpelling: Bool { order == .spelling }

        /// Creates a link; its target is the event that the order names.
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
        /// The customer who gives everything.
        public var from: NameID
        /// The customer who gets it.
        public var to: NameID
        /// Its place in canonical order.
        public var order: OrderKey
        /// The event's position; the statement counts within cuts at or above it.
        public var position: Int64
        /// The event's own name, by which it may be corrected.
        public var target: EventKey

        /// Creates a transfer; its target is the event that the order names.
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

    /// Whether no customer at all is linked: the common shortcut.
    public var isEmpty: Bool {
        links.isEmpty && handovers.isEmpty && base?.isUnlinked ?? true
    }

    /// Whether anything was ever said of a customer's ids.
    public func isLinked(_ key: CustomerKey) -> Bool {
        links[key] != nil || base.map { !$0.links(of: key).isEmpty } ?? false
    }

    /// Whether the other spelling of a customer's UUID is known to be the same person.
    public func hasSpelling(_ key: CustomerKey) -> Bool {
        said(of: key).contains(where: \.isSpelling)
    }

    /// Whether the customer was never linked with another ID, and never gave or got everything.
    public func isAlone(_ key: CustomerKey) -> Bool {
        isEmpty || !isLinked(key) && given(by: key).isEmpty
    }

    /// What was ever said of a customer's ids, in order of arrival.
    func said(of key: CustomerKey) -> [Link] {
        guard let base else { return links[key] ?? [] }
        return base.links(of: key) + (links[key] ?? [])
    }

    private func given(by key: CustomerKey) -> [Handover] {
        guard let base else { return handovers[key] ?? [] }
        return base.handovers(of: key) + (handovers[key] ?? [])
    }

    /// Each link under both of its customers, ascending by customer, those of one in order of arrival.
    public func forEachLink(_ body: (CustomerKey, Link) -> Void) {
        Self.forEach(links, base.map { base in { base.forEachLink($0) } }, body)
    }

    /// Each handover under each of its customers, ascending by customer, those of one in order of arrival.
    public func forEachHandover(_ body: (CustomerKey, Handover) -> Void) {
        Self.forEach(handovers, base.map { base in { base.forEachHandover($0) } }, body)
    }

    private static func forEach<Element>(
        _ added: [CustomerKey: [Element]],
        _ base: (((CustomerKey, Element) -> Void) -> Void)?,
        _ body: (CustomerKey, Element) -> Void
    ) {
        let sorted = added.sorted { $0.key < $1.key }.flatMap { key, list in
            list.map { (key: key, element: $0) }
        }
        var merge = OrderedMerge(sorted) { $0.key < $1.key }
        base?({ key, element in merge.take((key, element)) { body($0.key, $0.element) } })
        merge.finish { body($0.key, $0.element) }
    }

    /// Takes an alias, an un-alias or a transfer without a lineage; other events are ignored.
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

    /// Takes two ids that are one UUID in two letter cases for one person. No correction and no un-alias undoes it.
    /// - Parameters:
    ///   - upper: The one in capitals, which stands for the other as an alias does.
    ///   - position: Of the event that named the second of them.
    public mutating func note(
        upper: NameID, lower: NameID, in environment: Environment, at position: Int64
    ) {
        for (name, other) in [(upper, lower), (lower, upper)] {
            links[CustomerKey(environment, name), default: []].append(
                Link(
                    other: other, isAliasSide: name == upper, isOn: true, order: .spelling,
                    position: position, environment: environment))
        }
    }

    /// Every ID that was ever said to be of the same person as this one, whether it still holds or not.
    public func everLinked(to key: CustomerKey) -> [NameID] {
        Set(said(of: key).map(\.other)).subtracting([0]).sorted()
    }

    /// The aliases and un-aliases within a cut that name a customer, also those that were voided: where each stands,
    /// and the other ID; 0: all other IDs.
    public func linkPositions(
        of key: CustomerKey, cut: Int64
    ) -> [(position: Int64, other: NameID)] {
        said(of: key).filter { $0.position <= cut }.map { ($0.position, $0.other) }
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
        var seen: Set<EventKey> = []
        for name in members {
            for handover in given(by: CustomerKey(environment, name)) {
                guard handover.position <= cut,
                    !corrections.isVoid(handover.target, cut: cut),
                    seen.insert(handover.target).inserted
                else { continue }
                found.append(handover)
            }
        }
        return found.sorted { $0.order.precedes($1.order, names: names) }
    }
}
