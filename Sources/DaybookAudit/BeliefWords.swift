import Daybook

/// What a plane says, in words.
extension BeliefPlane {
    /// `no, limit reached, 0 left`.
    package static func word(_ answer: Answer?) -> String {
        guard let answer else { return "no rule" }
        let left = answer.remaining.map { ", \(Words.grouped($0)) left" } ?? ""
        return "\(answer.allowed ? "yes" : "no"), \(Words.spaced(answer.reason))\(left)"
    }

    /// The events that made a row, by their labels, the first two of them.
    package func cause(ofRow row: Int) -> String {
        let events = rows[row].events
        guard !events.isEmpty else { return row == 0 ? "" : "a catalog" }
        let shown = events.prefix(2).map(\.label).joined(separator: ", ")
        return events.count > 2 ? "\(shown) and \(events.count - 2) more" : shown
    }
}
