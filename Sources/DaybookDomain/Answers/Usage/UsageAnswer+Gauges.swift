import DaybookEvents

extension UsageAnswer {
    // MARK: Gauges and windows

    /// Counts the distinct refs whose latest event is a +1 (rule 13), and the profiles that drive it.
    func gauge(_ meter: Meter, _ profile: String?, _ answer: inout MeterAnswer) {
        let ids = meterIDs(meter)
        var items = gaugeItems(ids, &answer)
        var names: [Reference: String] = [:]
        if let kind = meter.countsProfiles {
            let isCounted = Set(items)
            for profile in entitlements.profiles where profile.kind == kind && !profile.isDeleted {
                let reference = Reference(profile.profile)
                names[reference] = profile.profile
                // Counted by hand as well it is one thing.
                if !isCounted.contains(reference) { items.append(reference) }
            }
        }
        answer.used = Int64(items.count)
        let asked = profile.flatMap { context.names.id(of: $0) } ?? 0
        let extra = unitsGiven(meter, to: asked)
        answer.granted = extra
        if let limit = answer.limit {
            let allowed = limit.addingSaturated(extra)
            answer.limit = allowed
            answer.remaining = max(0, allowed - answer.used)
            answer.excess = max(0, answer.used - allowed)
            if answer.excess > 0 {
                answer.flags.append("over_limit")
                items = pinnedFirst(items, ids)
            }
            items = Array(items.prefix(Int(clamping: allowed)))
        }
        answer.writable = items.compactMap { names[$0] ?? context.name(of: $0) }
    }

    /// What is there, in the order in which it first came.
    private func gaugeItems(_ ids: [NameID], _ answer: inout MeterAnswer) -> [Reference] {
        var present: [Reference: Bool] = [:]
        var order: [Reference] = []
        var flags: Set<String> = []
        for entry in context.state.usage.entries where ids.contains(entry.meter) {
            let isThere = present[entry.reference] ?? false
            let isAdding = entry.amount > 0
            if isThere == isAdding {
                flags.insert(isAdding ? "gauge_duplicate" : "gauge_underflow")
            }
            if present[entry.reference] == nil { order.append(entry.reference) }
            present[entry.reference] = isAdding
        }
        answer.flags = flags.sorted(by: precedesInBytes)
        return order.filter { present[$0] == true }
    }

    /// Over the limit the app chooses what stays writable; without a choice it is the oldest (T20).
    private func pinnedFirst(_ items: [Reference], _ ids: [NameID]) -> [Reference] {
        let there = Set(items)
        var chosen: Set<Reference> = []
        var ordered: [Reference] = []
        for pin in context.state.usage.pins.reversed()
        where pin.meter == 0 || ids.contains(pin.meter) {
            guard there.contains(pin.reference), chosen.insert(pin.reference).inserted else {
                continue
            }
            ordered.append(pin.reference)
        }
        return ordered + items.filter { !chosen.contains($0) }
    }

    func window(_ meter: Meter, _ answer: inout MeterAnswer) {
        guard let days = answer.limit else { return }
        switch meter.windowMode {
        case .rollingMilliseconds:
            answer.visibleFrom = context.at.addingSaturated(-days * 86_400_000)
        case .calendarDays:
            let zone = zone.zone(at: context.at)
            let midnight = CivilDateTime(
                date: zone.civil(at: context.at).date, millisecondOfDay: 0)
            answer.visibleFrom = zone.adding(
                CivilDuration(days: -Int(clamping: days)), to: zone.instant(of: midnight))
        }
    }
}
