import DaybookEvents

/// By what a funnel's units are told apart; attributed by first touch.
public enum FunnelBreakdown: String, Sendable, CaseIterable {
    case none, variant, context
}

/// How many units got how far.
public struct FunnelReport: Sendable, Equatable {
    public struct Step: Sendable, Equatable {
        public var name: String
        public var event: String
        public var count: Int
        /// Time from the step before, over the units that took this step; `nil` for the first.
        public var medianMilliseconds: Int64?
        public var p90Milliseconds: Int64?
    }
    public struct Group: Sendable, Equatable {
        public var name: String
        public var steps: [Step]
    }

    public var name: String
    public var windowMilliseconds: Int64
    public var breakdown: FunnelBreakdown
    public var steps: [Step]
    /// By name; empty without a breakdown.
    public var groups: [Group]
}

/// Runs a funnel over units: a scan, mergeable in any order (rule 26, metrics §4.4).
public struct FunnelsAnswer {
    private let funnel: Funnel
    private let breakdown: FunnelBreakdown
    private let range: Range<Int64>
    private let codes: [UInt16]
    private let exclusionCodes: [UInt16]
    private var totals: Tally
    private var groups: [String: Tally] = [:]

    private struct Tally {
        var counts: [Int]
        var durations: [[Int64]]

        init(steps: Int) {
            counts = Array(repeating: 0, count: steps)
            durations = Array(repeating: [], count: steps)
        }

        mutating func add(_ times: [Int64]) {
            for (index, time) in times.enumerated() {
                counts[index] += 1
                if index > 0 { durations[index].append(time - times[index - 1]) }
            }
        }
    }

    /// - Parameter range: Half-open; a unit enters with its first step-1 event in it.
    public init(_ funnel: Funnel, range: Range<Int64>, breakdown: FunnelBreakdown) {
        self.funnel = funnel
        self.range = range
        self.breakdown = breakdown
        codes = funnel.steps.map { Self.code(of: $0.event) }
        exclusionCodes = funnel.exclusions.map { Self.code(of: $0.event) }
        totals = Tally(steps: funnel.steps.count)
    }

    private static func code(of event: String) -> UInt16 {
        EventType.allCases.first { $0 != .unknown && Vocabulary.name(of: $0) == event }?.rawValue
            ?? 0
    }

    /// Takes one customer's events: the unit's own and those of the lines that it owns.
    public mutating func add(_ question: CustomerCase) {
        let names = question.names
        let limit = question.state.customer.consentRescindedAt.orNil ?? Int64.max
        var steps = question.state.funnel.steps
        for line in question.lines {
            steps += line.funnel.steps.filter { $0.at >= line.ownedFrom && $0.at < line.ownedUntil }
        }
        // Analytics of somebody whose guardian withdrew consent stop there (DZ-43).
        steps = steps.filter { $0.at < limit && $0.at <= question.at }
        let order = steps.indices.sorted { (steps[$0].at, $0) < (steps[$1].at, $1) }
        steps = order.map { steps[$0] }
        guard let (entry, times) = path(steps, names) else { return }
        totals.add(times)
        guard breakdown != .none else { return }
        groups[group(entry, steps, names), default: Tally(steps: codes.count)].add(times)
    }

    private func matches(_ step: FunnelState.Step, _ index: Int, _ names: NameTable) -> Bool {
        guard step.typeCode == codes[index] else { return false }
        guard let context = funnel.steps[index].context else { return true }
        return names[step.context] == context
    }

    private func isExcluded(_ step: FunnelState.Step, _ names: NameTable) -> Bool {
        funnel.exclusions.indices.contains { index in
            step.typeCode == exclusionCodes[index]
                && funnel.exclusions[index].context.map { $0 == names[step.context] } ?? true
        }
    }

    /// The entry and the times of the steps that were reached; `nil` for a unit that never entered.
    private func path(
        _ steps: [FunnelState.Step], _ names: NameTable
    ) -> (entry: FunnelState.Step, times: [Int64])? {
        if funnel.order == .anyOrder { return anyOrder(steps, names) }
        guard
            let start = steps.firstIndex(where: { range.contains($0.at) && matches($0, 0, names) })
        else { return nil }
        var times = [steps[start].at]
        for step in steps[(start + 1)...] where times.count < codes.count {
            guard step.at - times[0] <= funnel.windowMilliseconds else { break }
            if isExcluded(step, names) { return nil }
            if matches(step, times.count, names) {
                times.append(step.at)
            } else if funnel.order == .strict {
                break
            }
        }
        return (steps[start], times)
    }

    private func anyOrder(
        _ steps: [FunnelState.Step], _ names: NameTable
    ) -> (entry: FunnelState.Step, times: [Int64])? {
        var reached: Set<Int> = []
        var times: [Int64] = []
        var entry: FunnelState.Step?
        for step in steps where range.contains(step.at) || !times.isEmpty {
            if let first = times.first, step.at - first > funnel.windowMilliseconds { break }
            if entry != nil, isExcluded(step, names) { return nil }
            let next = codes.indices.first { !reached.contains($0) && matches(step, $0, names) }
            guard let next else { continue }
            if entry == nil { entry = step }
            reached.insert(next)
            times.append(step.at)
        }
        return entry.map { ($0, times) }
    }

    private func group(
        _ entry: FunnelState.Step, _ steps: [FunnelState.Step], _ names: NameTable
    ) -> String {
        if breakdown == .context { return names[entry.context] }
        if entry.variant != 0 { return names[entry.variant] }
        // First exposure wins; a later one to another variant changes nothing.
        let exposure = steps.first {
            $0.typeCode == EventType.experimentExposed.rawValue && $0.at <= entry.at
        }
        return exposure.map { names[$0.variant] } ?? ""
    }

    public func report() -> FunnelReport {
        FunnelReport(
            name: funnel.name, windowMilliseconds: funnel.windowMilliseconds,
            breakdown: breakdown, steps: steps(totals),
            groups: groups.keys.sorted(by: precedesInBytes).map {
                .init(name: $0.isEmpty ? "none" : $0, steps: steps(groups[$0] ?? totals))
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
