import DaybookDomain
import DaybookEvents

/// Whether each feature may be used, and the word that says why (docs/rules.md#decision).
struct ReferenceFeatures {
    let context: ReferenceCase
    let catalog: Catalog
    let sources: AccessSources

    /// - Parameter meters: As the profile may use them.
    func answers(
        profile: String?, meters: [String: ReferenceAnswer.Meter]
    ) -> [String: ReferenceAnswer.Feature] {
        var answers: [String: ReferenceAnswer.Feature] = [:]
        for feature in catalog.features {
            answers[feature.name] =
                isSuspended
                ? ReferenceAnswer.Feature(isAllowed: false, reason: .consentRescinded)
                : answer(feature, profile, meters)
        }
        return answers
    }

    /// DZ-43: the catalog closes everything while consent is withdrawn.
    var isSuspended: Bool { catalog.policies.suspendsWithoutConsent && isConsentWithdrawn }

    /// DZ-43: the last word about consent by T.
    private var isConsentWithdrawn: Bool {
        let said = context.customerEvents.last {
            $0.type.isOf(.consent) && $0.occurredAt <= context.at
        }
        return said?.type == .consentRescinded
    }

    private func answer(
        _ feature: Feature, _ profile: String?, _ meters: [String: ReferenceAnswer.Meter]
    ) -> ReferenceAnswer.Feature {
        let serving = sources.serving(profile)
        let opening = serving.filter { opens($0, feature) }
        let counted = (feature.meter ?? Self.preview(feature)).flatMap { catalog.meter(named: $0) }
        let isHeldBack =
            counted.map {
                ReferenceHolding(context: context, catalog: catalog, sources: sources)
                    .holdsBack(profile, from: $0)
            } ?? false
        if let source = opening.first, source.isActive {
            // Where all that opens it has a number on its meter, the numbers are left or are not.
            let isOver = isHeldBack || meter(of: feature, meters)?.remaining == 0
            if isOver, opening.filter(\.isActive).allSatisfy({ isNumbered($0, feature) }) {
                return denied(.limitReached, feature)
            }
            return granted(Self.word(granting: source))
        }
        if feature.isFree { return granted(.freeFeature) }
        if let meter = meter(of: feature, meters) {
            return isHeldBack ? denied(.limitReached, feature) : quota(meter, feature)
        }
        // NZ-08: nothing is known of a subscription but that there is one.
        let unknown = serving.contains {
            $0.state == "pending" && $0.displayClass == 2 && $0.startsAt == nil
        }
        if unknown {
            return denied(.unknownState, feature)
        }
        let words = opening.compactMap(Self.word(denying:))
        return denied(words.first ?? .notEntitled, feature)
    }

    /// A free quota opens what nothing else opens (FR-26).
    private func quota(
        _ meter: ReferenceAnswer.Meter, _ feature: Feature
    ) -> ReferenceAnswer.Feature {
        guard let remaining = meter.remaining else { return granted(meter.freedBy ?? .freeQuota) }
        if remaining < 1 { return denied(.limitReached, feature) }
        let isGrant = remaining <= meter.granted && meter.granted > 0
        return granted(isGrant ? .grant : .freeQuota)
    }

    private func granted(_ reason: DecisionReason) -> ReferenceAnswer.Feature {
        ReferenceAnswer.Feature(isAllowed: true, reason: reason)
    }

    /// FR-25: soft allows and prompts.
    private func denied(_ reason: DecisionReason, _ feature: Feature) -> ReferenceAnswer.Feature {
        ReferenceAnswer.Feature(isAllowed: feature.enforcement == .soft, reason: reason)
    }

    /// Whether a source opens a feature only for entitlements to which the catalog gives a number on its meter.
    private func isNumbered(_ source: AccessSource, _ feature: Feature) -> Bool {
        guard let meter = feature.meter.flatMap({ catalog.meter(named: $0) }) else { return false }
        let counted = catalog.features.filter { $0.meter == meter.name }
        let isGiven = source.features.contains { name in
            ([meter.name] + meter.aliases + counted.map(\.name)).contains(name)
        }
        if isGiven || source.meter == meter.name { return false }
        let rules = meter.limitsWith.filter { source.entitlements.contains($0.entitlement) }
        let silent = source.entitlements.filter { name in
            !rules.contains { $0.entitlement == name }
                && counted.contains { catalog.entitlement(name)?.opens($0.name) == true }
        }
        return !rules.isEmpty && silent.isEmpty && rules.allSatisfy { $0.limit != nil }
    }

    private func opens(_ source: AccessSource, _ feature: Feature) -> Bool {
        source.features.contains(feature.name)
            || source.entitlements.contains { catalog.entitlement($0)?.opens(feature.name) == true }
    }

    static func word(granting source: AccessSource) -> DecisionReason {
        switch (source.displayClass, source.state) {
        case (0, _): .debug
        case (1, _): .lifetime
        case (3, _): .family
        case (4, _): .grant
        case (5, _): .freePeriod
        case (_, "trial"): .trial
        case (_, "grace"): .grace
        default: .subscription
        }
    }

    /// What ended, and how; `nil` for what never began.
    private static func word(denying source: AccessSource) -> DecisionReason? {
        switch source.state {
        case "refunded", "revoked", "billing_retry", "unverified":
            DecisionReason(rawValue: source.state)
        case "expired": source.displayClass == 5 ? .freePeriodExpired : .expired
        default: nil
        }
    }

    private func meter(
        of feature: Feature, _ meters: [String: ReferenceAnswer.Meter]
    ) -> ReferenceAnswer.Meter? {
        (feature.meter ?? Self.preview(feature)).flatMap { meters[$0] }
    }

    private static func preview(_ feature: Feature) -> String? {
        feature.previewUses > 0 ? CatalogStructure.previewPrefix + feature.name : nil
    }
}
