import Daybook
import DaybookAudit
import DaybookDomain

/// Why an answer is what it is: the events that led there, what would turn it, and what was believed.
struct ExplainPage {
    let call: PageCall
    let subject: String
    let name: String
    let profile: String?

    func page(_ ledger: Ledger) throws -> Frame.Page {
        let explanation = try ledger.explain(
            CheckQuestion(name, profile: profile), for: subject,
            environment: call.environment, moment: call.moment)
        var page = Frame.Page(
            title: "\(subject): \(name)", template: "explain", section: .customers)
        let decision = explanation.decision
        page.model["subject"] = subject
        page.model["name"] = name
        page.model["back"] = call.link(
            call.address(of: subject), [("name", name), ("profile", profile)])
        page.model["yes"] = decision.allowed
        page.model["reason"] = Words.spaced(decision.reason.rawValue)
        page.model["usage"] = decision.usage?.sentence ?? ""
        page.model["source"] = decision.source?.sentence ?? ""
        page.model["considered"] = decision.candidates.filter { $0 != decision.source }
            .map { ["text": $0.sentence] }
        page.model["known"] = explanation.isKnown
        if let step = explanation.deciding { page.model["deciding"] = row(step) }
        page.model["steps"] = explanation.steps.map(row)
        page.model["silent"] = explanation.silentCount
        page.model["skipping"] = explanation.isSkipping
        let labels = Dictionary(
            explanation.steps.compactMap(\.event).map { ($0.event.position, $0.label) },
            uniquingKeysWith: { first, _ in first })
        page.model["other"] = decision.allowed ? "no" : "yes"
        page.model["alternatives"] = explanation.alternatives.map {
            ["text": $0.sentence(labels)]
        }
        page.model["beliefs"] = explanation.beliefs.map(row)
        page.model["as_of"] = explanation.asOf.sentence
        return page
    }

    private func row(_ step: Explanation.Step) -> Model {
        var model: Model = [
            "at": PageTime.model(step.at) ?? [:], "label": step.event?.label ?? "time passed",
            "changes": AnswerChange.sentence(step.changes), "turn": step.isTurn,
            "yes": step.allowed, "reason": Words.spaced(step.reason.rawValue),
        ]
        if let event = step.event ?? step.cause { model["event"] = link(event) }
        return model
    }

    private func row(_ belief: Explanation.Belief) -> Model {
        var model: Model = [
            "at": PageTime.model(belief.recordedAt) ?? [:], "yes": belief.allowed,
            "reason": Words.spaced(belief.reason.rawValue),
            "label": belief.event?.label ?? (belief.changes.isEmpty ? "as known then" : "catalog"),
            "changes": AnswerChange.sentence(belief.changes),
        ]
        if let event = belief.event { model["event"] = link(event) }
        return model
    }

    private func link(_ entry: HistoryEntry) -> Model {
        [
            "position": entry.event.position, "href": call.event(entry.event.position),
        ]
    }
}
