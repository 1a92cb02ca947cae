import CoreMetrics
import Daybook
import DaybookEvents

/// What tells about the server itself.
extension RouteTable {
    static let operationRoutes: [Route] = [
        Route(.get, "/health", "health", "Whether the server runs.", for: [], health),
        Route(
            .get, "/openapi.json", "openapi", "This description of the routes, as JSON.", for: [],
            openAPI),
        Route(
            .get, "/ready", "ready", "Whether every ledger can be asked.", for: [], ready),
        Route(
            .get, "/v1/{app}/metrics", "metrics",
            "Numbers of the app's requests and ledger, as Prometheus reads them.",
            for: [.analyst, .admin], metrics),
    ]

    @Sendable
    private static func health(_ call: inout RouteCall) throws -> Answer {
        try call.fields.finish()
        return .json(["status": "ok"])
    }

    @Sendable
    private static func openAPI(_ call: inout RouteCall) throws -> Answer {
        try call.fields.finish()
        return .tagged(RouteDescription.json, ifNoneMatch: call.headers[.ifNoneMatch])
    }

    @Sendable
    private static func ready(_ call: inout RouteCall) throws -> Answer {
        try call.fields.finish()
        for app in call.ledgers.all { _ = try app.ledger.asking { try $0.head() } }
        return .json(["status": "ready"])
    }

    @Sendable
    private static func metrics(_ call: inout RouteCall) throws -> Answer {
        let app = try call.app
        let (position, deadLetters) = try call.asking { ledger in
            (try ledger.head().position, try ledger.deadLetters().count(where: \.isWaiting))
        }
        func show(_ name: String, _ value: Int64, _ labels: [(String, String)]) {
            Meter(label: name, dimensions: labels, factory: call.metrics).set(value)
        }
        let own = [("app", app.name)]
        show("daybook_ledger_position", position, own)
        show("daybook_dead_letters_waiting", Int64(deadLetters), own)
        show("daybook_streams_open", Int64(call.streams.open), [])
        return .text(
            call.metrics.text(app: app.name), mediaType: "text/plain; version=0.0.4; charset=utf-8")
    }
}
