import ArgumentParser
import Daybook

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Put a backup in the place of a ledger.",
        discussion: """
            The backup is verified from its first row to its last. A new epoch begins with an event that says who \
            restored and why. What was recorded after the backup's end is abandoned: its keys are free again, so that \
            senders can deliver it anew. Snapshots, segments and key arrays of it are removed. The ledger that was \
            there stays beside the new one under another name, and every process that has it open is told and writes \
            nothing more.

              daybook restore saved.sqlite restored.sqlite --reason "disk replaced"
              daybook restore saved.sqlite ledger.sqlite --replace --reason "bad import"

            What a customer's device restores is "daybook restore-purchases".
            """)

    @Argument(help: "The backup.", completion: .file())
    var backup: String

    @Argument(help: "The ledger's file.", completion: .file())
    var ledger: String

    @Flag(help: "Replace the ledger that is there; it is kept under another name.")
    var replace = false

    @Option(help: .value("name", "Name of the operator, for the audit."))
    var actor: String?

    @Option(help: .value("text", "Reason, for the audit."))
    var reason: String

    @OptionGroup var output: OutputOptions

    mutating func run() throws {
        try LedgerGuard.checkPlace(ledger, target: ledger)
        let restored = try ProgressBar.during("restore") { bar in
            try Ledger.restore(
                backup: backup, to: ledger, isReplacing: replace, actor: actor, reason: reason,
                progress: { bar.show($0, of: $1, events: $1) })
        }
        try output.show(restored.json) { Self.text(restored, tick: $0.tick) }
    }

    private static func text(_ restored: RestoredLedger, tick: HumanText) -> HumanText {
        var text: HumanText =
            "\(tick) \(restored.path) goes on from position \(restored.backup.position)\n  \(HistoryPointText.line(restored.history))\n"
        if let abandoned = restored.abandoned {
            let count = max(0, abandoned.position - restored.backup.position)
            text += "  abandoned  \(Words.count(count, "event")) up to \(abandoned)\n"
        }
        if let kept = restored.keptAt { text += "  kept       \(kept)\n" }
        if restored.removedFiles > 0 {
            text += "  removed    \(Words.count(restored.removedFiles, "derived file"))\n"
        }
        return text
    }
}
