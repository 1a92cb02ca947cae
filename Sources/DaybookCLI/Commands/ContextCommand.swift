import ArgumentParser
import Daybook

struct ContextCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "context",
        abstract: "Write what all cases share, for folds elsewhere.",
        discussion: """
            One small file: catalogs, corrections, rates, the offsets of zones, the time of the questions, and how \
            many cases and events a whole fold sees (docs/scaling.md). "daybook export --partitions" writes it beside \
            the events.

              daybook context --output context.ndjson
              daybook context --known-at @1
            """)

    @OptionGroup var moment: MomentOptions

    @Option(name: .shortAndLong, help: .outputFile)
    var output: String?

    @OptionGroup var ledger: LedgerOptions

    @Flag(help: "Write errors as JSON, too.")
    var json = false

    mutating func run() async throws {
        let moment = try moment.moment()
        try await ledger.asking { ledger in
            let writer = try LineWriter(output, access: .like(ledger: ledger.path))
            try writer.write(try ledger.caseExport(moment).context.bytes)
            try writer.close()
        }
    }
}
