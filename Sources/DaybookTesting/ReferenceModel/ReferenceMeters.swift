import DaybookDomain
import DaybookEvents

/// The meters of one customer at the asked time, as a profile, or the customer without one, may use them.
struct ReferenceMeters {
    let context: ReferenceCase
    let catalog: Catalog
    let sources: AccessSources
    var profile: String?

    func answers() -> [String: ReferenceAnswer.Meter] {
        let previews = catalog.features.filter { $0.previewUses > 0 }.compactMap {
            catalog.meter(named: CatalogStructure.previewPrefix + $0.name)
        }
        var answers: [String: ReferenceAnswer.Meter] = [:]
        for meter in catalog.meters + previews { answers[meter.name] = answer(meter) }
        return answers
    }

    func answer(_ meter: Meter) -> ReferenceAnswer.Meter {
        let freedBy = meter.limit == nil ? nil : freeing(meter)
        let limit = freedBy == nil ? limit(of: meter) : nil
        var answer = numbers(meter, limit)
        answer.freedBy = freedBy.map(ReferenceFeatures.word(granting:))
        return answer
    }

    private func numbers(_ meter: Meter, _ limit: Int64?) -> ReferenceAnswer.Meter {
        switch meter.kind {
        case .counter:
            var burnDown = BurnDown(
                meter, currentLimit: limit, context, catalog,
                plans: PlanTimeline(context, catalog, sources), profile: profile,
                entitledLimit: { entitledLimit(of: meter.name, at: $0) })
            return burnDown.answer()
        case .gauge, .reading:
            // What is there now, counted or read.
            let value =
                meter.kind == .gauge ? Int64(refs(of: meter).count) : latestReading(of: meter)
            let granted = units(grantedOn: meter)
            let allowed = limit.map { $0 + granted }
            return ReferenceAnswer.Meter(
                limit: allowed, used: value, reserved: 0,
                remaining: allowed.map { max(0, $0 - value) },
                overage: allowed.map { max(0, value - $0) } ?? 0, granted: granted,
                periodStart: MeterPeriod.lifetime.start, periodEnd: MeterPeriod.lifetime.end)
        case .window:
            // T22: a window is not consumption.
            return ReferenceAnswer.Meter(
                limit: limit, used: 0, reserved: 0, remaining: limit, overage: 0,
                periodStart: limit.map { visibleFrom($0, meter.windowMode) } ?? Int64.min,
                periodEnd: context.at)
        }
    }

    /// The most generous of the free limit and the numbers of the active sources that serve the customer as a whole:
    /// sources without any limit were looked for before.
    private func limit(of meter: Meter) -> Int64? {
        let active = sources.serving(nil).filter(\.isActive)
        let entitled = meter.limitsWith.filter { rule in
            active.contains { $0.entitlements.contains(rule.entitlement) }
        }
        guard let free = meter.limit else { return nil }
        return ([free] + entitled.compactMap(\.limit)).max()
    }

    /// What the entitlements of another time allowed in numbers.
    private func entitledLimit(of meter: String, at instant: Int64) -> Int64? {
        if !context.isEverLimited(meter) { return nil }
        let then = context.moved(to: instant)
        guard let catalog = then.catalog(at: instant), let rule = catalog.meter(named: meter) else {
            return nil
        }
        let numbered = rule.limitsWith.filter { $0.limit != nil }
        if numbered.isEmpty { return nil }
        let sources = AccessSources(then, catalog, ReferenceProfiles(then))
        return numbered.filter { sources.answer($0.entitlement).isActive }.compactMap(\.limit).max()
    }

    /// The source that is shown for having no limit: by the catalog, by its own grant, or because it opens the feature
    /// that the meter counts, or previews.
    private func freeing(_ meter: Meter) -> AccessSource? {
        let features = catalog.features.filter { feature in
            feature.meter == meter.name
                || feature.meter == nil && feature.previewUses > 0
                    && CatalogStructure.previewPrefix + feature.name == meter.name
        }.map(\.name)
        return sources.serving(profile).first { source in
            guard source.isActive else { return false }
            let names = Set([meter.name] + meter.aliases + features)
            return source.meter == meter.name || source.features.contains(where: names.contains)
                || source.entitlements.contains { frees($0, meter, features) }
        }
    }

    /// What the catalog says of an entitlement and this meter is meant; where it says nothing, opening the feature that
    /// the meter counts frees the meter.
    private func frees(_ entitlement: String, _ meter: Meter, _ features: [String]) -> Bool {
        let said = meter.limitsWith.filter { $0.entitlement == entitlement }
        if !said.isEmpty { return said.contains { $0.limit == nil } }
        return features.contains { catalog.entitlement(entitlement)?.opens($0) == true }
    }

    /// Units given on a gauge raise its limit while they last.
    private func units(grantedOn meter: Meter) -> Int64 {
        Grants(context).all.filter {
            $0.isUnits(catalog) && $0.meter(catalog) == meter.name
                && $0.startsAt <= context.at && context.at < $0.end
                && ($0.event.profile == nil || $0.event.profile == profile)
        }.map { max(0, $0.event.integer("amount") ?? 0) }.reduce(0, +)
    }

    /// The last that was read by then and was not taken back; what an amendment sets below 0 counts as 0.
    private func latestReading(of meter: Meter) -> Int64 {
        let names = [meter.name] + meter.aliases
        let usage = context.customerEvents.filter { $0.type.isOf(.usage) }
        let last = usage.last {
            $0.type == .usageRecorded && names.contains($0.text("meter") ?? "")
                && !CounterUses.isReversed([$0.key, $0.text("ref")], on: names, usage)
        }
        return max(0, last?.integer("amount") ?? 0)
    }

    /// Rule 13: the refs whose latest event is a +1.
    private func refs(of meter: Meter) -> Set<String> {
        let profiles = ReferenceProfiles(context)
        var refs: Set<String> = []
        for event in context.customerEvents where event.occurredAt <= context.at {
            guard event.type == .usageRecorded,
                ([meter.name] + meter.aliases).contains(event.text("meter") ?? ""),
                let ref = event.text("ref"), let amount = event.integer("amount")
            else { continue }
            if amount > 0 { refs.insert(ref) } else if amount < 0 { refs.remove(ref) }
        }
        // Profile events drive the gauges that the catalog binds to profiles.
        guard let kind = meter.countsProfiles else { return refs }
        return refs.union(
            profiles.all.filter { $0.kind == kind && $0.exists(at: context.at) }.map(\.name))
    }

    /// E71: exact time, or the local midnight that begins the first visible day (FR-04).
    private func visibleFrom(_ days: Int64, _ mode: Meter.WindowMode) -> Int64 {
        switch mode {
        case .rollingMilliseconds: return context.at - days * 86_400_000
        case .calendarDays:
            let zone = context.zoneHistory.zone(at: context.at)
            let today = zone.civil(at: context.at).date.daysSinceEpoch
            let first = CivilDate(daysSinceEpoch: today - Int(days))
            return zone.instant(of: CivilDateTime(date: first, millisecondOfDay: 0))
        }
    }
}
