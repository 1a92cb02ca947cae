/// A request in an app's own form: what it asks for, and in which words it is answered.
///
/// Apps that had a backend before go on to send what they sent. Nothing here knows an app; the catalog says which
/// members its requests and answers have.
public struct AppCall: Sendable, Equatable {
    /// What is done.
    public enum Work: String, Sendable, CaseIterable {
        /// Uses units of a meter.
        case consume
        /// Says what the customer has.
        case showStatus
        /// Takes in a transaction that the App Store signed.
        case takeTransaction
        /// Records what the app says of a purchase, unproven.
        case claimTransaction

        /// What a request can bring for it.
        public var inputs: [Input] {
            switch self {
            case .consume: [.amount, .ref, .profile]
            case .showStatus: [.profile, .locale]
            case .takeTransaction: [.signed, .product]
            case .claimTransaction:
                [.transaction, .originalTransaction, .product, .purchasedAt, .expiresAt]
            }
        }

        /// Without which nothing can be done.
        public var neededInputs: [Input] {
            switch self {
            case .consume, .showStatus: []
            case .takeTransaction: [.signed]
            case .claimTransaction: [.transaction, .product, .purchasedAt]
            }
        }

        /// Whether it can be refused by a rule or for what was sent, which is an answer.
        public var canBeRefused: Bool { self == .consume || self == .takeTransaction }
    }

    /// What a member of a request can be for.
    public enum Input: String, Sendable, CaseIterable {
        case amount, ref, profile, locale, signed, product
        case transaction, originalTransaction, purchasedAt, expiresAt
    }

    /// What a request and its answer are wrapped in.
    public enum Envelope: String, Sendable, CaseIterable {
        /// The object itself.
        case plain
        /// `{"data": …}`, answered by `{"result": …}` or `{"error": …}`, as callable functions have it.
        case callable
    }

    /// What a member of an answer is.
    public enum Value: Sendable, Equatable {
        case text(String)
        case integer(Int64)
        case flag(Bool)
        /// Names of members from the ledger's own answer inwards, such as `status`, `meters`, `stories`, `remaining`;
        /// where it has no such member, or `null`, the app's answer has none either.
        case path([String])
    }

    /// One member of an answer.
    public struct Member: Sendable, Equatable {
        /// What the app calls the member.
        public var name: String
        /// What stands in it: a constant, or a value of the ledger's own answer.
        public var value: Value
        /// Makes a member; nothing is checked.
        public init(name: String, value: Value) {
            self.name = name
            self.value = value
        }
    }

    /// What the ledger's own answers are called in paths.
    public static let roots = ["decision", "status"]
    /// The most members that an answer, and a refusal, may have.
    public static let membersMax = 64

    /// Key in the catalog's `calls` and last part of the request's path; 1 to 64 bytes without a slash.
    public var name: String
    /// What a request of this name asks for.
    public var work: Work
    /// What is around the request and its answer; `plain` by default.
    public var envelope = Envelope.plain
    /// Of `consume`.
    public var meter: String?
    /// Of `showStatus`: whether a customer who is seen for the first time is recorded.
    public var registers = false
    /// By what they are for: the members of the app's request.
    public var members: [Input: String] = [:]
    /// Members of the answer to what was done, in document order.
    public var answer: [Member] = []
    /// Members of the answer where a rule refuses or a signed transaction is not believed, in document order.
    public var refusal: [Member] = []

    /// Makes a call without members; nothing is checked.
    public init(name: String, work: Work) {
        self.name = name
        self.work = work
    }
}
