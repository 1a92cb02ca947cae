import DaybookEvents

/// One attempt to buy something, as the app told it.
struct Checkout {
    var startedAt: Int64?
    /// When it was first completed or failed.
    var endedAt: Int64?
    var completedAt: Int64?
    var product: NameID = 0

    /// Pending purchases have a week.
    var isCompletedInTime: Bool {
        guard let startedAt, let completedAt else { return false }
        return completedAt - startedAt <= 7 * .day
    }
}

extension MetricSubject {
    /// The time of the first event of a type in a range.
    func first(_ type: EventType, from: Int64 = Int64.min, until: Int64 = Int64.max) -> Int64? {
        events.first { $0.type == type && $0.occurredAt >= from && $0.occurredAt <= until }?
            .occurredAt
    }

    /// Whether a filter lets a product count; 0: one that was not named.
    func counts(_ product: NameID) -> Bool {
        let products = rules.filter.products
        return products.isEmpty
            || products.contains { haveSameBytes($0, names[product]) }
    }

    /// Attempts by their id; one without an id is ended by the next event about its product that ends one.
    var checkouts: [Checkout] {
        var done: [Checkout] = []
        var named: [Reference: Int] = [:]
        var open: [NameID: Int] = [:]
        for event in events {
            let isStart = event.type == .checkoutStarted
            switch event.type {
            case .checkoutStarted, .checkoutPending, .checkoutCompleted, .checkoutFailed,
                .checkoutCanceled:
                break
            default: continue
            }
            let isNamed = !event.reference.isNone
            let known = isNamed ? named[event.reference] : isStart ? nil : open[event.product]
            let index = known ?? done.count
            if known == nil { done.append(Checkout()) }
            if isNamed {
                named[event.reference] = index
            } else {
                let isOver = !isStart && event.type != .checkoutPending
                open[event.product] = isOver ? nil : index
            }
            take(event, into: &done[index])
        }
        return done
    }

    private func take(_ event: Event, into attempt: inout Checkout) {
        if event.product != 0 { attempt.product = event.product }
        switch event.type {
        case .checkoutStarted: attempt.startedAt = attempt.startedAt ?? event.occurredAt
        case .checkoutCompleted:
            attempt.completedAt = attempt.completedAt ?? event.occurredAt
            attempt.endedAt = attempt.endedAt ?? event.occurredAt
        case .checkoutFailed: attempt.endedAt = attempt.endedAt ?? event.occurredAt
        default: break
        }
    }

    /// The features that are not free and that purchases and trials of the customer opened in a bucket, and which of
    /// all features were used in it. Buckets in which none was open are left out.
    func forEachOpenFeature(
        _ buckets: MetricBuckets,
        _ body: (_ bucket: Int, _ open: Set<String>, _ used: Set<String>) -> Void
    ) {
        guard let catalog, isCustomer else { return }
        let ranges = servedRanges(buckets.zone)
        guard !ranges.isEmpty else { return }
        let used = events.filter { $0.type == .featureUsed }.compactMap { event in
            catalog.feature(named: names[event.feature]).map { (event.occurredAt, $0.name) }
        }
        let locked = catalog.features.filter { !$0.isFree }.map(\.name)
        for bucket in 0..<buckets.count where buckets[bucket].lowerBound <= at {
            let range = buckets[bucket]
            var open: Set<String> = []
            for (served, product) in ranges where served.overlaps(range) && served.lowerBound <= at
            {
                for name in product.entitlements {
                    let features = catalog.entitlement(name)?.features ?? []
                    open.formUnion(
                        features.contains("*") ? locked : locked.filter(features.contains))
                }
            }
            guard !open.isEmpty else { continue }
            body(bucket, open, Set(used.filter { range.contains($0.0) }.map(\.1)))
        }
    }

    /// When what the customer bought or tried served, and what it was.
    func servedRanges(_ zone: ZoneTable) -> [(Range<Int64>, Product)] {
        var ranges: [(Range<Int64>, Product)] = []
        for span in spans where span.isOwn && !span.isVoid {
            guard let product = transactions[span.payment].product else { continue }
            ranges.append((span.start..<span.end, product))
        }
        for payment in payments {
            guard let product = payment.product else { continue }
            var end = Int64.max
            switch product.kind {
            case .nonConsumable: break
            case .nonRenewing:
                end = product.duration.map { zone.adding($0, to: payment.at) } ?? Int64.max
            case .autoRenewable, .consumable: continue
            }
            if rules.refunds != .ignore, let refund = payment.refund { end = min(end, refund.at) }
            ranges.append((payment.at..<max(payment.at, end), product))
        }
        return ranges
    }

    /// What was used of counters: each ref once, and nothing that was reversed, given back or committed too late (rule
    /// 12); covered uses too.
    var uses: [(at: Int64, amount: Int64, meter: String)] {
        guard let customer, let catalog, !usage.entries.isEmpty || !usage.reservations.isEmpty
        else { return [] }
        let reversals = Reversals(usage)
        let outcomes = usage.firstOutcomes
        var uses: [(at: Int64, amount: Int64, meter: String)] = []
        func add(_ at: Int64, _ amount: Int64, _ meter: Meter) {
            guard (beginsAt...self.at).contains(at), !customer.isConsentWithdrawn(at: at) else {
                return
            }
            uses.append((at, max(0, amount), meter.name))
        }
        for meter in catalog.meters where meter.kind == .counter {
            let ids = names.ids(of: meter)
            let reversed = reversals.targets(of: ids)
            var seen: Set<Reference> = []
            for entry in usage.entries where ids.contains(entry.meter) {
                if !entry.reference.isNone, !seen.insert(entry.reference).inserted { continue }
                if reversed.contains(entry.key) || reversed.contains(entry.reference) { continue }
                add(entry.at, entry.amount, meter)
            }
            var held: Set<Reference> = []
            for reservation in usage.reservations where held.insert(reservation.id).inserted {
                guard ids.contains(reservation.meter), let outcome = outcomes[reservation.id],
                    outcome.isCommit, outcome.at < reservation.expiresAt,
                    ![reservation.id, reservation.key, outcome.key].contains(
                        where: reversed.contains)
                else { continue }
                add(reservation.at, outcome.amount.orNil ?? reservation.amount, meter)
            }
        }
        return uses
    }

    /// Profiles of a kind that has a free period, each once, with whether a paid purchase served it since.
    var freeProfiles: [(at: Int64, isPaid: Bool)] {
        guard let customer, let catalog else { return [] }
        let kinds = Set(catalog.freePeriods.map(\.profileKind))
        var seen: Set<NameID> = []
        return customer.profiles.compactMap { change in
            guard change.change == .created, kinds.contains(names[change.profileKind]),
                (beginsAt...at).contains(change.at), (change.startedAt.orNil ?? change.at) <= at,
                !customer.isConsentWithdrawn(at: change.at),
                seen.insert(change.profile).inserted
            else { return nil }
            let told = Set(
                customer.assignments.filter { $0.at <= at && !$0.isEnd }.map(\.transaction))
            let served = assignments?.transactions(of: change.profile, until: at) ?? []
            let isPaid = payments.contains {
                served.contains($0.fact.id) && told.contains($0.fact.id) && $0.isKept(rules)
            }
            return (change.startedAt.orNil ?? change.at, isPaid)
        }
    }
}
