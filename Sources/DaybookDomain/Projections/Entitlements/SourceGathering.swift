import DaybookEvents

/// Collects the sources of one customer: lines, grants, free periods, debug overrides.
struct SourceGathering {
    let question: CustomerCase
    let catalog: Catalog?
    let zone: ZoneHistory
    let debug: DebugLayer
    let profiles: [ProfileAnswer]
    let at: Int64

    init(_ question: CustomerCase) {
        self.question = question
        catalog = question.catalog(at: question.at)?.catalog
        zone = catalog.map { question.zoneHistory($0) } ?? ZoneHistory(initial: .utc)
        debug = DebugLayer(question)
        profiles = Self.profiles(question)
        at = Self.effectiveTime(question, debug, catalog, zone)
    }

    func sources() -> [Source] {
        var sources = lines(at: at)
        sources += grants()
        sources += freePeriods()
        sources += debug.forced.map { force in
            var source = Source(kind: .debug, id: "debug.force_entitlement")
            source.entitlements =
                force.value.isEmpty ? catalog?.entitlements.map(\.name) ?? [] : [force.value]
            source.state = .active
            source.isActive = true
            source.startsAt = force.at
            source.expiresAt = force.until
            return source
        }
        return sources
    }

    /// A debug override may let the customer live at the end of the running trial (rule 10).
    private static func effectiveTime(
        _ question: CustomerCase, _ debug: DebugLayer, _ catalog: Catalog?, _ zone: ZoneHistory
    ) -> Int64 {
        guard debug.expiresTrial else { return question.at }
        var ends: [Int64] = []
        for line in question.lines {
            let periods = Self.periods(of: line, question, zone, debug)
            for period in periods where period.fact.isTrial && period.contains(question.at) {
                ends.append(period.naturalEnd)
            }
        }
        return ends.max() ?? question.at
    }

    static func periods(
        of line: CustomerCase.OwnedLine, _ question: CustomerCase, _ zone: ZoneHistory,
        _ debug: DebugLayer
    ) -> [LinePeriod] {
        LinePeriods(
            line: line.state, names: question.names,
            catalog: { question.catalog(at: $0)?.catalog }, zone: zone, at: question.at
        ).periods(hidingStartsBefore: debug.clearedAt)
    }

    private func lines(at instant: Int64) -> [Source] {
        var all: [(line: CustomerCase.OwnedLine, periods: [LinePeriod])] = question.lines.map {
            ($0, Self.periods(of: $0, question, zone, debug))
        }
        stackNonRenewing(&all)
        var sources: [Source] = []
        for (line, periods) in all {
            if debug.clearedAt != nil, periods.isEmpty { continue }
            let answer = LineAnswer(
                owned: line, periods: periods, names: question.names, catalog: catalog,
                at: instant)
            guard var source = answer.source() else { continue }
            if instant < line.ownedFrom || instant >= line.ownedUntil {
                // Somebody else's at this time (rule 7): listed, but its state is not this customer's.
                source.isActive = false
                source.state = .none
                source.willRenew = false
                source.why = "transferred"
            }
            assign(&source, periods)
            sources.append(source)
        }
        return sources
    }

    /// A second non-renewing purchase adds to the first one's end (rules §2.5).
    private func stackNonRenewing(
        _ all: inout [(line: CustomerCase.OwnedLine, periods: [LinePeriod])]
    ) {
        var places: [(line: Int, period: Int)] = []
        for (line, entry) in all.enumerated() {
            for (index, period) in entry.periods.enumerated()
            where period.product?.kind == .nonRenewing && period.product?.extendsCurrent == true {
                places.append((line, index))
            }
        }
        guard places.count > 1 else { return }
        places.sort { left, right in
            let (first, second) = (
                all[left.line].periods[left.period], all[right.line].periods[right.period]
            )
            return (first.start, first.fact.id.high, first.fact.id.low)
                < (second.start, second.fact.id.high, second.fact.id.low)
        }
        var lastEnd: [NameID: Int64] = [:]
        for place in places {
            let period = all[place.line].periods[place.period]
            guard period.cut == .none, period.end != Int64.max else { continue }
            let product = period.fact.product
            if let end = lastEnd[product], end > period.start {
                let shift = end - period.start
                all[place.line].periods[place.period].start = end
                all[place.line].periods[place.period].end = period.end.addingSaturated(shift)
                all[place.line].periods[place.period].naturalEnd = period.end.addingSaturated(shift)
            }
            lastEnd[product] = all[place.line].periods[place.period].end
        }
    }

    /// A purchase for one profile serves nobody until it is assigned (T1).
    private func assign(_ source: inout Source, _ periods: [LinePeriod]) {
        guard let product = catalog?.product(source.product ?? ""), product.scope == .profile else {
            return
        }
        let transactions = Set(periods.map(\.fact.id))
        let profile = Assignments(question).profile(of: transactions, at: question.at)
        source.profile = profile ?? ""
        if profile == nil, source.isActive {
            source.isActive = false
            source.why = "needs_assignment"
        }
    }

    private func grants() -> [Source] {
        question.state.customer.grants.compactMap { grant in
            if isUnits(grant) { return nil }
            var source = Source(kind: .grant, id: question.text(of: grant.id))
            let entitlement = question.names[grant.entitlement]
            let feature = question.names[grant.feature]
            source.entitlements = entitlement.isEmpty ? [] : [entitlement]
            if !feature.isEmpty {
                source.features = [catalog?.feature(named: feature)?.name ?? feature]
            }
            if grant.meter != 0, grant.isUnlimited {
                source.features.append("meter:" + question.names[grant.meter])
            }
            source.profile = grant.profile == 0 ? nil : question.names[grant.profile]
            source.startsAt = grant.startsAt
            let voided = question.state.customer.voids.filter { $0.id == grant.id }
                .map(\.voidedAt).min()
            let end = min(grant.expiresAt.orNil ?? Int64.max, voided ?? Int64.max)
            source.expiresAt = end == Int64.max ? nil : end
            source.isActive = grant.startsAt <= at && at < end
            source.state = source.isActive ? .active : .expired
            if at < grant.startsAt {
                source.state = .pending
                source.why = "not_started"
            } else if !source.isActive {
                source.state = voided.map { $0 <= at } == true ? .voided : .expired
                source.why = source.state == .voided ? "grant_voided" : "expired"
            }
            return source
        }
    }

    /// A grant of units belongs to a meter and is burnt there; one of an entitlement is access, whatever its amount.
    private func isUnits(_ grant: CustomerState.GrantFact) -> Bool {
        guard grant.amount != Event.absent, !grant.isUnlimited, grant.entitlement == 0 else {
            return false
        }
        let feature = question.names[grant.feature]
        return grant.meter != 0 || catalog?.meter(named: feature) != nil
            || catalog?.feature(named: feature)?.meter != nil
    }

    private func freePeriods() -> [Source] {
        guard let catalog else { return [] }
        var sources: [Source] = []
        for rule in catalog.freePeriods {
            for profile in profiles where profile.kind == rule.profileKind && !profile.isDeleted {
                let start = profile.startedAt
                let promised =
                    question.catalog(at: start)?.catalog.freePeriods.first { $0.name == rule.name }
                    ?? rule
                let end = zone.zone(at: start).adding(promised.duration, to: start)
                var source = Source(kind: .freePeriod, id: rule.name)
                source.features = rule.features
                source.profile = profile.profile
                source.startsAt = start
                source.expiresAt = end
                source.isActive = start <= at && at < end
                source.state = source.isActive ? .active : at < start ? .pending : .expired
                source.why = source.isActive ? nil : at < start ? "not_started" : "intro_expired"
                sources.append(source)
            }
        }
        return sources
    }

    /// Profiles as of the asked time, in order of creation; a deleted one stays in the list as deleted.
    static func profiles(_ question: CustomerCase) -> [ProfileAnswer] {
        var profiles: [ProfileAnswer] = []
        for change in question.state.customer.profiles where change.at <= question.at {
            let name = question.names[change.profile]
            let index = profiles.firstIndex { $0.profile == name }
            switch (change.change, index) {
            case (.created, nil), (.restored, nil):
                profiles.append(
                    ProfileAnswer(
                        profile: name, kind: question.names[change.profileKind],
                        createdAt: change.at, startedAt: change.startedAt.orNil ?? change.at,
                        isDeleted: false))
            case (.created, let index?), (.restored, let index?):
                // The same id again is the same profile: its free period goes on (OL-12).
                profiles[index].isDeleted = false
            case (.deleted, let index?): profiles[index].isDeleted = true
            case (.deleted, nil): break
            }
        }
        return profiles
    }
}

extension CustomerCase {
    /// The text of a reference where it is short enough to be known, else its digest.
    func text(of reference: Reference) -> String {
        reference.exactText ?? String(reference.high, radix: 16) + String(reference.low, radix: 16)
    }
}
