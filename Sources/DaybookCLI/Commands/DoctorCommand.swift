import ArgumentParser
import Daybook
import DaybookAudit
import Foundation

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look at the environment, the catalog, and a customer's refused purchases.",
        discussion: """
            Problems come first; what is fine is listed with --all, and always with --json. Exits with 1 when there is \
            a problem; a warning is none.

              daybook doctor
              daybook doctor --all
              daybook doctor ada
            """)

    @Argument(help: "ID of a customer whose purchases give less than expected.")
    var subject: String?

    @Flag(help: "List what is fine, too.")
    var all = false

    @OptionGroup var common: CommonOptions

    mutating func run() async throws {
        var findings = try await common.ledger.asking { ledger in
            try ledger.doctor(subject: subject, environment: common.environment)
        }
        findings += Self.sharedSecrets(in: ProcessInfo.processInfo.environment)
        findings = [.problem, .warning, .fine].flatMap { severity in
            findings.filter { $0.severity == severity }
        }.map(Self.withCommand)
        let isWell = !findings.contains { $0.severity == .problem }
        let shown = all ? findings : findings.filter { $0.severity != .fine }
        let rest = Int64(findings.count - shown.count)
        try common.output.show(findings.json) { terminal in
            let text = Self.table(shown).text(terminal, indent: 0)
            guard rest > 0 else { return text }
            let count = Words.count(rest, "finding is", "findings are")
            return text + "\(terminal.tick) \(count) fine; --all lists them\n"
        }
        if !isWell { throw ExitCode.no }
    }

    /// Apple's verifyReceipt wanted a shared secret. Signed transactions want none, so one that is still set can only
    /// leak.
    private static func sharedSecrets(in variables: [String: String]) -> [DoctorFinding] {
        variables.keys.filter { $0.uppercased().hasSuffix("SHARED_SECRET") }.sorted().map {
            DoctorFinding(
                area: "environment", severity: .warning,
                message: "\($0) is set; what Apple signs is verified without a shared secret",
                remedy: "remove it, here and in App Store Connect, if nothing else reads it",
                code: "shared_secret")
        }
    }

    /// What to type, by the code of what was found.
    private static let commands = [
        "no_catalog": "daybook catalog publish FILE", "unknown_subject": "--env",
        "needs_assignment": "daybook assign SUBJECT --transaction ID --profile P",
        "dead_letters": "daybook dead-letters list",
    ]

    private static func withCommand(_ finding: DoctorFinding) -> DoctorFinding {
        var finding = finding
        if let remedy = finding.remedy, let command = commands[finding.code ?? ""] {
            finding.remedy = "\(remedy): \(command)"
        }
        return finding
    }

    private static func table(_ findings: [DoctorFinding]) -> Table {
        var table = Table()
        for finding in findings {
            let mark: Table.Cell =
                switch finding.severity {
                case .fine: .init("✓", .good)
                case .warning: .init("!", .warning)
                case .problem: .init("✗", .bad)
                }
            table.add(mark, .init(finding.area), .init(finding.message))
            if let remedy = finding.remedy {
                table.add(.init(""), .init(""), .init("→ \(remedy)", .dim))
            }
        }
        return table
    }
}
