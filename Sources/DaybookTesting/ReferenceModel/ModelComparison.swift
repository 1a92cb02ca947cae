public import Daybook
import DaybookDomain
public import DaybookEvents

/// Asks a ledger and the naive model the same questions (law 4).
///
/// Compared are, of every customer: the name that is shown; access, state, end and renewal of every entitlement, of the
/// customer and of each profile, and the days left of a trial; every meter; every feature with the word that says why;
/// profiles and their free periods; the app's own word for each customer with its text, attributes and flags; ads; who
/// may still have an introductory offer.
public struct ModelComparison {
    private let ledger: Ledger
    private let model: ReferenceModel
    private let catalogs: CatalogHistory
    /// Everything that the ledger holds, in the order of positions.
    public let events: [RecordedEvent]

    /// Takes the ledger as it is now.
    public init(_ ledger: Ledger) throws {
        self.ledger = ledger
        var events: [RecordedEvent] = []
        try ledger.export { line in
            let json = try JSONReader.read(Array(line.dropLast()))
            let draft = try EventValidator.canonical(try EventJSON.draft(from: json))
            events.append(
                RecordedEvent(
                    position: Int64(events.count + 1), streamVersion: 0, recordedAt: 0,
                    stream: EventRouter.stream(of: draft), draft: draft))
        }
        self.events = events
        catalogs = try ledger.catalogs()
        let zones = ZoneTables()
        model = ReferenceModel(
            events: events,
            catalogs: catalogs.versions.map {
                ($0.position, $0.effectiveAt, $0.scope, $0.documentDigest, $0.catalog)
            }, zones: { zones.table(named: $0) })
    }

    /// The times at which an answer may change by what is told: every time in an event, the end of billing retry and of
    /// a client's word, and the millisecond before each.
    public var moments: [Int64] {
        var times: Set<Int64> = []
        for event in events {
            let occurredAt = event.draft.occurredAt ?? 0
            times.insert(occurredAt)
            for member in event.draft.data.members where member.name.hasSuffix("_at") {
                guard let time = member.value.integer else { continue }
                times.insert(time)
                // Row 8 of the state table (docs/rules.md#states).
                if member.name == "expires_at" { times.insert(time + 60 * 86_400_000) }
            }
            if event.draft.trust == .clientAsserted {
                let said = event.draft.source.signedAt ?? occurredAt
                let hours = Set(catalogs.versions.map(\.catalog.policies.clientAssertedHours))
                times.formUnion(hours.map { said + $0 * 3_600_000 })
            }
        }
        return Self.edges(times)
    }

    /// What the model says of every customer.
    public func answers(
        in environment: Environment = .production, at moments: some Sequence<Int64>, cut: Int64
    ) throws -> [ReferenceAnswer] {
        let knowledge = model.knowledge(environment: environment, cut: cut)
        return try ledger.subjects(in: environment).flatMap { subject in
            moments.map { knowledge.answer(subject: subject, at: $0) }
        }
    }

    /// The times at which answers change by themselves: ends of access and of free periods, bounds of periods.
    public static func boundaries(of answers: [ReferenceAnswer]) -> [Int64] {
        var times: Set<Int64> = []
        for answer in answers {
            let entitlements =
                Array(answer.entitlements.values)
                + answer.profileEntitlements.values.flatMap(\.values)
            times.formUnion(entitlements.compactMap(\.expiresAt))
            times.formUnion(answer.meters.values.flatMap { [$0.periodStart, $0.periodEnd] })
            times.formUnion(answer.profiles.flatMap(\.freePeriodEnds))
        }
        return edges(times)
    }

    private static func edges(_ times: Set<Int64>) -> [Int64] {
        let sensible = times.filter { (1...4_000_000_000_000).contains($0) }
        return sensible.union(sensible.map { $0 - 1 }).sorted()
    }

    /// Where the two differ about any customer, one sentence each.
    /// - Parameters:
    ///   - environment: The environment whose customers are asked about.
    ///   - moments: The times to ask about.
    ///   - cut: The last position that is known; 1 or more.
    ///   - asking: What the ledger is asked about where the model is asked about a time; `nil`: the same time and cut.
    public func differences(
        in environment: Environment = .production, at moments: some Sequence<Int64>, cut: Int64,
        asking: ((Int64) -> Moment)? = nil
    ) throws -> [String] {
        let knowledge = model.knowledge(environment: environment, cut: cut)
        var found: [String] = []
        for subject in try ledger.subjects(in: environment) {
            for at in moments {
                let question = Question(
                    ledger: ledger, subject: subject, environment: environment,
                    moment: asking?(at) ?? Moment(at: at, knownAt: .position(cut)))
                let answer = knowledge.answer(subject: subject, at: at)
                found += try question.differences(from: answer).map {
                    "\(subject) at \(at), known at \(cut): \($0)"
                }
            }
        }
        return found
    }
}

/// One customer at one (T, K).
private struct Question {
    let ledger: Ledger
    let subject: String
    let environment: Environment
    let moment: Moment

    func differences(from model: ReferenceAnswer) throws -> [String] {
        let status = try status(profile: nil)
        var found: [String] = []
        // No customer may be known by this name yet; then the name is all that there is.
        if status.subject != model.subject { found.append("shown as \(status.subject)") }
        let asked = status.profile.map { model.profileEntitlements[$0] ?? [:] }
        found += entitlements(status, asked ?? model.entitlements)
        found += words(status, model)
        found += meters(try status.meters + previews(nil, model.meters), model.meters)
        let alive = status.profiles.filter { !$0.profile.isDeleted }.map(\.profile.profile)
        let theirs = model.profiles.filter { !$0.isDeleted }.map(\.profile)
        if Set(alive) != Set(theirs) { found.append("profiles \(alive), model \(theirs)") }
        for profile in alive where theirs.contains(profile) {
            let own = try self.status(profile: profile)
            found += entitlements(own, model.profileEntitlements[profile] ?? [:]).map {
                "\(profile): \($0)"
            }
            found += try features(profile, model.profileFeatures[profile] ?? [:])
            let given = model.profileMeters[profile] ?? [:]
            found += meters(try own.meters + previews(profile, given), given).map {
                "\(profile): \($0)"
            }
        }
        // Without a profile, a feature of profiles means the only one there is.
        let only = alive.count == 1 ? alive.first : nil
        let scoped = only.flatMap { model.profileFeatures[$0] } ?? model.features
        return try found + features(nil, model.features, scoped)
    }

    /// The app's own words, ads and offers.
    private func words(_ status: Status, _ model: ReferenceAnswer) -> [String] {
        var found: [String] = []
        let word = Self.word(
            status.status, status.statusProfile, status.display, status.attributes)
        if word != model.word { found.append("word \(word), model \(model.word)") }
        for profile in status.profiles where !profile.profile.isDeleted {
            let name = profile.profile.profile
            let own = Self.word(profile.status, name, profile.display, profile.attributes)
            if own != model.profileWords[name] {
                found.append("word \(own), model \(model.profileWords[name]?.description ?? "-")")
            }
            let theirs = model.profiles.first { $0.profile == name }
            if profile.freeDaysRemaining != theirs?.freeDays
                || profile.isEntitled != theirs?.isEntitled
            {
                found.append(
                    "\(name) entitled \(profile.isEntitled), free days \(profile.freeDaysRemaining ?? -9), model \(theirs?.description ?? "-")"
                )
            }
        }
        for ad in status.ads where ad.isShown != model.ads[ad.placement.name] {
            found.append("ad \(ad.placement.name) \(ad.isShown ? "shown" : "hidden")")
        }
        for offer in status.introEligible where offer.isEligible != model.introEligible[offer.group]
        {
            found.append("offer in \(offer.group) \(offer.isEligible)")
        }
        return found
    }

    private static func word(
        _ status: String?, _ profile: String?, _ display: DisplayText?, _ attributes: [CopySlot]
    ) -> ReferenceAnswer.Word {
        var word = ReferenceAnswer.Word(status: status, profile: profile)
        word.text = display?.text
        word.pluralSafeText = display?.pluralSafeText
        for slot in attributes { word.attributes[slot.slot] = slot.key }
        return word
    }

    private func status(profile: String?) throws -> Status {
        try ledger.status(of: subject, profile: profile, environment: environment, moment: moment)
            .status
    }

    private func entitlements(
        _ status: Status, _ model: [String: ReferenceAnswer.Entitlement]
    ) -> [String] {
        status.entitlements.compactMap { ours in
            let answer = ReferenceAnswer.Entitlement(
                isActive: ours.isActive, state: ours.state.rawValue, expiresAt: ours.expiresAt,
                willRenew: ours.willRenew, trialDays: ours.shown?.trialDaysRemaining)
            guard let theirs = model[ours.name] else { return "\(ours.name) is not in the model" }
            return answer == theirs ? nil : "\(ours.name) \(answer), model \(theirs)"
        }
    }

    private func meters(
        _ meters: [MeterAnswer], _ model: [String: ReferenceAnswer.Meter]
    ) -> [String] {
        meters.compactMap { ours in
            guard let theirs = model[ours.name] else {
                return "\(ours.name) is not in the model"
            }
            let isGauge = ours.kind == .gauge || ours.kind == .reading
            let isCounter = ours.kind == .counter
            let period = isCounter ? ours.period ?? .lifetime : nil
            let answer = ReferenceAnswer.Meter(
                limit: ours.limit, used: ours.used, reserved: ours.reserved,
                remaining: ours.kind == .window ? ours.limit : ours.remaining,
                overage: isGauge ? ours.excess : ours.overage, granted: ours.granted,
                debt: ours.debt, freedBy: ours.coveredBy?.grantedReason,
                periodStart: period?.start ?? (isGauge ? Int64.min : ours.visibleFrom ?? Int64.min),
                periodEnd: period?.end ?? (isGauge ? Int64.max : moment.at ?? 0))
            return answer == theirs ? nil : "\(ours.name) \(answer), model \(theirs)"
        }
    }

    /// Meters that no document lists.
    private func previews(
        _ profile: String?, _ model: [String: ReferenceAnswer.Meter]
    ) throws -> [MeterAnswer] {
        let names = model.keys.filter { $0.hasPrefix(CatalogStructure.previewPrefix) }
        return try names.sorted().compactMap { name in
            try ledger.check(
                CheckQuestion(name, profile: profile), for: subject, environment: environment,
                moment: moment
            ).decision.usage
        }
    }

    private func features(
        _ profile: String?, _ model: [String: ReferenceAnswer.Feature],
        _ scoped: [String: ReferenceAnswer.Feature]? = nil
    ) throws -> [String] {
        try model.keys.sorted().compactMap { name in
            let decision = try ledger.check(
                CheckQuestion(name, profile: profile), for: subject, environment: environment,
                moment: moment
            ).decision
            let isAboutProfile = profile == nil && decision.profile != nil
            guard let theirs = (isAboutProfile ? scoped ?? model : model)[name] else { return nil }
            let answer = ReferenceAnswer.Feature(
                isAllowed: decision.allowed, reason: decision.reason)
            let place = profile.map { " of \($0)" } ?? ""
            return answer == theirs ? nil : "\(name)\(place) \(answer), model \(theirs)"
        }
    }
}
