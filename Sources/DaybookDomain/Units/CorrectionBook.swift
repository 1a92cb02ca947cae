public import DaybookEvents

/// The name under which a correction finds its target: never a position (rule 20).
public struct EventKey: Sendable, Hashable {
    public var environment: Environment
    public var source: NameID
    public var key: Reference

    public init(_ environment: Environment, _ source: NameID, _ key: Reference) {
        self.environment = environment
        self.source = source
        self.key = key
    }

    /// Two words instead of four parts: a key is hashed several times on its way into the ledger.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(key.high)
        hasher.combine(key.low ^ UInt64(source) << 8 ^ UInt64(environment.rawValue))
    }
}

/// Which events are void and which were amended, for any cut.
public struct CorrectionBook: Sendable {
    public struct Entry: Sendable {
        public var isVoiding: Bool
        /// Where the correction itself stands; an amendment's patch is read from there.
        public var position: Int64
        /// The correction's own name: it can be voided too (E75).
        public var own: EventKey
    }

    private var entries: [EventKey: [Entry]] = [:]
    /// How many corrections were noted.
    public private(set) var count = 0

    public init() {}

    public var isEmpty: Bool { entries.isEmpty }

    /// Every target that was ever named.
    public var targets: some Collection<EventKey> { entries.keys }

    /// Takes a correction; other events are ignored.
    /// - Returns: The target, whose unit must be folded anew.
    @discardableResult
    public mutating func note(_ event: Event, environment: Environment) -> EventKey? {
        guard event.type == .correctionVoided || event.type == .correctionAmended else {
            return nil
        }
        let target = EventKey(environment, event.nameA, event.reference)
        count += 1
        entries[target, default: []].append(
            Entry(
                isVoiding: event.type == .correctionVoided, position: event.position,
                own: EventKey(environment, event.source, event.key)))
        return target
    }

    /// Treats an event as void at every cut, as if it had never been there.
    public mutating func leaveOut(_ target: EventKey) {
        count += 1
        entries[target, default: []].append(
            Entry(
                isVoiding: true, position: Int64.min,
                own: EventKey(target.environment, target.source, .none)))
    }

    /// Whether a correction within the cut, not itself void, voids the event.
    public func isVoid(_ target: EventKey, cut: Int64) -> Bool {
        entries.isEmpty ? false : isVoid(target, cut: cut, depth: 0)
    }

    private func isVoid(_ target: EventKey, cut: Int64, depth: Int) -> Bool {
        // A circle of corrections is nonsense; it stops here instead of turning for ever.
        guard depth < 64, let corrections = entries[target] else { return false }
        return corrections.contains { entry in
            entry.isVoiding && entry.position <= cut
                && !isVoid(entry.own, cut: cut, depth: depth + 1)
        }
    }

    /// Positions of the amendments that hold within the cut, in order of arrival; their texts tell the canonical order.
    public func amendments(of target: EventKey, cut: Int64) -> [Int64] {
        (entries[target] ?? []).filter {
            !$0.isVoiding && $0.position <= cut && !isVoid($0.own, cut: cut)
        }.map(\.position)
    }

    /// What was ever said about the event, whether it still holds or not, in order of arrival.
    public func entries(of target: EventKey) -> [Entry] { entries[target] ?? [] }

    /// Whether anything was ever said about the event.
    public func concerns(_ target: EventKey) -> Bool { entries[target] != nil }
}
