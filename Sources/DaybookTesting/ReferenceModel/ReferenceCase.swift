import DaybookDomain
import DaybookEvents

/// One published catalog as the reference model was told of it.
struct PublishedCatalog {
    let position: Int64
    let effectiveAt: Int64
    let scope: CatalogScope
    /// The digest of the document.
    let document: String
    let catalog: Catalog
}

/// Everything that an answer about one customer at one time is worked out from.
struct ReferenceCase {
    let environment: Environment
    let at: Int64
    /// All IDs of this customer (rule 7).
    let person: Set<String>
    /// The events of the customer's streams that take part, in canonical order (rules 4, 6).
    let customerEvents: [KnownEvent]
    /// The owned lineages at T, in the order of their names.
    let lineages: [LineageFacts]
    /// Lineages that this person owned at some time up to T, and when.
    let everOwned: [OwnedLineage]
    private(set) var zoneHistory = ZoneHistory(initial: .utc)
    let firstSeenAt: Int64
    let history: KnownHistory
    private let subject: String
    private let catalogs: [PublishedCatalog]
    private let zones: (String) -> ZoneTable?

    init(
        subject: String, environment: Environment, at: Int64, history: KnownHistory,
        catalogs: [PublishedCatalog], zones: @escaping (String) -> ZoneTable?
    ) {
        self.environment = environment
        self.at = at
        self.subject = subject
        self.history = history
        self.catalogs = catalogs
        self.zones = zones
        let person = history.identities.person(subject)
        self.person = person
        customerEvents = history.events.filter { event in
            guard case .customer(let name) = event.belonging, person.contains(name) else {
                return false
            }
            return Self.takesPart(event, at: at)
        }
        everOwned = Self.everOwned(history, person, at)
        lineages = everOwned.filter { $0.ownings.last?.until == Int64.max }.map(\.facts)
        // Rule 14: `first_seen_at`, else the first event of the customer; evidence, scheduled resets and events that
        // only join IDs fold as nothing. For a customer of whom there are only purchases, their first event counts.
        let seen = customerEvents.filter { $0.type == .subjectCreated }
            .compactMap { $0.integer("first_seen_at") }
        let own = customerEvents.filter(Self.isSeen).map(\.occurredAt)
        let bought = lineages.flatMap(\.events).map(\.occurredAt)
        firstSeenAt = seen.min() ?? own.min() ?? bought.min() ?? at
        // A customer without a zone has the catalog's.
        zoneHistory = Self.zones(customerEvents, zones, standard: catalog(at: at))
    }

    /// The same customer at another time.
    func moved(to instant: Int64) -> ReferenceCase {
        ReferenceCase(
            subject: subject, environment: environment, at: instant, history: history,
            catalogs: catalogs, zones: zones)
    }

    private static func isSeen(_ event: KnownEvent) -> Bool {
        switch event.type {
        case .accessDenied, .limitReached, .featureRestricted, .assignmentConflict,
            .subjectAliased, .subjectUnaliased, .purchaseTransferred:
            false
        // Without a trigger it is scheduled.
        case .usageReset: !["scheduled", nil].contains(event.word("trigger"))
        default: true
        }
    }

    /// Rule 4: usage, gauges and the customer's status take part iff they happened by T.
    private static func takesPart(_ event: KnownEvent, at instant: Int64) -> Bool {
        let isTimed =
            event.type.isOf(.usage) || event.type == .gaugePinned
            || event.type == .subjectTimeZoneChanged
        return !isTimed || event.occurredAt <= instant
    }

    /// A lineage with the times at which this person owned it.
    struct OwnedLineage {
        struct Part {
            var from: Int64
            /// Exclusive; the greatest number: to T and beyond.
            var until: Int64
            /// Rule 6: the credits that were left when it came, and when it went.
            var unitsIn: Int64?
            var unitsOut: Int64?
        }
        let facts: LineageFacts
        let ownings: [Part]
    }

    private static func everOwned(
        _ history: KnownHistory, _ person: Set<String>, _ instant: Int64
    ) -> [OwnedLineage] {
        history.lineages.map { lineage in
            var parts: [OwnedLineage.Part] = []
            var isTheirs = false
            for owning in history.ownings[lineage.name] ?? [] where owning.from <= instant {
                let isNow = person.contains(owning.owner)
                if isNow, !isTheirs {
                    parts.append(
                        .init(from: owning.from, until: Int64.max, unitsIn: owning.units))
                } else if !isNow, isTheirs {
                    parts[parts.count - 1].until = owning.from
                    parts[parts.count - 1].unitsOut = owning.units
                }
                isTheirs = isNow
            }
            return OwnedLineage(facts: lineage, ownings: parts)
        }
        .filter { !$0.ownings.isEmpty }
    }

    private static func zones(
        _ events: [KnownEvent], _ zones: (String) -> ZoneTable?, standard: Catalog?
    ) -> ZoneHistory {
        var initial: ZoneTable?
        var changes: [ZoneHistory.Change] = []
        // Rule 14: a change counts from its own instant, and rules from the next period on. The zone that is told at
        // first sight rules all time before, a later one is a change; a name that is no zone tells nothing.
        for event in events
        where event.type == .subjectCreated || event.type == .subjectTimeZoneChanged {
            guard let zone = event.text("tz").flatMap(zones) else { continue }
            if event.type == .subjectCreated, initial == nil {
                initial = zone
            } else {
                changes.append(.init(fromInstant: event.occurredAt, zone: zone))
            }
        }
        let fallback = standard.flatMap { zones($0.defaultTimeZone) } ?? .utc
        return ZoneHistory(initial: initial ?? fallback, changes: changes)
    }

    /// The catalog in force for this customer (rule 8).
    func catalog(at instant: Int64) -> Catalog? {
        // The first catalog of a ledger is in force from the beginning of time.
        guard let first = catalogs.min(by: { $0.position < $1.position }) else { return nil }
        let fitting = catalogs.filter { candidate in
            candidate.position != first.position && candidate.effectiveAt <= instant
                && fits(candidate, at: instant)
        }
        let newest = fitting.max {
            ($0.effectiveAt, $0.position) < ($1.effectiveAt, $1.position)
        }
        return (newest ?? first).catalog
    }

    private func fits(_ candidate: PublishedCatalog, at instant: Int64) -> Bool {
        switch candidate.scope {
        case .all: true
        case .newSubjects: firstSeenAt >= candidate.effectiveAt
        case .nextPeriod: periodStart(instant, candidate.catalog) >= candidate.effectiveAt
        case .cohort(let percent):
            // MS-64: a fixed share, the same people on every machine.
            CatalogHistory.bucket(
                history.identities.shownName(person), document: candidate.document)
                < percent
        }
    }

    /// The period containing T: of the month, unless all counters with a period have the same.
    /// A customer without a zone has that of the catalog that waits for it.
    private func periodStart(_ instant: Int64, _ catalog: Catalog) -> Int64 {
        let history = Self.zones(customerEvents, zones, standard: catalog)
        let counters = catalog.meters.filter { $0.kind == .counter && $0.period != .lifetime }
        if let own = counters.first?.period, let length = own.length,
            counters.allSatisfy({ $0.period == own })
        {
            let anchor: Int64?
            var least = Int64.min
            switch own.anchor {
            case .calendar: anchor = nil
            case .firstSeen, .billing: anchor = firstSeenAt
            case .instant(let stated):
                anchor = stated
                if firstSeenAt <= instant { least = firstSeenAt }
            }
            let period = MeterPeriod.containing(
                instant, length: length, anchor: anchor, in: history)
            return max(period.start, least)
        }
        return MeterPeriod.calendarMonth(containing: instant, in: history).start
    }

    /// Whether any catalog limits a meter in numbers for those who have an entitlement.
    func isEverLimited(_ meter: String) -> Bool {
        catalogs.contains { version in
            version.catalog.meter(named: meter)?.limitsWith.contains { $0.limit != nil } ?? false
        }
    }

    /// The customer's events of one type.
    func events(_ type: EventTypeName) -> [KnownEvent] { customerEvents.filter { $0.type == type } }
}
