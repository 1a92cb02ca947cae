import DaybookDomain
import DaybookEvents
import DaybookStore

/// What the events between two states of knowledge changed about metrics, by customer and cause.
///
/// Only customers whom these events concern can have other contributions, so only they are looked at: once for what was
/// known before, and then after each of their events. What a step changed is put down to the event that was added, so
/// that all steps of a customer add up to the whole.
struct ReportCauses {
    struct Contribution {
        /// `nil`: lineages without an owner.
        var subject: String?
        var cause: ReportComparison.Cause
        var positions: [Int64]
        var difference: MetricSums
    }

    /// Customers and lineages whose contributions may go from one to the other, with the events that concern them.
    private struct Group {
        var names: Set<NameID> = []
        var lineages: Set<UInt32> = []
        var events: [Event] = []

        struct Event {
            var position: Int64
            var cause: ReportComparison.Cause
        }
    }

    let core: LedgerCore
    /// Of the later state of knowledge.
    let state: LedgerState
    let request: MetricsRequest
    let at: Int64
    let old: Int64
    let new: Int64
    /// For its metrics and buckets.
    let answer: MetricsAnswer

    /// With more events than this the events of one cause that follow each other are one step.
    private static let stepCountMax = 200

    /// By customer in the order of the names' bytes, and by cause.
    /// - Parameter progress: Of the groups of customers, how many are done.
    func contributions(progress: @Sendable (Int, Int) throws -> Void) throws -> [Contribution] {
        let groups = try groups()
        let latest = Persons(state, cut: new)
        var found: [NameID: [ReportComparison.Cause: Contribution]] = [:]
        for (index, group) in groups.enumerated() {
            try step(through: group, latest) { name, cause, positions, difference in
                var sum =
                    found[name]?[cause]
                    ?? Contribution(
                        subject: name == 0 ? nil : state.names[name], cause: cause, positions: [],
                        difference: MetricSums())
                sum.positions += positions
                sum.difference.add(difference)
                found[name, default: [:]][cause] = sum
            }
            try progress(index + 1, groups.count)
        }
        return found.values.flatMap(\.values).map { contribution in
            var contribution = contribution
            contribution.positions.sort()
            return contribution
        }.sorted { left, right in
            haveSameBytes(left.subject, right.subject)
                ? left.cause.rawValue < right.cause.rawValue
                : precedesInBytes(left.subject ?? "", right.subject ?? "")
        }
    }

    private func step(
        through group: Group, _ latest: Persons,
        _ body: (NameID, ReportComparison.Cause, ArraySlice<Int64>, MetricSums) -> Void
    ) throws {
        var before = try sums(of: group, cut: old, latest)
        var events = group.events[...]
        while let first = events.first {
            var count = 1
            // Rates come by the hundred, and concern everyone.
            if group.events.count > Self.stepCountMax || first.cause == .rates {
                count =
                    events.firstIndex { $0.cause != first.cause }.map { $0 - events.startIndex }
                    ?? events.count
            }
            let step = events.prefix(count)
            let positions = step.map(\.position).suffix(first.cause == .rates ? 1 : step.count)
            events = events.dropFirst(count)
            let after = try sums(of: group, cut: step[step.endIndex - 1].position, latest)
            for name in Set(before.keys).union(after.keys) {
                let difference = (after[name] ?? MetricSums()) - (before[name] ?? MetricSums())
                if !difference.isZero {
                    body(name, first.cause, positions, difference)
                }
            }
            before = after
        }
    }

    /// What the customers and lineages of a group contribute, by the name under which the customer is shown in the end;
    /// 0: no customer.
    private func sums(
        of group: Group, cut: Int64, _ latest: Persons
    ) throws -> [NameID: MetricSums] {
        let pass = MetricsPass(
            state, core, cut: cut, at: at, request.rules, in: answer.buckets.zone,
            try core.rates(request.rules, state, cut: cut)?.conversion)
        var sums: [NameID: MetricSums] = [:]
        func add(_ subject: MetricSubject, _ name: NameID) {
            var own = MetricsAnswer(answer.metrics, answer.buckets)
            own.add(subject)
            sums[name, default: MetricSums()].add(own.sums)
        }
        var seen: Set<NameID> = []
        for name in group.names {
            let key = CustomerKey(request.environment, name)
            guard seen.insert(pass.person(of: key)).inserted,
                let subject = try pass.subject(.customer(key))
            else { continue }
            let shown = state.names.id(of: pass.shown(key)) ?? name
            add(subject, latest[CustomerKey(request.environment, shown)].shown)
        }
        for stream in group.lineages {
            if let subject = try pass.subject(.lineage(stream)) { add(subject, 0) }
        }
        return sums
    }

    // MARK: Who is concerned

    /// The rates that money of the report can have been converted by, as known at a cut.
    private func rates(_ cut: Int64) throws -> CurrencyConversion? {
        try core.rates(request.rules, state, cut: cut)?.conversion.upTo(at)
    }

    private func groups() throws -> [Group] {
        var sets = JoinedSets()
        var concerned: [(element: JoinedSets.Element, event: Group.Event)] = []
        // What may concern everyone: catalogs, and where money is converted rates.
        var general: [Group.Event] = []
        let hasNewRates = try rates(old) != rates(new)
        try core.store.scan(
            after: Checkpoint(position: old), through: Checkpoint(position: new), chunkCount: 1_000
        ) { events in
            for index in events.indices {
                let event = events[index]
                var told = Group.Event(position: event.position, cause: .init(of: event))
                var isAboutRates = false
                let element = told.cause == .catalog ? nil : try join(event, &sets, &isAboutRates)
                if told.cause == .catalog {
                    general.append(told)
                } else if isAboutRates {
                    told.cause = .rates
                    if hasNewRates { general.append(told) }
                } else if let element {
                    concerned.append((element, told))
                }
            }
        }
        if !general.isEmpty {
            for name in state.subjectsAndReceivers(in: request.environment, cut: new) {
                if let id = state.customer(named: name, in: request.environment), id != 0 {
                    joinPerson(id, &sets)
                }
            }
            for lineage in state.lineageStreams(in: request.environment) {
                sets.insert(.lineage(lineage))
            }
        }
        var groups: [Int: Group] = [:]
        for element in sets.elements {
            let set = sets.set(of: element)
            switch element {
            case .customer(let name): groups[set, default: Group()].names.insert(name)
            case .lineage(let stream): groups[set, default: Group()].lineages.insert(stream)
            }
        }
        for event in concerned {
            groups[sets.set(of: event.element)]?.events.append(event.event)
        }
        return groups.sorted { $0.key < $1.key }.map { _, group in
            var group = group
            group.events += general
            group.events.sort { $0.position < $1.position }
            return group
        }
    }

    /// Joins all whose contributions an event may change.
    /// - Parameter isAboutRates: Is set where it tells or corrects a rate between currencies.
    /// - Returns: One of them; `nil`: there is none in the environment.
    private func join(
        _ event: Event, _ sets: inout JoinedSets, _ isAboutRates: inout Bool
    ) throws -> JoinedSets.Element? {
        let own = JoinedSets.Element.lineage(event.stream)
        // Whom its lineage concerns was found by the first of its events.
        if sets.contains(own) { return own }
        var search = ConcernSearch(state)
        try Restatements(core: core).concerned(event, state, &search)
        isAboutRates = search.hasRates
        var first: JoinedSets.Element?
        func add(_ element: JoinedSets.Element) {
            if let first { sets.join(first, element) } else { sets.insert(element) }
            first = first ?? element
        }
        for key in search.found where key.environment == request.environment {
            add(.customer(key.name))
            joinPerson(key.name, &sets)
        }
        for lineage in search.lineages
        where state.stream(lineage).environment == request.environment {
            add(.lineage(lineage))
        }
        return first
    }

    /// Joins a customer with every id that is, or ever was, the same person.
    private func joinPerson(_ name: NameID, _ sets: inout JoinedSets) {
        guard sets.visit(.customer(name)) else { return }
        var waiting = [name]
        while let next = waiting.popLast() {
            sets.join(.customer(name), .customer(next))
            for other in state.identity.everLinked(to: CustomerKey(request.environment, next))
            where sets.visit(.customer(other)) {
                waiting.append(other)
            }
        }
    }
}

extension ReportComparison.Cause {
    fileprivate init(of event: Event) {
        self =
            switch event.type {
            case .storeTransactionStated where event.timeC != Event.absent: .refund
            case .purchaseRefunded, .purchaseRefundReversed, .purchaseRevoked: .refund
            case .subjectAliased, .subjectUnaliased: .alias
            case .purchaseTransferred, .purchaseClaimed: .transfer
            case .correctionVoided, .correctionAmended: .correction
            case .catalogPublished, .catalogRolledBack: .catalog
            default: .lateArrival
            }
    }
}

/// Sets without a common element, of which two can be made one.
private struct JoinedSets {
    enum Element: Hashable {
        case customer(NameID)
        case lineage(UInt32)
    }

    private var numbers: [Element: Int] = [:]
    private(set) var elements: [Element] = []
    /// Of each element the number of one that it was joined to; of the one that stands for the set its own.
    private var parents: [Int] = []
    private var visited: Set<Element> = []

    /// Whether an element is visited for the first time.
    mutating func visit(_ element: Element) -> Bool { visited.insert(element).inserted }

    func contains(_ element: Element) -> Bool { numbers[element] != nil }

    mutating func insert(_ element: Element) {
        guard numbers[element] == nil else { return }
        numbers[element] = parents.count
        parents.append(parents.count)
        elements.append(element)
    }

    mutating func join(_ left: Element, _ right: Element) {
        insert(left)
        insert(right)
        let (first, second) = (set(of: left), set(of: right))
        // The older one stands for both, so that the order of sets is that of their first elements.
        parents[max(first, second)] = min(first, second)
    }

    mutating func set(of element: Element) -> Int {
        guard var number = numbers[element] else { return -1 }
        while parents[number] != number {
            parents[number] = parents[parents[number]]
            number = parents[number]
        }
        return number
    }
}
