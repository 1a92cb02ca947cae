import Daybook
import DaybookDomain
import DaybookEvents
import DaybookServer

/// The moment that a page shows: the time it is about, the time as of which it is known, and the environment.
package struct Clocks: Sendable {
    var moment: Moment
    var environment: Environment
    /// As they stand in the address; `nil`: now.
    var at: String?
    var knownAt: String?

    static let now = Clocks(moment: .now, environment: .production)

    /// Whether the page shows what is true and known now.
    var isNow: Bool { moment.at == nil && moment.knownAt == nil }

    /// What links of the page carry on.
    var parameters: [(String, String?)] {
        [
            ("at", at), ("known_at", knownAt),
            ("environment", environment == .production ? nil : environment.name),
        ]
    }

    /// The options of a command that asks at the same moment.
    var options: String {
        (at.map { " --at \(ShellText.quoted($0))" } ?? "")
            + (knownAt.map { " --known-at \(ShellText.quoted($0))" } ?? "")
            + (environment == .production ? "" : " --env \(environment.name)")
    }

    /// People write `2026-02-05` and `2026-02-05 21:04`, and mean UTC.
    package static func completed(_ text: String) -> String {
        if text.hasPrefix("@") || Int64(text) != nil || RFC3339.parse(text) != nil { return text }
        let spaced = text.replacing(" ", with: "T")
        let tries = ["", "Z", ":00Z", "T00:00:00Z"].map { spaced + $0 }
        return tries.first { RFC3339.parse($0) != nil } ?? text
    }
}

extension Clocks {
    /// Reads `at`, `known_at` and `environment` of a request.
    /// - Throws: `Problem` for a time that is none.
    init(
        _ fields: inout RequestFields, at atName: String = "at",
        knownAt knownName: String = "known_at"
    ) throws {
        func text(_ name: String) throws -> String? {
            guard let text = try fields.text(name)?.trimmed, !text.isEmpty, text != "now" else {
                return nil
            }
            return Self.completed(text)
        }
        at = try text(atName)
        knownAt = try text(knownName)
        moment = Moment(
            at: try InstantText.read(at, Words.spaced(atName)),
            knownAt: try InstantText.knowledge(knownAt, Words.spaced(knownName)))
        environment = try fields.environmentIfAny() ?? .production
    }
}

extension String {
    /// Without white space at its ends.
    fileprivate var trimmed: String {
        let kept = drop { $0.isWhitespace }
        return String(kept.reversed().drop { $0.isWhitespace }.reversed())
    }
}
