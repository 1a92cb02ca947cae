public import DaybookEvents

/// Runs a funnel over customers: a scan, mergeable in any order (rule 26, docs/rules.md#funnels).
public struct FunnelsAnswer: Sendable {
    private let funnel: Funnel
    private let rules: FunnelRules
    private let finder: FunnelPathFinder
    private var totals: Tally
    private var groups: [String: Tally] = [:]

    private struct Tally {
        var entered = 0
        var counts: [Int]
        var durations: [[Int64]]

        init(steps: Int) {
            counts = Array(repeating: 0, count: steps)
            durations = Array(repeating: [], count: steps)
        }

        /// - Parameter before: The step that was taken before; `nil`: with this one the unit entered.
        mutating func add(_ taken: FunnelTaken, after before: FunnelTaken?) {
            counts[taken.step] += 1
            if let before {
                durations[taken.step].append(taken.at - before.at)
            } else {
                entered += 1
            }
        }

        /// - Parameter path: In the order in which the steps were taken.
        mutating func add(_ path: [FunnelTaken]) {
            for index in path.indices { add(path[index], after: index > 0 ? path[index - 1] : nil) }
        }

        mutating func add(_ other: Tally) {
            entered += other.entered
            for step in counts.indices {
                counts[step] += other.counts[step]
                durations[step] += other.durations[step]
            }
        }
    }

    /// - Parameter range: Half-open; a unit enters with an event in it.
    public init(_ funnel: Funnel, range: Range<Int64>, rules: FunnelRules) {
        self.funnel = funnel
        self.rules = rules
        finder = FunnelPathFinder(funnel, entry: rules.entry, range: range)
        totals = Tally(steps: funnel.steps.count)
    }

    /// Takes a customer's events: its own and those of the lineages that it owned, without those of a time in which
    /// consent was withdrawn (DZ-43).
    /// - Parameter steps: In canonical order.
    public mutating func add(_ steps: [FunnelState.Step], names: NameTable) {
        let exposures = exposures(in: steps, names)
        switch rules.unit {
        case .customer: addUnit(steps[...], exposures, names)
        case .profile:
            let named = Dictionary(grouping: steps.filter { $0.profile != 0 }, by: \.profile)
            for profile in named.values { addUnit(profile[...], exposures, names) }
        case .session:
            var start = 0
            for index in steps.indices {
                let next = index + 1
                guard
                    next == steps.count
                        || steps[next].at - steps[index].at > rules.sessionGapMilliseconds
                else { continue }
                addUnit(steps[start..<next], exposures, names)
                start = next
            }
        }
    }

    /// What was shown of the experiment by whose variants units are told apart, in the order of time.
    private func exposures(
        in steps: [FunnelState.Step], _ names: NameTable
    ) -> [FunnelState.Step] {
        guard rules.breakdown == .variant, let experiment = funnel.experiment else { return [] }
        return steps.filter {
            $0.typeCode == EventType.experimentExposed.rawValue
                && haveSameBytes(names[$0.context], experiment)
        }
    }

    /// - Parameter exposures: Of the customer.
    private mutating func addUnit(
        _ steps: ArraySlice<FunnelState.Step>, _ exposures: [FunnelState.Step], _ names: NameTable
    ) {
        guard let path = finder.path(steps, names), let entry = path.first, let last = path.last
        else { return }
        totals.add(path)
        let count = funnel.steps.count
        func group(_ taken: FunnelTaken, isFirst: Bool) -> String {
            self.group(steps[taken.event], exposures, names, isFirst: isFirst)
        }
        switch (rules.breakdown, rules.touch) {
        case (.none, _): return
        case (_, .first):
            groups[group(entry, isFirst: true), default: Tally(steps: count)].add(path)
        case (_, .last):
            groups[group(last, isFirst: false), default: Tally(steps: count)].add(path)
        case (_, .each):
            for index in path.indices {
                groups[group(path[index], isFirst: false), default: Tally(steps: count)]
                    .add(path[index], after: index > 0 ? path[index - 1] : nil)
            }
        }
    }

    /// - Parameter isFirst: Of several variants the first that was shown counts, else the newest up to the event.
    private func group(
        _ step: FunnelState.Step, _ exposures: [FunnelState.Step], _ names: NameTable, isFirst: Bool
    ) -> String {
        if rules.breakdown == .context { return names[step.context] }
        // Two experiments at once never mix: without a name only what the event itself says counts.
        guard funnel.experiment != nil else {
            return step.variant == 0 ? "" : names[step.variant]
        }
        let count = exposures.sortedPrefixCount { $0.at <= step.at }
        guard count > 0 else { return "" }
        return names[exposures[isFirst ? 0 : count - 1].variant]
    }

    /// Adds what another worker counted of other customers.
    public mutating func add(_ other: FunnelsAnswer) {
        totals.add(other.totals)
        for (name, tally) in other.groups {
            groups[name, default: Tally(steps: funnel.steps.count)].add(tally)
        }
    }

    public func report() -> FunnelReport {
        FunnelReport(
            name: funnel.name, order: funnel.order, rules: rules, entered: totals.entered,
            windowMilliseconds: funnel.windowMilliseconds, steps: steps(totals),
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
