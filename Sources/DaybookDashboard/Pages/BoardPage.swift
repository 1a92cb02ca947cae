import Daybook
import DaybookDomain
import DaybookEvents

/// All metrics about one thing at a glance: revenue, trials, use.
struct BoardPage {
    let call: PageCall
    let part: (title: String, metrics: [Metric])
    let request: MetricsRequest

    /// A title as a part of an address.
    static func slug(_ title: String) -> String { title.lowercased().replacing(" ", with: "-") }

    static func part(_ slug: String) -> (title: String, metrics: [Metric])? {
        Metric.parts.first { self.slug($0.title) == slug }
    }

    func page(_ state: PageJobs.State<MetricsReport>?, _ catalog: Catalog?) -> Frame.Page {
        var page = Frame.Page(
            title: part.title, template: "board", section: .metrics,
            model: NumbersPart.model(call, request, catalog))
        page.model["title"] = part.title
        page.model["aged"] = part.metrics.filter(\.hasAges).map { metric -> Model in
            [
                "name": Words.spaced(metric.name), "meaning": metric.meaning,
                "href": NumberCard.link(metric.name, call),
            ]
        }
        guard let state, let report = page.result(of: state) else { return page }
        page.model["as_of"] = report.asOf.sentence
        page.model["zone"] = report.zone
        page.model["cards"] = report.series.map { series -> Model in
            let cards = NumberCard.models(series, report, call)
            return [
                "name": Words.spaced(series.metric.name), "meaning": series.metric.meaning,
                "href": NumberCard.link(series.metric.name, call),
                // Of features and meters there may be many.
                "values": Array(cards.prefix(8)), "nothing": cards.isEmpty,
            ]
        }
        return page
    }
}

/// A metric in short: its last value, the one before, and its course.
enum NumberCard {
    /// A metric's own page with the same question.
    static func link(_ metric: String, _ call: PageCall) -> String {
        call.link(
            call.address("/metrics/\(Link.encoded(metric))"),
            call.kept.filter { $0.0 != "form" }.map { ($0.0, Optional($0.1)) })
    }

    /// The value of the last period that has one, of each group.
    static func models(
        _ series: MetricSeries, _ report: MetricsReport, _ call: PageCall
    ) -> [Model] {
        let groups = Dictionary(grouping: series.values, by: \.group)
        return groups.keys.sorted(by: precedesInBytes).compactMap { group -> Model? in
            // Without a single value there is nothing to tell.
            guard let values = groups[group], let last = values.last,
                values.contains(where: { $0.micros != nil })
            else { return nil }
            let before = values.dropLast().last?.micros
            return [
                "name": Words.spaced(series.metric.name), "group": group,
                "value": MetricWords.number(last.micros, series.metric.shape),
                "period": report.periods[last.bucket].name, "open": !last.isComplete,
                "before": before.map { MetricWords.number($0, series.metric.shape) } ?? "",
                "svg": Sparkline.svg(
                    values.map(\.micros),
                    title: "Course of \(Words.spaced(series.metric.name)) \(group)"),
                "href": link(series.metric.name, call),
            ]
        }
    }
}
