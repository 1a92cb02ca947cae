import Daybook
import DaybookAudit
import DaybookDomain

/// An explanation as a person in support reads it.
struct ExplanationText {
    let explanation: Explanation
    let catalog: Catalog?
    let locale: String?

    func text(_ terminal: Terminal) -> HumanText {
        DecisionText(
            decision: explanation.decision, catalog: catalog, locale: locale,
            at: explanation.asOf.at
        )
        .text(terminal, subject: explanation.subject)
            + deciding(terminal) + steps(terminal) + alternatives(terminal) + beliefs(terminal)
            + "  \(terminal.paint(explanation.asOf.sentence, .dim))\n"
    }

    private func deciding(_ terminal: Terminal) -> HumanText {
        guard let step = explanation.deciding else {
            return "\nsince   the beginning: nothing that happened turned the answer\n"
        }
        let what = step.event.map { "@\($0.event.position) \($0.label)" } ?? "time passed"
        let cause = step.cause.map { ", as set by @\($0.event.position) \($0.label)" } ?? ""
        return "\nsince   \(Words.time(step.at)): \(terminal.paint(what, .bold))\(cause)\n"
    }

    private func steps(_ terminal: Terminal) -> HumanText {
        var table = Table()
        for step in explanation.steps {
            table.add(
                .init(step.event.map { "@\($0.event.position)" } ?? "", .dim, isRight: true),
                .init(Words.time(step.at)),
                .init(step.event?.label ?? "time passed", step.event == nil ? .dim : .bold),
                .init(
                    step.isTurn
                        ? "\(step.allowed ? "yes" : "no"), \(Words.spaced(step.reason.rawValue))"
                        : "",
                    step.allowed ? .good : .bad),
                .init(AnswerChange.sentence(step.changes)))
        }
        if explanation.steps.isEmpty { return "" }
        let silent =
            explanation.silentCount == 0
            ? ""
            : "  \(Words.count(explanation.silentCount, "further event")) changed nothing about it\n"
        let skipping: HumanText =
            explanation.isSkipping
            ? "  more than 1,000 changes by time alone between two events; some are left out\n" : ""
        return "\nwhat led there\n" + table.text(terminal)
            + HumanText(stringLiteral: silent) + skipping
    }

    private func alternatives(_ terminal: Terminal) -> HumanText {
        let untried: HumanText =
            explanation.untriedCount == 0
            ? ""
            : "  what it would be without each of \(explanation.untriedCount) older events was not tried\n"
        if explanation.alternatives.isEmpty { return untried }
        var text: HumanText = "\nit would be \(explanation.decision.allowed ? "no" : "yes")\n"
        for sentence in explanation.alternativeSentences { text += "  \(sentence)\n" }
        return text + untried
    }

    private func beliefs(_ terminal: Terminal) -> HumanText {
        let passed: HumanText =
            explanation.passedCommitCount == 0
            ? "" : "  \(explanation.passedCommitCount) earlier commits were not looked at\n"
        if explanation.beliefs.isEmpty { return passed }
        var table = Table()
        for belief in explanation.beliefs {
            table.add(
                .init(Words.time(belief.recordedAt)),
                .init(
                    "\(belief.allowed ? "yes" : "no"), \(Words.spaced(belief.reason.rawValue))",
                    belief.allowed ? .good : .bad),
                .init(
                    belief.event.map { "@\($0.event.position) \($0.label)" }
                        ?? (belief.changes.isEmpty ? "as known then" : "catalog"), .dim),
                .init(AnswerChange.sentence(belief.changes)))
        }
        return "\nwhat was answered about this time, and when that changed\n"
            + table.text(terminal) + passed
    }
}
