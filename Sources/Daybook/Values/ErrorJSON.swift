package import DaybookDomain
package import DaybookEvents
import DaybookIngest
import DaybookStore

/// The shape of an error, and what is wrong in it.
extension JSONObject {
    /// A script that reads a report of a million bad lines is not helped by all of them.
    private static let problemsMax = 1_000

    /// Only what may pass by itself: another process was writing, or too much was waiting.
    private static let passing: Set<String> = [
        StoreError.Code.busy.rawValue, StoreError.Code.overloaded.rawValue,
        StoreError.Code.conflict.rawValue,
    ]
    private static let retryAfterMilliseconds: Int64 = 1_000

    /// Why something was not done.
    /// - Parameters:
    ///   - code: A stable word for scripts; says also whether it is worth trying again.
    ///   - problems: Its places in an input; of very many the first.
    package static func error(
        code: String, message: String, remedy: String?, problems: [InputProblem]
    ) -> JSONObject {
        let isRetryable = passing.contains(code)
        var object: JSONObject = [
            "code": .string(code), "message": .string(message), "remedy": .orNull(remedy),
            "retryable": .bool(isRetryable),
            "retry_after_ms": .orNull(isRetryable ? retryAfterMilliseconds : nil),
            "problems": .array(problems.prefix(problemsMax).map { .object($0.json) }),
        ]
        let omitted = problems.count - problemsMax
        if omitted > 0 { object["problems_omitted"] = .count(omitted) }
        return object
    }
}

extension InputProblem {
    package var json: JSONObject {
        [
            "line": .orNull(line.map(Int64.init)), "column": .orNull(column.map(Int64.init)),
            "code": .string(code), "reason": .string(reason), "member": .orNull(member),
        ]
    }
}

extension IngestReceipt.RefusedText {
    /// Why it was refused, as errors tell it; its place is that in the payload, which need not have lines.
    package var problem: InputProblem {
        InputProblem(
            line: nil, column: nil, code: refusal.reason.rawValue,
            reason: (place.isEmpty ? "" : "\(place): ") + refusal.detail)
    }
}

extension LedgerError {
    /// What is wrong with the input or the question, each by itself; empty where neither is.
    package var problems: [InputProblem] {
        switch self {
        case .badInput(let problems): problems
        case .rejected(let rejection, _) where rejection.isWrongQuestion:
            [
                InputProblem(
                    line: nil, column: nil, code: rejection.code, reason: rejection.description)
            ]
        default: []
        }
    }
}

extension Rejection {
    /// Whether the question itself was wrong; any other refusal is an answer.
    package var isWrongQuestion: Bool {
        switch self {
        case .unknownName, .amountOutOfBounds, .unknownTimeZone, .unknownOverride,
            .overrideEnded, .unknownWord, .fieldUnamendable, .signedFactNeeds, .ambiguousGauge,
            .ambiguousUsage, .wrongKind, .noGauge, .noCatalog, .reasonNeeded:
            true
        default: false
        }
    }
}
