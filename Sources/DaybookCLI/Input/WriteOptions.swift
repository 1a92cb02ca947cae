import ArgumentParser
import Daybook
import DaybookDomain
import DaybookEvents

/// What every command to the ledger takes, and how its receipt is shown.
struct WriteOptions: ParsableArguments {
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var output: OutputOptions

    @Option(help: .value("key", "The same key again returns the first receipt and adds nothing."))
    var idempotencyKey: String?

    @Option(help: .value("name", "Name of the operator, for the audit."))
    var actor: String?

    @Option(help: .value("text", "Reason, for the audit."))
    var reason: String?

    @Option(help: .value("ticket", "Reference to the ticket, for the audit."))
    var ticket: String?

    @Flag(help: "Show what would be different, and write nothing.")
    var dryRun = false

    @Option(
        help: .value(
            "version",
            "Refuse unless the customer's stream is at this version; 0 before its first event."))
    var expectedVersion: Int64?

    @Option(
        help: .value(
            "time",
            "Time of the client's clock; decides only where the catalog says \"clock: accept\"."))
    var clientAt: String?

    func request(
        _ command: Command, for subject: String, profile: String? = nil
    ) throws -> CommandRequest {
        if let expectedVersion, expectedVersion < 0 {
            throw Failure(
                .badInput, "bad_version",
                "--expected-version \(expectedVersion): versions count from 1; 0 means that the customer is new"
            )
        }
        return CommandRequest(
            command, subject: subject, environment: environment.environment, key: idempotencyKey,
            profile: profile, actor: actor, reason: reason,
            ticket: ticket, clientAt: try InstantText.read(clientAt, "--client-at"),
            expectedVersion: expectedVersion)
    }

    /// Asks the ledger, and prints the receipt or the refusal.
    /// - Parameters:
    ///   - sentence: What happened, in the past tense.
    ///   - repetition: The same, where it had been counted before and nothing happened.
    func perform(
        _ command: Command, for subject: String, profile: String? = nil, sentence: String,
        repetition: String? = nil
    ) async throws {
        let request = try request(command, for: subject, profile: profile)
        try await opening { ledger in
            do {
                let receipt = try await ask(ledger, request)
                try show(
                    receipt, receipt.wasDoneBefore ? repetition ?? sentence : sentence, ledger)
            } catch LedgerError.rejected(let rejection, let decision?) {
                try refuse(rejection, decision, subject, try ledger.catalogs().newest?.catalog)
            }
        }
    }

    /// Opens the ledger as far as the command needs it.
    func opening(_ body: (Ledger) async throws -> Void) async throws {
        try await ledger.opening(isDryRun: dryRun, body)
    }

    /// Asks the ledger, or with `--dry-run` what it would answer.
    func ask(_ ledger: Ledger, _ request: CommandRequest) async throws -> Receipt {
        let isRestating = request.command.canRestate
        return dryRun
            ? try await ledger.dryRun(request, isRestating: isRestating)
            : try await ledger.perform(request, isRestating: isRestating)
    }

    func show(_ receipt: Receipt, _ sentence: String, _ ledger: Ledger) throws {
        let json = dryRun ? receipt.json : ledger.json(of: receipt)
        try output.show(json.adding(["dry_run": .bool(dryRun)])) {
            let end: HumanText = dryRun ? "; a dry run: nothing is written\n" : "\n"
            return "\($0.tick) \(sentence)" + end + receipt.details($0, isDryRun: dryRun)
        }
    }

    /// A refusal with numbers is an answer: it stands on the standard output, like that of `check`.
    private func refuse(
        _ rejection: Rejection, _ decision: Decision, _ subject: String, _ catalog: Catalog?
    ) throws -> Never {
        guard output.json else {
            let text = DecisionText(
                decision: decision, catalog: catalog, locale: nil, at: SystemClock.now())
            try Terminal.output.write(text.text(.output, subject: subject))
            throw ExitCode.no
        }
        try Terminal.output.write(decision.json)
        throw LedgerError.rejected(rejection, decision: decision)
    }
}

extension Command {
    /// Usage and exposures are recorded as they happen and change nothing that was said before.
    fileprivate var canRestate: Bool {
        switch self {
        case .consume, .reserve, .commit, .release, .expose: false
        default: true
        }
    }
}
