import DaybookDomain
import DaybookEvents

/// The meters of one customer at the asked time.
struct ReferenceMeters {
    let question: ReferenceCase
    let catalog: Catalog
    let sources: AccessSources

    func answers() -> [String: ReferenceAnswer.Meter] {
        let previews = catalog.features.filter { $0.previewUses > 0 }.compactMap {
            catalog.meter(named: CatalogStructure.previewPrefix + $0.name)
        }
        var answers: [String: ReferenceAnswer.Meter] = [:]
        for meter in catalog.meters + previews { answers[meter.name] = answer(meter) }
        return answers
    }

    private func answer(_ meter: Meter) -> ReferenceAnswer.Meter {
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
                meter, currentLimit: limit, question, catalog,
                planChanges: PlanTimeline(question, catalog, sources).changes,
                entitledLimit: { entitledLimit(of: meter.name, at: $0) })
            return burnDown.answer()
        case .gauge:
            let count = Int64(refs(of: meter).count)
            let granted = units(grantedOn: meter)
            let allowed = limit.map { $0 + granted }
            return ReferenceAnswer.Meter(
                limit: allowed, used: count, reserved: 0,
                remaining: allowed.map { max(0, $0 - count) },
                overage: allowed.map { max(0, count - $0) } ?? 0, granted: granted,
                periodStart: MeterPeriod.lifetime.start, periodEnd: MeterPeriod.lifetime.end)
        case .window:
            // T22: a window is not consumption.
            return ReferenceAnswer.Meter(
                limit: limit, used: 0, reserved: 0, remaining: limit, overage: 0,
                periodStart: limit.map { visibleFrom($0, meter.windowMode) } ?? Int64.min,
                periodEnd: question.at)
        }
    }

    /// The most generous of the free limit and those of the active sources that serve the customer as a whole.
    private func limit(of meter: Meter) -> Int64? {
        let active = sources.serving(nil).filter(\.isActive)
        let entitled = meter.limitsWith.filter { rule in
            active.contains { $0.entitlements.contains(rule.entitlement) }
        }
        let limits = [meter.limit] + entitled.map(\.limit)
        return limits.contains(nil) ? nil : limits.compactMap(\.self).max()
    }

    /// What the entitlements of another time allowed in numbers.
    private func entitledLimit(of meter: String, at instant: Int64) -> Int64? {
        let then = question.moved(to: instant)
        guard let catalog = then.catalog(at: instant), let rule = catalog.meter(named: meter) else {
            return nil
        }
        let sources = AccessSources(then, catalog, ReferenceProfiles(then))
        return rule.limitsWith.filter { sources.answer($0.entitlement).isActive }
            .compactMap(\.limit).max()
    }

    /// The source that is shown for having no limit: by the catalog, by its own grant, or because it opens the feature
    /// that the meter counts.
    private func freeing(_ meter: Meter) -> AccessSource? {
        let features = catalog.features.filter { $0.meter == meter.name }.map(\.name)
        let unlimited = meter.limitsWith.filter { $0.limit == nil }.map(\.entitlement)
        return sources.serving(nil).first { source in
            guard source.isActive else { return false }
            return source.meter == meter.name || source.features.contains(meter.name)
                || features.contains { source.features.contains($0) }
                || source.entitlements.contains { name in
                    unlimited.contains(name)
                        || features.contains { catalog.entitlement(name)?.opens($0) == true }
                }
        }
    }

    /// Units given on a gauge raise its limit while they last.
    private func units(grantedOn meter: Meter) -> Int64 {
        Grants(question).all.filter {
            $0.isUnits(catalog) && $0.meter(catalog) == meter.name
                && $0.startsAt <= question.at && question.at < $0.end
        }.map { max(0, $0.event.integer("amount") ?? 0) }.reduce(0, +)
    }

    /// Rule 13: the refs whose latest event is a +1.
    private func refs(of meter: Meter) -> Set<String> {
        let profiles = ReferenceProfiles(question)
        var refs: Set<String> = []
        for event in question.customerEvents where event.occurredAt <= question.at {
            guard event.type == "usage.recorded",
                ([meter.name] + meter.aliases).contains(event.text("meter") ?? ""),
                let ref = event.text("ref"), let amount = event.integer("amount")
            else { continue }
            if amount > 0 { refs.insert(ref) } else if amount < 0 { refs.remove(ref) }
        }
        // Profile events drive the gauges that the catalog binds to profiles.
        guard let kind = meter.countsProfiles else { return refs }
        return refs.union(
            profiles.all.filter { $0.kind == kind && $0.exists(at: question.at) }.map(\.name))
    }

    /// E71: exact time, or the local midnight that begins the first visible day (FR-04).
    private func visibleFrom(_ days: Int64, _ mode: Meter.WindowMode) -> Int64 {
        switch mode {
        case .rollingMilliseconds: return question.at - days * 86_400_000
        case .calendarDays:
            let zone = question.zoneHistory.zone(at: question.at)
            let today = zone.civil(at: question.at).date.daysSinceEpoch
            let first = CivilDate(daysSinceEpoch: today - Int(days))
            return zone.instant(of: CivilDateTime(date: first, millisecondOfDay: 0))
        }
    }
}
