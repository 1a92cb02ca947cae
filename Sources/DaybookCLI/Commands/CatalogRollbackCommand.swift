import ArgumentParser
import Daybook
import DaybookEvents

struct CatalogRollbackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback", abstract: "Bring an older catalog into force again.",
        discussion: """
            Nothing is deleted: the newer one keeps ruling the time in which it ruled.

              daybook catalog rollback 1
            """)

    @Argument(help: "The version that rules again.")
    var version: Int64

    @Option(help: ArgumentHelp("From when on. Default: now.", valueName: "time"))
    var effective: String?

    @Flag(help: "Allow a time in the past.")
    var retroactive = false

    @Option(help: ArgumentHelp("Who rolls back, for the audit.", valueName: "name"))
    var actor: String?

    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    mutating func run() async throws {
        let publication = CatalogPublication(
            effectiveAt: try InstantText.read(effective, option: "--effective"),
            isRetroactive: retroactive, rollBackTo: version, actor: actor)
        let receipt = try await ledger.writing { try await $0.publish(publication) }
        guard !output.json else {
            var json = receipt.json
            json["allowed"] = nil
            json["version"] = .integer(version)
            return Terminal.output.write(json)
        }
        let mark = Terminal.output.paint("✓", .good)
        Terminal.output.write(
            "\(mark) version \(version) is in force again\n" + receipt.details(.output))
    }
}
