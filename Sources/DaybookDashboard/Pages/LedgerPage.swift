import Daybook
import DaybookServer

/// How the ledger is: where it ends, what it did since the server opened it, what could not be taken in.
struct LedgerPage {
    let call: PageCall
    /// Keys are told by name alone; `nil`: there are none here.
    let keys: [APIKey]?
    /// What was just done with a dead letter.
    let done: String?

    func page(_ ledger: Ledger) throws -> Frame.Page {
        var page = Frame.Page(title: "Ledger", template: "ledger", section: .ledger)
        let activity = try ledger.activity()
        let place = try ledger.place()
        let lastHour = try ledger.eventCount(since: call.now - 3_600_000)
        let lag = call.now - activity.head.recordedAt
        page.model["facts"] = [
            fact("app", ledger.app),
            fact("last position", Words.grouped(activity.head.position)),
            fact("place", place.description),
            fact(
                "last event",
                activity.head.position == 0
                    ? "none" : "\(PageTime.text(activity.head.recordedAt)), \(ago(lag))"),
            fact("events in the last hour", Words.grouped(lastHour)),
            fact("commits since it was opened", Words.grouped(activity.commits)),
            fact("requests that they answered", Words.grouped(activity.requests)),
            fact("events that they appended", Words.grouped(activity.events)),
            fact("requests that wait now", Words.grouped(activity.waiting)),
            fact(
                "newest snapshot",
                activity.snapshotPosition == 0
                    ? "none" : "at position \(Words.grouped(activity.snapshotPosition))"),
            fact(
                "events after it",
                Words.grouped(activity.head.position - activity.snapshotPosition)),
            fact(
                "segments",
                "\(Words.grouped(activity.segmentCount)) with \(Words.grouped(activity.segmentEvents)) events"
            ),
            fact("version", DaybookVersion.current),
        ]
        let refused = try ledger.deadLetters(environment: call.environment)
        page.model["dead_letters"] = refused.suffix(200).reversed().map(row)
        page.model["environment"] = call.environment.name
        if call.may(.admin) {
            let path = call.address("/ledger")
            page.model["checks"] = [
                "verify": call.link(path + "/verify"), "doctor": call.link(path + "/doctor"),
            ]
        }
        page.model["done"] = done.flatMap { Self.sentences[$0] } ?? ""
        page.model["waiting"] = refused.count { $0.isWaiting }
        page.model["no_dead_letters"] = refused.isEmpty
        if let keys {
            page.model["keys"] = keys.map { key -> Model in
                var model: Model = [
                    "id": key.id, "label": key.label,
                    "scopes": key.scopes.map(\.rawValue).sorted().joined(separator: ", "),
                    "valid": key.isValid(at: call.now), "by": key.createdBy,
                ]
                if let time = PageTime.model(key.createdAt) { model["created"] = time }
                if let time = PageTime.model(key.expiresAt) { model["expires"] = time }
                return model
            }
        }
        return page
    }

    private static let sentences = [
        "taken-in": "It was taken in.", "dismissed": "It was dismissed.",
        "refused": "It was refused again: what was wrong with it is still so.",
    ]

    private func ago(_ lag: Int64) -> String {
        lag < 1_000 ? "just now" : "\(Words.duration(lag)) ago"
    }

    private func fact(_ name: String, _ value: String) -> Model { ["name": name, "value": value] }

    private func row(_ letter: DeadLetter) -> Model {
        var model: Model = [
            "position": letter.position, "code": Words.spaced(letter.code),
            "detail": letter.detail, "recorded": PageTime.model(letter.recordedAt) ?? [:],
            "href": call.event(letter.position),
            "waiting": letter.isWaiting,
            "became": letter.resolvedAt != nil
                ? "taken in" : letter.dismissal.map { "dismissed: \($0.reason)" } ?? "waits",
        ]
        // Only where a session says who does it.
        if call.caller.key != nil, call.may(.admin), letter.isWaiting {
            model["act"] =
                call.address("/ledger/dead-letters/\(letter.position)")
        }
        if let subject = letter.subject { model["subject"] = subject }
        return model
    }
}
