import Daybook
import DaybookEvents
import DaybookServer

/// One event as it was recorded.
struct EventPage {
    let call: PageCall
    let position: String

    func page(_ ledger: Ledger) throws -> Frame.Page {
        guard let number = Int64(position), let event = try ledger.event(at: number) else {
            throw Problem.notFound(
                "unknown_event", "there is no event at position \(ShownText.escaped(position))")
        }
        var page = Frame.Page(title: "Event @\(number)", template: "event", section: .ledger)
        let json = EventJSON.object(of: event)
        page.model["position"] = number
        page.model["type"] = event.draft.type.rawValue
        page.model["stream"] = "\(event.stream)"
        page.model["happened"] = PageTime.model(event.draft.occurredAt ?? event.recordedAt) ?? [:]
        page.model["recorded"] = PageTime.model(event.recordedAt) ?? [:]
        page.model["members"] = json.members.filter { $0.name != "data" }.map(row)
        page.model["data"] = event.draft.data.members.map(row)
        page.model["text"] = JSONValue.object(json).canonicalText
        if let subject = event.draft.subject, !event.draft.type.isOf(.catalog) {
            var clocks = call.clocks
            clocks.environment = event.draft.environment
            page.model["what_if"] =
                Link(
                    call.address(of: subject),
                    [("without", "\(number)")] + clocks.parameters
                ).text + WhatIfPanel.anchor
        }
        page.model["undo"] = call.acts ? ActionPage.undoing(event, in: call.app ?? "") : nil
        if call.acts, let subject = event.draft.subject {
            let environment = event.draft.environment
            page.model["void"] =
                Link(
                    call.address(of: subject, "/actions/\(ActionPage.Action.voidEvent.rawValue)"),
                    [
                        ("source", event.draft.source.kind), ("event", event.draft.source.key),
                        ("environment", environment == .production ? nil : environment.name),
                    ]
                ).text
        }
        if let subject = event.draft.subject {
            page.model["customer"] = [
                "name": subject,
                "href": Link(
                    call.address(of: subject),
                    Clocks(
                        moment: .now, environment: event.draft.environment
                    ).parameters
                ).text,
            ]
        }
        return page
    }

    private func row(_ member: JSONObject.Member) -> Model {
        var model: Model = ["name": member.name]
        switch member.value {
        case .string(let text): model["value"] = text
        case .integer(let number) where member.name.hasSuffix("_at"):
            model["value"] = String(number)
            if let time = PageTime.model(number) { model["time"] = time }
        default: model["value"] = member.value.canonicalText
        }
        return model
    }
}
