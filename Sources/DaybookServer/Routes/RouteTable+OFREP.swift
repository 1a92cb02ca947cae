import Daybook
import DaybookDomain
import DaybookEvents

/// The remote evaluation protocol of OpenFeature (OFREP 0.2): any of its SDKs asks whether a customer, whom it calls
/// `targetingKey`, may do something. A flag is a feature or a meter of the catalog, and its value is the answer.
extension RouteTable {
    private static let evaluators: Set<Scope> = [.store, .client, .admin]
    private static let flags = "/v1/{app}/ofrep/v1/evaluate/flags"

    static let ofrepRoutes: [Route] = [
        Route(
            .post, flags + "/{name}", "evaluateFlag",
            "Evaluate one feature for a customer (OpenFeature remote evaluation).", for: evaluators,
            input: .object, evaluateFlag),
        Route(
            .post, flags, "evaluateFlags",
            "Evaluate every feature of the catalog for a customer, with ETag.", for: evaluators,
            input: .object, evaluateFlags),
    ]

    private static func evaluateFlag(_ call: inout RouteCall) throws -> Answer {
        let name = call.part("name")
        let context = try FlagContext(&call)
        do {
            let (decision, _) = try call.app.ledger.asking { ledger in
                try ledger.check(
                    context.question(name), for: context.subject,
                    environment: context.environment)
            }
            return .json(flag(name, decision))
        } catch LedgerError.badInput(let problems) where problems.first?.code == "unknown_name" {
            return .json(
                [
                    "key": .string(name), "errorCode": "FLAG_NOT_FOUND",
                    "errorDetails": .string(problems.first?.reason ?? ""),
                ], status: .notFound)
        }
    }

    private static func evaluateFlags(_ call: inout RouteCall) throws -> Answer {
        let context = try FlagContext(&call)
        let json = try call.app.ledger.asking { ledger in
            let names = try newest(of: ledger).features.map(\.name)
            let (decisions, _) = try ledger.checks(
                names.map(context.question), for: context.subject,
                environment: context.environment)
            return [
                "flags": .array(zip(names, decisions).map { .object(flag($0, $1)) })
            ] as JSONObject
        }
        return call.tagged(json)
    }

    private static func flag(_ name: String, _ decision: Decision) -> JSONObject {
        var metadata: JSONObject = ["enforcement": .string(decision.enforcement.rawValue)]
        if let usage = decision.usage {
            metadata["used"] = .integer(usage.used)
            if let limit = usage.limit { metadata["limit"] = .integer(limit) }
            if let remaining = usage.remaining { metadata["remaining"] = .integer(remaining) }
        }
        return [
            "key": .string(name), "value": .bool(decision.allowed), "reason": "TARGETING_MATCH",
            "variant": .string(decision.reason.rawValue), "metadata": .object(metadata),
        ]
    }
}

/// Whom a flag is evaluated for. Members of the context that are not ours are the app's business.
private struct FlagContext {
    let subject: String
    let environment: Environment
    let profile: String?

    init(_ call: inout RouteCall) throws {
        guard let context = try call.fields.object("context") else {
            throw Self.problem("INVALID_CONTEXT", "\"context\" is missing")
        }
        try call.fields.finish()
        guard let subject = context["targetingKey"]?.text, !subject.isEmpty else {
            throw Self.problem(
                "TARGETING_KEY_MISSING", "\"context\" needs \"targetingKey\": the customer's id")
        }
        try call.caller.confirm(subject)
        call.asked = subject
        var fields = try RequestFields(query: nil, body: context)
        self.subject = subject
        environment = try fields.environment()
        profile = try fields.text("profile")
    }

    func question(_ name: String) -> CheckQuestion { CheckQuestion(name, profile: profile) }

    private static func problem(_ code: String, _ detail: String) -> Problem {
        var problem = Problem(.badRequest, code.lowercased(), detail)
        problem.members["errorCode"] = .string(code)
        problem.members["errorDetails"] = .string(detail)
        return problem
    }
}
