import ArgumentParser
import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookStore
import Foundation

extension ExitCode {
    /// The answer is no, or a difference was found.
    static let no = ExitCode(1)
    static let usage = ExitCode(2)
    static let badInput = ExitCode(3)
    static let environment = ExitCode(4)
}

/// Why a command did not do what it was asked, as the terminal and as scripts see it.
struct Failure: Error {
    var status: ExitCode
    /// A stable word for scripts.
    var code: String
    var message: String
    var problems: [InputProblem] = []
    /// Which option or command of ours helps; the library speaks of the matter alone.
    var remedy: String?
    /// Members that this error has beside those of every one.
    var details = JSONObject()

    /// - Parameter message: One line: what is in it of paths and names must not begin another.
    init(_ status: ExitCode, _ code: String, _ message: String) {
        self.init(status, code, lines: [message])
    }

    /// - Parameter lines: A sentence each.
    init(_ status: ExitCode, _ code: String, lines: [String]) {
        self.status = status
        self.code = code
        message = lines.map(ShownText.escaped).joined(separator: "\n")
        remedy = Self.remedies[code]
    }

    /// Ends a command of which a condition does not hold.
    static func require(
        _ holds: Bool, _ status: ExitCode, _ code: String, _ message: @autoclosure () -> String
    ) throws {
        if !holds { throw Failure(status, code, message()) }
    }

    /// Ends the process with the exit code that the error means.
    static func leave(because error: any Error) -> Never {
        if let status = error as? ExitCode { Foundation.exit(status.rawValue) }
        if error is ReaderIsGone { endQuietly() }
        guard let failure = Failure(error) else {
            // Help and version are no failures.
            do {
                try Terminal.output.write(
                    HumanText(lines: DaybookCommand.fullMessage(for: error)) + "\n")
            } catch {
                leave(because: error)
            }
            Foundation.exit(0)
        }
        failure.report(isJSON: CommandLine.arguments.contains("--json"))
        Foundation.exit(failure.status.rawValue)
    }

    /// Ends as every program does that has lost its reader, by SIGPIPE: a shell calls it 141 and says nothing.
    private static func endQuietly() -> Never {
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
        // Not reached, unless the signal is blocked.
        Foundation.exit(128 + SIGPIPE)
    }

    /// The sentence on the standard error, and with `--json` one object on its last line.
    func report(isJSON: Bool) {
        let terminal = Terminal.errors
        var text = status == .usage ? "" : terminal.paint("daybook: ", .bad)
        text += HumanText(lines: message) + "\n"
        if let remedy { text += "→ \(remedy)\n" }
        do {
            try terminal.write(text)
            guard isJSON else { return }
            let json = JSONObject.error(
                code: code, message: message, remedy: remedy, problems: problems)
            try terminal.write(["error": .object(json.adding(details))])
        } catch {
            // The message cannot be written any more; the exit code still tells.
        }
    }

    /// The same failure of a line of a script.
    func onLine(_ line: Int) -> Failure {
        var failure = self
        failure.message = "line \(line): \(message)"
        return failure
    }
}

extension Failure {
    /// `nil` when the error asks for help, which is no failure.
    init?(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as LedgerError: self.init(ledger: error)
        case let error as StoreError: self.init(ledger: .store(error))
        case let error as TextProblem: self.init(.badInput, error.code, error.message)
        case let error as CatalogProblems: self.init(catalog: error, file: nil)
        case let error as Rejection: self.init(ledger: .rejected(error, decision: nil))
        case let error as BundleProblem:
            var status = ExitCode.badInput
            if case .differs = error { status = .no }
            self.init(status, error.code, error.description)
        case let error as InputProblem:
            self.init(.badInput, error.code, error.description)
            problems = [error]
        default: self.init(parsing: error)
        }
    }

    private init?(parsing error: any Error) {
        let status = DaybookCommand.exitCode(for: error)
        if status == .success { return nil }
        if status == .validationFailure {
            self.init(.usage, "usage", lines: Self.lines(ofUsage: error))
        } else {
            self.init(.environment, "failed", error.localizedDescription)
        }
    }

    /// Several lines of ours, with what was typed in them: that begins no line of its own.
    private static func lines(ofUsage error: any Error) -> [String] {
        var message = DaybookCommand.fullMessage(for: error)
        for argument in CommandLine.arguments.dropFirst() {
            let value = argument.split(separator: "=", maxSplits: 1).last.map(String.init) ?? ""
            for typed in [argument, value] where ShownText.escaped(typed) != typed {
                message = message.replacing(typed, with: ShownText.escaped(typed))
            }
        }
        return message.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private init(ledger error: LedgerError) {
        let status: ExitCode =
            switch error {
            // A refusal is an answer, unless the question itself was wrong.
            case .rejected(let rejection, _): rejection.isWrongQuestion ? .badInput : .no
            case .versionConflict: .no
            case .idempotencyConflict, .catalogConflict, .badInput: .badInput
            case .store, .historyReplaced, .placeAhead: .environment
            }
        self.init(status, error.code, lines: error.sentences)
        problems = error.problems
        if case .historyReplaced(_, let fork) = error {
            remedy = "daybook changes --after @\(fork?.position ?? 0)"
            details["fork"] = .orNull(fork?.json)
        }
        if case .placeAhead(_, let end) = error { details["end"] = .object(end.json) }
        // A name in an event, not one that was asked for.
        if code == "unknown_name", problems.first?.member?.hasPrefix("data.") == true {
            remedy = "to keep it all the same, say --allow-unknown"
        }
    }

    /// What to type, by the code of what is wrong.
    private static let remedies: [String: String] = [
        "no_catalog": "daybook catalog publish FILE",
        "override_forbidden": "say --env sandbox",
        "gauge_needs_ref": "say --ref",
        "retroactive":
            "say --retroactive to let them change, and --dry-run with it to see how many",
        "transfer_final": "say --force and why, or transfer it anew",
        "transaction_already_assigned": "daybook unassign SUBJECT --transaction TRANSACTION",
        "owned_by_other":
            "the catalog's policy \"transfer\" decides; daybook transfer moves it by hand",
        "unknown_type":
            "daybook schema lists the types; to keep it all the same, say --allow-unknown",
        "unknown_member":
            "daybook schema TYPE lists the members; to keep it all the same, say --allow-unknown",
        "catalog_uncorrectable": "daybook catalog rollback VERSION",
    ]

    /// - Parameter file: Named before each place, as compilers do.
    init(catalog error: CatalogProblems, file: String?, code: String = "bad_catalog") {
        let prefix = file.map { "\($0):" } ?? ""
        self.init(
            .badInput, code,
            lines: error.problems.map { prefix + $0.description })
        problems = error.problems.map(InputProblem.init)
    }
}
