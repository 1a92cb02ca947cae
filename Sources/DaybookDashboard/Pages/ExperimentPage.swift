import Daybook
import DaybookDomain

/// What became of the customers who saw each variant of an experiment.
struct ExperimentPage {
    let call: PageCall
    let name: String

    static let metric = "conversion_to_paying"
    /// The difference that the sample size is told for, as a part of the first variant's share.
    private static let detectPermille: Int64 = 100

    func page(_ state: PageJobs.State<ExperimentReport>) -> Frame.Page {
        var page = Frame.Page(
            title: "Experiment \(name)", template: "experiment", section: .metrics,
            model: [
                "name": name, "metric": Words.spaced(Self.metric),
                "back": call.link(call.address("/metrics")),
                "command": "daybook experiment \(ShellText.quoted(name))\(call.clocks.options)",
            ])
        guard let report = page.result(of: state) else { return page }
        page.model["as_of"] = report.asOf.sentence
        page.model["variants"] = report.variants.map { row($0, report) }
        if let needed = report.sampleSize(detectPermille: Self.detectPermille) {
            page.model["needed"] = Words.grouped(needed)
            page.model["difference"] = MetricWords.number(
                Self.detectPermille * 1_000, .ratio)
            page.model["reached"] = report.isReached(needed)
        }
        return page
    }

    private func row(_ variant: ExperimentReport.Variant, _ report: ExperimentReport) -> Model {
        let isFirst = variant == report.variants.first
        return [
            "name": variant.name,
            "fraction":
                "\(Words.grouped(variant.numerator)) of \(Words.grouped(variant.denominator))",
            "share": MetricWords.number(variant.micros, .ratio),
            "interval": variant.interval.map {
                "\(MetricWords.number($0.lowerMicros, .ratio)) to \(MetricWords.number($0.upperMicros, .ratio))"
            } ?? "–",
            "lift": isFirst
                ? "–"
                : report.liftMicros(of: variant).map {
                    ($0 > 0 ? "+" : "") + MetricWords.number($0, .ratio)
                } ?? "–",
            "crossovers": String(variant.crossovers), "open": !variant.isComplete,
            "behind": variant.denominator == 0
                ? ""
                : call.link(
                    call.address("/metrics/\(Self.metric)/customers"),
                    [("by", "whole"), ("experiment", name), ("variant", variant.name)]),
        ]
    }
}
