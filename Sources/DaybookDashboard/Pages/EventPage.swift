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
        let json = EventJSON.object(of: event)
        let happened = event.draft.occurredAt ?? event.recordedAt
        var page = Frame.Page(
            title: "Event @\(number)", template: "event", section: .ledger,
            model: [
                "position": number, "type": event.draft.type.rawValue,
                "stream": "\(event.stream)", "happened": PageTime.model(happened) ?? [:],
                "recorded": PageTime.model(event.recordedAt) ?? [:],
                "members": json.members.filter { $0.name != "data" }.map(row),
                "data": event.draft.data.members.map(row),
                "text": JSONValue.object(json).canonicalText,
            ])
        page.model["undo"] = call.acts ? ActionPage.undoing(event, in: call.app ?? "") : nil
        guard let subject = event.draft.subject else { return page }
        let environment = event.draft.environment
        if !event.draft.type.isOf(.catalog) {
            var clocks = call.clocks
            clocks.environment = environment
            page.model["what_if"] =
                Link(
                    call.address(of: subject),
                    [("without", "\(number)")] + clocks.parameters
                ).text + WhatIfPanel.anchor
        }
        if call.acts {
            page.model["void"] =
                Link(
                    call.address(of: subject, "/actions/\(ActionPage.Action.voidEvent.rawValue)"),
                    [
                        ("source", event.draft.source.kind), ("event", event.draft.source.key),
                        ("environment", environment == .production ? nil : environment.name),
                    ]
                ).text
        }
        page.model["customer"] = [
            "name": subject,
            "href": Link(
                call.address(of: subject),
                Clocks(moment: .now, environment: environment).parameters
            ).text,
        ]
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
