import Daybook
import DaybookDomain
import DaybookEvents
import DaybookServer

/// What can be counted: metrics with their meaning, the catalog's funnels and experiments.
struct MetricsPage {
    let call: PageCall

    func page(_ ledger: Ledger) throws -> Frame.Page {
        var page = Frame.Page(title: "Metrics", template: "metrics", section: .metrics)
        let catalog = try ledger.catalogs(knownAt: call.clocks.moment.knownAt).newest?.catalog
        let base = "\(Paths.app(call.app ?? ""))/metrics"
        page.model["parts"] = Metric.parts.map { part -> Model in
            [
                "title": part.title,
                "rows": part.metrics.map { metric -> Model in
                    [
                        "name": metric.name, "href": call.link("\(base)/\(metric.name)"),
                        "meaning": metric.meaning, "unit": MetricWords.unit(metric),
                    ]
                },
            ]
        }
        page.model["funnels"] = (catalog?.funnels ?? []).map { funnel -> Model in
            [
                "name": funnel.name,
                "href": call.link(
                    "\(Paths.app(call.app ?? ""))/funnels/\(Link.encoded(funnel.name))"),
                "steps": funnel.steps.map(\.name).joined(separator: " → "),
            ]
        }
        page.model["experiments"] = (catalog?.experiments ?? []).map { experiment -> Model in
            [
                "name": experiment.name,
                "href": call.link(
                    "\(Paths.app(call.app ?? ""))/experiments/\(Link.encoded(experiment.name))"),
            ]
        }
        return page
    }
}

/// One metric: its course as a chart and as a table, what it means, and how to ask for it elsewhere.
struct MetricPage {
    let call: PageCall
    let metric: Metric
    let request: MetricsRequest

    /// The choices of the page, as its address has them.
    static func request(_ metric: Metric, _ fields: inout RequestFields, _ clocks: Clocks) throws
        -> MetricsRequest
    {
        var request = MetricsRequest([metric.name])
        request.environment = clocks.environment
        request.moment = clocks.moment
        if let by = try fields.text("by"), !by.isEmpty {
            guard let resolution = MetricBuckets.Resolution(rawValue: by) else {
                throw Problem(
                    .unprocessableContent, "unknown_choice",
                    "\"by\" is none of \(MetricBuckets.Resolution.allCases.map(\.rawValue).joined(separator: ", "))"
                )
            }
            request.resolution = by == "month" ? nil : resolution
        }
        if let currency = try fields.text("currency"), !currency.isEmpty {
            request.rules.currency = currency
        }
        return request
    }

    func page(_ state: PageJobs.State<MetricsReport>) -> Frame.Page {
        var page = Frame.Page(
            title: Words.spaced(metric.name), template: "metric", section: .metrics)
        page.model["name"] = metric.name
        page.model["meaning"] = metric.meaning
        page.model["formula"] = metric.formula
        page.model["maturity"] = MetricWords.maturity(metric)
        page.model["back"] = call.link("\(Paths.app(call.app ?? ""))/metrics")
        page.model["choices"] = ["day", "week", "month", "quarter", "year"].map { by -> Model in
            [
                "name": by, "href": call.link(changing: "by", to: by == "month" ? nil : by),
                "current": request.chosenResolution.rawValue == by,
            ]
        }
        let by = request.resolution.map { " --by \($0.rawValue)" } ?? ""
        let known = call.clocks.knownAt.map { " --known-at \($0)" } ?? ""
        let at = call.clocks.at.map { " --at \($0)" } ?? ""
        page.model["command"] = "daybook metrics \(metric.name)\(by)\(at)\(known)"
        page.model["request"] =
            "GET "
            + call.link(
                "/v1/\(Link.encoded(call.app ?? ""))/metrics/\(metric.name)",
                [("by", request.resolution?.rawValue)])
        switch state {
        case .running(let done, let total):
            page.model["refresh"] = "1"
            page.model["running"] = Progress.model(done, total)
        case .done(let report):
            page.model["as_of"] = report.asOf.sentence
            page.model["zone"] = report.zone
            guard let series = report.series.first, !series.values.isEmpty else {
                page.model["empty"] = true
                return page
            }
            if metric.hasAges {
                page.model["cohorts"] = heatMaps(series, report)
            } else {
                page.model["svg"] = chart(series, report)
                page.model["rows"] = rows(series, report)
                page.model["grouped"] = series.values.contains { !$0.group.isEmpty }
            }
        }
        return page
    }

    private func chart(_ series: MetricSeries, _ report: MetricsReport) -> String {
        let names = Dictionary(grouping: series.values, by: \.group)
        let groups = names.keys.sorted(by: precedesInBytes).map { name in
            var values = [Int64?](repeating: nil, count: report.periods.count)
            for value in names[name] ?? [] { values[value.bucket] = value.micros }
            return BarChart.Group(name: name, values: values)
        }
        let open = series.values.filter { !$0.isComplete }.map(\.bucket)
        let shape = metric.shape
        return BarChart(
            title: Words.spaced(metric.name), columns: report.periods.map(\.name),
            groups: groups, open: Set(open)
        ) { MetricWords.number($0, shape) }.svg()
    }

    private func rows(_ series: MetricSeries, _ report: MetricsReport) -> [Model] {
        series.values.reversed().map { value in
            [
                "period": report.periods[value.bucket].name, "group": value.group,
                "value": MetricWords.number(value.micros, metric.shape),
                "fraction": MetricWords.fraction(
                    value.numerator, value.denominator, metric.shape),
                "open": !value.isComplete,
            ]
        }
    }

    /// Cohorts by age: a table whose cells are shaded by their value.
    private func heatMaps(_ series: MetricSeries, _ report: MetricsReport) -> [Model] {
        let groups = Dictionary(grouping: series.values, by: \.group)
        return groups.keys.sorted(by: precedesInBytes).map { group in
            let values = groups[group] ?? []
            let ages = Set(values.compactMap(\.age)).sorted()
            let most = values.compactMap(\.micros).max() ?? 0
            let cohorts = Dictionary(grouping: values, by: \.bucket)
            return [
                "group": group, "ages": ages.map { ["age": $0] },
                "rows": cohorts.keys.sorted().map { bucket -> Model in
                    let own = cohorts[bucket] ?? []
                    return [
                        "name": report.periods[bucket].name,
                        "size": Words.grouped(own.first?.denominator ?? 0),
                        "cells": ages.map { age -> Model in
                            guard let value = own.first(where: { $0.age == age }) else {
                                return ["text": "", "kind": "h0"]
                            }
                            let level =
                                most <= 0 ? 0 : max(0, min(5, (value.micros ?? 0) * 5 / most))
                            return [
                                "text": MetricWords.number(value.micros, metric.shape),
                                "kind": "h\(level)", "open": !value.isComplete,
                            ]
                        },
                    ]
                },
            ]
        }
    }
}

/// How far long work is.
enum Progress {
    static func model(_ done: Int, _ total: Int) -> Model {
        [
            "done": Words.grouped(Int64(done)), "total": Words.grouped(Int64(total)),
            "percent": total == 0 ? 0 : done * 100 / total,
        ]
    }
}
