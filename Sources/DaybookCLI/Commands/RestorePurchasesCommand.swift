import ArgumentParser
import Daybook

struct RestorePurchasesCommand: CustomerCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore-purchases",
        abstract: "Take in what a customer's device hands over on Restore Purchases.",
        discussion: """
            Every signed transaction is verified and recorded as by "daybook ingest". A purchase without an owner \
            becomes the customer's; one of another customer goes by the catalog's policy "transfer": it stays, moves, \
            moves if it is not in use, or makes the two one customer. What each of them has is shown before and after. \
            The same again changes nothing.

              daybook restore-purchases ada purchases.jws --bundle-id com.dozzi.app \\
                --root sandbox.pem --env test
              daybook restore-purchases ada purchases.jws --dry-run \\
                --bundle-id com.dozzi.app --root sandbox.pem --env test

            Exit codes: 1 when a purchase is another customer's and stays there, or there is nothing to restore; 3 \
            when a payload was refused ("daybook dead-letters").
            """)

    @OptionGroup var customer: CustomerArgument

    @Argument(
        help: "The files, or - for the standard input: signed transactions, or pages of them.")
    var files: [String]

    @Option(
        name: .customLong("as"),
        help: "Kind of a bare signed payload (JWS).")
    var kind: PayloadKind = .appStore(.transaction)

    @Flag(help: "Show what would happen, and write nothing.")
    var dryRun = false

    @Option(help: .value("name", "Name of the operator, for the audit."))
    var actor: String?

    @Option(help: .value("text", "Reason, for the audit."))
    var reason: String?

    @OptionGroup var verifier: VerifierOptions
    @OptionGroup var common: CommonOptions

    mutating func run() async throws {
        let verifier = try verifier.verifier(common.environment)
        guard case .appStore(let kind) = kind else {
            throw Failure(
                .usage, "not_signed",
                "a device hands over what the App Store signed; \"daybook ingest\" takes webhooks")
        }
        let options = RestoreOptions(
            kind: kind, isDryRun: dryRun, actor: actor, reason: reason)
        let payloads = try files.flatMap {
            IngestCommand.payloads(try InputFile($0).all()).map(\.bytes)
        }
        let (receipt, json) = try await common.ledger.opening(isDryRun: dryRun) { ledger in
            let receipt = try await ledger.restore(
                payloads, for: subject, by: verifier, options: options)
            return (receipt, dryRun ? receipt.json : ledger.json(of: receipt))
        }
        try common.output.show(json.adding(["dry_run": .bool(dryRun)])) {
            receipt.text($0, subject: subject, isDryRun: dryRun)
        }
        if !receipt.refused.isEmpty {
            throw Failure.refused(
                receipt.refused.map(\.problem), "payload",
                isRestTaken: !dryRun && !receipt.lineages.isEmpty,
                remedy: dryRun ? nil : "daybook dead-letters list")
        }
        if let denial = receipt.denial(of: subject) {
            throw Failure(.no, denial.code, denial.reason)
        }
    }
}
