/// Why an event is refused as bad input: a closed list of codes, the member, and a sentence with the remedy.
public struct EventProblem: Error, Equatable, CustomStringConvertible {
    public enum Code: String, Sendable {
        case missingField = "missing_field"
        case wrongType = "wrong_type"
        case outOfBounds = "out_of_bounds"
        case tooLarge = "too_large"
        case personalDataForbidden = "pii_forbidden"
        case missingKey = "missing_key"
        case missingSubject = "missing_subject"
        case junkSubject = "junk_subject"
        case unknownEnvironment = "unknown_environment"
        case unknownTrust = "unknown_trust"
        case otherApp = "other_app"
        case forbidden = "forbidden"
        case unknownName = "unknown_name"
        case unknownType = "unknown_type"
        case unknownMember = "unknown_member"
        case aggregateFull = "aggregate_full"
        /// The alias would give one person more ids than one may have (rule 30).
        case personFull = "person_full"
        /// The key names another event already (rule 16).
        case keyConflict = "idempotency_conflict"
    }
    public let code: Code
    /// Where: `data.amount`, `source.key`.
    public let member: String
    public let reason: String

    public init(_ code: Code, _ member: String, _ reason: String) {
        self.code = code
        self.member = member
        self.reason = reason
    }

    public var description: String { "\(member): \(reason) [\(code.rawValue)]" }
}
