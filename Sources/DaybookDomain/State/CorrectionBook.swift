public import DaybookEvents

/// The name under which a correction finds its target: never a position (rule 20).
public struct EventKey: Sendable, Hashable {
    /// Of the event that is named.
    public var environment: Environment
    /// The kind of the event's source, as a name.
    public var source: NameID
    /// The event's key, unique within environment and source.
    public var key: Reference

    /// Names an event; nothing is checked, not even that it exists.
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
    /// One correction of one event.
    public struct Entry: Sendable {
        /// Whether it voids the event; else it amends it.
        public var isVoiding: Bool
        /// Where the correction itself stands; an amendment's patch is read from there.
        public var position: Int64
        /// The correction's own name: it can be voided too (E75).
        public var own: EventKey
    }

    private var entries: [EventKey: [Entry]] = [:]
    /// The target where all corrections have the same one: then a comparison tells of every other event.
    private var onlyTarget: EventKey?
    /// How many corrections were noted.
    public private(set) var count = 0

    /// A book without corrections.
    public init() {}

    /// Whether nothing was ever noted or left out.
    public var isEmpty: Bool { entries.isEmpty }

    /// Every target that was ever named.
    public var targets: some Collection<EventKey> { entries.keys }

    /// Takes a correction; other events are ignored.
    /// - Returns: The target, whose aggregate must be folded anew.
    @discardableResult
    public mutating func note(_ event: Event, environment: Environment) -> EventKey? {
        guard event.type == .correctionVoided || event.type == .correctionAmended else {
            return nil
        }
        let target = EventKey(environment, event.nameA, event.reference)
        add(
            Entry(
                isVoiding: event.type == .correctionVoided, position: event.position,
                own: EventKey(environment, event.source, event.key)), of: target)
        return target
    }

    /// Treats an event as void at every cut, as if it had never been there.
    public mutating func leaveOut(_ target: EventKey) {
        add(
            Entry(
                isVoiding: true, position: Int64.min,
                own: EventKey(target.environment, target.source, .none)), of: target)
    }

    private mutating func add(_ entry: Entry, of target: EventKey) {
        count += 1
        entries[target, default: []].append(entry)
        onlyTarget = entries.count == 1 ? target : nil
    }

    /// Whether it takes no look-up to say that nothing was said about an event.
    private func isSurelyUnnamed(_ target: EventKey) -> Bool {
        entries.isEmpty || onlyTarget.map { $0 != target } ?? false
    }

    /// Whether a correction within the cut, not itself void, voids the event. Corrections that void one another in a
    /// circle decide nothing, whichever is asked about first.
    /// - Complexity: O(*n*) in the corrections that the answer rests on.
    public func isVoid(_ target: EventKey, cut: Int64) -> Bool {
        if isSurelyUnnamed(target) { return false }
        let voids = voids(of: target, cut: cut)
        if voids.isEmpty { return false }
        // Hardly any correction is corrected itself.
        if voids.allSatisfy({ entries[$0] == nil }) { return true }
        return VoidSearch(from: target) { self.voids(of: $0, cut: cut) }.isVoid(target)
    }

    /// What voids an event, whether that is void itself or not.
    private func voids(of target: EventKey, cut: Int64) -> [EventKey] {
        (entries[target] ?? []).compactMap {
            $0.isVoiding && $0.position <= cut ? $0.own : nil
        }
    }

    /// Positions of the amendments that hold within the cut, in order of arrival; their texts tell the canonical order.
    public func amendments(of target: EventKey, cut: Int64) -> [Int64] {
        if isSurelyUnnamed(target) { return [] }
        return (entries[target] ?? []).filter {
            !$0.isVoiding && $0.position <= cut && !isVoid($0.own, cut: cut)
        }.map(\.position)
    }

    /// What was ever said about the event, whether it still holds or not, in order of arrival.
    public func entries(of target: EventKey) -> [Entry] { entries[target] ?? [] }

    /// Whether anything was ever said about the event.
    public func concerns(_ target: EventKey) -> Bool { entries[target] != nil }
}

/// Which corrections of corrections hold, worked out from those that no correction names: neither a chain of any
/// length nor many corrections of one target cost more than one look at each.
private struct VoidSearch {
    private var isVoid: [EventKey: Bool] = [:]

    /// - Parameter voids: What voids an event.
    init(from target: EventKey, voids: (EventKey) -> [EventKey]) {
        // What each one voids, and how many of its own voids are not known to be void.
        var victims: [EventKey: [EventKey]] = [:]
        var open: [EventKey: Int] = [target: 0]
        var found = [target]
        var settled: [EventKey] = []
        var next = 0
        while next < found.count {
            let event = found[next]
            next += 1
            let own = voids(event)
            open[event] = own.count
            if own.isEmpty { settle(event, false, &settled) }
            for void in own {
                victims[void, default: []].append(event)
                if open.updateValue(open[void] ?? 0, forKey: void) == nil { found.append(void) }
            }
        }
        while let event = settled.popLast() {
            for victim in victims[event] ?? [] where isVoid[victim] == nil {
                if isVoid[event] == false {
                    settle(victim, true, &settled)
                } else {
                    let left = (open[victim] ?? 0) - 1
                    open[victim] = left
                    if left == 0 { settle(victim, false, &settled) }
                }
            }
        }
    }

    private mutating func settle(_ event: EventKey, _ isVoid: Bool, _ settled: inout [EventKey]) {
        self.isVoid[event] = isVoid
        settled.append(event)
    }

    func isVoid(_ event: EventKey) -> Bool { isVoid[event] ?? false }
}
