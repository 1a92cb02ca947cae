import ArgumentParser
import Daybook
import DaybookDomain
import DaybookEvents

struct CatalogPublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish", abstract: "Bring a catalog into force.",
        discussion: """
            For all customers, for new ones, from each one's next period on, or for a fixed share of them. What was \
            published before stays in the ledger and keeps ruling its time.

              daybook catalog publish events/dozzi/catalog.yaml
              daybook catalog publish five-stories.yaml --applies-to cohort:20
              daybook catalog publish april.yaml --effective 2026-04-01T00:00:00Z
            """)

    @Argument(help: "The catalog.")
    var file: String

    @Option(help: "all, new, next-period or cohort:PERCENT.")
    var appliesTo = "all"

    @Option(help: ArgumentHelp("From when on. Default: now.", valueName: "time"))
    var effective: String?

    @Flag(help: "Allow a time in the past, and tell how many answers that changes.")
    var retroactive = false

    @Option(help: ArgumentHelp("Who publishes, for the audit.", valueName: "name"))
    var actor: String?

    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    mutating func run() async throws {
        let document = try InputFile(file).all(byteCountMax: CatalogReader.byteCountMax)
        _ = try CatalogFile.read(document, named: file)
        let publication = CatalogPublication(
            document: document, scope: try ScopeText.read(appliesTo),
            effectiveAt: try InstantText.read(effective, option: "--effective"),
            isRetroactive: retroactive, actor: actor)
        try await ledger.writing { ledger in
            let before = try ledger.head().position
            let receipt = try await ledger.publish(publication)
            let isBackDated = retroactive && publication.effectiveAt != nil
            let changed =
                isBackDated
                ? try Self.changedAnswers(ledger, since: before, at: publication.effectiveAt) : nil
            show(receipt, try ledger.catalogs().versionMax, changed)
        }
    }

    private func show(_ receipt: Receipt, _ version: Int64, _ changed: Int?) {
        guard !output.json else {
            var json = receipt.json
            json["allowed"] = nil
            json["version"] = .integer(version)
            json["published"] = .bool(!receipt.positions.isEmpty)
            json["changed_answers"] = .orNull(changed.map(Int64.init))
            return Terminal.output.write(json)
        }
        let mark = Terminal.output.paint("✓", .good)
        let text =
            receipt.positions.isEmpty
            ? "\(file) is in force already" : "\(file) is published as version \(version)"
        Terminal.output.write("\(mark) \(text)\n" + receipt.details(.output))
        if let changed {
            Terminal.output.write(
                "  \(Words.count(Int64(changed), "answer")) about the past changed\n")
        }
    }

    /// How many customers' status, then and now, is another one than as known before.
    private static func changedAnswers(
        _ ledger: Ledger, since position: Int64, at instant: Int64?
    ) throws -> Int {
        var count = 0
        for environment in Environment.allCases {
            for subject in try ledger.subjects(in: environment) {
                for at in [instant, nil] {
                    let now = try ledger.status(
                        of: subject, environment: environment, moment: Moment(at: at)
                    ).status
                    let before = try ledger.status(
                        of: subject, environment: environment,
                        moment: Moment(at: at, knownAt: .position(position))
                    ).status
                    if now != before { count += 1 }
                }
            }
        }
        return count
    }
}

/// Reads for whom a catalog is to be in force.
enum ScopeText {
    static func read(_ text: String) throws -> CatalogScope {
        switch text.replacing("_", with: "-") {
        case "all": return .all
        case "new", "new-subjects", "new-users": return .newSubjects
        case "next-period": return .nextPeriod
        default:
            let parts = text.split(separator: ":")
            if parts.count == 2, parts[0] == "cohort", let percent = Int64(parts[1]),
                (0...100).contains(percent)
            {
                return .cohort(percent)
            }
            throw Failure(
                .usage, "usage",
                "--applies-to \(text): write all, new, next-period or cohort:20")
        }
    }

    static func word(_ scope: CatalogScope) -> String {
        switch scope {
        case .all: "all"
        case .newSubjects: "new"
        case .nextPeriod: "next-period"
        case .cohort(let percent): "cohort:\(percent)"
        }
    }
}
