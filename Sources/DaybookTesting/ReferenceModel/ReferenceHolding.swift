import DaybookDomain
import DaybookEvents

/// MS-23: which profiles may use a meter while there are more of them than a gauge allows.
struct ReferenceHolding {
    let context: ReferenceCase
    let catalog: Catalog
    let sources: AccessSources

    /// Whether the gauge is over its limit and the profile, or the customer without one, is not among those that it
    /// keeps.
    func holdsBack(_ profile: String?, from meter: Meter) -> Bool {
        guard let gauge = meter.withinGauge.flatMap({ catalog.meter(named: $0) }) else {
            return false
        }
        let answer = ReferenceMeters(context: context, catalog: catalog, sources: sources)
            .answer(gauge)
        guard answer.overage > 0, let limit = answer.limit else { return false }
        guard let profile else { return true }
        return !ordered(gauge).prefix(Int(clamping: limit)).contains(profile)
    }

    /// T20: those that were chosen, the last choice first, then the others from the oldest on.
    private func ordered(_ gauge: Meter) -> [String] {
        let names = Set([gauge.name] + gauge.aliases)
        var order: [String] = []
        var isThere: [String: Bool] = [:]
        var pins: [String] = []
        for event in context.customerEvents where event.occurredAt <= context.at {
            let meter = event.text("meter")
            switch event.type {
            case .usageRecorded:
                guard names.contains(meter ?? ""), let ref = event.text("ref"),
                    let amount = event.integer("amount")
                else { continue }
                if !order.contains(ref) { order.append(ref) }
                isThere[ref] = amount > 0
            case .gaugePinned:
                // Version 1 said profile or item.
                let ref = event.text("ref") ?? event.profile ?? event.text("item")
                if let ref, meter.map(names.contains) ?? true { pins.append(ref) }
            default: break
            }
        }
        order.removeAll { isThere[$0] != true }
        // What was only deleted so far has not come yet.
        let profiles = context.customerEvents.filter {
            [.profileCreated, .profileRestored].contains($0.type)
                && $0.occurredAt <= context.at
        }.compactMap(\.profile)
        let alive = ReferenceProfiles(context).all.filter {
            $0.kind == gauge.countsProfiles && $0.exists(at: context.at)
        }.map(\.name)
        for name in profiles where alive.contains(name) && !order.contains(name) {
            order.append(name)
        }
        var chosen: [String] = []
        for pin in pins.reversed() where order.contains(pin) && !chosen.contains(pin) {
            chosen.append(pin)
        }
        return chosen + order.filter { !chosen.contains($0) }
    }
}
