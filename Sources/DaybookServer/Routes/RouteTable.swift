/// All routes, in the order of the docs.
package enum RouteTable {
    package static let routes: [Route] =
        operationRoutes + storeRoutes + checkRoutes + useRoutes + customerRoutes + changeRoutes
        + catalogRoutes
        + ofrepRoutes + recordRoutes + auditRoutes + whatIfRoutes + listRoutes + metricRoutes
        + reportRoutes + callRoutes + leaseRoutes

    /// Who may ask about a customer, or do something for one.
    static let askers: Set<Scope> = [.store, .client, .support, .admin]
    /// Those who see every customer.
    static let supporters: Set<Scope> = [.support, .admin]
    /// Those who see the numbers of all customers.
    static let readers: Set<Scope> = [.support, .analyst, .admin]
    static let customer = "/v1/{app}/customers/{customer}"
}
