public import Daybook
public import DaybookEvents

/// What would be so under other rules, or had other things happened.
extension Ledger {
    /// Replays all customers under other circumstances and compares what they may do and have used (decision 0024).
    ///
    /// Dropped and inserted events concern the customers that they name, and these alone; another catalog may concern
    /// all customers. Nothing is written.
    /// - Parameters:
    ///   - what: Another catalog, events left out, and events put in; empty, nothing is different.
    ///   - subject: With it, another catalog is tried upon this customer alone; `nil`: upon all. Events concern whom
    ///     they name either way.
    ///   - environment: Whose customers are compared; an event of another one is refused.
    ///   - moment: The time at which answers are compared, and what is known.
    ///   - topCountMax: How many of the most affected customers the report names.
    ///   - workers: Threads that fold and compare; the report is the same for any number. `nil`: one for each core.
    ///   - progress: Work done and work in all.
    /// - Throws: `LedgerError.badInput` for a catalog that cannot be read or is of another app, for an event to be
    ///   dropped that is not there, for one to be inserted that could not be recorded or is there already, and for a
    ///   subject of whom nothing is known.
    public func whatIf(
        _ what: WhatIf, of subject: String? = nil, environment: Environment = .production,
        moment: Moment = .now,
        topCountMax: Int = 10, workers: Int? = nil,
        progress: @Sendable (Int64, Int64) throws -> Void = { _, _ in }
    ) throws -> WhatIfReport {
        try refresh()
        try core.readKeys()
        return try core.translating {
            let now = core.clock()
            let (cut, isOpen) = try core.resolve(moment.knownAt, now: now)
            let before = try core.knownState(at: min(cut, try core.store.head().position))
                .forgetful()
            let time = LedgerClock(wall: now, last: before.head.recordedAt)
            let at = moment.at ?? time.now
            let asOf = AsOf(
                at: at, knownAt: moment.knownAtInstant, position: before.head.position,
                catalog: before.catalogs.latest(at: at)?.version, isOpen: isOpen,
                clockLead: moment.at == nil ? time.lead : 0)
            let rules = try RuleChange(what, app: app, before, core.zoneTables)
            try Self.check(what, environment)
            let events = try EventChange(what, of: subject, environment, before, self)
            let comparison = WhatIfComparison(
                before: before, store: core.store, zones: core.zoneTables, environment: environment,
                at: at, rules: rules, isOfAll: subject == nil, events: events,
                topCountMax: topCountMax)
            let sum = try comparison.run(
                workers: workers ?? AggregatePass.workersDefault, progress: progress)
            return sum.report(environment, asOf, conflicts: rules?.conflicts ?? [])
        }
    }
}

extension Ledger {
    /// What happens in one environment concerns no customer of another.
    private static func check(_ what: WhatIf, _ environment: Environment) throws {
        let others =
            what.drops.map { ("\($0.source)/\($0.key)", $0.environment) }
            + what.inserts.map { ($0.type.rawValue, $0.environment) }
        guard let other = others.first(where: { $0.1 != environment }) else { return }
        throw LedgerError.bad(
            "other_environment",
            "\(other.0) is in \(other.1.name), the question is about \(environment.name)")
    }
}

/// Another catalog in the place of those published.
struct RuleChange: Sendable {
    let catalogs: CatalogHistory
    let conflicts: [String]
    let zoneName: String
    let zone: ZoneTable?

    /// - Returns: `nil` where no catalog is given.
    init?(_ what: WhatIf, app: String, _ state: LedgerState, _ zones: ZoneTables) throws {
        guard let document = what.catalog else { return nil }
        let catalog = try LedgerError.reading { () throws(CatalogProblems) in
            try CatalogReader.read(
                document, knownEventTypes: Vocabulary.names, knownMetrics: Metric.targetNames,
                zones: zones.directory)
        }
        try LedgerError.require(
            catalog.app == app, "other_app",
            "the catalog is of app \"\(catalog.app)\", this ledger is \"\(app)\"")
        let published = state.catalogs
        conflicts = published.conflicts(with: catalog)
        var history = CatalogHistory()
        if let effectiveAt = what.effectiveAt {
            let first = published.versions.map(\.position).min()
            for version in published.versions
            where version.effectiveAt < effectiveAt || version.position == first {
                history.publish(version)
            }
        }
        history.publish(
            CatalogVersion(
                version: published.versionMax + 1, effectiveAt: what.effectiveAt ?? 0, scope: .all,
                position: state.head.position + 1, catalog: catalog,
                documentDigest: Digest.hexadecimal(Digest.sha256(document))))
        catalogs = history
        zoneName = catalog.defaultTimeZone
        zone = zones.table(named: catalog.defaultTimeZone)
    }

    func ruling(_ question: CustomerCase) -> CustomerCase {
        var zones = question.zones
        if let zone, !zones.contains(zoneName) { zones.add(zone, named: zoneName) }
        return question.with(zones: zones, catalogs: catalogs)
    }
}

/// Events that are left out and put in, and the customers whom they concern.
struct EventChange: Sendable {
    private(set) var state: LedgerState
    /// What was put in, by stream.
    private(set) var inserted: [UInt32: [OrderedEvent]] = [:]
    /// Every id of every person who may be concerned.
    private(set) var customers: Set<CustomerKey> = []

    /// - Parameters:
    ///   - subject: A customer who is looked at even where no event concerns them.
    ///   - before: Ends at the cut.
    init(
        _ what: WhatIf, of subject: String?, _ environment: Environment, _ before: LedgerState,
        _ ledger: Ledger
    ) throws {
        state = before
        var lineages: Set<UInt32> = []
        for target in what.drops { try drop(target, before, ledger, &lineages) }
        if !what.inserts.isEmpty { try insert(what, before, ledger, &lineages) }
        if let subject {
            let key = state.customer(named: subject, in: environment).map {
                CustomerKey(environment, $0)
            }
            guard let key, state.isKnown(key) || customers.contains(key) else {
                throw LedgerError.bad(
                    "customer_unknown",
                    "nothing is known of \(ShownText.escaped(subject)) in \(environment.name)")
            }
            customers.insert(key)
        }
        let persons = Persons(before, cut: Int64.max)
        var met: Set<CustomerKey> = []
        for key in customers where !met.contains(key) {
            for name in persons[key].members { met.insert(CustomerKey(key.environment, name)) }
        }
        customers = met
    }

    private mutating func drop(
        _ target: WhatIf.Target, _ before: LedgerState, _ ledger: Ledger,
        _ lineages: inout Set<UInt32>
    ) throws {
        let place = "\(target.source)/\(target.key) in \(target.environment.name)"
        guard let source = before.names.id(of: target.source) else {
            throw LedgerError.bad("target_unknown", "there is no event \(place)")
        }
        let key = EventKey(target.environment, source, Reference(target.key))
        guard let position = try before.position(of: key, in: ledger.core.store),
            let event = try ledger.core.store.rows(at: [position]).first?.event
        else { throw LedgerError.bad("target_unknown", "there is no event \(place)") }
        try LedgerError.require(
            position <= before.head.position, "target_unknown",
            "\(place) is at position \(position), which was not known at \(before.head.position)")
        try LedgerError.require(
            event.type != .catalogPublished && event.type != .catalogRolledBack,
            "catalog_uncorrectable",
            "\(place) is a catalog; say which catalog is to rule instead")
        state = state.leavingOut(key)
        try note(event, before, ledger, &lineages)
    }

    private mutating func insert(
        _ what: WhatIf, _ before: LedgerState, _ ledger: Ledger, _ lineages: inout Set<UInt32>
    ) throws {
        for (index, draft) in what.inserts.enumerated() {
            guard !draft.type.isOf(.catalog), !draft.type.isOf(.correction) else {
                throw LedgerError.badInput([
                    InputProblem(
                        line: index < what.insertLines.count ? what.insertLines[index] : nil,
                        column: nil, code: "not_insertable",
                        reason:
                            "\(draft.type) cannot be put in: give a catalog by itself, and leave out the event that a correction is about"
                    )
                ])
            }
        }
        let (decided, receipt) = try ledger.core.decided(
            what.inserts, lines: what.insertLines, upon: &state)
        try LedgerError.require(
            receipt.duplicates == 0, "key_taken",
            "\(receipt.duplicates) of the events to be put in are in the ledger already, under the same source and key"
        )
        for row in decided {
            let (event, stream) = (row.event, state.stream(row.event.stream))
            let key = EventKey(stream.environment, event.source, event.key)
            // Its correction came before it and has waited.
            if state.corrections.isVoid(key, cut: Int64.max) { continue }
            try LedgerError.require(
                state.corrections.amendments(of: key, cut: Int64.max).isEmpty, "not_insertable",
                "\(row.key) is amended by an event that is there already; put it in as it would be then, under another key"
            )
            inserted[event.stream, default: []].append(OrderedEvent(event: event, key: row.key))
            let isLink = event.type == .subjectAliased || event.type == .subjectUnaliased
            if isLink || event.type == .purchaseTransferred && stream.kind == .customer {
                state = state.joined(by: event, in: stream.environment)
            }
            try note(event, state, ledger, &lineages)
        }
    }

    /// Notes the customers whom an event concerns.
    private mutating func note(
        _ event: Event, _ known: LedgerState, _ ledger: Ledger, _ lineages: inout Set<UInt32>
    ) throws {
        var search = ConcernSearch(known, lineages: lineages)
        try Restatements(core: ledger.core).concerned(event, known, &search)
        let environment = known.stream(event.stream).environment
        // A lineage that begins with the event has no rows yet that would tell.
        for name in event.namedCustomers {
            search.addWithHeirs(CustomerKey(environment, name))
        }
        lineages = search.lineages
        customers.formUnion(search.found)
    }
}

/// Two ledgers that are the same but for some rules and events, customer by customer.
struct WhatIfComparison: Sendable {
    let before: LedgerState
    let store: any EventStore
    let zones: ZoneTables
    let environment: Environment
    let at: Int64
    let rules: RuleChange?
    /// Whether other rules are tried upon all customers; else upon those whom the events concern.
    let isOfAll: Bool
    let events: EventChange
    let topCountMax: Int

    func run(
        workers: Int, progress: @Sendable (Int64, Int64) throws -> Void
    ) throws -> WhatIfSum {
        var sum = WhatIfSum(topCountMax: topCountMax)
        let (pairs, seen) = try concerned()
        var counted: (old: Set<ExactText>, new: Set<ExactText>) = ([], [])
        for (old, new) in pairs {
            let counting = (
                before: counted.old.insert(ExactText(old.subject)).inserted,
                after: counted.new.insert(ExactText(new.subject)).inserted
            )
            try sum.take(old, new, comparesMoney: true, counting: counting) {
                (try paid(old, before), try paid(new, events.state, events.inserted))
            }
        }
        guard let rules, isOfAll else { return sum }
        let pass = CustomerPass(
            state: before, store: store, environment: environment, at: at, workers: workers)
        let parts = try pass.run(WhatIfSum(topCountMax: topCountMax), progress: progress) {
            sum, old in
            guard seen.isEmpty || !seen.contains(ExactText(old.subject)) else { return }
            try sum.take(old, rules.ruling(old)) {
                let paid = try paid(old, before)
                return (paid, paid)
            }
        }
        for part in parts { sum.add(part) }
        return sum
    }

    /// The customers whom an event that is left out or put in may concern, and the names under which they were shown
    /// before.
    private func concerned() throws -> (
        pairs: [(old: CustomerCase, new: CustomerCase)], seen: Set<ExactText>
    ) {
        let old = CaseBuilder(state: before, cut: Int64.max, at: at)
        let new = CaseBuilder(
            state: events.state, cut: Int64.max, at: at,
            undecided: events.inserted)
        var pairs: [(old: CustomerCase, new: CustomerCase)] = []
        var seen: Set<ExactText> = []
        var known: Set<[ExactText]> = []
        let keys = events.customers.filter { $0.environment == environment }
            .sorted { $0.name < $1.name }
        for key in keys {
            let names = [ExactText(old.shown(key)), ExactText(new.shown(key))]
            seen.insert(names[0])
            guard known.insert(names).inserted else { continue }
            let one = zones.completing(try old.build(key))
            let other = zones.completing(try new.build(key))
            pairs.append((one, rules?.ruling(other) ?? other))
        }
        return (pairs, seen)
    }

    private func paid(
        _ question: CustomerCase, _ state: LedgerState, _ extra: [UInt32: [OrderedEvent]] = [:]
    ) throws -> PaidMoney {
        var money = PaidMoney()
        for lineage in question.lineages {
            guard let name = state.names.id(of: lineage.name),
                let stream = state.streamID(environment, .lineage, name)
            else { continue }
            let told = try AggregateFold(state).events(
                environment: environment, heads: [state.headOf(stream).position],
                extra: extra[stream] ?? [])
            money.add(lineage, told, of: question)
        }
        return money
    }
}
