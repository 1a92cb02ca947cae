import Daybook
import DaybookDomain

/// What can be counted: metrics with their meaning, the catalog's funnels and experiments.
struct MetricsPage {
    let call: PageCall

    func page(_ ledger: Ledger) throws -> Frame.Page {
        var page = Frame.Page(title: "Metrics", template: "metrics", section: .metrics)
        let catalog = try ledger.catalogs(knownAt: call.moment.knownAt).newest?.catalog
        let base = call.address("/metrics")
        page.model["parts"] = Metric.parts.map { part -> Model in
            [
                "title": part.title,
                "href": call.link(call.address("/boards/\(BoardPage.slug(part.title))")),
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
                "href": call.link(call.address("/funnels/\(Link.encoded(funnel.name))")),
                "steps": funnel.steps.map(\.name).joined(separator: " → "),
            ]
        }
        page.model["experiments"] = (catalog?.experiments ?? []).map { experiment -> Model in
            [
                "name": experiment.name,
                "href": call.link(call.address("/experiments/\(Link.encoded(experiment.name))")),
            ]
        }
        return page
    }
}
