import Daybook

/// A customer's events, the newest first, with both clocks.
struct TimelinePart {
    let call: PageCall
    let subject: String
    /// Where it is open, each event has links for it.
    let panel: WhatIfPanel?

    func model(_ ledger: Ledger, after: Place?) throws -> Model {
        let page = try ledger.history(
            of: subject, environment: call.environment, moment: call.moment,
            after: after, order: PageOrder(limit: CustomerPage.eventCount, isNewestFirst: true))
        var model: Model = ["rows": page.entries.map(row), "empty": page.entries.isEmpty]
        model["older"] = page.next.map {
            call.link(call.address(of: subject, "/timeline"), keeping: [("after", "\($0)")])
        }
        return model
    }

    private func row(_ entry: HistoryEntry) -> Model {
        let event = entry.event
        let happened = event.draft.occurredAt ?? event.recordedAt
        var model: Model = [
            "position": event.position, "label": entry.label, "href": call.event(event.position),
            "happened": PageTime.model(happened) ?? [:], "details": entry.details(),
            "notes": entry.notes, "void": entry.isVoid,
            "moment": call.address(call.address(of: subject), at: happened),
        ]
        if let panel { model.merge(panel.links(of: event.position)) { $1 } }
        let delay = event.recordedAt - happened
        // A second is what a request takes.
        if abs(delay) >= 1_000 {
            model["recorded"] = PageTime.model(event.recordedAt)
            model["late"] = delay >= 60_000
            model["delay"] = delay >= 60_000 ? "\(Words.duration(delay)) later" : ""
        }
        return model
    }
}
