package import Daybook
package import DaybookEvents

/// The answers of a bundle beside those that its events give now.
package struct BundleAnswers {
    package let bundle: ReproBundle
    /// Of each answer, in the order of the bundle's.
    package let differences: [[JSONDifference]]

    /// - Parameter ledger: Holds the bundle's events.
    package init(_ bundle: ReproBundle, of ledger: Ledger) throws {
        self.bundle = bundle
        differences = zip(bundle.answers, try bundle.answers(of: ledger)).map {
            ReproBundle.differences($0.content, $1.content)
        }
    }

    /// Whether no answer is another one.
    package var areSame: Bool { differences.allSatisfy(\.isEmpty) }

    /// The bundle's answers, each with what differs from it now.
    package var json: JSONObject {
        [
            "digest": .string(bundle.digest), "daybook": .string(bundle.version),
            "environment": .string(bundle.environment.name), "at": .integer(bundle.at),
            "redacted": .bool(bundle.isRedacted),
            "answers": .array(
                zip(bundle.answers, differences).map { answer, differences in
                    [
                        "subject": .string(answer.subject), "name": .orNull(answer.question?.name),
                        "profile": .orNull(answer.question?.profile),
                        "answer": .object(answer.content), "same": .bool(differences.isEmpty),
                        "differences": .objects(differences.map(\.json)),
                    ]
                }),
        ]
    }
}
