import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookServer

/// One customer in one screen: what may they do and why, what was believed when, and what happened.
struct CustomerPage {
    let call: PageCall
    let subject: String
    /// The feature, meter or entitlement that the page is about; `nil`: the one that tells most.
    let name: String?
    let profile: String?
    let scale: PlaneScale.Kind?

    static let eventCount = 100

    /// - Throws: `LedgerError`, `Problem`.
    func page(_ ledger: Ledger) throws -> Frame.Page {
        let clocks = call.clocks
        let (status, asOf) = try ledger.status(
            of: subject, profile: profile, environment: clocks.environment, moment: clocks.moment)
        var page = Frame.Page(title: subject, template: "customer", section: .customers)
        page.model["subject"] = subject
        page.model["as_of"] = asOf.sentence
        guard try status.isKnown || isKnownLater(ledger) else {
            page.template = "unknown"
            page.status = .notFound
            page.model["environment"] = clocks.environment.name
            page.model["others"] = try others(ledger)
            return page
        }
        let catalog = try ledger.catalogs().versions.last { $0.version == asOf.catalog }?.catalog
        let decisions = try decisions(ledger, catalog)
        let chosen = choice(status, decisions.map(\.decision), catalog)
        page.model["head"] = try head(ledger, status)
        page.model["entitlements"] = status.entitlements.map { entitlement($0, chosen) }
        page.model["decisions"] = decisions.map { row($0.name, $0.decision, chosen) }
        page.model["meters"] = status.meters.map(meter)
        page.model["profiles"] = status.profiles.map(profileRow)
        page.model["warnings"] = status.warnings.map { ["text": $0] }
        page.model["timeline"] = try TimelinePart(call: call, subject: subject).model(
            ledger, after: nil)
        if let chosen {
            var request = BeliefRequest(chosen)
            request.profile = profile
            let plane = try ledger.beliefs(
                request, of: subject, environment: clocks.environment, moment: clocks.moment)
            let part = PlanePart(call: call, plane: plane, asOf: asOf, scale: scale)
            page.model["plane"] = part.model
            let decision = decisions.first { $0.name == chosen }?.decision
            page.model["verdict"] = try Verdict(
                call: call, subject: subject, name: chosen, profile: profile, plane: plane,
                decision: decision,
                entitlement: status.entitlements.first { haveSameBytes($0.name, chosen) }
            ).model(ledger, asOf)
        }
        return page
    }

    /// Whether the customer is first seen after the time that the page is about: then there is a timeline to show, and
    /// a plane to go on from.
    private func isKnownLater(_ ledger: Ledger) throws -> Bool {
        guard call.clocks.moment.at != nil else { return false }
        let later = Moment(knownAt: call.clocks.moment.knownAt)
        return try ledger.status(of: subject, environment: call.clocks.environment, moment: later)
            .status.isKnown
    }

    /// Every feature and meter of the catalog in force, as `check` answers it.
    private func decisions(
        _ ledger: Ledger, _ catalog: Catalog?
    ) throws -> [(name: String, decision: Decision)] {
        guard let catalog else { return [] }
        let counted = Set(catalog.features.compactMap(\.meter))
        let names =
            catalog.features.map(\.name)
            + catalog.meters.map(\.name).filter { name in
                !counted.contains(name) && !catalog.features.contains { $0.name == name }
            }
        let questions = names.map { CheckQuestion($0, profile: profile) }
        let found = try ledger.checks(
            questions, for: subject, environment: call.clocks.environment,
            moment: call.clocks.moment)
        return Array(zip(names, found.decisions))
    }

    /// What the page is about where nothing was chosen: what is refused, else what was bought.
    private func choice(
        _ status: Status, _ decisions: [Decision], _ catalog: Catalog?
    ) -> String? {
        if let name, !name.isEmpty { return name }
        let refused =
            decisions.first { !$0.allowed && $0.meter != nil } ?? decisions.first { !$0.allowed }
        return refused.flatMap { $0.feature ?? $0.meter } ?? status.entitlements.first?.name
            ?? catalog?.meters.first?.name ?? catalog?.features.first?.name
    }

    // MARK: Parts

    private func head(_ ledger: Ledger, _ status: Status) throws -> Model {
        let row = try ledger.customers(withID: subject, environment: call.clocks.environment)
            .matches.first { $0.kind == .customer }?.customer
        var model: Model = [
            "unseen": !status.isKnown, "word": status.status.map { Words.spaced($0) } ?? "",
            "display": status.display?.text ?? "",
            "tone": status.entitlements.contains { $0.isActive } ? "good" : "",
            "profile": profile ?? "",
        ]
        if let row {
            if let first = PageTime.model(row.firstSeenAt) { model["first_seen"] = first }
            let others = row.ids.filter { !haveSameBytes($0, subject) }
            model["ids"] = others.map { id -> Model in
                ["id": id, "href": call.link(Paths.customer(call.app ?? "", id))]
            }
        }
        if let url = status.managementURL { model["manage"] = url }
        if profile != nil { model["whole"] = call.link(changing: "profile", to: nil) }
        return model
    }

    private func entitlement(_ answer: EntitlementAnswer, _ chosen: String?) -> Model {
        let source = answer.shown
        var until = ""
        if answer.isActive {
            until = answer.expiresAt.map { "until \(PageTime.text($0))" } ?? "no end"
            if answer.willRenew { until += ", renews" }
        } else if let end = source?.expiresAt {
            until = "ended \(PageTime.text(end))"
        }
        return [
            "name": answer.name, "href": call.link(changing: "name", to: answer.name),
            "current": haveSameBytes(answer.name, chosen), "yes": answer.isActive,
            "state": Words.spaced(answer.state.rawValue), "source": source?.name ?? "",
            "until": until,
            "why": answer.isActive ? "" : source?.why.map { Words.spaced($0.rawValue) } ?? "",
        ]
    }

    private func row(_ name: String, _ decision: Decision, _ chosen: String?) -> Model {
        [
            "name": name, "href": call.link(changing: "name", to: name),
            "current": haveSameBytes(name, chosen), "yes": decision.allowed,
            "reason": Words.spaced(decision.reason.rawValue),
            "source": decision.source.map(\.sentence) ?? "",
            "usage": decision.usage?.sentence ?? "",
            "explain": call.link(
                "\(Paths.customer(call.app ?? "", subject))/explain/\(Link.encoded(name))",
                [("profile", profile)]),
        ]
    }

    private func meter(_ answer: MeterAnswer) -> Model {
        var model: Model = [
            "name": answer.name, "kind": answer.kind.rawValue, "sentence": answer.sentence,
        ]
        if let limit = answer.limit, answer.kind != .window {
            model["bar"] = [
                "used": answer.used, "limit": limit,
                "percent": limit == 0 ? 100 : min(100, answer.used * 100 / limit),
                "full": answer.remaining == 0,
            ]
        }
        return model
    }

    private func profileRow(_ answer: Status.ProfileStatus) -> Model {
        var state = answer.isEntitled ? "entitled" : "not entitled"
        if answer.profile.isDeleted { state = "deleted" }
        if answer.isFreePeriodExpired { state += ", free period over" }
        if let days = answer.freeDaysRemaining, days >= 0 { state += ", \(days) free days left" }
        return [
            "name": answer.profile.profile, "kind": answer.profile.kind,
            "href": call.link(changing: "profile", to: answer.profile.profile),
            "current": haveSameBytes(answer.profile.profile, profile), "state": state,
            "word": answer.status.map { Words.spaced($0) } ?? "",
            "display": answer.display?.text ?? "",
        ]
    }

    /// In which other environments the customer is known.
    private func others(_ ledger: Ledger) throws -> [Model] {
        try Environment.allCases.filter { $0 != call.clocks.environment }.compactMap {
            environment in
            let found = try ledger.status(
                of: subject, environment: environment, moment: call.clocks.moment)
            guard found.status.isKnown else { return nil }
            var clocks = call.clocks
            clocks.environment = environment
            return [
                "name": environment.name, "href": Link(call.path, clocks.parameters).text,
            ]
        }
    }
}
