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
        let decision = explanation.decision
        let considered = decision.candidates.filter { $0 != decision.source }
        var page = Frame.Page(
            title: "\(subject): \(name)", template: "explain", section: .customers,
            model: [
                "subject": subject, "name": name,
                "back": call.link(
                    call.address(of: subject), [("name", name), ("profile", profile)]),
                "yes": decision.allowed, "reason": Words.spaced(decision.reason.rawValue),
                "usage": decision.usage?.sentence ?? "",
                "source": decision.source?.sentence ?? "",
                "considered": considered.map { ["text": $0.sentence] },
                "known": explanation.isKnown, "steps": explanation.steps.map(row),
                "silent": explanation.silentCount, "skipping": explanation.isSkipping,
                "other": decision.allowed ? "no" : "yes",
                "alternatives": explanation.alternativeSentences.map { ["text": $0] },
                "beliefs": explanation.beliefs.map(row), "as_of": explanation.asOf.sentence,
            ])
        page.model["deciding"] = explanation.deciding.map(row)
        return page
    }

    private func row(_ step: Explanation.Step) -> Model {
        var model: Model = [
            "at": PageTime.model(step.at) ?? [:], "label": step.event?.label ?? "time passed",
            "changes": AnswerChange.sentence(step.changes), "turn": step.isTurn,
            "yes": step.allowed, "reason": Words.spaced(step.reason.rawValue),
        ]
        let event = step.event ?? step.cause
        model["event"] = (event?.event.position).map(call.eventLink)
        return model
    }

    private func row(_ belief: Explanation.Belief) -> Model {
        var model: Model = [
            "at": PageTime.model(belief.recordedAt) ?? [:], "yes": belief.allowed,
            "reason": Words.spaced(belief.reason.rawValue),
            "label": belief.event?.label ?? (belief.changes.isEmpty ? "as known then" : "catalog"),
            "changes": AnswerChange.sentence(belief.changes),
        ]
        model["event"] = (belief.event?.event.position).map(call.eventLink)
        return model
    }
}
