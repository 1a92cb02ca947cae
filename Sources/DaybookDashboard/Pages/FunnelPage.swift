import Daybook
import DaybookDomain
import DaybookEvents
import DaybookServer

/// A funnel of the catalog: how many got how far, and how long it took.
struct FunnelPage {
    let call: PageCall
    let name: String

    func page(_ state: PageJobs.State<FunnelReport>) -> Frame.Page {
        var page = Frame.Page(title: "Funnel \(name)", template: "funnel", section: .metrics)
        page.model["name"] = name
        page.model["back"] = call.link("\(Paths.app(call.app ?? ""))/metrics")
        let known = call.clocks.knownAt.map { " --known-at \($0)" } ?? ""
        page.model["command"] = "daybook funnel \(ShellText.quoted(name))\(known)"
        page.model["request"] =
            "GET " + call.link("/v1/\(Link.encoded(call.app ?? ""))/funnels/\(Link.encoded(name))")
        switch state {
        case .running(let done, let total):
            page.model["refresh"] = "1"
            page.model["running"] = Progress.model(done, total)
        case .done(let report):
            page.model["window"] = Words.duration(report.windowMilliseconds)
            page.model["unit"] = report.rules.unit.rawValue
            page.model["steps"] = steps(report.steps, report.entered, report.order)
            page.model["empty"] = report.entered == 0
            page.model["groups"] = report.groups.map { group -> Model in
                [
                    "name": group.name, "kind": report.rules.breakdown.rawValue,
                    "steps": steps(group.steps, group.entered, report.order),
                ]
            }
        }
        return page
    }

    private func steps(
        _ steps: [FunnelReport.Step], _ entered: Int, _ order: Funnel.Order
    ) -> [Model] {
        steps.enumerated().map { index, step in
            [
                "name": step.name, "event": step.event.rawValue,
                "count": Words.grouped(Int64(step.count)),
                "share": Words.share(step.count, of: entered),
                "before": index > 0 && order != .anyOrder
                    ? Words.share(step.count, of: steps[index - 1].count) : "",
                "median": Words.duration(step.medianMilliseconds),
                "p90": Words.duration(step.p90Milliseconds),
                "percent": entered == 0 ? 0 : step.count * 100 / entered,
            ]
        }
    }
}
