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
        let limit = limit(of: meter)
        switch meter.kind {
        case .counter:
            var burnDown = BurnDown(
                meter, currentLimit: limit, question, catalog,
                planChanges: PlanTimeline(question, catalog, sources).changes,
                entitledLimit: { entitledLimit(of: meter.name, at: $0) })
            return burnDown.answer()
        case .gauge:
            let count = Int64(refs(of: meter).count)
            return ReferenceAnswer.Meter(
                limit: limit, used: count, reserved: 0, remaining: limit.map { max(0, $0 - count) },
                overage: limit.map { max(0, count - $0) } ?? 0,
                periodStart: MeterPeriod.lifetime.start, periodEnd: MeterPeriod.lifetime.end)
        case .window:
            // T22: a window is not consumption.
            return ReferenceAnswer.Meter(
                limit: limit, used: 0, reserved: 0, remaining: limit, overage: 0,
                periodStart: limit.map { visibleFrom($0, meter.windowMode) } ?? Int64.min,
                periodEnd: question.at)
        }
    }

    /// The most generous of the free limit and those of the active entitlements.
    private func limit(of meter: Meter) -> Int64? {
        let entitled = meter.limitsWith.filter { sources.answer($0.entitlement).isActive }
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

    /// Rule 13: the refs whose latest event is a +1.
    private func refs(of meter: Meter) -> Set<String> {
        let profiles = ReferenceProfiles(question)
        var refs: Set<String> = []
        for event in question.customerEvents where event.occurredAt <= question.at {
            switch event.type {
            case "usage.recorded" where event.text("meter") == meter.name:
                guard let ref = event.text("ref"), let amount = event.integer("amount") else {
                    continue
                }
                if amount > 0 { refs.insert(ref) } else if amount < 0 { refs.remove(ref) }
            case "profile.created", "profile.restored", "profile.deleted":
                // Profile events drive the gauges that the catalog binds to profiles.
                guard let kind = meter.countsProfiles, let name = event.profile,
                    profiles.named(name)?.kind == kind
                else { continue }
                if event.type == "profile.deleted" { refs.remove(name) } else { refs.insert(name) }
            default: break
            }
        }
        return refs
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
