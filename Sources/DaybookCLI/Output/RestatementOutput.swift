import Daybook
import DaybookDomain

extension CustomerRestatements {
    /// One line for each stretch: `ada: premium from 2026-03-01T00:00:00Z to … was active (paid), is off (refunded)`.
    var lines: [String] {
        restatements.map { stretch in
            let place = stretch.profile.map { "\(subject)/\($0)" } ?? subject
            return "\(place): \(stretch.name) from \(Words.time(stretch.from)) "
                + "to \(Words.time(stretch.until)) was \(stretch.before.sentence), "
                + "is now \(stretch.after.sentence)"
        }
    }
}

extension Restatement.Told {
    var sentence: String {
        switch self {
        case .access(let isActive, let state): "\(isActive ? "on" : "off") (\(state.rawValue))"
        case .usage(let used, let limit): "\(used) of \(limit.map(String.init) ?? "unlimited") used"
        }
    }
}

enum RestatementText {
    /// Nothing where nothing was restated.
    static func text(_ customers: [CustomerRestatements], omitted: Int = 0) -> HumanText {
        let lines = customers.flatMap(\.lines)
        var text: HumanText = lines.isEmpty ? "" : "earlier answers that were different:\n"
        for line in lines.prefix(20) { text += "  \(line)\n" }
        if lines.count > 20 { text += "  and \(lines.count - 20) more; see --json\n" }
        if omitted > 0 { text += "  \(omitted) further customers were not looked at\n" }
        return text
    }
}
