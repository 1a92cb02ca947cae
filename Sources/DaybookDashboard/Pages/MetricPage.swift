import Daybook
import DaybookDomain
import DaybookEvents

/// One metric: its course as a chart and as a table, what it means, and how to ask for it elsewhere.
struct MetricPage {
    let call: PageCall
    let metric: Metric
    let request: MetricsRequest

    func page(_ state: PageJobs.State<MetricsReport>, _ catalog: Catalog?) -> Frame.Page {
        var page = Frame.Page(
            title: Words.spaced(metric.name), template: "metric", section: .metrics,
            model: NumbersPart.model(call, request, catalog))
        page.model["name"] = metric.name
        page.model["meaning"] = metric.meaning
        page.model["formula"] = metric.formula
        page.model["maturity"] = MetricWords.maturity(metric)
        guard let report = page.result(of: state) else { return page }
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
                "open": !value.isComplete, "behind": behind(value, report),
            ]
        }
    }

    /// The page about who is behind a value.
    private func behind(_ value: MetricSeries.Value, _ report: MetricsReport) -> String {
        let isWhole = request.chosenResolution == .whole
        return call.link(
            call.path + "/customers",
            keeping: [
                ("of", isWhole ? nil : report.periods[value.bucket].name),
                ("group", value.group.isEmpty ? nil : value.group),
                ("age", value.age.map(String.init)),
            ])
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
                            let share = Double(value.micros ?? 0) / Double(max(1, most))
                            let level = Int(max(0, min(5, share * 5)))
                            return [
                                "text": MetricWords.number(value.micros, metric.shape),
                                "kind": "h\(level)", "open": !value.isComplete,
                                "behind": behind(value, report),
                            ]
                        },
                    ]
                },
            ]
        }
    }
}
