import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents

/// The answers of a bundle beside those that its events give now.
struct BundleAnswers {
    private let bundle: ReproBundle
    private let differences: [[JSONDifference]]

    init(_ bundle: ReproBundle, of ledger: Ledger) throws {
        self.bundle = bundle
        differences = zip(bundle.answers, try bundle.answers(of: ledger)).map {
            ReproBundle.differences($0.content, $1.content)
        }
    }

    var areSame: Bool { differences.allSatisfy(\.isEmpty) }

    var json: JSONObject {
        [
            "digest": .string(bundle.digest), "daybook": .string(bundle.version),
            "environment": .string(bundle.environment.name), "at": .integer(bundle.at),
            "redacted": .bool(bundle.isRedacted),
            "answers": .array(
                zip(bundle.answers, differences).map { answer, differences in
                    [
                        "subject": .string(answer.subject),
                        "name": .orNull(answer.question?.name),
                        "profile": .orNull(answer.question?.profile),
                        "answer": .object(answer.content), "same": .bool(differences.isEmpty),
                        "differences": .array(differences.map { .object($0.json) }),
                    ]
                }),
        ]
    }

    func text(_ terminal: Terminal) -> HumanText {
        let kind = bundle.isRedacted ? "redacted" : "not redacted"
        var text: HumanText =
            "  \(terminal.paint("captured by daybook \(bundle.version), \(bundle.environment.name), at \(Words.time(bundle.at)), \(kind)", .dim))\n"
        for (answer, differences) in zip(bundle.answers, differences) {
            let mark = differences.isEmpty ? terminal.tick : terminal.paint("✗", .bad)
            text += "\(mark) \(terminal.paint(answer.subject, .bold))  \(answer.sentence)\n"
            var table = Table()
            for difference in differences { difference.add(to: &table) }
            text += table.text(terminal)
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
