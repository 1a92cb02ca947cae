import Daybook
import DaybookDomain
import DaybookEvents
import HTTPTypes

/// Numbers over all customers, and the targets that they are compared with.
extension RouteTable {
    private static let readers: Set<Scope> = [.support, .analyst, .admin]

    static let metricRoutes: [Route] = [
        Route(
            .get, "/v1/{app}/metrics", "metrics", "List the metrics, with what each means.",
            for: readers, metrics),
        .atLength(
            "/v1/{app}/metrics/{names}", "metricValues",
            "Compute metrics: names with commas between them, or all. CSV with \"Accept: text/csv\".",
            for: readers, metricValues),
        .atLength(
            "/v1/{app}/kpis", "kpis", "Compare what was reached with the catalog's targets.",
            for: readers, kpis),
    ]

    @Sendable
    private static func metrics(_ call: inout RouteCall) throws -> Answer {
        let metrics = try call.asking { _ in Metric.all }
        return .tagged(
            ["metrics": .array(metrics.map { .object($0.json) })],
            ifNoneMatch: call.headers[.ifNoneMatch])
    }

    @Sendable
    private static func metricValues(_ call: inout RouteCall) throws -> Route.LongQuestion {
        let names = call.part("names").split(separator: ",").map(String.init)
        guard !names.isEmpty else {
            throw Problem(.unprocessableContent, "no_metric", "the path names no metric")
        }
        let request = try call.fields.metrics(names == ["all"] ? [] : names)
        let isCSV = call.headers[.accept]?.contains("text/csv") == true
        let known = call.headers[.ifNoneMatch]
        return { ledger in
            let report = try ledger.metrics(request)
            var answer = Answer.tagged(report.json, ifNoneMatch: known)
            if isCSV, answer.status == .ok {
                answer.headers[.contentType] = "text/csv; charset=utf-8; header=present"
                answer.body = .bytes(Array(report.csv.utf8))
            }
            // The same numbers in another form.
            answer.headers[.vary] = "Accept"
            return answer
        }
    }

    @Sendable
    private static func kpis(_ call: inout RouteCall) throws -> Route.LongQuestion {
        let request = try call.fields.metrics([])
        let known = call.headers[.ifNoneMatch]
        return { .tagged(try $0.kpis(request).json, ifNoneMatch: known) }
    }
}

extension RequestFields {
    /// Over which time metrics are computed, and by which rules; the words are those of the command line.
    fileprivate mutating func metrics(_ names: [String]) throws -> MetricsRequest {
        var request = MetricsRequest(names)
        (request.from, request.until) = try span()
        request.zone = try text("tz")
        request.environment = try environment()
        request.moment = try moment()
        if let by: MetricBuckets.Resolution = try choice("by") { request.resolution = by }
        if let refunds: MetricRules.Refunds = try choice("refunds") {
            request.rules.refunds = refunds
        }
        if let price: MetricRules.MonthlyPrice = try choice("monthly_price") {
            request.rules.monthlyPrice = price
        }
        if let share = try PercentText.read(text("commission"), "\"commission\"") {
            request.rules.commissionMilli = share
        }
        return request
    }

    /// One of a few words.
    private mutating func choice<Choice>(_ name: String) throws -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        guard let text = try text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(
                .unprocessableContent, "unknown_choice", "\"\(name)\" is none of \(words)")
        }
        return choice
    }
}
