import DaybookDomain
import DaybookEvents

/// The app's own words for a customer and its profiles, the ads, and who may still have an introductory offer, by the
/// catalog's grammar (docs/catalog.md) and docs/rules.md#offers.
struct ReferenceStatus {
    let context: ReferenceCase
    let catalog: Catalog
    let sources: AccessSources
    /// As the customer may use them without naming a profile.
    let meters: [String: ReferenceAnswer.Meter]

    // MARK: Words

    /// What the first rule says that holds for any of some views; `nil` among them is the customer as a whole.
    func word(for views: [String?]) -> ReferenceAnswer.Word {
        for rule in catalog.statuses {
            guard let view = views.first(where: { holds(rule.condition, $0) }) else { continue }
            let source = source(of: rule.condition, view)
            let usage = rule.meter.flatMap { meters[$0] }
            var word = ReferenceAnswer.Word(status: rule.status, profile: view)
            if let key = rule.text {
                word.text = text(key, usage, source)
                word.pluralSafeText = word.text.map { safe(key, usage, source) ?? $0 }
            }
            for slot in rule.attributes {
                word.attributes[slot.slot] = text(slot.key, usage, source) ?? slot.key
            }
            word.attributes.merge(flags(view)) { $1 }
            return word
        }
        return ReferenceAnswer.Word(profile: views[0], attributes: flags(views[0]))
    }

    private func flags(_ view: String?) -> [String: String] {
        var flags: [String: String] = [:]
        for flag in catalog.flags {
            let isSo = giving(flag.entitlement, view).contains { source in
                source.isActive && (!flag.isUnbounded || source.end == nil)
                    && isOne(of: flag.states, source)
            }
            flags[flag.name] = isSo ? "true" : "false"
        }
        return flags
    }

    private func holds(_ condition: StatusRule.Condition, _ view: String?) -> Bool {
        switch condition {
        case .otherwise: return true
        case .meterExhausted(let name): return meters[name]?.remaining == 0
        case .freePeriodActive(let name): return freePeriod(name, view)?.isActive == true
        case .freePeriodExpired(let name): return freePeriod(name, view)?.state == "expired"
        case .state(let name, let states):
            return states.contains(giving(name, view).first?.state ?? "none")
        case .entitled(let name, let states, let product):
            guard let shown = giving(name, view).first, shown.isActive else { return false }
            return isOne(of: states, shown) && (product == nil || shown.product == product)
        }
    }

    private func isOne(of states: [String], _ source: AccessSource) -> Bool {
        states.isEmpty || states.contains(source.state) || states.contains(Self.kind(source))
    }

    /// The states that are kinds of a source: `family` is one, whatever the subscription's own state is.
    private static func kind(_ source: AccessSource) -> String {
        ["debug", "lifetime", "", "family", "grant", "intro_period"][source.displayClass]
    }

    private func giving(_ entitlement: String, _ view: String?) -> [AccessSource] {
        sources.serving(view).filter { $0.entitlements.contains(entitlement) }
    }

    private func freePeriod(_ name: String, _ view: String?) -> AccessSource? {
        sources.all.first { $0.displayClass == 5 && $0.name == name && $0.profile == view }
    }

    private func source(of condition: StatusRule.Condition, _ view: String?) -> AccessSource? {
        switch condition {
        case .entitled(let name, _, _), .state(let name, _): giving(name, view).first
        case .freePeriodActive(let name), .freePeriodExpired(let name): freePeriod(name, view)
        case .meterExhausted, .otherwise: nil
        }
    }

    // MARK: Texts

    private func text(
        _ key: String, _ usage: ReferenceAnswer.Meter?, _ source: AccessSource?
    ) -> String? {
        guard var text = catalog.copy[key]?[catalog.defaultLocale] else { return nil }
        func fill(_ name: String, _ value: () -> String?) {
            guard text.contains("{\(name)}"), let value = value() else { return }
            text = text.replacing("{\(name)}", with: value)
        }
        fill("used") { usage.map { String($0.used) } }
        fill("limit") { usage?.limit.map { String($0) } }
        fill("remaining") { usage?.remaining.map { String($0) } }
        fill("days") { source.flatMap { days($0) }.map { String($0) } }
        fill("expires") { source?.end.map(date) }
        return text
    }

    /// DZ-02: where what is counted is one, the singular that the catalog has.
    private func safe(
        _ key: String, _ usage: ReferenceAnswer.Meter?, _ source: AccessSource?
    ) -> String? {
        let isFree = source?.displayClass == 5
        let count = isFree ? source.flatMap { days($0) } : usage?.remaining
        return count == 1 ? text("\(key).one", usage, source) : nil
    }

    private func date(_ instant: Int64) -> String {
        String(RFC3339.format(instant, in: context.zoneHistory.zone(at: instant)).prefix(10))
    }

    /// T4: whole days promised less whole days gone, by the wall clock of the zone at the beginning, counted one by
    /// one; 0 once it is over.
    private func days(_ source: AccessSource) -> Int64? {
        guard let end = source.end else { return nil }
        guard context.at < end else { return 0 }
        let start = source.startsAt ?? context.at
        let zone = context.zoneHistory.zone(at: start)
        func whole(until instant: Int64) -> Int64 {
            var days: Int64 = 0
            while zone.adding(CivilDuration(days: Int(days + 1)), to: start) <= instant {
                days += 1
            }
            return days
        }
        return max(0, whole(until: end) - whole(until: max(start, context.at)))
    }

    // MARK: Profiles

    /// OL-03: days left of the free period, -1 with a purchase or grant, `nil` where there is no such period.
    func freeDays(of profile: String) -> Int64? {
        guard let free = sources.all.first(where: { $0.displayClass == 5 && $0.profile == profile })
        else { return nil }
        return isEntitled(profile) ? -1 : days(free)
    }

    func isEntitled(_ profile: String) -> Bool {
        sources.serving(profile).contains { $0.isActive && !$0.entitlements.isEmpty }
    }

    // MARK: Ads and offers

    /// Shown unless it is off, consent is withdrawn, or the feature that hides it is open.
    /// - Parameter isAllowed: Whether a feature may be used, asked without a profile.
    func ads(isSuspended: Bool, isAllowed: (String) -> Bool) -> [String: Bool] {
        var ads: [String: Bool] = [:]
        for placement in catalog.ads {
            ads[placement.name] =
                placement.isEnabled && !isSuspended
                && !(placement.hiddenBy.map(isAllowed) ?? false)
        }
        return ads
    }

    /// No introductory offer was used in the group, in any lineage that is or was the customer's (transfers included);
    /// rule 10: those before a reset of the eligibility do not count.
    func introEligible() -> [String: Bool] {
        let resetAt = DebugOverrides(context).active("reset_trial_eligibility").map(\.setAt).max()
        let used = context.everOwned.flatMap { lineage in
            lineage.facts.transactions.filter {
                $0.purchase.word("offer.type") == "introductory"
                    && $0.startsAt >= resetAt ?? Int64.min
            }
        }
        let groups = Set(used.compactMap { catalog.product($0.product)?.group })
        return Dictionary(
            uniqueKeysWithValues: catalog.groups.map { ($0.name, !groups.contains($0.name)) })
    }
}
