import Daybook
import DaybookDomain

/// A funnel of the catalog: how many got how far, and how long it took.
struct FunnelPage {
    let call: PageCall
    let name: String

    func page(_ state: PageJobs.State<FunnelReport>) -> Frame.Page {
        var page = Frame.Page(title: "Funnel \(name)", template: "funnel", section: .metrics)
        page.model["name"] = name
        page.model["back"] = call.link(call.address("/metrics"))
        page.model["command"] =
            "daybook funnel \(ShellText.quoted(name))\(NumbersPart.options(call))"
        page.model["request"] = call.request("/funnels/\(Link.encoded(name))")
        page.model["filters"] = NumbersPart.funnelFilters(call)
        let by = call.kept("by") ?? FunnelBreakdown.none.rawValue
        page.model["choices"] = FunnelBreakdown.allCases.map { choice -> Model in
            [
                "name": choice == .none ? "all" : choice.rawValue,
                "href": call.link(changing: "by", to: choice == .none ? nil : choice.rawValue),
                "current": choice.rawValue == by,
            ]
        }
        switch state {
        case .running(let done, let total): page.showProgress(done, total)
        case .done(let report):
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
