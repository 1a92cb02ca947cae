import ArgumentParser
import Daybook
import DaybookDomain
import DaybookEvents
import DaybookIngest

struct RestorePurchasesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore-purchases",
        abstract: "Take in what a customer's device has on Restore Purchases.",
        discussion: """
            Every signed transaction is verified and recorded as by "daybook ingest". What is nobody's becomes the \
            customer's; what is somebody else's goes by the catalog's policy "transfer": it stays, moves, moves if it \
            is not in use, or makes the two one customer. Both sides are shown before and after. The same again \
            changes nothing.

              daybook restore-purchases ada purchases.jws --bundle-id com.dozzi.app \\
                --root sandbox.pem --env test
              daybook restore-purchases ada purchases.jws --preview \\
                --bundle-id com.dozzi.app --root sandbox.pem --env test

            Exit codes: 1 when something is another customer's and stays there, or there is nothing to restore; 3 when \
            a text was refused ("daybook dead-letters").
            """)

    @Argument(help: "The customer.")
    var subject: String

    @Argument(
        help: "The files, or - for the standard input: signed transactions, or pages of them.")
    var files: [String]

    @Option(
        name: .customLong("as"),
        help: "What a body is that is nothing but a signed text.")
    var kind: BodyKind = .appStore(.transaction)

    @Flag(help: "Say what would happen, and write nothing.")
    var preview = false

    @Option(help: ArgumentHelp("Who asks, for the audit.", valueName: "name"))
    var actor: String?

    @Option(help: ArgumentHelp("Why, for the audit.", valueName: "text"))
    var reason: String?

    @OptionGroup var verifier: VerifierOptions
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    mutating func run() async throws {
        let verifier = try verifier.verifier(environment.environment)
        guard case .appStore(let kind) = kind else {
            throw Failure(
                .usage, "not_signed",
                "a device hands over what the App Store signed; \"daybook ingest\" takes webhooks")
        }
        let options = RestoreOptions(
            kind: kind, isPreview: preview, actor: actor, reason: reason)
        let bodies = try files.flatMap {
            IngestCommand.bodies(try InputFile($0).all()).map(\.bytes)
        }
        let subject = subject
        let work: (Ledger) async throws -> RestoreReceipt = { ledger in
            try await ledger.restore(bodies, for: subject, by: verifier, options: options)
        }
        let receipt =
            preview ? try await ledger.asking(work) : try await ledger.writing(work)
        try output.show(receipt.json(isPreview: preview)) {
            receipt.text($0, subject: subject, isPreview: preview)
        }
        if !receipt.refused.isEmpty {
            throw Failure.refused(
                receipt.refused.map(\.problem), "text",
                isRestTaken: !preview && !receipt.lines.isEmpty,
                remedy: preview ? nil : "daybook dead-letters list")
        }
        if let failure = receipt.denial(of: subject) { throw failure }
    }
}

extension RestoreReceipt {
    /// Why the answer is no; `nil`: it is yes.
    fileprivate func denial(of subject: String) -> Failure? {
        if let line = lines.first(where: { $0.outcome == .ownedByOther }) {
            return Failure(
                .no, line.outcome.rawValue,
                "\(line.name) is \(line.ownerAfter ?? "somebody else")'s and stays there")
        }
        if let line = lines.first(where: { $0.outcome == .claimVoided }) {
            return Failure(
                .no, line.outcome.rawValue,
                "a correction took back that \(line.name) is \(subject)'s; nothing moved")
        }
        guard lines.allSatisfy({ $0.outcome == .consumable }) else { return nil }
        return Failure(
            .no, "nothing_to_restore",
            lines.isEmpty
                ? "nothing to restore: no transaction was handed over"
                : "nothing to restore: consumables stay with their owner")
    }
}
