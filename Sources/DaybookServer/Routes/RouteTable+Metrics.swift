package import Daybook
import DaybookDomain
import DaybookEvents
import HTTPTypes

/// Numbers over all customers, and the targets that they are compared with.
extension RouteTable {
    static let metricRoutes: [Route] = [
        Route(
            .get, "/v1/{app}/metrics", "metrics", "List the metrics, with what each means.",
            for: readers, metrics),
        .atLength(
            "/v1/{app}/metrics/{names}", "metricValues",
            "Compute metrics: names with commas between them, or all. CSV with \"Accept: text/csv\", a line of JSON for each value with \"application/x-ndjson\".",
            for: readers, metricValues),
        .atLength(
            "/v1/{app}/metrics/{names}/customers", "metricCustomers",
            "Tell who is behind the value of a metric in the period \"of\", and with how much. CSV with \"Accept: text/csv\".",
            for: readers, metricCustomers),
        .atLength(
            "/v1/{app}/funnels/{name}/customers", "funnelCustomers",
            "Tell who took a \"step\" of a funnel, or with \"stopped\" went no further. CSV with \"Accept: text/csv\".",
            for: readers, funnelCustomers),
        .atLength(
            "/v1/{app}/kpis", "kpis", "Compare what was reached with the catalog's targets.",
            for: readers, kpis),
        .atLength(
            "/v1/{app}/experiments/{experiment}", "experiment",
            "Compare what became of those who saw each variant of an experiment.", for: readers,
            experiment),
    ]

    private static func metrics(_ call: inout RouteCall) throws -> Answer {
        let metrics = try call.asking { _ in Metric.all }
        return call.tagged(["metrics": .objects(metrics.map(\.json))])
    }

    private static func metricValues(_ call: inout RouteCall) throws -> Route.LongQuestion {
        let names = call.part("names").split(separator: ",").map(String.init)
        try Problem.require(!names.isEmpty, "no_metric", "the path names no metric")
        let request = try call.fields.metrics(names == ["all"] ? [] : names)
        let accepted = call.headers[.accept] ?? ""
        let known = call.headers[.ifNoneMatch]
        return { ledger in
            .rows(try ledger.metrics(request, workers: 1), accepted, ifNoneMatch: known)
        }
    }

    /// How many customers behind a number an answer has at most.
    static let contributionMax: Int64 = 100_000

    private static func metricCustomers(_ call: inout RouteCall) throws -> Route.LongQuestion {
        let metrics = try call.fields.metrics([call.part("names")])
        var request = try call.fields.contributions(to: metrics).aboutPeriod
        request.limit = try call.fields.rowLimit()
        let accepted = call.headers[.accept] ?? ""
        return { [request] in .rows(try $0.contributions(request, workers: 1), accepted) }
    }

    private static func funnelCustomers(_ call: inout RouteCall) throws -> Route.LongQuestion {
        let funnel = try call.fields.funnel(call.part("name"))
        var request = FunnelStepRequest(funnel, step: try call.fields.neededText("step"))
        request.isStopped = try call.fields.flag("stopped") ?? false
        request.limit = try call.fields.rowLimit()
        let accepted = call.headers[.accept] ?? ""
        return { [request] in .rows(try $0.customers(at: request, workers: 1), accepted) }
    }

    private static func kpis(_ call: inout RouteCall) throws -> Route.LongQuestion {
        let request = try call.fields.metrics([])
        let known = call.headers[.ifNoneMatch]
        return { .tagged(try $0.kpis(request, workers: 1).json, ifNoneMatch: known) }
    }

    private static func experiment(_ call: inout RouteCall) throws -> Route.LongQuestion {
        let name = call.part("experiment")
        let metric = try call.fields.text("metric") ?? "conversion_to_paying"
        let detect = try PercentText.read(call.fields.text("detect"), "\"detect\"")
        let request = try call.fields.metrics([], isOfVariants: true)
        let known = call.headers[.ifNoneMatch]
        return { ledger in
            let report = try ledger.experiment(name, metric: metric, request, workers: 1)
            return .tagged(
                report.json(detectPermille: detect.map { max(1, $0 / 100) } ?? 100),
                ifNoneMatch: known)
        }
    }
}

extension Answer {
    /// Numbers in the form that is accepted, else as one object.
    fileprivate static func rows(
        _ rows: some NumberRows, _ accepted: String, ifNoneMatch known: String? = nil
    ) -> Answer {
        var answer = Answer.tagged(rows.json, ifNoneMatch: known)
        if answer.status == .ok, accepted.contains("text/csv") {
            answer.headers[.contentType] = "text/csv; charset=utf-8; header=present"
            answer.body = .bytes(Array(rows.csv.utf8))
        } else if answer.status == .ok, accepted.contains("application/x-ndjson") {
            answer.headers[.contentType] = "application/x-ndjson"
            answer.body = .bytes(Array(rows.lines.utf8))
        }
        // The same numbers in another form.
        answer.headers[.vary] = "Accept"
        return answer
    }
}

extension RequestFields {
    /// Over which time metrics are computed, and by which rules; the words are those of the command line.
    /// - Parameter isOfVariants: Whether all variants of an experiment are asked for, so that none is chosen.
    mutating func metrics(
        _ names: [String], isOfVariants: Bool = false
    ) throws -> MetricsRequest {
        var request = MetricsRequest(names)
        (request.from, request.until) = try span()
        request.environment = try environment()
        request.moment = try moment()
        try metricRules(&request, isOfVariants: isOfVariants)
        return request
    }

    /// The same without its range of time, moment and environment.
    package mutating func metricRules(
        _ request: inout MetricsRequest, isOfVariants: Bool = false
    ) throws {
        request.period = try PeriodText.read(text("period"), "\"period\"")
        request.zone = try text("tz")
        if let by: MetricBuckets.Resolution = try choice("by") { request.resolution = by }
        try choose(&request.rules.refunds, "refunds")
        try choose(&request.rules.monthlyPrice, "monthly_price")
        request.rules.filter = try filter(isOfVariants)
        try choose(&request.rules.retention, "retention")
        try choose(&request.rules.attribution, "attribution")
        request.rules.currency = try text("currency")
        request.rules.ageUnit = try choice("every")
        if let ages = try integer("ages") { request.rules.ageMax = Int(clamping: ages) }
        if let share = try PercentText.read(text("commission"), "\"commission\"") {
            request.rules.commissionMilli = share
        }
    }

    /// Names of the fields that `metricRules` reads.
    package static let metricRuleNames = [
        "period", "tz", "by", "refunds", "monthly_price", "countries", "cohort", "catalog_version",
        "products", "experiment", "variant", "retention", "attribution", "currency", "every",
        "ages", "commission",
    ]

    /// Of which value of a metric to tell who is behind it.
    package mutating func contributions(
        to metrics: MetricsRequest
    ) throws -> ContributionsRequest {
        var request = ContributionsRequest(metrics)
        request.period = try text("of")
        request.group = try text("group") ?? ""
        request.age = try integer("age").map { Int(clamping: $0) }
        return request
    }

    /// How many rows an answer has at most.
    fileprivate mutating func rowLimit() throws -> Int {
        let limit = try integer("limit") ?? 1_000
        try Problem.require(
            (1...RouteTable.contributionMax).contains(limit), "bad_limit",
            "\"limit\" is \(limit): write 1 to \(RouteTable.contributionMax)")
        return Int(limit)
    }

    /// Which customers count.
    mutating func customers() throws -> MetricFilter {
        var filter = MetricFilter()
        filter.countries = (try texts("countries") ?? []).map { CountryCode.short($0) ?? $0 }
        filter.cohort = try PeriodText.read(text("cohort"), "\"cohort\"")
        filter.catalogVersion = try integer("catalog_version")
        return filter
    }

    private mutating func filter(_ isOfVariants: Bool) throws -> MetricFilter {
        var filter = try customers()
        filter.products = try texts("products") ?? []
        if isOfVariants { return filter }
        filter.experiment = try text("experiment")
        filter.variant = try text("variant")
        try Problem.require(
            filter.variant == nil || filter.experiment != nil, "missing_member",
            "\"variant\" is one of an experiment: name it in \"experiment\"")
        return filter
    }

    /// One of a few words.
    package mutating func choice<Choice>(_ name: String) throws -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        guard let text = try text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.unprocessable("unknown_choice", "\"\(name)\" is none of \(words)")
        }
        return choice
    }

    /// What is asked for by name, where it is.
    mutating func choose<Choice>(_ chosen: inout Choice, _ name: String) throws
    where Choice: RawRepresentable<String> & CaseIterable {
        chosen = try choice(name) ?? chosen
    }
}
