import DaybookDomain
import DaybookEvents
import DaybookStore
import Synchronization

/// A look at the subjects of metrics, at one time and state of knowledge, by one thread: it remembers who is who.
struct MetricsPass {
    let state: LedgerState
    let core: LedgerCore
    let rules: MetricRules
    private let catalog: Catalog?
    private let conversion: CurrencyConversion?
    /// The time of the filter's cohort.
    private let firstSeen: Range<Int64>?
    private let builder: CaseBuilder
    private let fold: AggregateFold
    /// `nil`: events are read stream by stream.
    private var gathered: GatheredEvents?
    var cut: Int64 { builder.cut }
    var at: Int64 { builder.at }

    /// - Parameters:
    ///   - cut: Only what was recorded at or before this position is known; of the state perhaps only a part.
    ///   - zone: Days begin at its midnight.
    ///   - conversion: To the currency of the rules, as known at the cut.
    init(
        _ state: LedgerState, _ core: LedgerCore, cut: Int64, at: Int64, _ rules: MetricRules,
        in zone: ZoneTable, _ conversion: CurrencyConversion?
    ) {
        self.state = state
        self.core = core
        self.rules = rules
        self.conversion = conversion
        catalog = state.catalogs.known(at: cut).newest?.catalog
        builder = CaseBuilder(state: state.forgetful(), cut: cut, at: at)
        fold = AggregateFold(state, cut: cut)
        firstSeen = rules.filter.cohort?.range(in: zone)
    }

    typealias Element = MetricElement

    /// The id under which a customer is shown.
    func shown(_ key: CustomerKey) -> String { builder.shown(key) }

    /// The newest event that is known of a customer, or of a lineage that may be theirs.
    func newest(of key: CustomerKey) -> Int64 {
        let members = builder.members(key)
        let streams =
            members.compactMap { state.streamID(key.environment, .customer, $0) }
            + builder.candidateLineages(members, key.environment)
        return streams.map { state.headOf($0).position }.max() ?? 0
    }

    /// All ids of a customer's person.
    func members(of key: CustomerKey) -> [NameID] { builder.members(key) }

    /// One id that stands for all of a customer's.
    func person(of key: CustomerKey) -> NameID { builder.members(key).min() ?? key.name }

    /// A customer with all ids that are the same person, or a lineage for the times at which no customer owned it.
    /// - Returns: `nil` for a customer of whom nothing is known, for a lineage that always had an owner, and for what
    ///   the filter leaves out.
    func subject(_ element: Element) throws -> MetricSubject? {
        var changes: NextChange?
        return try subject(element, &changes)
    }

    /// - Parameter changes: Where it is asked for it takes in the subject.
    func subject(_ element: Element, _ changes: inout NextChange?) throws -> MetricSubject? {
        switch element {
        case .customer(let key): try customer(key, &changes)
        case .lineage(let stream): try ownerless(stream, &changes)
        }
    }

    /// The first time after that of the question at which a subject may contribute something else although nothing new
    /// is recorded.
    struct NextChange {
        let buckets: MetricBuckets
        /// `Int64.max`: never.
        private(set) var time = Int64.max

        init(_ buckets: MetricBuckets) { self.buckets = buckets }

        mutating func note(_ time: Int64) { self.time = min(self.time, time) }

        mutating func note(_ events: [Event], after instant: Int64) {
            for event in events { note(event.nextTime(after: instant)) }
        }

        mutating func note(_ subject: MetricSubject) { note(subject.nextChange(buckets)) }
    }

    private func customer(
        _ key: CustomerKey, _ changes: inout NextChange?
    ) throws -> MetricSubject? {
        let members = builder.members(key)
        let streams = members.compactMap { state.streamID(key.environment, .customer, $0) }
        let events = try events(of: streams, key.environment)
        var nextHandover = Int64.max
        let lineages = try builder.candidateLineages(
            members, key.environment, nextHandover: &nextHandover
        ).map { ($0, try self.events(of: [$0], key.environment)) }
        let told = Dictionary(lineages, uniquingKeysWith: { first, _ in first })
        let context = core.zoneTables.completing(
            try folding(told).build(key, folded: folded(events, .customer)))
        changes?.note(events, after: at)
        for (_, events) in lineages { changes?.note(events, after: at) }
        changes?.note(nextHandover)
        guard context.isKnown else { return nil }
        let version = rules.filter.catalogVersion == nil ? nil : context.catalog(at: at)?.version
        let owned = context.lineages.map { lineage($0, key.environment, told) }
        guard try isOfCountry(owned, events) else { return nil }
        let subject = MetricSubject(
            context, events: events, lineages: owned,
            catalog: catalog, rules: rules, conversion)
        return filtered(subject, catalog: version, &changes)
    }

    private func ownerless(
        _ stream: UInt32, _ changes: inout NextChange?
    ) throws -> MetricSubject? {
        let environment = state.stream(stream).environment
        let told = [stream: try events(of: [stream], environment)]
        changes?.note(told[stream] ?? [], after: at)
        guard let owned = try folding(told).ownerless(stream) else { return nil }
        let lineages = [lineage(owned, environment, told)]
        guard try isOfCountry(lineages, []) else { return nil }
        let subject = MetricSubject(
            builder.unowned(owned, environment), events: [], lineages: lineages, catalog: catalog,
            rules: rules,
            conversion)
        return filtered(subject, catalog: nil, &changes)
    }

    private func filtered(
        _ subject: MetricSubject, catalog: Int64?, _ changes: inout NextChange?
    ) -> MetricSubject? {
        let left = subject.filtered(by: rules.filter, firstSeen: firstSeen, catalog: catalog)
        changes?.note(subject)
        if rules.filter.experiment != nil, let left { changes?.note(left) }
        return left
    }

    /// An aggregate's events as they count: within the cut, corrected, in canonical order.
    private func events(of streams: [UInt32], _ environment: Environment) throws -> [Event] {
        guard let gathered else {
            return try fold.events(
                environment: environment, heads: streams.map { state.headOf($0).position })
        }
        return try fold.settled(try gathered.events(of: streams, cut: cut), environment)
    }

    private func folded(_ events: [Event], _ kind: StreamKind) -> AggregateState {
        var folded = AggregateState(kind: kind)
        for event in events { folded.evolve(event, names: state.names, until: at) }
        return folded
    }

    /// The builder with lineages that need not be read and folded again.
    private func folding(_ lineages: [UInt32: [Event]]) -> CaseBuilder {
        var builder = builder
        builder.foldedLineages = lineages.mapValues { folded($0, .lineage) }
        return builder
    }

    private func lineage(
        _ owned: CustomerCase.OwnedLineage, _ environment: Environment,
        _ told: [UInt32: [Event]]
    ) -> MetricSubject.Lineage {
        let stream = state.stream(named: owned.name, .lineage, in: environment)
        return .init(owned: owned, events: stream.flatMap { told[$0] } ?? [])
    }

    /// The same pass, which finds events where they were gathered.
    fileprivate func reading(_ gathered: GatheredEvents) -> MetricsPass {
        var pass = self
        pass.gathered = gathered
        return pass
    }
}

extension MetricsPass {
    /// How many subjects a worker takes at a time, with a pass of its own.
    private static let turnCount = 256

    /// Looks at every subject of an environment once, several at a time.
    /// - Parameters:
    ///   - makePass: Makes a pass for one thread.
    ///   - initial: What each worker begins with.
    ///   - progress: Of the subjects, how many are done.
    ///   - visit: Is given every subject's element once, on a worker's thread, with the pass that finds the subject.
    /// - Returns: What each worker made of its subjects, in no order.
    static func run<Sum: Sendable>(
        in environment: Environment, cut: Int64, workers: Int,
        _ makePass: @Sendable () -> MetricsPass, _ initial: Sum,
        progress: @Sendable (Int, Int) throws -> Void,
        _ visit: @Sendable (inout Sum, MetricsPass, Element) throws -> Void
    ) throws -> [Sum] {
        let state = makePass().state
        return try EventPages.reading(
            state.log, through: state.head.position, workers: workers, chunkCount: 1_024,
            progress: { _, _ in }
        ) { pages in
            try run(
                in: environment, cut: cut, workers: workers,
                try GatheredEvents(state, pages, workers: workers), makePass, initial,
                progress: progress, visit)
        }
    }

    private static func run<Sum: Sendable>(
        in environment: Environment, cut: Int64, workers: Int, _ gathered: GatheredEvents,
        _ makePass: @Sendable () -> MetricsPass, _ initial: Sum,
        progress: @Sendable (Int, Int) throws -> Void,
        _ visit: @Sendable (inout Sum, MetricsPass, Element) throws -> Void
    ) throws -> [Sum] {
        let state = makePass().state
        let people = Self.people(makePass(), environment, cut)
        let lineages = state.lineageStreams(in: environment)
        let total = people.count + lineages.count
        let done = Atomic(0)
        return try Parallel.run(
            workers: workers, turns: (total + turnCount - 1) / turnCount,
            workspace: { _ in initial }
        ) { sum, number, _ in
            let pass = makePass().reading(gathered)
            let turn = number * turnCount..<min((number + 1) * turnCount, total)
            for index in turn {
                let element: Element =
                    index < people.count
                    ? .customer(people[index]) : .lineage(lineages[index - people.count])
                try visit(&sum, pass, element)
            }
            let now = done.add(turn.count, ordering: .relaxed).newValue
            if number % 4 == 0 || now == total { try progress(now, total) }
        }
    }

    /// One id of every customer: several ids of one person count once.
    static func people(
        _ pass: MetricsPass, _ environment: Environment, _ cut: Int64
    ) -> [CustomerKey] {
        var seen: Set<NameID> = []
        let state = pass.state
        return state.idsAndReceivers(in: environment, cut: cut).sorted().compactMap { id in
            let key = CustomerKey(environment, id)
            guard id != 0 else { return nil }
            if state.identity.isAlone(key) { return key }
            return seen.insert(pass.person(of: key)).inserted ? key : nil
        }
    }
}
