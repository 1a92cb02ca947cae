import DaybookEvents
import DaybookFixtures
import DaybookServer
import Testing

/// Whether /openapi.json says what the routes are.
@Suite("The description of the routes")
struct DescriptionTests {
    private static let paths = RouteDescription.json["paths"]?.object ?? [:]

    private static func operation(_ route: Route) -> JSONObject? {
        paths[route.path]?.object?[route.method.rawValue.lowercased()]?.object
    }

    /// What a reference leads to.
    private static func resolved(_ value: JSONValue?) -> JSONObject {
        guard let object = value?.object else { return [:] }
        guard let reference = object["$ref"]?.text else { return object }
        return reference.split(separator: "/").dropFirst()
            .reduce(JSONValue.object(RouteDescription.json)) { $0.object?[String($1)] ?? .null }
            .object ?? [:]
    }

    @Test("It has every route, and no other, with its name, summary and scopes")
    func routes() {
        let described = Self.paths.members.flatMap { path in
            (path.value.object?.members ?? []).map(\.name).filter { $0 != "parameters" }
                .map { "\($0.uppercased()) \(path.name)" }
        }
        #expect(
            Set(described)
                == Set(RouteTable.routes.map { "\($0.method.rawValue) \($0.path)" }))
        for route in RouteTable.routes {
            let operation = Self.operation(route)
            #expect(operation?["operationId"]?.text == route.name)
            #expect(operation?["summary"]?.text == route.summary, "\(route.name)")
            let scopes = (operation?["security"]?.array ?? []).flatMap {
                ($0.object?["key"]?.array ?? []).compactMap(\.text)
            }
            #expect(Set(scopes) == Set(route.scopes.map(\.rawValue)), "\(route.name)")
        }
    }

    /// The names that an operation describes, in its query and its body.
    private static func names(_ route: Route) -> Set<String> {
        let operation = operation(route) ?? [:]
        let parameters =
            (operation["parameters"]?.array ?? [])
            + (paths[route.path]?.object?["parameters"]?.array ?? [])
        let query = parameters.map { resolved($0) }.filter { $0["in"] == "query" }
            .compactMap { $0["name"]?.text }
        let content = resolved(operation["requestBody"])["content"]?.object
        let schema = resolved(content?["application/json"]?.object?["schema"])
        let members = schema["properties"]?.object?.members.map(\.name) ?? []
        return Set(query).union(members)
    }

    @Test("The names that a route reads are those that are described")
    func fields() async throws {
        try await ServerBench.serving { bench in
            for route in RouteTable.routes where !route.scopes.isEmpty {
                // What these read besides is the context's, the catalog's or the store's.
                if ["evaluateFlag", "evaluateFlags", "call"].contains(route.name) { continue }
                let scope = try #require(
                    [Scope.store, .admin].first(where: route.scopes.contains))
                let reply = try await RouteExamples.sendUnknown(bench, route, scope)
                if reply.code == "not_configured" { continue }
                let read = (reply.json["names"]?.array ?? []).compactMap(\.text)
                #expect(!read.isEmpty || reply.code == "unknown_member", "\(route.name)")
                #expect(
                    Set(read).subtracting(["surely_unknown"]) == Self.names(route),
                    "\(route.name): \(reply.text)")
            }
        }
    }

    @Test("It is served as it is, and once more only where it changed")
    func served() async throws {
        try await ServerBench.serving { bench in
            let reply = try await bench.get("/openapi.json", [])
            #expect(reply.status == 200)
            #expect(reply.json == RouteDescription.json)
            #expect(reply.json["openapi"]?.text?.hasPrefix("3.1.") == true)
            let tag = try #require(reply.headers["etag"])
            #expect(try await bench.get("/openapi.json", [("if-none-match", tag)]).status == 304)
        }
    }
}
