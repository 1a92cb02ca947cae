import Daybook
import DaybookAudit

/// The plane of two clocks as a person in support reads it.
struct BeliefsText {
    let plane: BeliefPlane

    func text(_ terminal: Terminal) -> HumanText {
        let heading = terminal.paint("\(plane.subject), \(plane.name)", .heading)
        var text: HumanText = "\(heading) · \(plane.kind.rawValue)\n"
        text += told(terminal)
        var table = Table()
        var row = -1
        for rectangle in plane.rectangles {
            // What made a row is told once.
            let isFirst = rectangle.rows.lowerBound != row
            row = rectangle.rows.lowerBound
            table.add(
                .init(Words.time(rectangle.valid.lowerBound)),
                .init("to \(Words.time(rectangle.valid.upperBound))"),
                .init(BeliefPlane.word(rectangle.answer), tone(rectangle.answer)),
                .init(knowledge(rectangle), .dim), .init(isFirst ? causes(of: row) : "", .bold))
        }
        text += "\nwhat was so, and for how long it was believed\n" + table.text(terminal)
        if plane.passedCount > 0 {
            let count = Words.count(plane.passedCount, "older event")
            text += "  \(count) stand in the first row together (--events)\n"
        }
        return text + "  \(terminal.paint(plane.asOf.sentence, .dim))\n"
    }

    private func told(_ terminal: Terminal) -> HumanText {
        guard !plane.differences.isEmpty else {
            return "  at no time was anyone told something else than is known now\n"
        }
        var table = Table()
        for difference in plane.differences {
            let range = difference.range
            table.add(
                .init(Words.time(range.lowerBound)), .init("to \(Words.time(range.upperBound))"),
                .init(Words.duration(range.upperBound - range.lowerBound), isRight: true),
                .init(BeliefPlane.word(difference.told), tone(difference.told)),
                .init(
                    "known now: \(BeliefPlane.word(difference.hindsight))",
                    tone(difference.hindsight)),
                .init("since \(Words.time(plane.rows[difference.row].recordedAt))", .dim),
                .init(causes(of: difference.row), .bold))
        }
        return "\ntold otherwise than is known now\n" + table.text(terminal)
    }

    private func knowledge(_ rectangle: BeliefPlane.Rectangle) -> String {
        let first = plane.rows[rectangle.rows.lowerBound].recordedAt
        let since = first == Int64.min ? "from the beginning" : "since \(Words.time(first))"
        guard rectangle.rows.upperBound < plane.rows.count else { return since }
        return "\(since) until \(Words.time(plane.rows[rectangle.rows.upperBound].recordedAt))"
    }

    /// `@12 purchase.refunded`; of many events the first three.
    private func causes(of row: Int) -> String {
        let events = plane.rows[row].events
        if events.isEmpty { return row == 0 ? "" : "a catalog" }
        let shown = events.prefix(3).map { "@\($0.event.position) \($0.label)" }
        let more = events.count > 3 ? " and \(events.count - 3) more" : ""
        return shown.joined(separator: ", ") + more
    }

    private func tone(_ answer: BeliefPlane.Answer?) -> Terminal.Style {
        answer.map { $0.allowed ? .good : .bad } ?? .dim
    }
}
