import DaybookDomain
import DaybookEvents

/// Metrics over all customers of an environment, and over the lineages that belong to none of them.
struct MetricsQuestion {
    let core: LedgerCore

    /// - Parameter progress: Of the subjects, how many are done.
    func report(
        _ request: MetricsRequest, progress: (Int, Int) throws -> Void = { _, _ in }
    ) throws -> MetricsReport {
        let metrics = try Metric.choosing(request.metrics)
        try core.refresh()
        return try core.translating {
            let now = core.clock()
            let (asked, isOpen) = try core.resolve(request.moment.knownAt, now: now)
            let known = try core.knownState(at: asked)
            let cut = min(asked, known.head.position)
            let at = Self.time(of: request.moment, known.head.recordedAt, now)
            let catalog = known.catalogs.known(at: cut).newest
            let (zone, table) = try zone(request.zone, catalog?.catalog)
            let buckets = try Self.buckets(request, at: at, table)
            let pass = MetricsPass(
                state: known, core: core, cut: cut, at: at, catalog: catalog?.catalog,
                rules: request.rules)
            var answer = MetricsAnswer(metrics, buckets)
            var count = 0
            try pass.forEach(in: request.environment, progress: progress) { subject in
                answer.add(subject)
                count += 1
            }
            return MetricsReport(
                request: request, series: answer.series(at: at, request.rules),
                periods: (0..<buckets.count).map {
                    .init(name: buckets.name($0), range: buckets[$0])
                },
                zone: zone,
                asOf: AsOf(
                    at: at, knownAt: request.moment.knownAtInstant,
                    position: cut, catalog: catalog?.version, isOpen: isOpen || at >= now),
                subjectCount: count)
        }
    }

    private static func bad(_ code: String, _ reason: String) -> LedgerError {
        .badInput([InputProblem(line: nil, column: nil, code: code, reason: reason)])
    }

    /// Without a time of its own a question about what was known is asked as of then.
    private static func time(
        of moment: Moment, _ recordedAt: Int64, _ now: Int64
    ) -> Int64 {
        if let at = moment.at { return at }
        switch moment.knownAt {
        case nil: return LedgerClock(wall: now, last: recordedAt).now
        case .instant(let instant): return instant
        case .position: return recordedAt
        }
    }

    private func zone(_ name: String?, _ catalog: Catalog?) throws -> (String, ZoneTable) {
        let wanted = name ?? catalog?.defaultTimeZone ?? "UTC"
        guard let table = core.zoneTables.table(named: wanted) else {
            throw Self.bad(
                "unknown_time_zone",
                "there is no time zone \"\(wanted)\"; write a name of the IANA database such as Europe/Amsterdam"
            )
        }
        return (wanted, table)
    }

    private static func buckets(
        _ request: MetricsRequest, at instant: Int64, _ zone: ZoneTable
    ) throws -> MetricBuckets {
        // The times that events may have (rule 30).
        func bounded(_ time: Int64) -> Int64 { min(max(time, 0), 253_402_300_799_999) }
        let until = bounded(request.until ?? instant.addingSaturated(1))
        let from =
            request.from.map(bounded)
            ?? request.resolution.start(of: 12, through: until - 1, in: zone)
        guard from < until else {
            throw bad(
                "bad_range",
                "the range ends at \(RFC3339.format(until)), before it begins at \(RFC3339.format(from))"
            )
        }
        guard let buckets = MetricBuckets(from..<until, by: request.resolution, in: zone) else {
            throw bad(
                "bad_range",
                "the range has more than \(MetricBuckets.countMax) periods; ask for fewer, or for longer ones"
            )
        }
        return buckets
    }
}

/// One look at every subject of a state.
private struct MetricsPass {
    let state: LedgerState
    let core: LedgerCore
    let cut: Int64
    let at: Int64
    let catalog: Catalog?
    let rules: MetricRules

    func forEach(
        in environment: Environment, progress: (Int, Int) throws -> Void,
        _ body: (MetricSubject) throws -> Void
    ) throws {
        let builder = CaseBuilder(state: state.forgetful(), store: core.store, cut: cut, at: at)
        let fold = AggregateFold(state, cut: cut)
        let customers = state.subjectsAndReceivers(in: environment, cut: cut)
        let orphans = state.lineageStreams(in: environment)
        let total = customers.count + orphans.count
        var seen: Set<NameID> = []
        var done = 0
        func advance() throws {
            done += 1
            if done % 1_000 == 0 || done == total { try progress(done, total) }
        }
        for name in customers {
            try advance()
            guard let id = state.customer(named: name, in: environment), id != 0 else { continue }
            let members = builder.members(CustomerKey(environment, id))
            // Several ids of one person count once.
            guard seen.insert(members.min() ?? id).inserted else { continue }
            if let subject = try subject(
                CustomerKey(environment, id), members, builder, fold)
            {
                try body(subject)
            }
        }
        for stream in orphans {
            try advance()
            guard let owned = try builder.ownerless(stream) else { continue }
            try body(
                MetricSubject(
                    builder.unowned(owned, environment), events: [],
                    lineages: [try lineage(owned, environment, fold)], catalog: catalog,
                    rules: rules))
        }
    }

    private func subject(
        _ key: CustomerKey, _ members: [NameID], _ builder: CaseBuilder, _ fold: AggregateFold
    ) throws -> MetricSubject? {
        let heads = members.compactMap {
            state.streamID(key.environment, .customer, $0).map { state.headOf($0).position }
        }
        let events = try fold.events(environment: key.environment, heads: heads)
        var folded = AggregateState(kind: .customer)
        for event in events { folded.evolve(event, names: state.names, until: at) }
        let context = core.zoneTables.completing(try builder.build(key, folded: folded))
        guard context.isKnown else { return nil }
        return MetricSubject(
            context, events: events,
            lineages: try context.lineages.map { try lineage($0, key.environment, fold) },
            catalog: catalog, rules: rules)
    }

    private func lineage(
        _ owned: CustomerCase.OwnedLineage, _ environment: Environment, _ fold: AggregateFold
    ) throws -> MetricSubject.Lineage {
        guard let name = state.names.id(of: owned.name),
            let stream = state.streamID(environment, .lineage, name)
        else { return .init(owned: owned, events: []) }
        return .init(
            owned: owned,
            events: try fold.events(
                environment: environment, heads: [state.headOf(stream).position]))
    }
}

extension Metric {
    /// The metrics of these names, each once; all without a name.
    /// - Throws: `LedgerError.badInput` for an unknown one, with the nearest name.
    package static func choosing(_ names: [String]) throws -> [Metric] {
        if names.isEmpty { return all }
        var seen: Set<String> = []
        return try names.filter { seen.insert($0).inserted }.map { name in
            if let metric = named(name) { return metric }
            let near = NearestName.of(name, among: Self.names)
            throw LedgerError.badInput([
                InputProblem(
                    line: nil, column: nil, code: "unknown_name",
                    reason:
                        "there is no metric \"\(name)\"\(near.map { "; did you mean \($0)?" } ?? "")"
                )
            ])
        }
    }
}
