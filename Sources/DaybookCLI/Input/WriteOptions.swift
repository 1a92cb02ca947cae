import ArgumentParser
import Daybook
import DaybookDomain
import DaybookEvents

/// What every command to the ledger takes, and how its receipt is shown.
struct WriteOptions: ParsableArguments {
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var output: OutputOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The same key again returns the first receipt and adds nothing.", valueName: "key"))
    var idempotencyKey: String?

    @Option(name: .long, help: ArgumentHelp("Who asks, for the audit.", valueName: "name"))
    var actor: String?

    @Option(name: .long, help: ArgumentHelp("Why, for the audit.", valueName: "text"))
    var reason: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Refuse unless the customer's stream is at this version.", valueName: "version"))
    var expectedVersion: Int64?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The client's clock; decides only where the catalog says \"clock: accept\".",
            valueName: "time"))
    var clientAt: String?

    func request(
        _ command: Command, for subject: String, profile: String? = nil
    ) throws -> CommandRequest {
        CommandRequest(
            command, subject: subject, environment: environment.environment, key: idempotencyKey,
            profile: profile, actor: actor, reason: reason,
            clientAt: try InstantText.read(clientAt, option: "--client-at"),
            expectedVersion: expectedVersion)
    }

    /// Asks the ledger, and prints the receipt or the refusal.
    /// - Parameter sentence: What happened, in the past tense.
    func perform(
        _ command: Command, for subject: String, profile: String? = nil, sentence: String
    ) async throws {
        let request = try request(command, for: subject, profile: profile)
        try await ledger.writing { ledger in
            do {
                show(
                    try await ledger.perform(request, isRestating: command.canRestate), sentence)
            } catch LedgerError.rejected(let rejection, let decision?) {
                try refuse(rejection, decision, subject, try ledger.catalogs().newest?.catalog)
            }
        }
    }

    func show(_ receipt: Receipt, _ sentence: String) {
        guard !output.json else { return Terminal.output.write(receipt.json) }
        let mark = Terminal.output.paint("✓", .good)
        Terminal.output.write("\(mark) \(sentence)\n" + receipt.details(.output))
    }

    /// A refusal with numbers is an answer: it stands on the standard output, like that of `check`.
    private func refuse(
        _ rejection: Rejection, _ decision: Decision, _ subject: String, _ catalog: Catalog?
    ) throws -> Never {
        var decision = decision
        decision.allowed = false
        guard output.json else {
            let text = DecisionText(decision: decision, catalog: catalog, locale: nil)
            Terminal.output.write(text.text(.output, subject: subject))
            throw ExitCode.no
        }
        Terminal.output.write(decision.json)
        throw LedgerError.rejected(rejection, decision: decision)
    }
}

extension Command {
    /// Usage is recorded at the ledger's clock and changes nothing that was said before.
    fileprivate var canRestate: Bool {
        switch self {
        case .consume, .reserve, .commit, .release: false
        default: true
        }
    }
}
