import DaybookEvents

/// Answers `check` from one case: pure, and the same for every caller that sees the same cut.
public final class Check {
    package let context: CustomerCase
    /// The sources on which decisions rest.
    public let entitlements: EntitlementsAnswer
    /// The answers about meters on which decisions rest.
    public let usage: UsageAnswer
    /// The catalog in force for the customer at the case's time.
    public let catalog: Catalog

    /// `nil` while no catalog is published.
    public convenience init?(_ context: CustomerCase) {
        self.init(context, EntitlementsAnswer(context))
    }

    /// The same where the customer's sources are gathered already.
    /// - Parameter entitlements: Of this case, or of one that differs from it in usage alone.
    package init?(_ context: CustomerCase, _ entitlements: EntitlementsAnswer) {
        guard let catalog = entitlements.catalog, let usage = UsageAnswer(context, entitlements)
        else { return nil }
        self.context = context
        self.entitlements = entitlements
        self.usage = usage
        self.catalog = catalog
    }

    /// - Throws: `UnknownName` with the nearest name that the catalog has.
    public func decide(_ asked: CheckQuestion) throws(UnknownName) -> Decision {
        var decision = try bareDecision(asked)
        finish(&decision, asked)
        return decision
    }

    /// The decision without the paywall and the text that a person would be shown, for callers that compare many.
    public func bareDecision(_ asked: CheckQuestion) throws(UnknownName) -> Decision {
        let decision = try openDecision(asked)
        guard isSuspended else { return decision }
        return withoutConsent(decision)
    }

    /// Whether the catalog lets nothing be used while consent is withdrawn, and it is (DZ-43).
    var isSuspended: Bool {
        catalog.policies.suspendsWithoutConsent
            && context.state.customer.isConsentWithdrawn(at: context.at)
    }

    /// Nothing opens it, whatever would without the withdrawal; the numbers stay what they are.
    private func withoutConsent(_ decision: Decision) -> Decision {
        var decision = decision
        decision.allowed = false
        decision.isPrompting = false
        decision.enforcement = .hard
        decision.reason = .consentRescinded
        decision.source = nil
        return decision
    }

    private func openDecision(_ asked: CheckQuestion) throws(UnknownName) -> Decision {
        if let meter = catalog.meter(named: asked.name) { return decide(meter, asked) }
        guard let feature = catalog.feature(named: asked.name) else {
            let known =
                catalog.features.flatMap { [$0.name] + $0.aliases } + catalog.meters.map(\.name)
            throw UnknownName(name: asked.name, nearest: NearestName.of(asked.name, among: known))
        }
        return decide(feature, asked)
    }

    private func empty(_ asked: CheckQuestion) -> Decision {
        Decision(
            allowed: false, reason: .notEntitled, enforcement: .hard, profile: asked.profile,
            amount: asked.amount, candidates: [], isPrompting: false, flags: [])
    }

    // MARK: Features

    /// - Parameter takesQuota: Whether a free quota may open what nothing else opens.
    func decide(
        _ feature: Feature, _ asked: CheckQuestion, takesQuota: Bool = true
    ) -> Decision {
        var decision = empty(asked)
        decision.feature = feature.name
        decision.enforcement = feature.enforcement
        let profile = profile(for: feature, asked, &decision)
        decision.profile = profile
        let candidates = entitlements.sources(for: profile).filter {
            $0.opens(feature.name, catalog) || $0.why == .unknownProduct
                || $0.why == .unknownState
        }.sorted(by: EntitlementsAnswer.isShownBefore)
        decision.candidates = candidates
        if let source = candidates.first(where: \.isActive) {
            decision.allowed = true
            decision.reason = source.grantedReason
            decision.source = source
            guard takesQuota, let meter = numbered(feature, by: candidates) else { return decision }
            return quota(meter, feature, asked, decision)
        }
        if feature.isFree {
            decision.allowed = true
            decision.reason = .freeFeature
            return decision
        }
        decision.reason = deniedReason(candidates)
        if takesQuota, let name = feature.meter ?? previewMeter(feature),
            let meter = catalog.meter(named: name)
        {
            return quota(meter, feature, asked, decision)
        }
        if feature.enforcement == .soft { prompt(&decision) }
        return decision
    }

    private func previewMeter(_ feature: Feature) -> String? {
        feature.previewUses > 0 ? "preview.\(feature.name)" : nil
    }

    /// The meter whose number is all that opens a feature: where each source that opens it does so for an entitlement
    /// to which the catalog gives a number there.
    private func numbered(_ feature: Feature, by candidates: [Source]) -> Meter? {
        guard let meter = feature.meter.flatMap({ catalog.meter(named: $0) }) else { return nil }
        let isNumbered = candidates.filter(\.isActive).allSatisfy { source in
            let share = MeterShare(of: source, in: meter, catalog)
            return !share.isUnlimited && share.number != nil
        }
        return isNumbered ? meter : nil
    }

    /// A free quota opens a feature that nothing else opens, and a quota with an entitlement what that opens.
    private func quota(
        _ meter: Meter, _ feature: Feature, _ asked: CheckQuestion, _ locked: Decision
    ) -> Decision {
        var asked = asked
        asked.profile = locked.profile
        var decision = decide(meter, asked)
        decision.feature = feature.name
        decision.profile = locked.profile
        decision.candidates = locked.candidates
        if decision.allowed, let source = locked.source {
            decision.source = source
            decision.reason = source.grantedReason
        }
        // Asked for a feature, its own enforcement rules, whatever the meter's is (FR-25).
        decision.enforcement = feature.enforcement
        if decision.reason == .limitReached {
            decision.allowed = feature.enforcement == .soft
            decision.isPrompting = decision.allowed
        }
        return decision
    }

    /// The profile that is meant: the one given, or the only one there is.
    private func profile(
        for feature: Feature, _ asked: CheckQuestion, _ decision: inout Decision
    ) -> String? {
        guard feature.scope == .profile, asked.profile == nil else {
            if let profile = asked.profile, entitlements.livingProfile(profile) == nil {
                decision.flags.append("unknown_profile")
            }
            return asked.profile
        }
        let alive = entitlements.profiles.filter { !$0.isDeleted }
        if alive.count == 1 { return alive[0].profile }
        decision.flags.append("profile_required")
        return nil
    }

    private func deniedReason(_ candidates: [Source]) -> DecisionReason {
        if candidates.contains(where: { $0.why == .unknownState }) {
            return .unknownState
        }
        let closest = candidates.first { $0.deniedReason != .notEntitled } ?? candidates.first
        return closest?.deniedReason ?? .notEntitled
    }

    // MARK: Meters

    private func decide(_ meter: Meter, _ asked: CheckQuestion) -> Decision {
        var decision = empty(asked)
        decision.meter = meter.name
        decision.enforcement = meter.enforcement
        let answer = usage.answer(meter, profile: asked.profile)
        decision.usage = answer
        if let required = meter.requires, let feature = catalog.feature(named: required) {
            // Without the feature's own quota: a use of this meter burns nothing of that one, and a quota that stands
            // behind the feature that it opens could never be decided.
            let gate = decide(feature, asked, takesQuota: false)
            guard gate.allowed else {
                decision.feature = feature.name
                decision.reason = gate.reason
                decision.candidates = gate.candidates
                return decision
            }
            decision.source = gate.source
        }
        decision.candidates = candidates(for: meter)
        if let refused = heldBack(meter, asked, decision) { return refused }
        if meter.kind == .window { return window(answer, asked, decision) }
        guard let remaining = answer.remaining else {
            decision.allowed = true
            decision.source = answer.coveredBy ?? decision.source
            decision.reason = decision.source?.grantedReason ?? .freeQuota
            return decision
        }
        if remaining >= asked.amount {
            decision.allowed = true
            decision.reason =
                remaining > answer.granted || answer.granted == 0 ? .freeQuota : .grant
            return decision
        }
        decision.reason = .limitReached
        if meter.enforcement == .soft { prompt(&decision) }
        return decision
    }

    /// While more profiles are there than a gauge allows, only those that it keeps writable may use the meter, and a
    /// use says which one it is for (MS-23).
    private func heldBack(
        _ meter: Meter, _ asked: CheckQuestion, _ decision: Decision
    ) -> Decision? {
        guard let gauge = meter.withinGauge.flatMap({ catalog.meter(named: $0) }) else {
            return nil
        }
        let answer = usage.answer(gauge)
        guard answer.excess > 0 else { return nil }
        if let profile = asked.profile,
            answer.writable.contains(where: { haveSameBytes($0, profile) })
        {
            return nil
        }
        var decision = decision
        decision.meter = gauge.name
        decision.usage = answer
        decision.enforcement = gauge.enforcement
        decision.reason = .limitReached
        decision.flags.append(asked.profile == nil ? "profile_required" : "profile_over_limit")
        if gauge.enforcement == .soft { prompt(&decision) }
        return decision
    }

    private func window(
        _ answer: MeterAnswer, _ asked: CheckQuestion, _ decision: Decision
    ) -> Decision {
        var decision = decision
        decision.allowed = true
        decision.source = answer.coveredBy
        decision.reason = answer.coveredBy?.grantedReason ?? .freeQuota
        if let item = asked.itemAt, let from = answer.visibleFrom, item < from {
            decision.allowed = false
            decision.reason = .windowExceeded
        }
        return decision
    }

    private func candidates(for meter: Meter) -> [Source] {
        if meter.limitsWith.isEmpty || entitlements.sources.isEmpty { return [] }
        let names = Set(meter.limitsWith.map(\.entitlement))
        return entitlements.sources.filter { !names.isDisjoint(with: $0.entitlements) }
            .sorted(by: EntitlementsAnswer.isShownBefore)
    }

    private func prompt(_ decision: inout Decision) {
        decision.allowed = true
        decision.isPrompting = true
    }

    // MARK: Paywall and text

    private func finish(_ decision: inout Decision, _ asked: CheckQuestion) {
        let locale = asked.locale ?? catalog.defaultLocale
        let texts = DisplayTexts(context: context, catalog: catalog, locale: locale)
        if !decision.allowed || decision.isPrompting {
            decision.paywall = paywall(decision, asked)
        }
        let meter = decision.meter.flatMap { catalog.meter(named: $0) }
        let feature = decision.feature.flatMap { catalog.feature(named: $0) }
        let copy = copy(decision, meter, feature)
        let source = copy.source ?? decision.source ?? decision.candidates.first
        decision.display = texts.display(copy.text, usage: decision.usage, source: source)
        decision.title = texts.display(copy.title, usage: decision.usage, source: source)
    }

    /// What a meter refuses names the meter's own context, everything else the restricted feature.
    private func paywall(_ decision: Decision, _ asked: CheckQuestion) -> PaywallAnswer {
        let isMeters = decision.reason == .limitReached || decision.reason == .windowExceeded
        let meter = decision.meter.flatMap { catalog.meter(named: $0) }
        let name = decision.feature ?? decision.meter ?? asked.name
        let context =
            isMeters
            ? meter?.paywallContext ?? "usageLimitReached" : "featureRestricted(\(name))"
        let word = context.prefix { $0 != "(" }
        let inner = context.dropFirst(word.count + 1).dropLast()
        return PaywallAnswer(
            context: String(word),
            feature: isMeters && !inner.isEmpty ? String(inner) : decision.feature,
            products: (catalog.paywall(context: context)?.products ?? sellingProducts(decision))
                .filter { !isOwnedForGood($0) })
    }

    /// Whether the store would not charge for it again: a non-consumable that the customer has and keeps.
    private func isOwnedForGood(_ product: String) -> Bool {
        catalog.product(product)?.kind == .nonConsumable
            && entitlements.sources.contains {
                $0.product.map { haveSameBytes($0, product) } ?? false
                    && ($0.isActive || $0.why == .needsAssignment)
            }
    }

    /// Copy keys of what people are told and of the heading above it, and the source whose numbers stand in them where
    /// that is not the decision's own.
    private struct Copy {
        var text: String?
        var title: String?
        var source: Source?
    }

    private func copy(_ decision: Decision, _ meter: Meter?, _ feature: Feature?) -> Copy {
        if decision.allowed, !decision.isPrompting {
            if decision.usage != nil, decision.usage?.remaining == nil, meter?.kind != .window {
                return Copy(text: meter?.unlimitedText ?? meter?.statusText)
            }
            // Of a meter its own numbers are told, whatever opens what it requires.
            if decision.feature != nil, let source = decision.source, source.kind == .freePeriod,
                let text = catalog.freePeriod(source.id)?.activeText
            {
                return Copy(text: text)
            }
            return Copy(
                text: meter?.statusText ?? feature?.descriptionText ?? feature?.displayName)
        }
        switch decision.reason {
        case .consentRescinded: return Copy()
        case .limitReached:
            // A request for more than is left must not be answered with what is left as if that were enough.
            let isEmpty = decision.usage?.remaining == 0
            return Copy(
                text: meter?.limitReachedText ?? meter?.limitReachedTitle
                    ?? (isEmpty ? meter?.statusText : nil),
                title: meter?.limitReachedTitle)
        case .freePeriodExpired:
            // The period that opened it, which need not be the catalog's first.
            let source = decision.candidates.first { $0.kind == .freePeriod }
            guard let period = source.flatMap({ catalog.freePeriod($0.id) }) else { break }
            return Copy(
                text: period.expiredText ?? period.expiredTitle ?? feature?.lockedText,
                title: period.expiredTitle, source: source)
        default: break
        }
        return Copy(
            text: feature?.lockedText ?? meter?.limitReachedText ?? meter?.limitReachedTitle
                ?? feature?.displayName, title: meter?.limitReachedTitle)
    }

    private func sellingProducts(_ decision: Decision) -> [String] {
        catalog.products.filter { product in
            guard let feature = decision.feature else { return !product.entitlements.isEmpty }
            return product.entitlements.contains { name in
                catalog.entitlement(name)?.features.contains { $0 == feature || $0 == "*" } ?? false
            }
        }.map(\.id)
    }
}
