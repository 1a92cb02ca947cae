import DaybookEvents

/// A step of a funnel that a unit took.
struct FunnelTaken {
    /// Which of the funnel's steps.
    var step: Int
    /// The event's place among those of the unit.
    var event: Int
    var at: Int64
}

/// Finds how a unit went through a funnel.
struct FunnelPathFinder {
    let funnel: Funnel
    let entry: FunnelRules.Entry
    /// Half-open; a unit enters with an event in it.
    let range: Range<Int64>
    private let codes: [UInt16]
    private let exclusionCodes: [UInt16]

    init(_ funnel: Funnel, entry: FunnelRules.Entry, range: Range<Int64>) {
        self.funnel = funnel
        self.entry = entry
        self.range = range
        codes = funnel.steps.map { $0.event.known?.rawValue ?? 0 }
        exclusionCodes = funnel.exclusions.map { $0.event.known?.rawValue ?? 0 }
    }

    private func matches(_ step: FunnelState.Step, _ index: Int, _ names: NameTable) -> Bool {
        step.typeCode == codes[index] && Self.fits(step, funnel.steps[index], names)
    }

    private func isExcluded(_ step: FunnelState.Step, _ names: NameTable) -> Bool {
        exclusionCodes.indices.contains { index in
            step.typeCode == exclusionCodes[index]
                && Self.fits(step, funnel.exclusions[index], names)
        }
    }

    /// Whether an event of the right type has what the catalog asks of it besides.
    private static func fits(
        _ step: FunnelState.Step, _ wanted: FunnelStep, _ names: NameTable
    ) -> Bool {
        if let isTrial = wanted.isTrial, step.isTrial != isTrial { return false }
        return wanted.context.map { names[step.context] == $0 } ?? true
    }

    private func isEntry(_ step: FunnelState.Step, _ names: NameTable) -> Bool {
        range.contains(step.at) && matches(step, 0, names)
    }

    /// The steps that were taken, in the order of time; `nil` for a unit that never entered, or was excluded.
    /// - Parameter steps: The unit's events in canonical order.
    func path(_ steps: ArraySlice<FunnelState.Step>, _ names: NameTable) -> [FunnelTaken]? {
        switch (funnel.order, entry) {
        case (.anyOrder, _): return anyOrder(steps, names)
        case (_, .first):
            let start = steps.indices.first { isEntry(steps[$0], names) }
            return start.flatMap { path(from: $0, steps, names) }
        case (.strict, .best):
            // From each entry no more events are looked at than there are steps.
            var best: [FunnelTaken]?
            for start in steps.indices where isEntry(steps[start], names) {
                guard let path = path(from: start, steps, names),
                    path.count > best?.count ?? 0
                else { continue }
                best = path
                if path.count == codes.count { return path }
            }
            return best
        case (.ordered, .best): return furthest(steps, names)
        }
    }

    private func path(
        from start: Int, _ steps: ArraySlice<FunnelState.Step>, _ names: NameTable
    ) -> [FunnelTaken]? {
        var path = [FunnelTaken(step: 0, event: start, at: steps[start].at)]
        for index in steps.indices[(start + 1)...] {
            let step = steps[index]
            guard path.count < codes.count, step.at - path[0].at <= funnel.windowMilliseconds else {
                break
            }
            if isExcluded(step, names) { return nil }
            if matches(step, path.count, names) {
                path.append(FunnelTaken(step: path.count, event: index, at: step.at))
            } else if funnel.order == .strict {
                break
            }
        }
        return path
    }

    /// The path of most steps over all entries; of several that which gets there first.
    private func furthest(
        _ steps: ArraySlice<FunnelState.Step>, _ names: NameTable
    ) -> [FunnelTaken]? {
        let whole = furthest(steps, names) { _, _ in true }
        if whole?.count == codes.count { return whole }
        // What did not come to the end counts only where no exclusion lies in the entry's window.
        let indices = steps.indices.filter { isExcluded(steps[$0], names) }
        guard !indices.isEmpty else { return whole }
        return furthest(steps, names) { index, entry in
            let next = indices.sortedPrefixCount { $0 <= index }
            return next == indices.count
                || steps[indices[next]].at - entry.at > funnel.windowMilliseconds
        }
    }

    /// Kept is, for each count of steps, the path with the latest entry: it has most of its window left.
    /// - Parameter mayEnter: Whether an event with its place may be an entry.
    /// - Complexity: O(*n* *s*²) in the events and the funnel's steps.
    private func furthest(
        _ steps: ArraySlice<FunnelState.Step>, _ names: NameTable,
        _ mayEnter: (Int, FunnelState.Step) -> Bool
    ) -> [FunnelTaken]? {
        let none = [[FunnelTaken]?](repeating: nil, count: codes.count)
        var best: [FunnelTaken]?
        var open = none
        for index in steps.indices {
            let step = steps[index]
            // Whatever had entered and has it in its window is out; the rest has had its time.
            if isExcluded(step, names) { open = none }
            for count in (1..<codes.count).reversed() {
                guard matches(step, count, names), let path = open[count - 1],
                    step.at - path[0].at <= funnel.windowMilliseconds
                else { continue }
                let longer = path + [FunnelTaken(step: count, event: index, at: step.at)]
                open[count] = longer
                if longer.count > best?.count ?? 0 { best = longer }
            }
            if best?.count == codes.count { return best }
            guard isEntry(step, names), mayEnter(index, step) else { continue }
            let path = [FunnelTaken(step: 0, event: index, at: step.at)]
            open[0] = path
            if best == nil { best = path }
        }
        return best
    }

    /// The first event of any step enters; from then on each step counts once, whenever it comes within the window.
    private func anyOrder(
        _ steps: ArraySlice<FunnelState.Step>, _ names: NameTable
    ) -> [FunnelTaken]? {
        // A step that wants a context takes its event before one that takes any: that leaves no step without.
        let order = codes.indices.sorted { left, right in
            let isLeftPlain = funnel.steps[left].context == nil
            let isRightPlain = funnel.steps[right].context == nil
            return isLeftPlain == isRightPlain ? left < right : isRightPlain
        }
        var isTaken = Array(repeating: false, count: codes.count)
        var path: [FunnelTaken] = []
        for (index, step) in zip(steps.indices, steps)
        where range.contains(step.at) || !path.isEmpty {
            if let first = path.first, step.at - first.at > funnel.windowMilliseconds { break }
            if !path.isEmpty, isExcluded(step, names) { return nil }
            let next = order.first { !isTaken[$0] && matches(step, $0, names) }
            guard let next else { continue }
            isTaken[next] = true
            path.append(FunnelTaken(step: next, event: index, at: step.at))
            if path.count == codes.count { break }
        }
        return path.isEmpty ? nil : path
    }
}
