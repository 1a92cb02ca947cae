import Daybook
import DaybookAudit
import DaybookDomain

/// Why an answer is what it is, and what is different since; and who owns a purchase.
extension RouteTable {
    static let auditRoutes: [Route] = [
        .atLength(
            customer + "/explanations/{name}", "explain",
            "Tell why a customer may do something, or may not, and which events made it so.",
            for: supporters, in: .customers, explain),
        .atLength(
            customer + "/beliefs/{name}", "beliefs",
            "Tell what a customer could do at every time, as known at every time.",
            for: supporters, in: .customers, beliefs),
        Route(
            .get, customer + "/difference", "difference",
            "Show what is different about a customer between two moments.", for: supporters,
            difference),
        Route(
            .post, "/v1/{app}/transfers", "transfer",
            "Give a lineage to another customer, or take the latest transfer back.",
            for: supporters, input: .object, transfer),
    ]

    private static func explain(_ call: inout RouteCall) throws -> Route.LongQuestion {
        let subject = try call.customer()
        let question = CheckQuestion(
            call.part("name"), amount: try call.fields.integer("amount") ?? 1,
            profile: try call.fields.text("profile"), locale: try call.fields.text("locale"))
        let (environment, moment) = try call.fields.environmentAndMoment()
        return { ledger in
            let explanation = try ledger.explain(
                question, for: subject, environment: environment, moment: moment)
            try requireKnown(explanation.isKnown, environment, explanation.asOf)
            return .json(explanation.json)
        }
    }

    private static func beliefs(_ call: inout RouteCall) throws -> Route.LongQuestion {
        let subject = try call.customer()
        var request = BeliefRequest(call.part("name"))
        request.profile = try call.fields.text("profile")
        (request.from, request.until) = try call.fields.span()
        if let count = try call.fields.integer("events") {
            try Problem.require(
                (1...Int64(BeliefRequest.eventCountMax)).contains(count), "events_out_of_bounds",
                "\"events\" is from 1 to \(BeliefRequest.eventCountMax)")
            request.eventCount = Int(count)
        }
        let (environment, moment) = try call.fields.environmentAndMoment()
        return { [request] ledger in
            let plane = try ledger.beliefs(
                request, of: subject, environment: environment, moment: moment)
            try requireKnown(plane.isKnown, environment, plane.asOf)
            return .json(plane.json)
        }
    }

    private static func requireKnown(
        _ isKnown: Bool, _ environment: Environment, _ asOf: AsOf
    ) throws {
        try Problem.require(
            isKnown, as: .notFound, "unknown_subject",
            "nothing is known of the customer in \(environment.name) at position \(asOf.position)")
    }

    private static func difference(_ call: inout RouteCall) throws -> Answer {
        let subject = try call.customer()
        let environment = try call.fields.environment()
        let profile = try call.fields.text("profile")
        let second = Moment(
            at: try call.fields.instant("to") ?? SystemClock.now(),
            knownAt: try call.fields.knowledge("to_known_at"))
        let from = try call.fields.instant("from")
        let first = Moment(
            at: from ?? second.at, knownAt: try call.fields.knowledge("from_known_at"))
        try Problem.require(
            from != nil || first.knownAt != nil, "missing_member",
            "say \"from\", \"from_known_at\" or both: what is compared with?")
        let found = try call.asking { ledger in
            try ledger.difference(
                of: subject, profile: profile, environment: environment, from: first, to: second)
        }
        return .json(found.difference.json(from: found.from, to: found.to))
    }

    private static func transfer(_ call: inout RouteCall) async throws -> Answer {
        let isForced = try call.fields.flag("force") ?? false
        let direction: TransferRequest.Direction =
            try call.fields.flag("undo") ?? false
            ? .undo(isForced: isForced) : .to(try call.fields.neededText("to"))
        if isForced, case .to = direction {
            throw Problem.unprocessable("force_without_undo", "\"force\" goes with \"undo\"")
        }
        let from = try call.fields.neededText("from")
        let (actor, why) = try call.audit()
        let reason = try RequestFields.needed("reason", why)
        let request = TransferRequest(
            of: try call.fields.neededText("lineage"), from: from, direction, reason: reason,
            environment: try call.fields.environment(), actor: actor,
            key: call.idempotencyKey(for: from))
        let isDryRun = try call.fields.flag("dry_run") ?? false
        try call.fields.finish()
        let json = try await call.app.ledger.writing { ledger in
            let receipt = try await ledger.transfer(request, isDryRun: isDryRun)
            return isDryRun ? receipt.json : ledger.json(of: receipt)
        }
        return .json(json.adding(["dry_run": .bool(isDryRun)]))
    }
}
