import Daybook
import DaybookDomain
import DaybookEvents
import DaybookStore
import HTTPTypes

/// What the errors of the library are over HTTP.
extension Problem {
    package init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as LedgerError: self.init(ledger: error)
        case let error as StoreError: self.init(store: error)
        case let problem as TextProblem:
            self.init(.unprocessableContent, problem.code, problem.message)
        case let error as JSONError:
            self.init(.badRequest, "bad_json", "the body is no JSON: \(error)")
        case is CancellationError:
            self.init(.serviceUnavailable, "stopping", "the server is stopping")
        default:
            // What it says may quote what must not be told; the log has it.
            self.init(.internalServerError, "failed", "the server failed; its log says why")
        }
    }

    private init(ledger error: LedgerError) {
        switch error {
        case .store(let error): self.init(store: error)
        default:
            self.init(Self.status(of: error), error.code, error.sentences.joined(separator: "\n"))
            problems = error.problems
            members = Self.members(of: error)
        }
    }

    private static func status(of error: LedgerError) -> HTTPResponse.Status {
        switch error {
        case .rejected(let rejection, _): status(of: rejection)
        // Of a batch, each line is a request with a key of its own.
        case .badInput(let problems)
        where problems.allSatisfy { $0.code == EventProblem.Code.keyConflict.rawValue }:
            .conflict
        case .badInput: .unprocessableContent
        // X-06 asks for 409 where the same key comes with another body; the draft of the header would have 422.
        case .idempotencyConflict, .versionConflict, .catalogConflict, .placeAhead: .conflict
        case .historyReplaced: .gone
        case .store: .internalServerError
        }
    }

    /// A refusal is an answer; only where the question was wrong is the request at fault.
    private static func status(of rejection: Rejection) -> HTTPResponse.Status {
        switch rejection {
        case .unknownSubject, .unknownProfile, .unknownTransaction, .unknownLineage,
            .unknownReservation, .unknownGrant, .unknownCode, .unknownUsage, .targetUnknown,
            .unknownAlias:
            .notFound
        case .overrideForbidden: .forbidden
        default: rejection.isWrongQuestion ? .unprocessableContent : .conflict
        }
    }

    private static func members(of error: LedgerError) -> JSONObject {
        var members = JSONObject()
        switch error {
        case .rejected(_, let decision?): members["decision"] = .object(decision.json)
        case .idempotencyConflict(_, let position):
            members["first_position"] = .integer(position)
        case .versionConflict(_, let expected, let actual):
            members["expected_version"] = .integer(expected)
            members["actual_version"] = .integer(actual)
        case .historyReplaced(_, let fork):
            members["fork"] = .orNull(fork?.json)
        case .placeAhead(_, let end): members["end"] = .object(end.json)
        default: break
        }
        return members
    }

    /// RFC 4918 §11.5.
    private static let insufficientStorage = HTTPResponse.Status(
        code: 507, reasonPhrase: "Insufficient Storage")

    /// - Note: Messages of the store name paths, which are not for those who ask: they stand in the log.
    private init(store error: StoreError) {
        let (status, detail, seconds): (HTTPResponse.Status, String, Int64?) =
            switch error.code {
            case .busy, .overloaded, .conflict:
                (
                    .serviceUnavailable,
                    "the ledger has too much to do at the moment; try again", 1
                )
            case .full: (Self.insufficientStorage, "the disk of the ledger is full", nil)
            case .readOnly: (.serviceUnavailable, "the ledger cannot be written to now", nil)
            case .replaced, .otherHistory, .closed, .notFound, .notALedger, .foreignLog:
                (.serviceUnavailable, "the ledger's file is being exchanged; try again", 1)
            case .wrongClock: (.serviceUnavailable, "the clock of the server is wrong", nil)
            default:
                (.internalServerError, "the ledger failed; the log of the server says why", nil)
            }
        let code = error.code.rawValue
        self =
            seconds.map { .tooMany(status, code, detail, after: $0) }
            ?? Problem(status, code, detail)
    }
}
