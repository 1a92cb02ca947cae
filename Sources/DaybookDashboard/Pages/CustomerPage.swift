import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookServer

/// One customer in one screen: what may they do and why, what was believed when, and what happened.
struct CustomerPage {
    var call: PageCall
    let subject: String
    /// The feature, meter or entitlement that the page is about; `nil`: the one that tells most.
    let name: String?
    let profile: String?
    let scale: PlaneScale.Kind?
    /// The position of what was just done here.
    var done: String?
    /// What is asked beside what is so.
    var panel: (asked: WhatIfPanel, outcome: WhatIfPanel.Outcome)?

    static let eventCount = 100

    /// - Throws: `LedgerError`, `Problem`.
    func page(_ ledger: Ledger) throws -> Frame.Page {
        let environment = call.environment
        var page = Frame.Page(title: subject, template: "customer", section: .customers)
        page.model["subject"] = subject
        page.model["done"] = try done.map { try receipt($0, ledger) }
        let path = call.address(of: subject)
        if call.clocks.isNow {
            page.model["news"] = call.link(
                path + "/news", [("after", try ledger.place().description)])
        }
        page.model["compare"] = call.clocks.isNow ? nil : call.link(path + "/compare")
        page.model["bundle"] = call.link(path + "/bundle", [("name", name), ("profile", profile)])
        if call.acts {
            let tools: [ActionPage.Action] =
                environment == .production ? [] : [.pretend, .stopPretending]
            page.model["actions"] = ([.grant, .voidGrant, .transfer] + tools).map {
                action -> Model in
                [
                    "title": action.title,
                    "href": call.link(call.address(of: subject, "/actions/\(action.rawValue)")),
                ]
            }
        }
        guard try isKnown(ledger, environment) else {
            page.template = "unknown"
            page.status = .notFound
            page.model["environment"] = environment.name
            page.model["others"] = try others(ledger)
            return page
        }
        page.model["try"] = call.link(path, keeping: [("what_if", "open")]) + WhatIfPanel.anchor
        if let panel {
            page.model["what_if"] = try panel.asked.model(ledger, panel.outcome)
            page.model["try"] = nil
            switch panel.outcome {
            case .running: page.model["refresh"] = "1"
            case .refused(let problem): page.status = problem.status
            case .nothingAsked, .done: break
            }
        }
        guard let (status, asOf) = try status(ledger) else {
            page.model["no_catalog"] = true
            page.model["plane"] = try name.flatMap { try plane(of: $0, ledger)?.model }
            page.model["timeline"] = try timeline(call, ledger)
            return page
        }
        page.model["as_of"] = asOf.sentence
        let catalog = try ledger.catalogs().versions.last { $0.version == asOf.catalog }?.catalog
        let decisions = try decisions(ledger, catalog)
        let chosen = choice(status, decisions.map(\.decision), catalog)
        var own = self
        // What was chosen for the page stays when its moment changes.
        if let chosen, name == nil { own.call.kept.append(("name", chosen)) }
        page.model["timeline"] = try timeline(own.call, ledger)
        try own.fill(&page, ledger, status, decisions, chosen)
        return page
    }

    private func timeline(_ call: PageCall, _ ledger: Ledger) throws -> Model {
        try TimelinePart(call: call, subject: subject, panel: panel?.asked).model(
            ledger, after: nil)
    }

    private func fill(
        _ page: inout Frame.Page, _ ledger: Ledger, _ status: Status,
        _ decisions: [(name: String, decision: Decision)], _ chosen: String?
    ) throws {
        page.model["head"] = try head(ledger, status)
        page.model["entitlements"] = status.entitlements.map { entitlement($0, chosen) }
        page.model["decisions"] = decisions.map { row($0.name, $0.decision, chosen) }
        page.model["meters"] = status.meters.map { meter($0, chosen) }
        page.model["profiles"] = status.profiles.map(profileRow)
        page.model["warnings"] = status.warnings.map { ["text": $0] }
        guard let chosen else { return }
        guard let part = try plane(of: chosen, ledger) else {
            page.model["no_plane"] = chosen
            return
        }
        page.model["plane"] = part.model
        let held = status.entitlements.first { haveSameBytes($0.name, chosen) }
        var decision = decisions.first { haveSameBytes($0.name, chosen) }?.decision
        // A meter that counts for a feature, and an alias, stand in no table.
        if decision == nil, held == nil {
            decision = try Self.unless(["unknown_name"]) {
                try ledger.check(
                    CheckQuestion(chosen, profile: profile), for: subject,
                    environment: call.environment, moment: call.moment
                ).decision
            }
        }
        // The catalog of that moment may not have it.
        guard decision != nil || held != nil else {
            page.model["no_rule"] = chosen
            return
        }
        page.model["verdict"] =
            Verdict(
                call: call, subject: subject, name: chosen, profile: profile, plane: part.plane,
                decision: decision, entitlement: held
            ).model
    }

    /// What was just done, and how it is taken back.
    private func receipt(_ position: String, _ ledger: Ledger) throws -> Model {
        guard let number = Int64(position), let event = try ledger.event(at: number) else {
            return ["nothing": true]
        }
        var model = call.eventLink(number)
        model["undo"] = ActionPage.undoing(event, in: call.app ?? "")
        return model
    }

    /// What was so at the page's moment; `nil`: no catalog was known then.
    private func status(_ ledger: Ledger) throws -> (Status, AsOf)? {
        try Self.unless(Self.noCatalog) {
            try ledger.status(
                of: subject, profile: profile, environment: call.environment, moment: call.moment)
        }
    }

    /// Whether anything is known of the customer today.
    private func isKnown(_ ledger: Ledger, _ environment: Environment) throws -> Bool {
        if let found = try Self.unless(
            Self.noCatalog, { try ledger.status(of: subject, environment: environment).status })
        {
            return found.isKnown
        }
        return try !ledger.history(of: subject, environment: environment).isEmpty
    }

    private static let noCatalog: Set = ["no_catalog", "no_catalog_known"]

    /// - Returns: `nil` where the ledger refuses for one of these reasons.
    private static func unless<Value>(
        _ codes: Set<String>, _ body: () throws -> Value
    ) throws -> Value? {
        do {
            return try body()
        } catch let error as LedgerError where codes.contains(error.problems.first?.code ?? "") {
            return nil
        }
    }

    /// The plane with everything that is known today: the moment of the page is a place on it.
    /// - Returns: `nil` where there is too much to draw, or no rule ever was.
    private func plane(of name: String, _ ledger: Ledger) throws -> PlanePart? {
        var request = BeliefRequest(name)
        request.profile = profile
        let found = try Self.unless(["too_many_changes", "no_catalog"]) {
            try ledger.beliefs(request, of: subject, environment: call.environment)
        }
        guard let plane = found else { return nil }
        let known: Int64? =
            switch call.moment.knownAt {
            case .instant(let instant)?: instant
            case .position(let position)?: try ledger.event(at: max(1, position))?.recordedAt
            case nil: nil
            }
        return PlanePart(
            call: call, plane: plane, at: call.moment.at ?? plane.asOf.at,
            knownAt: known ?? plane.asOf.at, scale: scale)
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
            questions, for: subject, environment: call.environment, moment: call.moment)
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
        let row = try ledger.customers(withID: subject, environment: call.environment)
            .matches.first { $0.kind == .customer }?.customer
        var model: Model = [
            "unseen": !status.isKnown, "word": status.status.map { Words.spaced($0) } ?? "",
            "display": status.display?.text ?? "",
            "tone": status.entitlements.contains { $0.isActive } ? "good" : "",
            "profile": profile ?? "",
        ]
        if let row {
            // The list is of now: of a moment before it the customer had not been seen.
            model["first_seen"] = status.isKnown ? PageTime.model(row.firstSeenAt) : nil
            model["today"] = !call.clocks.isNow
            let others = row.ids.filter { !haveSameBytes($0, subject) }
            model["ids"] = others.map { id -> Model in
                ["id": id, "href": call.link(call.address(of: id))]
            }
        }
        model["manage"] = status.managementURL
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
                call.address(of: subject, "/explain/\(Link.encoded(name))"),
                [("profile", profile)]),
        ]
    }

    private func meter(_ answer: MeterAnswer, _ chosen: String?) -> Model {
        var model: Model = [
            "href": call.link(changing: "name", to: answer.name),
            "current": haveSameBytes(answer.name, chosen), "name": answer.name,
            "kind": answer.kind.rawValue, "sentence": answer.sentence,
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
        try Environment.allCases.filter { $0 != call.environment }.compactMap {
            environment in
            guard try isKnown(ledger, environment) else { return nil }
            var clocks = call.clocks
            clocks.environment = environment
            return ["name": environment.name, "href": Link(call.path, clocks.parameters).text]
        }
    }
}
