import CoreMetrics
import Synchronization

/// Counts requests by app, route and status, and how long they took. What each needs is looked up once.
final class RequestMeters: Sendable {
    private struct Name: Hashable {
        var app: String?
        var route: String
        var status: Int
    }

    private struct Meters {
        let requests: Counter
        let seconds: CoreMetrics.Timer
    }

    private let registry: PrometheusRegistry
    private let known = Mutex<[Name: Meters]>([:])

    init(_ registry: PrometheusRegistry) { self.registry = registry }

    /// - Parameters:
    ///   - app: One that is served: a sender must not be able to make labels.
    ///   - route: The name of one.
    func count(app: String?, route: String, status: Int, _ duration: Duration) {
        let name = Name(app: app, route: route, status: status)
        let meters = known.withLock { known in
            if let meters = known[name] { return meters }
            let meters = makeMeters(name)
            known[name] = meters
            return meters
        }
        meters.requests.increment()
        meters.seconds.recordNanoseconds(Int64(duration / .nanoseconds(1)))
    }

    private func makeMeters(_ name: Name) -> Meters {
        let labels = (name.app.map { [("app", $0)] } ?? []) + [("route", name.route)]
        return Meters(
            requests: Counter(
                label: "daybook_http_requests_total",
                dimensions: labels + [("status", "\(name.status)")], factory: registry),
            seconds: CoreMetrics.Timer(
                label: "daybook_http_request_seconds", dimensions: labels, factory: registry))
    }
}
