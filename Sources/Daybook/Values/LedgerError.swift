public import DaybookDomain
import DaybookEvents
public import DaybookStore

/// Why the ledger did not do what it was asked.
public enum LedgerError: Error, Sendable {
    /// A rule refused the command; no entitlement changed.
    case rejected(Rejection, decision: Decision?)
    /// The key was used before for something else.
    case idempotencyConflict(key: String, firstPosition: Int64)
    /// Another writer appended to the stream first.
    case versionConflict(stream: String, expected: Int64, actual: Int64)
    /// The input cannot be accepted as it is.
    case badInput([InputProblem])
    /// The catalog's structure clashes with what was published before (rule 8).
    case catalogConflict([String])
    /// The store could not.
    case store(StoreError)
}

/// One mistake in an input, with its place.
public struct InputProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// 1-based; `nil` where the input has no lines.
    public var line: Int?
    public var column: Int?
    public var code: String
    public var reason: String
    /// The path of the member that is wrong, such as `source.key`; `nil` where no event is meant.
    public var member: String?

    public init(
        line: Int?, column: Int?, code: String, reason: String, member: String? = nil
    ) {
        self.line = line
        self.column = column
        self.code = code
        self.reason = reason
        self.member = member
    }

    /// What is wrong with one event of an input.
    init(line: Int?, column: Int? = nil, _ problem: EventProblem) {
        self.init(
            line: line, column: column, code: problem.code.rawValue,
            reason: "\(problem.member): \(problem.reason)", member: problem.member)
    }

    public var description: String {
        let place = [line.map { "line \($0)" }, column.map { "column \($0)" }].compactMap { $0 }
        return (place.isEmpty ? "" : place.joined(separator: ", ") + ": ") + "\(reason) [\(code)]"
    }
}

extension InputProblem {
    /// A mistake in a catalog's document.
    public init(_ problem: CatalogProblem) {
        let path = problem.path.isEmpty ? "" : "\(problem.path): "
        self.init(
            line: problem.line, column: problem.column, code: "catalog",
            reason: path + "\(problem.sentence) \(problem.remedy)")
    }
}

extension LedgerError: CustomStringConvertible {
    /// What is wrong, each by itself; of very many mistakes the first.
    package var sentences: [String] {
        switch self {
        case .badInput(let problems):
            problems.prefix(20).map(\.description)
                + (problems.count > 20 ? ["… and \(problems.count - 20) more"] : [])
        case .catalogConflict(let sentences): sentences
        default: [description]
        }
    }

    public var description: String {
        switch self {
        case .rejected(let rejection, _): rejection.description
        case .idempotencyConflict(let key, let position):
            "the key \"\(key)\" was used for another request, at position \(position); use a new key or send the first request again"
        case .versionConflict(let stream, let expected, let actual):
            "stream \(stream) is at version \(actual), not \(expected) as expected: look again, and decide by version \(actual)"
        case .badInput, .catalogConflict: sentences.joined(separator: "\n")
        case .store(let error): error.description
        }
    }

    /// A stable word for scripts.
    public var code: String {
        switch self {
        case .rejected(let rejection, _): rejection.code
        case .idempotencyConflict: "idempotency_conflict"
        case .versionConflict: "version_conflict"
        case .badInput(let problems): problems.first?.code ?? "bad_input"
        case .catalogConflict: "catalog_conflict"
        case .store(let error): error.code.rawValue
        }
    }
}
