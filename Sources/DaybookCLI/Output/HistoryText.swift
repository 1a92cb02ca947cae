import Daybook

/// A timeline as a person reads it: one line for each event.
struct HistoryText {
    let entries: [HistoryEntry]
    /// Whether everything that a store says is told.
    var isFull = false

    func text(_ terminal: Terminal) -> HumanText {
        var table = Table()
        table.add(
            Table.Cell("#", .dim, isRight: true), .init("happened", .dim), .init("what", .dim),
            .init("", .dim), .init("details", .dim))
        for entry in entries {
            let style: Terminal.Style = entry.isVoid ? .dim : .plain
            table.add(
                .init(String(entry.event.position), .dim, isRight: true),
                .init(Words.time(entry.event.draft.occurredAt), style),
                .init(entry.label, entry.isVoid ? .dim : .bold),
                .init(entry.notes, .warning), .init(entry.details(isFull: isFull), style))
        }
        return table.text(terminal, indent: 0)
    }
}
