/// Why an event is refused as bad input: a closed list of codes, the member, and a sentence with the remedy.
public struct EventProblem: Error, Equatable, CustomStringConvertible {
    /// What kind of mistake it is, for programs: the raw value stands in errors as they are sent and printed.
    public enum Code: String, Sendable {
        case missingField = "missing_field"
        case wrongType = "wrong_type"
        case outOfBounds = "out_of_bounds"
        case tooLarge = "too_large"
        case personalDataForbidden = "pii_forbidden"
        /// The type needs a key that its source gives: two equal events would be taken for one (rule 2).
        case missingKey = "missing_key"
        case missingSubject = "missing_subject"
        /// An id that names no customer, such as one that broken clients send for all of theirs.
        case junkSubject = "junk_subject"
        case unknownEnvironment = "unknown_environment"
        case unknownTrust = "unknown_trust"
        /// The event names another app than the one of the ledger.
        case otherApp = "other_app"
        /// A rule refuses what the event says, or who says it.
        case forbidden = "forbidden"
        /// Nothing has this name: no meter or feature of the catalog, no field of the schema.
        case unknownName = "unknown_name"
        case unknownType = "unknown_type"
        /// The envelope has no member of this name.
        case unknownMember = "unknown_member"
        /// The customer or lineage has as many events as one may have (rule 30).
        case aggregateFull = "aggregate_full"
        /// The alias would give one person more ids than one may have (rule 30).
        case personFull = "person_full"
        /// The key names another event already (rule 16).
        case keyConflict = "idempotency_conflict"
    }
    /// The kind of mistake, by which programs tell problems apart.
    public let code: Code
    /// Where: `data.amount`, `source.key`.
    public let member: String
    /// What is wrong with the member, and mostly the remedy; may quote a name or number that was sent.
    public let reason: String

    /// Creates a problem; the texts are taken as they are.
    public init(_ code: Code, _ member: String, _ reason: String) {
        self.code = code
        self.member = member
        self.reason = reason
    }

    /// For messages: `data.amount: must be an integer, not text [wrong_type]`.
    public var description: String { "\(member): \(reason) [\(code.rawValue)]" }
}
