public import DaybookEvents

/// Everything that is needed to answer a question about one customer at one time: folded states, catalogs, zones.
///
/// Constant, without clock or I/O; the ledger gathers it for (at, known at), the domain answers from it. A decision
/// hands it on many times, so it is shared and never copied.
public final class CustomerCase: Sendable {
    /// A lineage that the customer owns at the asked time, or owned before it.
    public struct OwnedLineage: Sendable {
        /// `apple:2000000123`.
        public var name: String
        private let folded: SharedAggregate
        /// What the store says about it, lent without a copy.
        public var state: LineageState {
            _read { yield folded.state.lineage }
        }
        /// Those of its events that funnels may count, lent without a copy.
        public var funnel: FunnelState {
            _read { yield folded.state.funnel }
        }
        /// Every time for which this customer owned it, up to the asked one, in order; they do not touch.
        public var stretches: [Stretch]
        /// When this customer came to own it last, and until when; `Int64.min`/`max` where there was no transfer.
        public var ownedFrom: Int64 { stretches.last?.from ?? Int64.min }
        /// Exclusive; `Int64.max`: the customer owns it at the asked time.
        public var ownedUntil: Int64 { stretches.last?.until ?? Int64.max }

        /// A time for which one customer owned a lineage without a break.
        public struct Stretch: Sendable, Equatable {
            /// Inclusive, in milliseconds since 1970 UTC; `Int64.min`: no other owner came before.
            public var from: Int64
            /// Exclusive.
            public var until: Int64
            /// Of a consumable, the credits that came with it; `Event.absent`: what was bought.
            public var unitsOnArrival: Int64
            /// Of a consumable, the credits that went to the next owner; `Event.absent`: not stated.
            public var unitsOnDeparture: Int64

            /// Creates a stretch: by default all of time, with the credits as they were bought.
            public init(
                from: Int64 = Int64.min, until: Int64 = Int64.max,
                unitsOnArrival: Int64 = Event.absent, unitsOnDeparture: Int64 = Event.absent
            ) {
                self.from = from
                self.until = until
                self.unitsOnArrival = unitsOnArrival
                self.unitsOnDeparture = unitsOnDeparture
            }
        }

        /// - Parameters:
        ///   - folded: Of a lineage.
        ///   - stretches: At least one.
        public init(name: String, folded: SharedAggregate, stretches: [Stretch]) {
            self.name = name
            self.folded = folded
            self.stretches = stretches
        }

        /// Whether it is this customer's at a time: what was given away and came back was theirs before, too (rule 7).
        public func isOwned(at instant: Int64) -> Bool {
            stretches.contains { $0.from <= instant && instant < $0.until }
        }
    }

    /// The environment in which the subject is a customer (rule 9).
    public let environment: Environment
    /// The ID that is shown for the customer.
    public let subject: String
    /// Whether any event names the customer.
    public let isKnown: Bool
    /// The customer's aggregate, under all ids that aliases join.
    public let folded: SharedAggregate
    /// The same, lent without a copy.
    public var state: AggregateState {
        _read { yield folded.state }
    }
    /// Lineages that the customer owns or owned by the asked time; the ledger gives them in the order of their names.
    public let lineages: [OwnedLineage]
    /// Lineages that name this customer but belong to another one.
    public let lineagesOfOthers: [String]
    /// What was published within the cut.
    public let catalogs: CatalogHistory
    /// The zone tables that are at hand.
    public let zones: ZoneSet
    /// The texts of the names that states hold as numbers.
    public let names: NameTable
    /// The valid time that is asked about.
    public let at: Int64
    /// Texts of references that are longer than a reference holds, as far as they were looked up (`namesToLookUp`).
    public let texts: [Reference: String]

    /// Creates a case; nothing is checked.
    public init(
        environment: Environment, subject: String, isKnown: Bool, folded: SharedAggregate,
        lineages: [OwnedLineage], lineagesOfOthers: [String], catalogs: CatalogHistory,
        zones: ZoneSet,
        names: NameTable, at: Int64, texts: [Reference: String] = [:]
    ) {
        self.environment = environment
        self.subject = subject
        self.isKnown = isKnown
        self.folded = folded
        self.lineages = lineages
        self.lineagesOfOthers = lineagesOfOthers
        self.catalogs = catalogs
        self.zones = zones
        self.names = names
        self.at = at
        self.texts = texts
    }

    /// The same customer, asked about another time or under other rules, or with what was looked up since.
    public func with(
        at instant: Int64? = nil, zones: ZoneSet? = nil, catalogs: CatalogHistory? = nil,
        texts: [Reference: String]? = nil
    ) -> CustomerCase {
        CustomerCase(
            environment: environment, subject: subject, isKnown: isKnown, folded: folded,
            lineages: lineages, lineagesOfOthers: lineagesOfOthers,
            catalogs: catalogs ?? self.catalogs,
            zones: zones ?? self.zones, names: names, at: instant ?? at,
            texts: texts ?? self.texts)
    }

    /// The same customer after further events of its own that name no lineage.
    /// - Parameter names: With those that the events brought.
    public func with(folded: SharedAggregate, names: NameTable) -> CustomerCase {
        CustomerCase(
            environment: environment, subject: subject, isKnown: isKnown || folded.eventCount > 0,
            folded: folded, lineages: lineages, lineagesOfOthers: lineagesOfOthers,
            catalogs: catalogs,
            zones: zones, names: names, at: at, texts: texts)
    }

    /// The zones that were told of the customer.
    ///
    /// Asked here, in the module of `AggregateState`: a read of `state` from another module copies all of it.
    package var zonesTold: [CustomerState.ZoneChange] { state.customer.zones }

    /// Whether another case of the customer has the same facts beside purchases and usage.
    package func hasSameCustomer(as other: CustomerCase) -> Bool {
        state.customer == other.state.customer
    }

    /// The zone that was told with the first sight; `nil`: none was that the tables have.
    public var firstZone: ZoneTable? {
        state.customer.zones.first { $0.isFirstSight && zones.contains(names[$0.zone]) }.map {
            zones[names[$0.zone]]
        }
    }

    /// The zones that this customer lived in.
    public func zoneHistory(_ catalog: Catalog) -> ZoneHistory {
        var first: ZoneTable?
        var changes: [ZoneHistory.Change] = []
        // A zone that the tables do not have says nothing about where the customer is.
        for change in state.customer.zones where zones.contains(names[change.zone]) {
            let zone = zones[names[change.zone]]
            if change.isFirstSight, first == nil {
                first = zone
            } else if changes.last?.zone != zone {
                // Being told the same zone again and again moves nothing.
                changes.append(.init(fromInstant: change.at, zone: zone))
            }
        }
        return ZoneHistory(initial: first ?? zones[catalog.defaultTimeZone], changes: changes)
    }

    /// When the customer was first seen, else the first event of a customer that only purchases name; the asked time
    /// for an unknown customer (rule 14).
    public var anchor: Int64 {
        if let own = state.customer.anchor.orNil { return own }
        let owned = lineages.filter { $0.isOwned(at: at) }
        return owned.compactMap(\.state.firstEventAt.orNil).min() ?? at
    }

    /// The catalog in force for this customer at a time, and `nil` in a ledger without any.
    public func catalog(at instant: Int64) -> CatalogVersion? {
        catalogs.inForce(
            at: instant,
            for: .init(
                name: subject, firstSeenAt: anchor,
                periodStart: { self.periodStart(containing: instant, by: $0.catalog) }))
    }

    /// Where the period began that a catalog for the next period has to wait for: that of all its counters that begin
    /// anew, if they have one period in common, else the calendar month (rule 8).
    private func periodStart(containing instant: Int64, by catalog: Catalog) -> Int64 {
        period(containing: instant, by: catalog).start
    }

    private func period(containing instant: Int64, by catalog: Catalog) -> MeterPeriod {
        let periods = Set(catalog.meters.filter { $0.kind == .counter }.map { $0.period })
            .subtracting([.lifetime])
        let zone = zoneHistory(catalog)
        guard periods.count == 1, let own = periods.first, let length = own.length else {
            return .calendarMonth(containing: instant, in: zone)
        }
        switch own.anchor {
        case .calendar:
            return PeriodTimeline(length, anchor: nil, in: zone).period(at: instant)
        // Whether a catalog is in force must not depend on what it sells.
        case .firstSeen, .billing:
            return PeriodTimeline(length, anchor: anchor, in: zone).period(at: instant)
        case .instant(let stated):
            return PeriodTimeline(length, anchor: stated, cut: anchor, in: zone).period(at: instant)
        }
    }

    /// The first end of a period after a time with which a catalog that waits for it may come into force;
    /// `Int64.max`: none waits.
    func catalogPeriodEnd(after instant: Int64) -> Int64 {
        catalogs.versions.filter { $0.scope == .nextPeriod }
            .map { period(containing: instant, by: $0.catalog).end }.min() ?? Int64.max
    }
}

/// Zone tables by IANA name; an unknown name means the default.
public struct ZoneSet: Sendable, Equatable {
    private var tables: [String: ZoneTable]

    /// Creates a set of tables, each by its IANA name.
    public init(_ tables: [String: ZoneTable] = [:]) { self.tables = tables }

    /// Adds a table, in place of one that has the name.
    public mutating func add(_ table: ZoneTable, named name: String) { tables[name] = table }

    /// Whether there is a table of this name; upper and lower case differ.
    public func contains(_ name: String) -> Bool { tables[name] != nil }

    /// In no order.
    package var names: [String] { Array(tables.keys) }

    package var count: Int { tables.count }

    /// The table of this name; UTC where there is none.
    public subscript(name: String) -> ZoneTable { tables[name] ?? .utc }

    /// One number for all tables, to tell two releases of the zone database apart (rule 31).
    public var digest: UInt64 {
        tables.keys.sorted(by: precedesInBytes).reduce(0xCBF2_9CE4_8422_2325) { sum, name in
            (sum ^ self[name].digest) &* 0x100_0000_01B3
        }
    }
}
