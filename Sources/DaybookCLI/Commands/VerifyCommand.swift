import ArgumentParser
import Daybook
import DaybookAudit

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check everything that can be checked without a change.",
        discussion: """
            Order, gaps, versions, triggers, keys, the hash over the history, documents, corrections; every segment, \
            lookup array and snapshot, compared with what a second reader rebuilds from the rows alone; and replays \
            from zero, from rows and from segments. Exits with 1 when something is not clean. Derived files of \
            another history or version are listed and are no failure.

              daybook verify
              daybook verify --json
            """)

    @OptionGroup var basic: BasicOptions

    mutating func run() async throws {
        // Not through an opened ledger: one that is too damaged for that is verified all the same.
        let findings = try ProgressBar.during("verify") { bar in
            try Ledger.verify(at: try basic.ledger.path()) { bar.show(0, of: 0, note: $0) }
        }
        let isClean = findings.allSatisfy(\.isClean)
        var table = Table()
        for finding in findings {
            table.add(
                finding.isClean ? .init("✓", .good) : .init("✗", .bad), .init(finding.check),
                .init(finding.detail, finding.isClean ? .dim : .plain))
        }
        try basic.output.show(findings.json) { table.text($0, indent: 0) }
        if !isClean { throw ExitCode.no }
    }
}
