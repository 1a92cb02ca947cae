public import DaybookEvents

/// Runs a funnel over customers: a scan, mergeable in any order (rule 26, docs/rules.md#funnels).
public struct FunnelsAnswer: Sendable {
    private let funnel: Funnel
    private let rules: FunnelRules
    private let finder: FunnelPathFinder
    /// What was counted so far.
    package private(set) var sums: FunnelSums

    /// - Parameter range: Half-open; a unit enters with an event in it.
    public init(_ funnel: Funnel, range: Range<Int64>, rules: FunnelRules) {
        self.funnel = funnel
        self.rules = rules
        finder = FunnelPathFinder(funnel, entry: rules.entry, range: range)
        sums = FunnelSums(stepCount: funnel.steps.count)
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
        sums.totals.add(path)
        func group(_ taken: FunnelTaken, isFirst: Bool) -> String {
            self.group(steps[taken.event], exposures, names, isFirst: isFirst)
        }
        switch (rules.breakdown, rules.touch) {
        case (.none, _): return
        case (_, .first):
            sums.add(path, in: group(entry, isFirst: true))
        case (_, .last):
            sums.add(path, in: group(last, isFirst: false))
        case (_, .each):
            for index in path.indices {
                sums.add(
                    path[index], after: index > 0 ? path[index - 1] : nil,
                    in: group(path[index], isFirst: false))
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
    public mutating func add(_ other: FunnelsAnswer) { sums.add(other.sums) }

    /// Adds what was counted elsewhere of other customers.
    /// - Returns: Whether the sums are of a funnel of as many steps; nothing is added otherwise.
    package mutating func add(_ other: FunnelSums) -> Bool {
        guard other.stepCount == funnel.steps.count else { return false }
        sums.add(other)
        return true
    }

    /// The report of everything that was counted so far.
    /// - Complexity: O(*d* log *d*) in the different durations of each step and group.
    public func report() -> FunnelReport {
        FunnelReport(
            name: funnel.name, order: funnel.order, rules: rules, entered: sums.totals.entered,
            windowMilliseconds: funnel.windowMilliseconds, steps: steps(sums.totals),
            groups: sums.groups.sorted { precedesInBytes($0.key, $1.key) }.map { name, tally in
                .init(
                    name: name.isEmpty ? "none" : name, entered: tally.entered,
                    steps: steps(tally))
            })
    }

    private func steps(_ tally: FunnelSums.Tally) -> [FunnelReport.Step] {
        funnel.steps.indices.map { index in
            let sorted = tally.durations[index].sorted { $0.key < $1.key }
            return FunnelReport.Step(
                name: funnel.steps[index].name, event: funnel.steps[index].event,
                count: tally.counts[index], medianMilliseconds: Self.percentile(sorted, 50),
                p90Milliseconds: Self.percentile(sorted, 90))
        }
    }

    /// The nearest-rank percentile.
    /// - Parameter sorted: Durations, ascending, each with how often there is one.
    private static func percentile(
        _ sorted: [(key: Int64, value: Int)], _ percent: Int
    ) -> Int64? {
        let count = sorted.reduce(0) { $0 + $1.value }
        var rank = max(1, (percent * count + 99) / 100)
        for (duration, often) in sorted {
            if rank <= often { return duration }
            rank -= often
        }
        return nil
    }
}
