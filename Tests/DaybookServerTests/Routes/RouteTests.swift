import Crypto
import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookServer
import Foundation
import NIOHTTP1
import Testing

/// What holds for every route that there is, and for each that joins them.
@Suite("All routes")
struct RouteTests {
    private static let writes = RouteTable.routes.filter { $0.method.rawValue == "POST" }

    @Test("Every route has a name of its own, and every one that takes a body has an example")
    func names() {
        let names = RouteTable.routes.map(\.name)
        #expect(Set(names).count == names.count)
        let unsigned = ["appStoreNotification", "revenueCatWebhook", "record", "call"]
        for route in Self.writes where !unsigned.contains(route.name) {
            #expect(RouteExamples.bodies[route.name] != nil, "\(route.name)")
        }
        #expect(Set(RouteExamples.bodies.keys).subtracting(names) == [])
    }

    /// The rows of the table in docs/server.md.
    private static var table: String {
        RouteTable.routes.map { route in
            let scopes = Scope.allCases.filter { route.scopes.contains($0) }.map(\.rawValue)
            let who = scopes.isEmpty ? "open" : scopes.joined(separator: ", ")
            return "| `\(route.method.rawValue) \(route.path)` | \(who) | \(route.summary) |"
        }.joined(separator: "\n")
    }

    @Test("The table in docs/server.md is that of the code")
    func document() throws {
        let url = Fixtures.root.appending(path: "docs/server.md")
        let text = try String(contentsOf: url, encoding: .utf8)
        let start = "| route | scopes | |\n|---|---|---|\n"
        let parts = text.components(separatedBy: start)
        try #require(parts.count == 2)
        let rest = parts[1].components(separatedBy: "\n\n").dropFirst().joined(separator: "\n\n")
        let expected = parts[0] + start + Self.table + "\n\n" + rest
        if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] != nil {
            try expected.write(to: url, atomically: true, encoding: .utf8)
        }
        #expect(text == expected, "RECORD_GOLDEN=1 writes it anew")
    }

    private static func send(
        _ bench: ServerBench, _ route: Route, _ headers: [(String, String)],
        app: String = "dozzi", extra: JSONObject = [:]
    ) async throws -> HTTPReply {
        var body = RouteExamples.bodies[route.name] ?? [:]
        for member in extra.members { body[member.name] = member.value }
        var path = RouteExamples.path(of: route, app: app)
        #expect(!path.contains("{"), "\(route.name) needs an example of its path")
        if let query = RouteExamples.queries[route.name] { path += "?\(query)" }
        if route.name == "record" {
            // Lines, beside which the request says who and why.
            body = RouteExamples.line
            path +=
                "?"
                + extra.members.map { "\($0.name)=\($0.value.text ?? "")" }
                .joined(separator: "&")
        }
        let isWrite = route.method.rawValue == "POST"
        return try await bench.client.send(
            RouteExamples.method(of: route), path, headers: headers,
            body: isWrite ? body.canonicalBytes : [])
    }

    /// What a good example may be answered with: done, or a refusal that a new ledger gives for its own reasons.
    private static let refusals: Set = [
        "already_aliased", "bad_jws", "grant_exists", "idempotency_conflict", "limit_reached",
        "target_unknown", "missing_member",
        "not_configured", "override_forbidden",
        "unknown_alias", "unknown_code", "unknown_grant", "unknown_lineage", "unknown_name",
        "unknown_profile", "unknown_reservation", "unknown_subject", "unknown_transaction",
        "unknown_line", "unknown_usage", "no_gauge", "profile_exists",
    ]

    /// What is asked with a body.
    private static let questions: Set = [
        "checkMany", "whatIf", "evaluateFlag", "evaluateFlags",
    ]

    private static func expectAnswered(_ reply: HTTPReply, _ what: String) {
        let isAnswer = (200..<300).contains(reply.status)
        #expect(isAnswer || refusals.contains(reply.code ?? ""), "\(what)")
        // That it was not configured is the only failure of the server's own.
        #expect(reply.status < 500 || reply.code == "not_configured", "\(what)")
    }

    @Test(
        "Every route with every scope, without a key, with another app's key, another customer's token"
    )
    func access() async throws {
        try await ServerBench.serving(["dozzi", "ollie"]) { bench in
            let foreign = try bench.key(.admin, app: "ollie")
            for route in RouteTable.routes {
                if route.scopes.isEmpty {
                    let reply = try await Self.send(bench, route, [])
                    Self.expectAnswered(reply, "\(route.name): \(reply.text)")
                    continue
                }
                let none = try await Self.send(bench, route, [])
                #expect(none.status == 401 && none.code == "unauthenticated", "\(route.name)")
                let other = try await Self.send(bench, route, [foreign])
                #expect(other.status == 403 && other.code == "other_app", "\(route.name)")
                for scope in Scope.allCases {
                    // A person says who they are and why; a question does not read it.
                    let isQuestion =
                        route.method.rawValue == "GET" || Self.questions.contains(route.name)
                    let reply = try await Self.send(
                        bench, route, [try bench.key(scope)],
                        extra: !isQuestion && [.support, .admin].contains(scope)
                            ? ["actor": "kim", "reason": "test"] : [:])
                    let what = "\(route.name) with \(scope): \(reply.status) \(reply.text)"
                    if !route.scopes.contains(scope) {
                        #expect(reply.status == 403 && reply.code == "scope_needed", "\(what)")
                    } else if scope == .client {
                        #expect(reply.status == 401 && reply.code == "token_needed", "\(what)")
                        try await Self.expectOwnAlone(bench, route)
                    } else {
                        Self.expectAnswered(reply, what)
                    }
                }
            }
        }
    }

    /// A client of another customer is refused wherever a customer is named, in the path or the body.
    private static func expectOwnAlone(_ bench: ServerBench, _ route: Route) async throws {
        let other = try await send(bench, route, try bench.client("mallory"))
        let isOfCustomer =
            route.path.contains("{customer}") || route.name.hasPrefix("evaluateFlag")
        let what = "\(route.name) of another customer: \(other.status) \(other.text)"
        if isOfCustomer {
            #expect(other.status == 403 && other.code == "other_customer", "\(what)")
        } else {
            #expect(other.status < 500 && other.status != 401, "\(what)")
        }
    }

    @Test("A name that no route reads is refused by every route that reads any")
    func unknownMembers() async throws {
        try await ServerBench.serving { bench in
            for route in RouteTable.routes where !route.scopes.isEmpty {
                guard let scope = [Scope.store, .admin].first(where: route.scopes.contains) else {
                    Issue.record("\(route.name)")
                    continue
                }
                let reply = try await RouteExamples.sendUnknown(bench, route, scope)
                // Without the App Store's identity nothing can be verified, which is told first.
                if reply.code == "not_configured" { continue }
                #expect(
                    reply.status == 422 && reply.code == "unknown_member",
                    "\(route.name): \(reply.text)")
            }
        }
    }

    @Test("A method that a path does not have, and a path that is none, are told as problems")
    func methods() async throws {
        try await ServerBench.serving { bench in
            let key = try bench.key(.store)
            for (method, path) in [
                (HTTPMethod.DELETE, "/v1/dozzi/customers/ada/status"),
                (.GET, "/v1/dozzi/customers/ada/consume"), (.GET, "/none"), (.GET, "/v1"),
                (.GET, "/v1/dozzi/../../etc/passwd"), (.GET, "/v1/dozzi%2F..%2Follie/products"),
            ] {
                let reply = try await bench.client.send(method, path, headers: [key])
                #expect([403, 404, 405].contains(reply.status), "\(path): \(reply.status)")
                #expect(reply.headers["content-type"] == "application/problem+json", "\(path)")
            }
        }
    }
}
