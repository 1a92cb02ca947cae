import DaybookEvents

/// One entitlement at one time.
public struct EntitlementAnswer: Sendable, Equatable {
    /// The entitlement's name, as it was asked for.
    public var name: String
    /// Whether any source gives it at the time at which sources are judged.
    public var isActive: Bool
    /// The winner's state, else the state of the source that came closest.
    public var state: SourceState
    /// The active source that is shown (docs/rules.md#display); `nil`: none is active.
    public var winner: Source?
    /// The earliest start of the active sources, in milliseconds since 1970 UTC; `nil`: none is active.
    public var startsAt: Int64?
    /// The end of unbroken access: of all active sources, and of grants, passes and subscriptions that begin before
    /// they end; `nil` if there is none, or nothing is active. A further period of a subscription that runs does not
    /// count.
    public var expiresAt: Int64?
    /// Of the winner, else of the source that came closest; `false` where there is no source.
    public var willRenew: Bool
    /// Every source that ever could have given it, winner first.
    public var candidates: [Source]
}

/// Finds every source of a customer at the time of the case.
public final class EntitlementsAnswer: Sendable {
    /// The catalog in force for the customer at the asked time; `nil`: none is published.
    public let catalog: Catalog?
    /// Every source, active or not: lineages owned now, lineages owned before, grants, free periods, debug overrides.
    public let sources: [Source]
    /// The time at which sources were judged: the trial's end under a debug override, else the asked time.
    public let effectiveAt: Int64
    /// What may be wrong, each code once: `redundant_subscription`, `double_paying`, `owned_by_other`, …
    public let warnings: [String]
    /// The customer's profiles in order of creation, deleted ones included.
    public let profiles: [ProfileAnswer]
    /// Introductory offers that began before it are not counted (rule 10); `Int64.min`: all are.
    public let introEligibleAfter: Int64
    /// When the customer's plan changed, up to the asked time, ascending; see `PlanChanges`.
    let planChanges: [Int64]
    /// From when on a subscription is billed on another day, up to the asked time, ascending.
    let billingDays: [BillingDay]

    /// Gathers and judges every source that the customer has at the case's time.
    public init(_ context: CustomerCase) {
        let gathering = SourceGathering(context)
        catalog = gathering.catalog
        effectiveAt = gathering.at
        profiles = gathering.profiles
        sources = gathering.sources()
        introEligibleAfter = gathering.debug.trialEligibilityResetAt ?? Int64.min
        // Nothing asks for them unless a catalog resets a meter by them, and a check must be quick.
        planChanges =
            context.catalogs.resetsOnPlanChange
            ? PlanChanges(gathering.planStretches()).instants : []
        billingDays =
            context.catalogs.countsByBilling ? gathering.billingDays() : []
        warnings = Self.warnings(sources, context)
    }

    private static func warnings(_ sources: [Source], _ context: CustomerCase) -> [String] {
        var warnings: [String] = []
        let paying = sources.filter { $0.isActive && $0.kind == .subscription }
        let owned = sources.filter { $0.isActive && $0.kind == .lifetime }
        if paying.contains(where: { payment in owned.contains { givesSame($0, payment) } }) {
            warnings.append("redundant_subscription")
        }
        // Two products of one lineage are one agreement with the store.
        let isTwice = paying.contains { payment in
            paying.contains { !haveSameBytes($0.id, payment.id) && givesSame($0, payment) }
        }
        if isTwice { warnings.append("double_paying") }
        if paying.contains(where: { $0.flags.contains("billing_problem") }) {
            warnings.append("billing_problem")
        }
        for flag in ["unknown_gap", "unknown_successor"]
        where sources.contains(where: { $0.flags.contains(flag) }) {
            warnings.append(flag)
        }
        if !context.lineagesOfOthers.isEmpty { warnings.append("owned_by_other") }
        return warnings
    }

    /// Whether two sources give one entitlement to the same profile, or to the customer as a whole (E30, E31).
    private static func givesSame(_ left: Source, _ right: Source) -> Bool {
        let isSameProfile =
            left.profile == nil || right.profile == nil
            || haveSameBytes(left.profile, right.profile)
        return isSameProfile && left.entitlements.contains { right.entitlements.contains($0) }
    }

    /// The sources that can serve a profile (`nil`: the customer as a whole).
    public func sources(for profile: String?) -> [Source] {
        sources.filter { $0.profile == nil || $0.profile == profile }
    }

    /// A profile that exists at the asked time, by its id.
    func livingProfile(_ id: String) -> ProfileAnswer? {
        profiles.first { haveSameBytes($0.profile, id) && !$0.isDeleted }
    }

    /// One entitlement, for one profile where given.
    public func entitlement(_ name: String, profile: String? = nil) -> EntitlementAnswer {
        answer(name, sources(for: profile).filter { $0.entitlements.contains(name) })
    }

    /// Every entitlement of the catalog, in its order.
    public func entitlements(profile: String? = nil) -> [EntitlementAnswer] {
        (catalog?.entitlements ?? []).map { entitlement($0.name, profile: profile) }
    }

    /// Profiles that a source serves alone, whether it still holds or not: each once, in the order of the sources,
    /// without those that were deleted.
    package var profilesServed: [String] {
        var found: [String] = []
        for profile in sources.compactMap(\.profile) where !profile.isEmpty {
            let isDeleted = profiles.contains {
                haveSameBytes($0.profile, profile) && $0.isDeleted
            }
            if !isDeleted, !found.contains(where: { haveSameBytes($0, profile) }) {
                found.append(profile)
            }
        }
        return found
    }

    /// What the customer as a whole or any profile has, each entitlement once, in the catalog's order; what serves a
    /// profile that was deleted aside.
    package var namesHeld: [String] {
        let profiles = profilesServed
        let holding = sources.filter { source in
            guard source.isActive, let profile = source.profile else { return source.isActive }
            return profiles.contains { haveSameBytes($0, profile) }
        }
        return (catalog?.entitlements ?? []).map(\.name).filter { name in
            holding.contains { $0.entitlements.contains(name) }
        }
    }

    private func answer(_ name: String, _ candidates: [Source]) -> EntitlementAnswer {
        let ordered = candidates.sorted(by: Self.isShownBefore)
        let active = ordered.filter(\.isActive)
        let closest = active.first ?? ordered.first
        return EntitlementAnswer(
            name: name, isActive: !active.isEmpty, state: closest?.state ?? .none,
            winner: active.first, startsAt: active.compactMap(\.startsAt).min(),
            expiresAt: Self.unbrokenEnd(active, ordered.filter { $0.state == .pending }),
            willRenew: active.first?.willRenew ?? closest?.willRenew ?? false,
            candidates: ordered)
    }

    /// The end of access, where pending sources that begin by the end of the active ones continue it.
    private static func unbrokenEnd(_ active: [Source], _ pending: [Source]) -> Int64? {
        guard var end = active.map({ $0.expiresAt ?? Int64.max }).max() else { return nil }
        for source in pending.sorted(by: { $0.startsAt ?? 0 < $1.startsAt ?? 0 }) {
            guard let start = source.startsAt, start <= end else { continue }
            end = max(end, source.expiresAt ?? Int64.max)
        }
        return end == Int64.max ? nil : end
    }

    /// The active by rank, then by the later end; of the others the one that ended last came closest, and what never
    /// began or never counted comes at the end. A total order.
    static func isShownBefore(_ left: Source, _ right: Source) -> Bool {
        if left.isActive != right.isActive { return left.isActive }
        if left.isActive, left.displayRank != right.displayRank {
            return left.displayRank < right.displayRank
        }
        if left.lapseRank != right.lapseRank { return left.lapseRank < right.lapseRank }
        let ends = (left.expiresAt ?? Int64.max, right.expiresAt ?? Int64.max)
        if ends.0 != ends.1 { return ends.0 > ends.1 }
        if left.displayRank != right.displayRank { return left.displayRank < right.displayRank }
        if !haveSameBytes(left.id, right.id) { return precedesInBytes(left.id, right.id) }
        // Two products of one lineage (E27).
        return (left.startsAt ?? Int64.min) > (right.startsAt ?? Int64.min)
    }

    /// Whether an introductory offer may still be used in a group: none was used before (docs/rules.md#offers).
    /// - Parameter context: The one that this answer was made of.
    func introEligible(_ context: CustomerCase, group: String) -> Bool {
        for lineage in context.lineages {
            for fact in lineage.state.transactions
            where fact.offerType == 1 && !fact.coreRank.isNone {
                let product = catalog?.product(context.names[fact.product])
                if product?.group == group, fact.startsAt >= introEligibleAfter { return false }
            }
        }
        return true
    }
}
