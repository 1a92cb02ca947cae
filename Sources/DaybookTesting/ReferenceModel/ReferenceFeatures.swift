import DaybookDomain
import DaybookEvents

/// Whether each feature may be used, and the word that says why (rules.md §2.10).
struct ReferenceFeatures {
    let question: ReferenceCase
    let catalog: Catalog
    let sources: AccessSources
    let meters: [String: ReferenceAnswer.Meter]
    let profiles: ReferenceProfiles

    func answers(profile: String?) -> [String: ReferenceAnswer.Feature] {
        var answers: [String: ReferenceAnswer.Feature] = [:]
        for feature in catalog.features { answers[feature.name] = answer(feature, profile) }
        return answers
    }

    private func answer(_ feature: Feature, _ profile: String?) -> ReferenceAnswer.Feature {
        if feature.isFree { return granted("free_feature") }
        let fitting = sources.all.filter { opens($0, feature, profile) }
        if let source = fitting.first, source.isActive {
            return granted(Self.word(granting: source))
        }
        let freePeriod = freePeriod(feature, profile)
        if freePeriod == .running { return granted("intro_period") }
        if let meter = quota(of: feature) {
            if meter.remaining ?? 1 > 0 { return granted("free_quota") }
            return denied("limit_reached", feature)
        }
        if let source = fitting.first, source.state != "none" {
            return denied(source.state, feature)
        }
        return denied(freePeriod == .over ? "intro_expired" : "not_entitled", feature)
    }

    private func granted(_ reason: String) -> ReferenceAnswer.Feature {
        ReferenceAnswer.Feature(isAllowed: true, reason: reason)
    }

    /// FR-25: soft allows and prompts.
    private func denied(_ reason: String, _ feature: Feature) -> ReferenceAnswer.Feature {
        ReferenceAnswer.Feature(isAllowed: feature.enforcement == .soft, reason: reason)
    }

    private func opens(_ source: AccessSource, _ feature: Feature, _ profile: String?) -> Bool {
        // A source for one profile serves that profile alone.
        if source.isForProfile, source.profile == nil || source.profile != profile { return false }
        if source.feature == feature.name { return true }
        return source.entitlements.contains { catalog.entitlement($0)?.opens(feature.name) == true }
    }

    private static func word(granting source: AccessSource) -> String {
        switch (source.displayClass, source.state) {
        case (0, _): "debug"
        case (3, _): "family"
        case (4, _): "grant"
        case (1, _): "lifetime"
        case (_, "trial"): "trial"
        case (_, "grace"): "grace"
        default: "subscription"
        }
    }

    private enum FreePeriodState { case none, running, over }

    /// Rule 25: open during the free period of the asked profile, locked after it.
    private func freePeriod(_ feature: Feature, _ name: String?) -> FreePeriodState {
        guard let name, let profile = profiles.named(name), profile.exists(at: question.at),
            let period = profiles.freePeriod(of: profile, question),
            period.features.contains(feature.name)
        else { return .none }
        if question.at >= period.end { return .over }
        return question.at >= profile.startsAt ? .running : .none
    }

    /// A meter whose free quota also opens the feature, or its preview uses (FR-26).
    private func quota(of feature: Feature) -> ReferenceAnswer.Meter? {
        if let meter = feature.meter { return meters[meter] }
        return feature.previewUses > 0
            ? meters[CatalogStructure.previewPrefix + feature.name] : nil
    }
}
