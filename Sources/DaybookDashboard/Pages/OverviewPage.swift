import Daybook
import DaybookDomain
import DaybookServer

/// The board of an app: its targets beside what was reached, how recurring revenue moved, and what came last.
struct OverviewPage {
    let call: PageCall

    /// What the board is made of, once it was computed.
    struct Board: Sendable {
        /// `nil`: no catalog was known.
        var kpis: KPIReport?
        var report: MetricsReport
    }

    static let movements = [
        "mrr_new", "mrr_reactivation", "mrr_expansion", "mrr_contraction", "mrr_churn",
    ]

    /// Numbers beside the targets.
    static let numbers = [
        "mrr", "active_subscriptions", "active_trials", "net_revenue", "new_customers",
        "active_customers", "refund_rate", "trial_conversion", "churn_rate",
        "churned_subscriptions",
    ]

    /// How hard limits press, and what comes of it.
    static let limits = [
        "limit_reached", "limit_to_paywall_1d", "limit_to_purchase_7d", "limit_to_return_7d",
    ]

    static func board(
        _ ledger: Ledger, _ clocks: Clocks, progress: @Sendable (Int, Int) throws -> Void
    ) throws -> Board {
        var request = MetricsRequest(numbers + limits + movements)
        request.environment = clocks.environment
        request.moment = clocks.moment
        let hasCatalog =
            try ledger.catalogs(knownAt: clocks.moment.knownAt).newest != nil
        return Board(
            kpis: hasCatalog
                ? try ledger.kpis(request, workers: 1, progress: progress) : nil,
            report: try ledger.metrics(request, workers: 1, progress: progress))
    }

    func page(_ state: PageJobs.State<Board>, _ ledger: Ledger) throws -> Frame.Page {
        var page = Frame.Page(title: "Overview", template: "overview", section: .overview)
        if call.clocks.isNow {
            page.model["news"] = call.link(
                call.address("/news"), [("after", try ledger.place().description)])
        }
        guard let board = page.result(of: state) else { return page }
        page.model["events"] = try recent(ledger, board.report.asOf)
        page.model["period"] = board.kpis?.period.name
        page.model["zone"] = board.report.zone
        page.model["as_of"] = board.report.asOf.sentence
        page.model["kpis"] = board.kpis?.rows.map(kpi) ?? []
        page.model["no_kpis"] = board.kpis?.rows.isEmpty ?? true
        let hidden = try hidden(ledger)
        func cards(_ names: [String]) -> [Model] {
            board.report.series.filter { names.contains($0.metric.name) }
                .flatMap { NumberCard.models($0, board.report, call) }
        }
        page.model["numbers"] = cards(Self.numbers.filter { !hidden.contains($0) })
        let limits = cards(Self.limits)
        page.model["limits"] = limits
        page.model["has_limits"] = !limits.isEmpty
        page.model["boards"] = Metric.parts.map { part -> Model in
            [
                "name": part.title,
                "href": call.link(call.address("/boards/\(BoardPage.slug(part.title))")),
            ]
        }
        if let chart = movementChart(board.report) { page.model["movements"] = chart }
        return page
    }

    /// Metrics that say nothing about this app: those of subscriptions where none is sold (DZ-42).
    private func hidden(_ ledger: Ledger) throws -> Set<String> {
        let catalog = try ledger.catalogs(knownAt: call.moment.knownAt).newest?.catalog
        let recurs = catalog?.products.contains { $0.kind == .autoRenewable } ?? true
        return recurs
            ? []
            : [
                "mrr", "active_subscriptions", "active_trials", "trial_conversion", "churn_rate",
                "churned_subscriptions",
            ]
    }

    private func kpi(_ row: KPIReport.Row) -> Model {
        let shape = Metric.named(row.target.metric)?.shape ?? .average
        let (word, tone): (String, String) =
            switch (row.isMet, row.isComplete) {
            case (nil, _): ("no value", "sub")
            case (true?, true): ("met", "good")
            case (true?, false): ("met so far", "wait")
            case (false?, true): ("missed", "bad")
            case (false?, false): ("missed so far, not mature", "wait")
            }
        return [
            "name": row.target.name, "group": row.group,
            "value": MetricWords.number(row.micros, shape), "unit": row.group,
            "target": MetricWords.target(row.target, shape), "word": word, "tone": tone,
            "fraction": MetricWords.fraction(row.numerator, row.denominator, shape),
            "svg": Sparkline.svg(row.trend, title: "Course of \(row.target.name)"),
            "href": call.link(call.address("/metrics/\(Link.encoded(row.target.metric))")),
        ]
    }

    /// How recurring revenue moved, by month, in the currency that most of it is in; `nil` where nothing recurs.
    private func movementChart(_ report: MetricsReport) -> Model? {
        let series = report.series.filter { Self.movements.contains($0.metric.name) }
        let values = series.flatMap(\.values)
        guard values.contains(where: { $0.numerator != 0 }) else { return nil }
        let currencies = Dictionary(grouping: values, by: \.group).mapValues { values in
            values.reduce(Double(0)) { $0 + abs(Double($1.micros ?? 0)) }
        }
        guard let currency = currencies.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key
        else {
            return nil
        }
        let groups = series.map { series in
            BarChart.Group(
                name: Words.spaced(String(series.metric.name.dropFirst(4))),
                values: report.periods.indices.map { bucket in
                    let value = series.values.first { $0.bucket == bucket && $0.group == currency }
                    // What is lost is drawn downwards, however the metric counts it.
                    let isLoss = ["mrr_contraction", "mrr_churn"].contains(series.metric.name)
                    return value?.micros.map { isLoss ? -abs($0) : $0 }
                })
        }
        let chart = BarChart(
            title: "Movements of recurring revenue in \(currency) by month",
            columns: report.periods.map(\.name), groups: groups
        ) { MetricWords.number($0, .money) }
        return [
            "svg": chart.svg(), "currency": currency,
            "legend": groups.enumerated().map { index, group -> Model in
                ["kind": "g\(index % 6)", "name": group.name]
            },
            "columns": groups.map { ["name": $0.name] },
            "rows": report.periods.indices.map { bucket -> Model in
                [
                    "name": report.periods[bucket].name,
                    "values": groups.map {
                        ["text": $0.values[bucket].map { MetricWords.number($0, .money) } ?? "–"]
                    },
                ]
            },
        ]
    }

    /// The last events that the page's moment knows and that had happened by then, the newest first.
    private func recent(_ ledger: Ledger, _ asOf: AsOf) throws -> [Model] {
        let place = try ledger.place(at: max(0, asOf.position - 200))
        let changes = try ledger.changes(after: place, limit: 200, environment: call.environment)
        let known = changes.events.filter { placed in
            placed.event.position <= asOf.position
                && placed.event.draft.occurredAt ?? 0 <= asOf.at
        }
        return known.suffix(12).reversed().map { placed in
            let event = placed.event
            var model: Model = [
                "position": event.position, "type": Words.spaced(event.draft.type.rawValue),
                "recorded": PageTime.model(event.recordedAt) ?? [:],
                "href": call.event(event.position),
            ]
            if let subject = event.draft.subject, call.may(.support) {
                model["customer"] = [
                    "name": subject, "href": call.link(call.address(of: subject)),
                ]
            }
            return model
        }
    }
}
