import ArgumentParser
import Daybook
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
    /// What a refused command would have come to.
    var decision: Decision?

    /// A script that reads a report of a million bad lines is not helped by all of them.
    private static let problemsMax = 1_000

    private static let passing: Set<String> = [
        StoreError.Code.busy.rawValue, StoreError.Code.overloaded.rawValue,
        StoreError.Code.conflict.rawValue,
    ]
    private static let retryAfterMilliseconds: Int64 = 1_000

    init(_ status: ExitCode, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    /// Ends the process with the exit code that the error means.
    static func leave(because error: any Error) -> Never {
        if let status = error as? ExitCode { Foundation.exit(status.rawValue) }
        guard let failure = Failure(error) else {
            // Help and version are no failures.
            Terminal.output.write(DaybookCommand.fullMessage(for: error) + "\n")
            Foundation.exit(0)
        }
        failure.report(isJSON: CommandLine.arguments.contains("--json"))
        Foundation.exit(failure.status.rawValue)
    }

    /// The sentence on the standard error, and with `--json` one object on its last line.
    func report(isJSON: Bool) {
        let prefix = status == .usage ? "" : Terminal.errors.paint("daybook: ", .bad)
        Terminal.errors.write(prefix + message + "\n")
        guard isJSON else { return }
        Terminal.errors.write(JSONValue.object(["error": .object(json)]).canonicalText + "\n")
    }

    private var json: JSONObject {
        var object: JSONObject = ["code": .string(code), "message": .string(message)]
        // Only what may go by itself: somebody else was writing, or too much was waiting.
        let isRetryable = Self.passing.contains(code)
        object["retryable"] = .bool(isRetryable)
        object["retry_after_ms"] = .orNull(isRetryable ? Self.retryAfterMilliseconds : nil)
        object["problems"] = .array(
            problems.prefix(Self.problemsMax).map { problem in
                [
                    "line": .orNull(problem.line.map(Int64.init)),
                    "column": .orNull(problem.column.map(Int64.init)),
                    "code": .string(problem.code), "reason": .string(problem.reason),
                ]
            })
        return object
    }
}

extension Failure {
    /// `nil` when the error asks for help, which is no failure.
    init?(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as LedgerError: self.init(ledger: error)
        case let error as StoreError: self.init(.environment, error.code.rawValue, error.message)
        case let error as CatalogProblems: self.init(catalog: error, file: nil)
        case let error as Rejection: self.init(rejection: error, decision: nil)
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
            self.init(.usage, "usage", DaybookCommand.fullMessage(for: error))
        } else {
            self.init(.environment, "failed", error.localizedDescription)
        }
    }

    private init(ledger error: LedgerError) {
        switch error {
        case .rejected(let rejection, let decision):
            self.init(rejection: rejection, decision: decision)
        case .versionConflict: self.init(.no, error.code, error.description)
        case .idempotencyConflict, .catalogConflict:
            self.init(.badInput, error.code, error.description)
        case .badInput(let problems):
            self.init(.badInput, error.code, error.description)
            self.problems = problems
        case .store(let error): self.init(.environment, error.code.rawValue, error.message)
        }
    }

    /// A refusal is an answer, unless the question itself was wrong.
    private init(rejection: Rejection, decision: Decision?) {
        let status: ExitCode
        switch rejection {
        case .unknownName, .amountOutOfBounds, .unknownTimeZone, .unknownOverride,
            .overrideEnded, .unknownWord, .fieldUnamendable, .signedFactNeeds, .ambiguousGauge,
            .ambiguousUsage, .wrongKind, .noGauge, .noCatalog:
            status = .badInput
        default: status = .no
        }
        self.init(status, rejection.code, rejection.description)
        self.decision = decision
        if status == .badInput {
            problems = [
                InputProblem(
                    line: nil, column: nil, code: rejection.code, reason: rejection.description)
            ]
        }
    }

    /// - Parameter file: Named before each place, as compilers do.
    init(catalog error: CatalogProblems, file: String?) {
        let prefix = file.map { "\($0):" } ?? ""
        self.init(
            .badInput, "bad_catalog",
            error.problems.map { prefix + $0.description }.joined(separator: "\n"))
        problems = error.problems.map {
            InputProblem(
                line: $0.line, column: $0.column, code: "catalog",
                reason: ($0.path.isEmpty ? "" : "\($0.path): ") + "\($0.sentence) \($0.remedy)")
        }
    }
}
