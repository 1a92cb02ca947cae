import DaybookEvents
import DaybookFixtures
import DaybookServer
import NIOHTTP1

/// A request for every route that is read to its end; a route without one fails its tests.
enum RouteExamples {
    /// The body of each route that takes one, by the route's name.
    static let bodies: [String: JSONObject] = [
        "postTransactions": ["signed": ["a.b.c"]], "restorePurchases": ["signed": ["a.b.c"]],
        "transfer": [
            "lineage": "apple:1", "from": "ada", "to": "bob", "actor": "kim", "reason": "test",
        ], "checkMany": ["names": ["stories"]], "consume": ["meter": "stories"],
        "reserve": ["meter": "stories", "reservation": "r"], "commit": ["reservation": "r"],
        "release": ["reservation": "r"], "reverse": ["target": "t"], "pin": ["ref": "r"],
        "expose": ["experiment": "e"], "redeem": ["code": "c"],
        "createProfile": ["profile": "rex", "kind": "dog"], "deleteProfile": ["profile": "rex"],
        "assignPurchase": ["transaction": "1", "profile": "rex"],
        "unassignPurchase": ["transaction": "1"], "changeTimeZone": ["zone": "Europe/Paris"],
        "alias": ["canonical": "bob"], "unalias": ["canonical": "bob"],
        "issueGrant": ["meter": "stories", "amount": 1, "id": "g"], "voidGrant": ["grant": "g"],
        "setOverride": ["kind": "expire_trial", "environment": "sandbox"],
        "clearOverride": ["kind": "expire_trial", "environment": "sandbox"],
        "resetUsage": ["meter": "stories"], "whatIf": ["drop": ["native/story-1"]],
        "evaluateFlag": ["context": ["targetingKey": "ada"]],
        "evaluateFlags": ["context": ["targetingKey": "ada"]],
        "freezeReport": ["name": "march", "period": "2026-03"],
    ]

    /// What is recorded.
    static let line: JSONObject = [
        "type": "app.launched", "v": 1, "subject": "ada", "occurred_at": .integer(Fixtures.now),
        "source": ["kind": "native", "key": "launch-1"], "data": [:],
    ]

    /// What the query of a route must have.
    static let queries = [
        "difference": "from=0", "funnelCustomers": "step=paywallShown",
        "catalogDifference": "from=1",
    ]

    /// What stands for the named parts of a path.
    private static let parts = [
        "{app}": "dozzi", "{customer}": "ada", "{name}": "stories", "{meter}": "stories",
        "{context}": "usage_limit", "{version}": "newest",
        "{names}": "net_revenue,active_customers", "{report}": "march",
        "{experiment}": "paywall_copy",
    ]

    static func path(of route: Route, app: String = "dozzi") -> String {
        parts.reduce(route.path) { path, part in
            path.replacing(part.key, with: part.key == "{app}" ? app : part.value)
        }
    }

    static func method(of route: Route) -> HTTPMethod {
        HTTPMethod(rawValue: route.method.rawValue)
    }

    /// Sends a route's example with a name that no route reads.
    static func sendUnknown(
        _ bench: ServerBench, _ route: Route, _ scope: Scope
    ) async throws -> HTTPReply {
        let key = try bench.key(scope)
        guard var body = bodies[route.name] else {
            let query = queries[route.name].map { "&\($0)" } ?? ""
            return try await bench.client.send(
                method(of: route), path(of: route) + "?surely_unknown=1\(query)", headers: [key])
        }
        // A question takes no actor.
        if scope == .admin, route.name != "whatIf" {
            body["actor"] = "kim"
            body["reason"] = "test"
        }
        body["surely_unknown"] = 1
        return try await bench.client.send(
            method(of: route), path(of: route), headers: [key], body: body.canonicalBytes)
    }
}
