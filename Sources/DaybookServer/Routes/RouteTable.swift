/// All routes, in the order of the docs.
package enum RouteTable {
    package static let routes: [Route] =
        operationRoutes + storeRoutes + checkRoutes + useRoutes + customerRoutes + changeRoutes
        + catalogRoutes
        + ofrepRoutes + recordRoutes + auditRoutes + whatIfRoutes + listRoutes + metricRoutes
        + reportRoutes + callRoutes + leaseRoutes

    /// The rows of the table in docs/server.md.
    package static var table: String {
        routes.map { route in
            let scopes = Scope.allCases.filter { route.scopes.contains($0) }.map(\.rawValue)
            let who = scopes.isEmpty ? "open" : scopes.joined(separator: ", ")
            return "| `\(route.method.rawValue) \(route.path)` | \(who) | \(route.summary) |"
        }.joined(separator: "\n")
    }
}
