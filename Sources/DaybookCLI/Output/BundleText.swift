import Daybook
import DaybookAudit

extension BundleAnswers {
    /// Each answer, and what differs from it now.
    func text(_ terminal: Terminal) -> HumanText {
        let kind = bundle.isRedacted ? "redacted" : "not redacted"
        var text: HumanText =
            "  \(terminal.paint("captured by daybook \(bundle.version), \(bundle.environment.name), at \(Words.time(bundle.at)), \(kind)", .dim))\n"
        for (answer, differences) in zip(bundle.answers, differences) {
            let mark = differences.isEmpty ? terminal.tick : terminal.paint("✗", .bad)
            text += "\(mark) \(terminal.paint(answer.subject, .bold))  \(answer.sentence)\n"
            text += Table(differences).text(terminal)
        }
        return text
    }
}

extension ReproBundle.Answer {
    /// `status: premium`, `stories: no, limit_reached`.
    var sentence: String {
        guard let question else { return "status: \(content["status"]?.text ?? "–")" }
        let amount = question.amount == 1 ? "" : " × \(question.amount)"
        let profile = question.profile.map { " for \($0)" } ?? ""
        let verdict = content["allowed"]?.bool == true ? "yes" : "no"
        return
            "\(question.name)\(amount)\(profile): \(verdict), \(content["reason"]?.text ?? "–")"
    }
}
