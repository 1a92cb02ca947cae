public import DaybookDomain
public import DaybookEvents

/// What the ledger should answer, worked out slowly and literally from the rules.
///
/// This is rule 4 as a sentence: evaluate(fold(canonical order of the events within the cut, usage
/// and status up to T), catalogs within the cut, T). It shares no code with the real folds: names,
/// dictionaries and JSON. What depends on neither customer nor time (who is who, who owns what, what the store says of
/// a transaction) is worked out once a cut, everything else from the beginning for every answer. docs/rules.md and
/// docs/catalog.md are cited where they are applied.
public struct ReferenceModel {
    private let events: [RecordedEvent]
    private let catalogs: [PublishedCatalog]
    private let zones: (String) -> ZoneTable?

    /// Takes everything that a ledger holds.
    /// - Parameters:
    ///   - events: In the order of their positions.
    ///   - catalogs: In any order; the one with the lowest position rules from the beginning.
    ///   - zones: The table of an IANA zone; `nil` when there is none.
    public init(
        events: [RecordedEvent],
        catalogs: [(
            position: Int64, effectiveAt: Int64, scope: CatalogScope, document: String,
            catalog: Catalog
        )],
        zones: @escaping (String) -> ZoneTable?
    ) {
        self.events = events
        self.catalogs = catalogs.map {
            PublishedCatalog(
                position: $0.position, effectiveAt: $0.effectiveAt, scope: $0.scope,
                document: $0.document, catalog: $0.catalog)
        }
        self.zones = zones
    }

    /// Answers everything about one customer.
    /// - Parameters:
    ///   - subject: The customer, by any of their ids.
    ///   - environment: The environment in which the subject is a customer.
    ///   - at: T, the valid time.
    ///   - cut: The last position that is known (rule 5).
    /// - Returns: An empty answer when no catalog is known at the cut.
    public func answer(
        subject: String, environment: Environment, at: Int64, cut: Int64
    ) -> ReferenceAnswer {
        knowledge(environment: environment, cut: cut).answer(subject: subject, at: at)
    }

    /// What was known at a cut, for more than one answer.
    public func knowledge(environment: Environment, cut: Int64) -> ReferenceKnowledge {
        let known = catalogs.filter { $0.position <= cut }
        return ReferenceKnowledge(
            environment: environment,
            history: KnownHistory(events, environment: environment, cut: cut, catalogs: known),
            catalogs: known, zones: zones)
    }
}

/// Everything that was known of one environment at one cut.
public struct ReferenceKnowledge {
    let environment: Environment
    let history: KnownHistory
    let catalogs: [PublishedCatalog]
    let zones: (String) -> ZoneTable?

    /// Answers everything about one customer at T; an empty answer when no catalog is known.
    public func answer(subject: String, at: Int64) -> ReferenceAnswer {
        var answer = ReferenceAnswer()
        let context = ReferenceCase(
            subject: subject, environment: environment, at: at, history: history,
            catalogs: catalogs, zones: zones)
        answer.subject = context.history.identities.shownName(context.person)
        answer.lineages = context.lineages.map(\.name)
        guard let catalog = context.catalog(at: at) else { return answer }
        let profiles = ReferenceProfiles(context)
        let sources = AccessSources(context, catalog, profiles)
        for entitlement in catalog.entitlements {
            answer.entitlements[entitlement.name] = sources.answer(entitlement.name)
        }
        var meters = ReferenceMeters(context: context, catalog: catalog, sources: sources)
        answer.meters = meters.answers()
        let features = ReferenceFeatures(context: context, catalog: catalog, sources: sources)
        answer.features = features.answers(profile: nil, meters: answer.meters)
        let status = ReferenceStatus(
            context: context, catalog: catalog, sources: sources, meters: answer.meters)
        for profile in profiles.all
        where profile.changes.contains(where: { $0.at <= at && $0.exists }) {
            let isDeleted = !profile.exists(at: at)
            answer.profiles.append(
                ReferenceAnswer.Profile(
                    profile: profile.name, isDeleted: isDeleted,
                    freePeriodEnds: profiles.freePeriods(of: profile, context, catalog)
                        .map(\.end), freeDays: isDeleted ? nil : status.freeDays(of: profile.name),
                    isEntitled: status.isEntitled(profile.name)))
            guard !isDeleted else { continue }
            meters.profile = profile.name
            let own = meters.answers()
            answer.profileMeters[profile.name] = own
            answer.profileFeatures[profile.name] = features.answers(
                profile: profile.name, meters: own)
            for entitlement in catalog.entitlements {
                answer.profileEntitlements[profile.name, default: [:]][entitlement.name] =
                    sources.answer(entitlement.name, profile: profile.name)
            }
        }
        say(status, features, &answer)
        return answer
    }

    /// The words of the catalog, ads and offers.
    private func say(
        _ status: ReferenceStatus, _ features: ReferenceFeatures, _ answer: inout ReferenceAnswer
    ) {
        let catalog = status.catalog
        let context = status.context
        let known = answer.profiles.filter { !$0.isDeleted }.map(\.profile)
        // Of several that the same rule holds for, the one that was created first.
        var living: [String] = []
        for event in context.customerEvents
        where event.type.isOf(.profile) && event.type != .profileDeleted
            && event.occurredAt <= context.at
        {
            guard let name = event.profile, known.contains(name) else { continue }
            if !living.contains(name) { living.append(name) }
        }
        let isPerProfile =
            !catalog.freePeriods.isEmpty || catalog.products.contains { $0.scope == .profile }
        // Of an only profile the customer's word is its own; of several, the first rule that holds for any.
        let views: [String?] =
            !isPerProfile ? [nil] : living.count == 1 ? [living[0]] : [nil] + living
        answer.word = status.word(for: views)
        for profile in living { answer.profileWords[profile] = status.word(for: [profile]) }
        let only = living.count == 1 ? answer.profileFeatures[living[0]] : nil
        let asked = answer.features
        answer.ads = status.ads(isSuspended: features.isSuspended) { name in
            let isOfProfile = catalog.feature(named: name)?.scope == .profile
            return ((isOfProfile ? only : nil) ?? asked)[name]?.isAllowed ?? false
        }
        answer.introEligible = status.introEligible()
    }
}
