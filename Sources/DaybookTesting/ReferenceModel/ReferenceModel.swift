public import DaybookDomain
public import DaybookEvents

/// What the ledger should answer, worked out slowly and literally from the rules.
///
/// This is rule 4 as a sentence: evaluate(fold(canonical order of the events within the cut, usage
/// and status up to T), catalogs within the cut, T). It shares no code with the real folds: names,
/// dictionaries and JSON, from the beginning for every question. `semantics.md` and `rules.md` are
/// cited where they are applied.
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
    ///   - at: T, the valid time.
    ///   - cut: The last position that is known (rule 5).
    /// - Returns: An empty answer when no catalog is known at the cut.
    public func answer(
        subject: String, environment: Environment, at: Int64, cut: Int64
    ) -> ReferenceAnswer {
        var answer = ReferenceAnswer()
        let question = ReferenceCase(
            subject: subject, environment: environment, at: at,
            history: KnownHistory(events, environment: environment, cut: cut),
            catalogs: catalogs.filter { $0.position <= cut }, zones: zones)
        answer.lines = question.lines.map(\.name)
        guard let catalog = question.catalog(at: at) else { return answer }
        let profiles = ReferenceProfiles(question)
        let sources = AccessSources(question, catalog, profiles)
        for entitlement in catalog.entitlements {
            answer.entitlements[entitlement.name] = sources.answer(entitlement.name)
        }
        answer.meters = ReferenceMeters(question: question, catalog: catalog, sources: sources)
            .answers()
        let features = ReferenceFeatures(
            question: question, catalog: catalog, sources: sources, meters: answer.meters,
            profiles: profiles)
        answer.features = features.answers(profile: nil)
        for profile in profiles.all where profile.changes.contains(where: { $0.at <= at }) {
            answer.profileFeatures[profile.name] = features.answers(profile: profile.name)
            answer.profiles.append(
                ReferenceAnswer.Profile(
                    profile: profile.name, isDeleted: !profile.exists(at: at),
                    freePeriodEnd: profiles.freePeriod(of: profile, question)?.end))
        }
        return answer
    }
}
