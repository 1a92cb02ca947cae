public import DaybookDomain
import DaybookEvents
public import DaybookStore

/// Why the ledger did not do what it was asked.
public indirect enum LedgerError: Error, Sendable {
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
    /// The place is of another history than the ledger's: the ledger was restored, replaced, or is another one.
    /// - Parameter fork: The last place of this history that the other one has too, as far as the restores of this
    ///   ledger tell; `nil`: they do not.
    case historyReplaced(Place, fork: Place?)
    /// The place is after the end of the ledger: this file has not come there yet, or not any more.
    case placeAhead(Place, end: Place)
    /// The store could not.
    case store(StoreError)
}

/// One mistake in an input, with its place.
public struct InputProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// 1-based; `nil` where the input has no lines.
    public var line: Int?
    /// 1-based, in bytes for JSON and in Unicode scalars for a catalog; `nil` where no place in a line is meant.
    public var column: Int?
    /// A stable word for scripts, such as `unknown_name`.
    public var code: String
    /// What is wrong and what is expected, in one sentence.
    public var reason: String
    /// The path of the member that is wrong, such as `source.key`; `nil` where no event is meant.
    public var member: String?

    /// Creates a problem; nothing is checked.
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

    /// For messages: `line 3, column 7: REASON [CODE]`, without the places that are `nil`.
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

extension LedgerError {
    /// One mistake of an input that has no lines.
    /// - Parameters:
    ///   - code: A stable word for scripts.
    ///   - reason: What is wrong and what is expected, in one sentence.
    package static func bad(
        _ code: String, _ reason: String, member: String? = nil
    ) -> LedgerError {
        .badInput([
            InputProblem(line: nil, column: nil, code: code, reason: reason, member: member)
        ])
    }

    /// Refuses an input of which a condition does not hold.
    package static func require(
        _ holds: Bool, _ code: String, _ reason: @autoclosure () -> String, member: String? = nil
    ) throws(LedgerError) {
        if !holds { throw .bad(code, reason(), member: member) }
    }

    /// Reads a catalog's document, of which every mistake is bad input.
    package static func reading<Content>(
        _ read: () throws(CatalogProblems) -> Content
    ) throws(LedgerError) -> Content {
        do throws(CatalogProblems) {
            return try read()
        } catch {
            throw .badInput(error.problems.map(InputProblem.init))
        }
    }

    /// What is wrong with the only event of an input.
    static func bad(_ problem: EventProblem) -> LedgerError {
        .badInput([InputProblem(line: nil, problem)])
    }
}

extension Place {
    /// For people, who do not read its text.
    fileprivate var shown: String { "the place after position \(position) of epoch \(epoch)" }
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

    /// What is wrong and what to do, in a sentence; of several mistakes a line each, at most 20 of bad input.
    public var description: String {
        switch self {
        case .rejected(let rejection, _): rejection.description
        case .idempotencyConflict(let key, let position):
            "the key \"\(key)\" was used for another request, at position \(position); use a new key or send the first request again"
        case .versionConflict(let stream, let expected, let actual):
            "stream \(stream) is at version \(actual), not \(expected) as expected: look again, and decide by version \(actual)"
        case .badInput, .catalogConflict: sentences.joined(separator: "\n")
        case .historyReplaced(let place, let fork?):
            "\(place.shown) is of a history that this ledger gave up when it was restored; the last position that both have is \(fork.position): take back what came after it, and begin again from there"
        case .historyReplaced(let place, nil):
            "\(place.shown) is of another history than this ledger's, and it cannot be known where the two part: begin again from the start"
        case .placeAhead(let place, let end):
            "\(place.shown) is after the end of this ledger, which is at position \(end.position) of epoch \(end.epoch): this file has not come there yet, or an older state of it was put back; ask the ledger that gave the place, or begin again from one that this ledger has"
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
        case .historyReplaced: "history_replaced"
        case .placeAhead: "place_ahead"
        case .store(let error): error.code.rawValue
        }
    }
}
