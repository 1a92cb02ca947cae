import ArgumentParser
import Daybook

struct TransferCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer", abstract: "Give a customer's purchase to another customer.",
        discussion: """
            Takes effect now: answers about the past stay, and what the store says later goes to the new owner. \
            Both histories show it. It can be taken back for 30 days, and later with --force.

              daybook transfer --lineage apple:2000000123 --from ada --to bea \\
                --reason "ticket 77" --dry-run
              daybook transfer --lineage apple:2000000123 --from ada --to bea \\
                --reason "ticket 77"
              daybook transfer --undo --lineage apple:2000000789 --reason oops
            """)

    @Option(
        help: .value(
            "lineage",
            "Lineage of the purchase: its original transaction, such as apple:2000000123."))
    var lineage: String

    @Option(help: .value("subject", "ID of the owner; with --undo: of the present one."))
    var from: String?

    @Option(help: .value("subject", "ID of the new owner."))
    var to: String?

    @Flag(help: "Take back the latest transfer of the lineage.")
    var undo = false

    @Flag(help: "Take it back even after the 30 days.")
    var force = false

    @Flag(help: "Show what would happen, and write nothing.")
    var dryRun = false

    @Option(help: .value("text", "Reason, for the audit; required."))
    var reason: String

    @Option(help: .value("name", "Name of the operator, for the audit."))
    var actor: String?

    @Option(help: .value("key", "The same key again returns the first receipt and adds nothing."))
    var idempotencyKey: String?

    @OptionGroup var common: CommonOptions

    mutating func validate() throws {
        try require(
            !undo || to == nil, "--undo gives the lineage back to its last owner; leave out --to.")
        try require(undo || from != nil && to != nil, "Say --from and --to, or --undo.")
        try require(!force || undo, "--force goes with --undo.")
    }

    mutating func run() async throws {
        let name = lineage.contains(":") ? lineage : "apple:\(lineage)"
        let (receipt, json) = try await common.ledger.opening(isDryRun: dryRun) { ledger in
            let environment = common.environment
            guard let from = try from ?? ledger.owner(of: name, environment: environment) else {
                throw LedgerError.rejected(.unknownLineage(name), decision: nil)
            }
            let receipt = try await ledger.transfer(
                TransferRequest(
                    of: name, from: from, direction, reason: reason, environment: environment,
                    actor: actor, key: idempotencyKey),
                isDryRun: dryRun)
            return (receipt, dryRun ? receipt.json : ledger.json(of: receipt))
        }
        try common.output.show(json.adding(["dry_run": .bool(dryRun)])) {
            receipt.text($0, isDryRun: dryRun)
        }
    }

    private var direction: TransferRequest.Direction {
        undo ? .undo(isForced: force) : .to(to ?? "")
    }
}
