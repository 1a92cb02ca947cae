import Daybook

extension Receipt {
    /// The lines below the first one.
    /// - Parameter isDryRun: Nothing was recorded; what would be different is all that there is to say.
    func details(_ terminal: Terminal, isDryRun: Bool = false) -> HumanText {
        var table = Table()
        if let usage = decision?.usage { table.add(label: "now", usage.sentence) }
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
        table.add(label: "recorded", "\(Words.time(recordedAt)), position \(places), \(durability)")
        if clockLead > 0 {
            table.add(
                label: "clock",
                "decided \(clockLead / 1_000) s before that, by the clock of this machine")
        }
        table.add(label: "key", key)
        return table.text(terminal) + differences
    }
}
