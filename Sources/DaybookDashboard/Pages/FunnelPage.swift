import Daybook
import DaybookDomain

/// A funnel of the catalog: how many got how far, and how long it took.
struct FunnelPage {
    let call: PageCall
    let name: String

    func page(_ state: PageJobs.State<FunnelReport>) -> Frame.Page {
        let by = call.kept("by") ?? FunnelBreakdown.none.rawValue
        var page = Frame.Page(
            title: "Funnel \(name)", template: "funnel", section: .metrics,
            model: [
                "name": name, "back": call.link(call.address("/metrics")),
                "command": "daybook funnel \(ShellText.quoted(name))\(NumbersPart.options(call))",
                "request": call.request("/funnels/\(Link.encoded(name))"),
                "filters": NumbersPart.funnelFilters(call),
                "choices": FunnelBreakdown.allCases.map { choice -> Model in
                    let value = choice == .none ? nil : choice.rawValue
                    return [
                        "name": value ?? "all", "href": call.link(changing: "by", to: value),
                        "current": choice.rawValue == by,
                    ]
                },
            ])
        guard let report = page.result(of: state) else { return page }
        page.model["window"] = Words.duration(report.windowMilliseconds)
        page.model["unit"] = report.rules.unit.rawValue
        page.model["steps"] = steps(
            report.steps, report.entered, report.order, hasCustomers: true)
        page.model["empty"] = report.entered == 0
        page.model["groups"] = report.groups.map { group -> Model in
            [
                "name": group.name, "kind": report.rules.breakdown.rawValue,
                "steps": steps(group.steps, group.entered, report.order),
            ]
        }
        return page
    }

    private func steps(
        _ steps: [FunnelReport.Step], _ entered: Int, _ order: Funnel.Order,
        hasCustomers: Bool = false
    ) -> [Model] {
        steps.enumerated().map { index, step in
            let next = index + 1 < steps.count ? steps[index + 1].count : 0
            var model: Model = [
                "name": step.name, "event": step.event.rawValue,
                "count": Words.grouped(step.count),
                "share": Words.share(step.count, of: entered),
                "before": index > 0 && order != .anyOrder
                    ? Words.share(step.count, of: steps[index - 1].count) : "",
                "median": Words.duration(step.medianMilliseconds),
                "p90": Words.duration(step.p90Milliseconds),
                "percent": entered == 0 ? 0 : step.count * 100 / entered,
            ]
            // A group has its parts among these.
            guard hasCustomers, step.count > 0 else { return model }
            func link(_ stopped: String?) -> String {
                call.link(
                    call.path + "/customers", keeping: [("step", step.name), ("stopped", stopped)])
            }
            model["behind"] = link(nil)
            if order != .anyOrder, index + 1 < steps.count, step.count > next {
                model["stopped"] = [
                    "href": link("true"), "count": Words.grouped(step.count - next),
                ]
            }
            return model
        }
    }
}
