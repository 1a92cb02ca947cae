import Daybook
import DaybookEvents
import DaybookStore
import Logging

/// What the log says of one request: nothing of its body, its key's secret or its token.
struct RequestLine {
    let route: String
    let method: String
    let app: String?
    let status: Int
    let duration: Duration
    let request: String
    /// The trace of another service that the request belongs to.
    let trace: String?
    /// The id of the caller's key; `nil`: none was shown, or none that is known.
    let key: String?
    /// The customer whom a person of support looked at or acted for; others' customers are not logged.
    let customer: String?
    let failure: (any Error)?

    func write(to log: Logger) {
        var metadata: Logger.Metadata = [
            "route": .string(route), "method": .string(method), "status": .string(String(status)),
            "ms": .string(String(Int64(duration / .milliseconds(1)))), "request": .string(request),
        ]
        if let app { metadata["app"] = .string(app) }
        if let trace { metadata["trace"] = .string(trace) }
        if let key { metadata["key"] = .string(key) }
        if let customer { metadata["customer"] = .string(customer) }
        if let failure { metadata["error"] = .string(Self.cause(of: failure)) }
        log.log(level: status >= 500 ? .error : .info, "request", metadata: metadata)
    }

    /// The code of what the client is at fault for, which may quote what it sent; else what the server failed by.
    private static func cause(of failure: any Error) -> String {
        switch failure {
        case let problem as Problem: problem.code
        case let problem as BodyProblem: problem.problem.code
        case LedgerError.store(let error): error.debugDescription
        case let error as StoreError: error.debugDescription
        case let error as LedgerError: error.code
        case let problem as TextProblem: problem.code
        case is JSONError: "bad_json"
        default: "\(failure)"
        }
    }
}
