import Daybook
import DaybookDomain
import DaybookServer

/// The customers behind a number.
struct BehindPage {
    let call: PageCall
    /// Of the page with the number, without its parameters.
    let back: String

    /// A page has so many; a file all.
    static let rowsMax = 200

    func page(_ metric: Metric, _ state: PageJobs.State<Contributions>) -> Frame.Page {
        var page = start("Who is behind \(Words.spaced(metric.name))")
        page.model["note"] =
            metric.shape == .count || metric.shape == .money
            ? "The parts add up to the value."
            : "The parts on both sides of “of” add up to both sides of the value."
        page.model["command"] = "daybook metrics \(metric.name)\(options)"
        guard let found = page.result(of: state) else { return page }
        let names = [
            found.period.name, found.value.group, found.value.age.map { "age \($0)" } ?? "",
        ]
        page.model["value"] = MetricWords.number(found.value.micros, metric.shape)
        page.model["fraction"] = MetricWords.fraction(
            found.value.numerator, found.value.denominator, metric.shape)
        page.model["of"] = names.filter { !$0.isEmpty }.joined(separator: ", ")
        page.model["part"] = true
        page.model["rows"] = found.rows.map { row -> Model in
            var model = self.row(row.name, isCustomer: row.isCustomer)
            model["part"] = found.words(row)
            return model
        }
        end(&page, found.count, found.rows.count, found.asOf)
        return page
    }

    func page(
        _ funnel: String, _ request: FunnelStepRequest, _ state: PageJobs.State<FunnelCustomers>
    ) -> Frame.Page {
        var page = start("Who took \(request.step)")
        if request.isStopped { page.model["title"] = "Who went no further than \(request.step)" }
        page.model["note"] = "Of the funnel \(funnel)."
        page.model["command"] = "daybook funnel \(ShellText.quoted(funnel))\(options)"
        guard let found = page.result(of: state) else { return page }
        page.model["value"] = Words.grouped(found.count)
        page.model["rows"] = found.rows.map { row -> Model in
            var model = self.row(row.name, isCustomer: true)
            model["went_on"] = row.nextCount > 0
            return model
        }
        page.model["funnel"] = true
        end(&page, found.count, found.rows.count, found.asOf)
        return page
    }

    private func start(_ title: String) -> Frame.Page {
        let own = ["of", "group", "age", "step", "stopped", "form"]
        let rest = call.kept.filter { !own.contains($0.0) }.map { ($0.0, Optional($0.1)) }
        return Frame.Page(
            title: title, template: "behind", section: .metrics,
            model: [
                "title": title, "back": Link(back, rest + call.clocks.parameters).text,
                "downloads": NumbersPart.downloads(call), "has_downloads": true,
            ])
    }

    /// The command's options, which have other names for the value.
    private var options: String {
        let isNamed = call.kept("of") != nil || call.kept("step") != nil
        return (isNamed ? "" : " --behind last")
            + NumbersPart.options(call).replacing(" --of ", with: " --behind ")
            .replacing(" --step ", with: " --behind ").replacing(
                " --stopped true", with: " --stopped")
    }

    private func row(_ name: String, isCustomer: Bool) -> Model {
        var model: Model = ["name": name, "ownerless": !isCustomer]
        if isCustomer, call.may(.support) { model["href"] = call.link(call.address(of: name)) }
        return model
    }

    private func end(_ page: inout Frame.Page, _ count: Int, _ told: Int, _ asOf: AsOf) {
        page.model["count"] = Words.grouped(count)
        page.model["is_one"] = count == 1
        page.model["empty"] = count == 0
        if count > told { page.model["told"] = Words.grouped(told) }
        page.model["as_of"] = asOf.sentence
    }
}
