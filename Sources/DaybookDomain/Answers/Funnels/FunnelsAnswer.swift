public import DaybookEvents

/// What a funnel's customers are told apart by; attributed by first touch.
public enum FunnelBreakdown: String, Sendable, CaseIterable {
    case none, variant, context
}

/// How many customers got how far.
public struct FunnelReport: Sendable, Equatable {
    public struct Step: Sendable, Equatable {
        public var name: String
        public var event: EventTypeName
        public var count: Int
        /// Time since the step before, over the customers that took this step after another; `nil` where none did.
        /// In order that is the step above, in any order whichever came last.
        public var medianMilliseconds: Int64?
        public var p90Milliseconds: Int64?
    }
    public struct Group: Sendable, Equatable {
        public var name: String
        /// Customers that took the first step; in any order: that took one of the steps.
        public var entered: Int
        public var steps: [Step]
    }

    public var name: String
    public var order: Funnel.Order
    /// Customers that took the first step; in any order: that took one of the steps.
    public var entered: Int
    public var windowMilliseconds: Int64
    public var breakdown: FunnelBreakdown
    public var steps: [Step]
    /// By name; empty without a breakdown.
    public var groups: [Group]
}

/// Runs a funnel over customers: a scan, mergeable in any order (rule 26, docs/rules.md#funnels).
public struct FunnelsAnswer {
    private let funnel: Funnel
    private let breakdown: FunnelBreakdown
    private let range: Range<Int64>
    private let codes: [UInt16]
    private let exclusionCodes: [UInt16]
    private var totals: Tally
    private var groups: [String: Tally] = [:]

    /// A step that a customer took.
    private struct Taken {
        /// Which of the funnel's steps.
        var step: Int
        var at: Int64
    }

    private struct Tally {
        var entered = 0
        var counts: [Int]
        var durations: [[Int64]]

        init(steps: Int) {
            counts = Array(repeating: 0, count: steps)
            durations = Array(repeating: [], count: steps)
        }

        /// - Parameter path: In the order in which the steps were taken.
        mutating func add(_ path: [Taken]) {
            entered += 1
            for (index, taken) in path.enumerated() {
                counts[taken.step] += 1
                if index > 0 { durations[taken.step].append(taken.at - path[index - 1].at) }
            }
        }
    }

    /// - Parameter range: Half-open; a customer enters with its first step-1 event in it.
    public init(_ funnel: Funnel, range: Range<Int64>, breakdown: FunnelBreakdown) {
        self.funnel = funnel
        self.range = range
        self.breakdown = breakdown
        codes = funnel.steps.map { Self.code(of: $0.event) }
        exclusionCodes = funnel.exclusions.map { Self.code(of: $0.event) }
        totals = Tally(steps: funnel.steps.count)
    }

    private static func code(of event: EventTypeName) -> UInt16 { event.known?.rawValue ?? 0 }

    /// Takes one customer's events: its own and those of the lineages that it owns.
    public mutating func add(_ context: CustomerCase) {
        let names = context.names
        var steps = context.state.funnel.steps
        for lineage in context.lineages {
            steps += lineage.funnel.steps.filter {
                $0.at >= lineage.ownedFrom && $0.at < lineage.ownedUntil
            }
        }
        // Nothing is counted of the time in which consent is withdrawn (DZ-43).
        let customer = context.state.customer
        steps = steps.filter {
            $0.at <= context.at && !customer.isConsentWithdrawn(at: $0.at)
        }
        let order = steps.indices.sorted { (steps[$0].at, $0) < (steps[$1].at, $1) }
        steps = order.map { steps[$0] }
        guard let (entry, path) = path(steps, names) else { return }
        totals.add(path)
        guard breakdown != .none else { return }
        groups[group(entry, steps, names), default: Tally(steps: codes.count)].add(path)
    }

    private func matches(_ step: FunnelState.Step, _ index: Int, _ names: NameTable) -> Bool {
        guard step.typeCode == codes[index] else { return false }
        if let isTrial = funnel.steps[index].isTrial, step.isTrial != isTrial { return false }
        guard let context = funnel.steps[index].context else { return true }
        return names[step.context] == context
    }

    private func isExcluded(_ step: FunnelState.Step, _ names: NameTable) -> Bool {
        funnel.exclusions.indices.contains { index in
            step.typeCode == exclusionCodes[index]
                && funnel.exclusions[index].context.map { $0 == names[step.context] } ?? true
        }
    }

    /// The entry and the steps that were taken, in the order of time; `nil` for a customer that never entered.
    private func path(
        _ steps: [FunnelState.Step], _ names: NameTable
    ) -> (entry: FunnelState.Step, path: [Taken])? {
        if funnel.order == .anyOrder { return anyOrder(steps, names) }
        guard
            let start = steps.firstIndex(where: { range.contains($0.at) && matches($0, 0, names) })
        else { return nil }
        var path = [Taken(step: 0, at: steps[start].at)]
        for step in steps[(start + 1)...] where path.count < codes.count {
            guard step.at - path[0].at <= funnel.windowMilliseconds else { break }
            if isExcluded(step, names) { return nil }
            if matches(step, path.count, names) {
                path.append(Taken(step: path.count, at: step.at))
            } else if funnel.order == .strict {
                break
            }
        }
        return (steps[start], path)
    }

    /// The first event of any step enters; from then on each step counts once, whenever it comes within the window.
    private func anyOrder(
        _ steps: [FunnelState.Step], _ names: NameTable
    ) -> (entry: FunnelState.Step, path: [Taken])? {
        // A step that wants a context takes its event before one that takes any: that leaves no step without.
        let order = codes.indices.sorted { left, right in
            let isLeftPlain = funnel.steps[left].context == nil
            let isRightPlain = funnel.steps[right].context == nil
            return isLeftPlain == isRightPlain ? left < right : isRightPlain
        }
        var isTaken = Array(repeating: false, count: codes.count)
        var path: [Taken] = []
        var entry: FunnelState.Step?
        for step in steps where range.contains(step.at) || entry != nil {
            if let first = path.first, step.at - first.at > funnel.windowMilliseconds { break }
            if entry != nil, isExcluded(step, names) { return nil }
            let next = order.first { !isTaken[$0] && matches(step, $0, names) }
            guard let next else { continue }
            if entry == nil { entry = step }
            isTaken[next] = true
            path.append(Taken(step: next, at: step.at))
            if path.count == codes.count { break }
        }
        return entry.map { ($0, path) }
    }

    private func group(
        _ entry: FunnelState.Step, _ steps: [FunnelState.Step], _ names: NameTable
    ) -> String {
        if breakdown == .context { return names[entry.context] }
        // Two experiments at once never mix: without a name only what the event itself says counts.
        guard let experiment = funnel.experiment else {
            return entry.variant == 0 ? "" : names[entry.variant]
        }
        // First exposure wins; a later one to another variant changes nothing.
        let exposure = steps.first {
            $0.typeCode == EventType.experimentExposed.rawValue && $0.at <= entry.at
                && haveSameBytes(names[$0.context], experiment)
        }
        return exposure.map { names[$0.variant] } ?? ""
    }

    public func report() -> FunnelReport {
        FunnelReport(
            name: funnel.name, order: funnel.order, entered: totals.entered,
            windowMilliseconds: funnel.windowMilliseconds, breakdown: breakdown,
            steps: steps(totals),
            groups: groups.keys.sorted(by: precedesInBytes).map { name in
                let tally = groups[name] ?? totals
                return .init(
                    name: name.isEmpty ? "none" : name, entered: tally.entered,
                    steps: steps(tally))
            })
    }

    private func steps(_ tally: Tally) -> [FunnelReport.Step] {
        funnel.steps.indices.map { index in
            let sorted = tally.durations[index].sorted()
            return FunnelReport.Step(
                name: funnel.steps[index].name, event: funnel.steps[index].event,
                count: tally.counts[index], medianMilliseconds: Self.percentile(sorted, 50),
                p90Milliseconds: Self.percentile(sorted, 90))
        }
    }

    /// The nearest-rank percentile.
    private static func percentile(_ sorted: [Int64], _ percent: Int) -> Int64? {
        guard !sorted.isEmpty else { return nil }
        let rank = (percent * sorted.count + 99) / 100
        return sorted[max(1, rank) - 1]
    }
}
