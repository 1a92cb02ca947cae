import ArgumentParser
import Daybook
import DaybookDomain
import DaybookEvents

struct TransferCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer", abstract: "Give a customer's purchase to another customer.",
        discussion: """
            From now on: what was said of the past stays, and what the store says later goes to the new owner. \
            Both histories show it. It can be taken back for 30 days, and later with --force.

              daybook transfer --line apple:2000000123 --from ada --to bea \\
                --reason "ticket 77" --preview
              daybook transfer --line apple:2000000123 --from ada --to bea \\
                --reason "ticket 77"
              daybook transfer --undo --line apple:2000000789 --reason oops
            """)

    @Option(
        help: ArgumentHelp(
            "The store's original transaction, as apple:2000000123.", valueName: "line"))
    var line: String

    @Option(help: ArgumentHelp("Whose it is; with --undo: who has it now.", valueName: "subject"))
    var from: String?

    @Option(help: ArgumentHelp("Who gets it.", valueName: "subject"))
    var to: String?

    @Flag(help: "Take the latest transfer of the line back.")
    var undo = false

    @Flag(help: "Also when it may not be taken back any more.")
    var force = false

    @Flag(help: "Say what would happen, and write nothing.")
    var preview = false

    @Option(help: ArgumentHelp("Why, for the audit; needed.", valueName: "text"))
    var reason: String

    @Option(help: ArgumentHelp("Who asks, for the audit.", valueName: "name"))
    var actor: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The same key again returns the first receipt and adds nothing.", valueName: "key"))
    var idempotencyKey: String?

    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    mutating func validate() throws {
        if undo, to != nil {
            throw ValidationError("--undo gives the line back to its last owner; leave --to out.")
        }
        if !undo, from == nil || to == nil {
            throw ValidationError("Say --from and --to, or --undo.")
        }
        if force, !undo { throw ValidationError("--force goes with --undo.") }
    }

    mutating func run() async throws {
        let name = line.contains(":") ? line : "apple:\(line)"
        let (given, direction) = (from, direction)
        let (environment, reason) = (environment.environment, reason)
        let (actor, key, isPreview) = (actor, idempotencyKey, preview)
        let work: (Ledger) async throws -> TransferReceipt = { ledger in
            guard let from = try given ?? ledger.owner(of: name, environment: environment) else {
                throw LedgerError.rejected(.unknownLine(name), decision: nil)
            }
            return try await ledger.transfer(
                TransferRequest(
                    of: name, from: from, direction, reason: reason, environment: environment,
                    actor: actor, key: key),
                isPreview: isPreview)
        }
        let receipt =
            preview ? try await ledger.asking(work) : try await ledger.writing(work)
        try output.show(receipt.json(isPreview: preview)) {
            receipt.text($0, isPreview: isPreview)
        }
    }

    private var direction: TransferRequest.Direction {
        undo ? .undo(isForced: force) : .to(to ?? "")
    }
}
