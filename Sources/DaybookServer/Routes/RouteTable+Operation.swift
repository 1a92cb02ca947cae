import Daybook

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
            .get, "/v1/{app}/prometheus", "prometheus",
            "Numbers of the app's requests and ledger, as Prometheus reads them.",
            for: [.analyst, .admin], prometheus),
    ]

    private static func health(_ call: inout RouteCall) throws -> Answer {
        try call.fields.finish()
        return .json(["status": "ok"])
    }

    private static func openAPI(_ call: inout RouteCall) throws -> Answer {
        try call.fields.finish()
        return call.tagged(RouteDescription.json)
    }

    private static func ready(_ call: inout RouteCall) throws -> Answer {
        try call.fields.finish()
        guard call.ledgers.isOpen else {
            var answer = Answer.json(
                ["status": "starting", "ledgers": .array(call.ledgers.opening.json)],
                status: .serviceUnavailable)
            answer.headers[.retryAfter] = "1"
            return answer
        }
        for app in call.ledgers.all { _ = try app.ledger.asking { try $0.head() } }
        return .json(["status": "ready"])
    }

    private static func prometheus(_ call: inout RouteCall) throws -> Answer {
        let app = try call.app
        let (metrics, streams) = (call.metrics, call.streams)
        let own = [("app", app.name)]
        let lag = try call.asking { ledger in
            let activity = try ledger.activity()
            let deadLetters = try ledger.deadLetters().count(where: \.isWaiting)
            metrics.show("daybook_ledger_position", .gauge, activity.head.position, own)
            metrics.show(
                "daybook_commit_requests", bounds: LedgerActivity.groupSizeBounds,
                counts: activity.groupSizes, sum: activity.requests, own)
            metrics.show("daybook_committed_events_total", .counter, activity.events, own)
            metrics.show("daybook_write_queue_waiting", .gauge, activity.waiting, own)
            metrics.show("daybook_snapshot_position", .gauge, activity.snapshotPosition, own)
            if let made = activity.snapshotRecordedAt {
                let age = max(0, SystemClock.now() - made) / 1_000
                metrics.show("daybook_snapshot_age_seconds", .gauge, age, own)
            }
            metrics.show("daybook_dead_letters_waiting", .gauge, Int64(deadLetters), own)
            return streams.lag(of: app.name, behind: activity.head.position)
        }
        metrics.show("daybook_stream_lag_events", .gauge, lag, own)
        metrics.show("daybook_streams_open", .gauge, Int64(streams.open), [])
        return .text(
            metrics.text(app: app.name), mediaType: "text/plain; version=0.0.4; charset=utf-8")
    }
}
