import Daybook

/// Answers about metrics that are kept as they were given.
extension RouteTable {
    private static let reports = "/v1/{app}/reports"

    static let reportRoutes: [Route] = [
        Route(.get, reports, "reports", "List the frozen reports.", for: readers, listReports),
        Route(
            .post, reports, "freezeReport",
            "Compute metrics and keep the answer for ever, under a name.",
            for: [.analyst, .admin], input: .object, freezeReport),
        Route(
            .get, reports + "/{report}", "report",
            "Give a report's bytes as they were frozen. CSV with \"Accept: text/csv\".",
            for: readers, report),
        .atLength(
            reports + "/{report}/comparison", "compareReport",
            "Explain what is different from a report, by metric, customer and cause.",
            for: readers, compareReport),
    ]

    private static func listReports(_ call: inout RouteCall) throws -> Answer {
        let environment = try call.fields.environment()
        let reports = try call.asking { try $0.frozenReports(in: environment) }
        return .json(["reports": .objects(reports.map(\.json))])
    }

    private static func freezeReport(_ call: inout RouteCall) async throws -> Answer {
        guard let name = try call.fields.text("name") else {
            throw Problem.unprocessable(
                "missing_member", "\"name\" is missing: the report is kept under it")
        }
        let (actor, reason) = try call.audit()
        let metrics = try call.fields.texts("metrics") ?? []
        let freeze = ReportFreeze(
            name, try call.fields.metrics(metrics), actor: actor, reason: reason)
        try call.fields.finish()
        let ledger = try call.app.ledger
        let prepared = try await call.longWork.run(of: ledger.app) {
            try ledger.asking { try $0.preparedReport(freeze, workers: 1) }
        }
        return .json(
            try await ledger.writing { try await $0.keep(prepared).json }
                .adding(["done_before": .bool(prepared.isKept)]))
    }

    private static func report(_ call: inout RouteCall) throws -> Answer {
        let name = call.part("report")
        let environment = try call.fields.environment()
        let isCSV = call.headers[.accept]?.contains("text/csv") == true
        let known = call.headers[.ifNoneMatch]
        let frozen = try call.asking { try $0.frozenReport(name, in: environment) }
        var answer = Answer.tagged(
            ["document_sha256": .string(frozen.digest)], ifNoneMatch: known)
        answer.headers[.vary] = "Accept"
        guard answer.status == .ok else { return answer }
        answer.body = .bytes(frozen.document)
        if isCSV {
            guard let report = frozen.report else {
                throw Problem(
                    .notAcceptable, "unknown_form",
                    "the report has a form that this version does not know; ask for JSON")
            }
            answer.headers[.contentType] = "text/csv; charset=utf-8; header=present"
            answer.body = .bytes(Array(report.csv.utf8))
        }
        return answer
    }

    private static func compareReport(_ call: inout RouteCall) throws -> Route.LongQuestion {
        let name = call.part("report")
        let environment = try call.fields.environment()
        let known = try call.fields.knowledge("known_at")
        return { ledger in
            .json(try ledger.comparison(of: name, in: environment, knownAt: known, workers: 1).json)
        }
    }
}
