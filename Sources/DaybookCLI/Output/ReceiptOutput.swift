import Daybook
import DaybookDomain

extension Receipt {
    /// The lines below the first one.
    /// - Parameter isDryRun: Nothing was recorded; what would be different is all that there is to say.
    func details(_ terminal: Terminal, isDryRun: Bool = false) -> HumanText {
        var table = Table()
        if let usage = decision?.usage { table.add(Table.Cell("now", .dim), .init(usage.sentence)) }
        // Where nothing was added, nothing was recorded and no key was bound.
        guard !positions.isEmpty else { return table.text(terminal) }
        let differences =
            DifferenceText.text(changes, terminal)
            + RestatementText.text(restatements, omitted: omitted)
        if isDryRun {
            let isSilent = table.isEmpty && differences.isEmpty
            return isSilent
                ? "  no answer is different\n" : table.text(terminal) + differences
        }
        let places = positions.map(String.init).joined(separator: ", ")
        table.add(
            Table.Cell("recorded", .dim),
            .init("\(Words.time(recordedAt)), position \(places), \(durability)"))
        if clockLead > 0 {
            table.add(
                Table.Cell("clock", .dim),
                .init("decided \(clockLead / 1_000) s before that, by the clock of this machine"))
        }
        table.add(Table.Cell("key", .dim), .init(key))
        return table.text(terminal) + differences
    }
}

extension MeterAnswer {
    /// `1 of 2 used, 1 remaining, resets 2026-04-01T00:00:00Z`.
    var sentence: String {
        if kind == .window {
            guard let visibleFrom else { return "all of history" }
            return "visible from \(Words.time(visibleFrom)), \(limit ?? 0) days"
        }
        var parts = [limit.map { "\(used) of \($0) used" } ?? "\(used) used, unlimited"]
        if reserved > 0 { parts.append("\(reserved) reserved") }
        if let remaining { parts.append("\(remaining) remaining") }
        if granted > 0 { parts.append("\(granted) of them granted") }
        if overage > 0 { parts.append("\(overage) over") }
        if excess > 0 { parts.append("\(excess) above the limit") }
        if debt > 0 { parts.append("\(debt) owed") }
        let reset = Words.time(resetsAt)
        if !reset.isEmpty { parts.append("resets \(reset)") }
        return parts.joined(separator: ", ")
    }
}

extension AsOf {
    /// `as of 2026-03-01T00:00:00Z, position 12, catalog 1`.
    var sentence: String {
        var parts = ["as of \(Words.time(at))"]
        if let knownAt { parts.append("known at \(Words.time(knownAt))") }
        parts.append("position \(position)")
        if let catalog { parts.append("catalog \(catalog)") }
        if isOpen { parts.append("open") }
        if clockLead > 0 {
            parts.append("the last event was recorded \(clockLead / 1_000) s ahead of the clock")
        }
        return parts.joined(separator: ", ")
    }
}
