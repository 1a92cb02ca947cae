import DaybookEvents

/// Where the demo speaks; silent with `--json`, which gets everything at the end.
struct Stage {
    let isSilent: Bool
    private let terminal = Terminal.output

    func chapter(_ title: String, _ sentence: String) {
        say("")
        say(terminal.paint(title, .heading))
        say(terminal.paint(sentence, .dim))
        say("")
    }

    func say(_ text: String) {
        if !isSilent { terminal.write(text + "\n") }
    }

    /// A command that a reader could type.
    func prompt(_ command: String) {
        say("  " + terminal.paint("$ daybook \(command)", .bold))
    }

    /// The answer below it.
    func answer(_ isYes: Bool, _ text: String) {
        say("    " + terminal.paint(isYes ? "✓ " : "✗ ", isYes ? .good : .bad) + text)
    }

    func show(_ table: Table) {
        if !isSilent { terminal.write(table.text(terminal)) }
    }

    func show(_ text: (Terminal) -> String) {
        guard !isSilent else { return }
        let lines = text(terminal).split(separator: "\n", omittingEmptySubsequences: false)
        terminal.write(lines.map { $0.isEmpty ? "" : "  " + $0 }.joined(separator: "\n"))
    }
}
