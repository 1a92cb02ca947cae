import DaybookDomain
import DaybookEvents

/// The profiles of a customer as intervals (rules 4, 25).
struct ReferenceProfiles {
    /// One profile.
    struct Profile {
        let name: String
        let kind: String?
        /// Where its free period begins.
        let startsAt: Int64
        /// When it began, ended, came back, in canonical order.
        let changes: [(at: Int64, exists: Bool)]

        func exists(at instant: Int64) -> Bool {
            changes.last { $0.at <= instant }?.exists ?? false
        }

        /// The deletion that is in force at an instant.
        func deletion(inForceAt instant: Int64) -> Int64? {
            guard let last = changes.last(where: { $0.at <= instant }), !last.exists else {
                return nil
            }
            let whole = changes.filter { $0.at <= instant }
            let lastAlive = whole.lastIndex { $0.exists }
            return whole[(lastAlive.map { $0 + 1 } ?? 0)...].first?.at
        }
    }

    let all: [Profile]

    init(_ context: ReferenceCase) {
        let events = context.customerEvents.filter { $0.type.isOf(.profile) }
        let names = Set(events.compactMap(\.profile)).sorted(by: precedes)
        all = names.compactMap { name in
            let own = events.filter { $0.profile == name }
            let created = own.first { $0.type == .profileCreated }
            let restored = own.first { $0.type == .profileRestored }
            guard let first = created ?? restored else { return nil }
            // OL-12: restored, the free period goes on from the original date.
            let start =
                created.map { $0.integer("free_started_at") ?? $0.occurredAt }
                ?? first.integer("original_created_at") ?? first.occurredAt
            return Profile(
                name: name, kind: own.compactMap { $0.text("kind") }.first, startsAt: start,
                changes: own.map { (at: $0.occurredAt, exists: $0.type != .profileDeleted) })
        }
    }

    func named(_ name: String) -> Profile? { all.first { $0.name == name } }

    /// Rule 25: the free periods that the catalog promised at the start, in the zone then in force; rule 8: they open
    /// what the catalog in force calls by that name.
    func freePeriods(
        of profile: Profile, _ context: ReferenceCase, _ catalog: Catalog
    ) -> [(name: String, features: [String], end: Int64)] {
        let promised = context.catalog(at: profile.startsAt)?.freePeriods ?? []
        return promised.filter { $0.profileKind == profile.kind }.map { period in
            let zone = context.zoneHistory.zone(at: profile.startsAt)
            return (
                period.name, catalog.freePeriod(period.name)?.features ?? period.features,
                zone.adding(period.duration, to: profile.startsAt)
            )
        }
    }
}

/// Which profile a purchase serves: one at a time (T1, OL-09).
struct Assignments {
    private var intervals: [String: [(profile: String, start: Int64, end: Int64, order: Int)]] = [:]
    private let profiles: ReferenceProfiles

    init(_ context: ReferenceCase, _ profiles: ReferenceProfiles) {
        self.profiles = profiles
        for event in context.customerEvents {
            guard let transaction = event.text("transaction_id") else { continue }
            switch event.type {
            case .purchaseAssigned:
                guard let profile = event.text("profile") else { continue }
                assign(transaction, profile, event.occurredAt)
            case .purchaseUnassigned:
                let last = intervals[transaction]?.last
                guard let last, last.end == Int64.max,
                    (event.text("profile") ?? last.profile) == last.profile
                else { continue }
                end(transaction, event.occurredAt)
            default: break
            }
        }
    }

    private mutating func assign(_ transaction: String, _ profile: String, _ instant: Int64) {
        guard let last = intervals[transaction]?.last else {
            // The first assignment reaches back to the purchase.
            let order = count
            intervals[transaction] = [(profile, Int64.min, Int64.max, order)]
            return
        }
        if last.end == Int64.max {
            // A second claim counts only when the first profile is gone (OL-28).
            guard
                let deletedAt = profiles.named(last.profile)?.deletion(inForceAt: instant)
            else { return }
            end(transaction, deletedAt)
        }
        let order = count
        intervals[transaction]?.append((profile, instant, Int64.max, order))
    }

    /// How many assignments there are: the place of the next in their order.
    private var count: Int { intervals.values.map(\.count).reduce(0, +) }

    private mutating func end(_ transaction: String, _ instant: Int64) {
        guard let count = intervals[transaction]?.count else { return }
        intervals[transaction]?[count - 1].end = instant
    }

    /// The profile that a lineage serves, whichever of its transactions was assigned; OL-28: a deleted one is served by
    /// nothing.
    func profile(ofAny transactions: Set<String>, at instant: Int64) -> String? {
        let running = transactions.compactMap { transaction in
            intervals[transaction]?.last { $0.start <= instant && instant < $0.end }
        }
        guard let latest = running.max(by: { $0.order < $1.order }) else { return nil }
        let deletion = profiles.named(latest.profile)?.deletion(inForceAt: instant)
        return deletion == nil ? latest.profile : nil
    }
}

/// What was given: access, features or units (docs/rules.md#vocabulary).
struct Grants {
    /// One grant after its withdrawals.
    struct Grant {
        let event: KnownEvent
        let startsAt: Int64
        /// The first withdrawal.
        let voidedAt: Int64?

        /// Exclusive: min(expires_at, voided_at).
        var end: Int64 { min(event.integer("expires_at") ?? Int64.max, voidedAt ?? Int64.max) }

        /// An amount of a meter, or of a feature that a meter counts, is burned; of an entitlement it is access.
        func isUnits(_ catalog: Catalog) -> Bool {
            guard event.integer("amount") != nil, event.bool("unlimited") != true,
                event.text("entitlement") == nil
            else { return false }
            return event.text("meter") != nil || meter(catalog) != nil
        }

        /// The meter that it is about.
        func meter(_ catalog: Catalog) -> String? {
            let names = [event.text("meter"), event.text("feature")].compactMap(\.self)
            return names.compactMap {
                catalog.meter(named: $0)?.name ?? catalog.feature(named: $0)?.meter
            }.first
        }
    }

    let all: [Grant]

    init(_ context: ReferenceCase) {
        var seen: Set<String> = []
        var grants: [Grant] = []
        for event in context.events(.grantIssued) {
            guard let id = event.text("grant_id"), let startsAt = event.integer("starts_at"),
                seen.insert(id).inserted
            else { continue }
            let voided = context.events(.grantVoided)
                .filter { $0.text("grant_id") == id }.compactMap { $0.integer("voided_at") }
            grants.append(Grant(event: event, startsAt: startsAt, voidedAt: voided.min()))
        }
        all = grants
    }
}
