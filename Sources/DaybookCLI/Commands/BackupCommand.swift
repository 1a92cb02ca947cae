import ArgumentParser
import Daybook

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the ledger while it is in use, and verify the copy.",
        discussion: """
            The copy is a ledger file of its own, as it was at one moment. Every row, name, stream and document in it \
            is verified by the hash over the history before the file gets its name. Run again with the same \
            file, it appends what came since, once the file's end was found in the ledger's history.

              daybook backup saved.sqlite
              daybook backup saved.sqlite --check

            "daybook restore" puts a backup in a ledger's place. Exits with 1 when --check finds the backup damaged.
            """)

    @Argument(help: "The backup's file.", completion: .file())
    var target: String

    @Flag(
        help: "Verify the backup that is there, from its first row to its last, and write nothing.")
    var check = false

    @OptionGroup var basic: BasicOptions

    mutating func run() async throws {
        if check { return try checkBackup() }
        try LedgerGuard.checkPlace(target, target: target)
        let report = try await basic.ledger.asking("backup") { ledger, bar in
            try ledger.backUp(to: target) { bar.show($0, of: $1, events: $1) }
        }
        try basic.output.show(report.json) {
            let what =
                report.events == 0
                ? "nothing new" : "\(Words.count(report.events, "event")) written and verified"
            return
                "\($0.tick) \(report.path): \(what), \(Words.grouped(report.byteCount)) bytes\n  \(HistoryPointText.line(report.history))\n"
        }
    }

    private func checkBackup() throws {
        do {
            let history = try ProgressBar.during("backup --check") { bar in
                try Ledger.proveBackup(at: target) { bar.show($0, of: $1, events: $1) }
            }
            try basic.output.show(history.json.adding(["clean": true])) {
                "\($0.tick) \(target) is whole: \(Words.count(history.position, "event"))\n  \(HistoryPointText.line(history))\n"
            }
        } catch let LedgerError.store(damage)
            where damage.code == .damaged || damage.code == .notALedger
        {
            try basic.output.show(["clean": false, "reason": .string(damage.message)]) { _ in
                "✗ \(damage.message)\n"
            }
            throw ExitCode.no
        }
    }
}
