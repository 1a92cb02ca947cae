import Daybook
import DaybookEvents

/// Requests in the apps' own forms, which their catalogs describe.
extension RouteTable {
    static let callRoutes: [Route] = [
        Route(
            .post, "/v1/{app}/calls/{name}", "call",
            "Do what a request in the app's own form asks for, and answer in the app's words.",
            for: [.store, .client], input: .bytes(max: Route.objectByteCountMax), call)
    ]

    /// A customer is named by the client's token; the app's backend names one in the query.
    private static func call(_ call: inout RouteCall) async throws -> Answer {
        let name = call.part("name")
        let named = try call.fields.text("customer")
        let environment = try call.fields.environment()
        try call.fields.finish()
        let subject = try RequestFields.needed("customer", call.caller.customer ?? named)
        try call.caller.confirm(named ?? subject)
        let body = call.bytes.isEmpty ? .object(JSONObject()) : try JSONReader.read(call.bytes)
        guard let object = body.object else {
            throw Problem.badRequest(
                "bad_json", "the body is \(body.kindName), not a JSON object")
        }
        let request = AppCallRequest(
            name, subject: subject, environment: environment, body: object,
            key: call.idempotencyKey(for: subject))
        let (app, now, isClient) = (try call.app, call.now(), call.caller.customer != nil)
        let verifier = app.verifiers[environment]
        do {
            let reply = try await app.ledger.writing { ledger in
                try await ledger.call(request, by: verifier) { payload in
                    guard isClient, let verifier else { return true }
                    let admitted = try await ClientIntake(app: app, verifier: verifier, now: now)
                        .admit([payload], as: .transaction)
                    return admitted.dropped.isEmpty
                }
            }
            return .json(reply.json)
        } catch LedgerError.badInput(let problems) where problems.first?.code == "unknown_call" {
            throw Problem.notFound("unknown_call", problems[0].reason)
        } catch {
            var problem = Problem(error)
            if case LedgerError.badInput(let problems) = error,
                problems.first?.code == "not_configured"
            {
                problem = try call.notTaken(environment)
            }
            guard object["data"] != nil else { throw problem }
            return Self.callable(problem)
        }
    }

    /// A problem as callers of callable functions read it.
    private static func callable(_ problem: Problem) -> Answer {
        let word =
            switch problem.status.code {
            case 400, 422: "INVALID_ARGUMENT"
            case 401: "UNAUTHENTICATED"
            case 403: "PERMISSION_DENIED"
            case 404: "NOT_FOUND"
            case 409: "FAILED_PRECONDITION"
            case 413, 429, 507: "RESOURCE_EXHAUSTED"
            case 503: "UNAVAILABLE"
            default: "INTERNAL"
            }
        var answer = Answer.json(
            [
                "error": [
                    "status": .string(word), "message": .string(problem.detail),
                    "details": ["code": .string(problem.code)],
                ]
            ], status: problem.status)
        for field in problem.headers { answer.headers.append(field) }
        return answer
    }
}
