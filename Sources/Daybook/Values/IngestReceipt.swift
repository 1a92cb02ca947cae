import DaybookEvents
public import DaybookIngest
import DaybookStore

/// What became of one body that came from the App Store, or from RevenueCat.
public struct IngestReceipt: Sendable, Equatable {
    /// Signed texts in the body; a page has many, an empty page none. A webhook counts as one.
    public var texts = 0
    /// Events; of a dry run those that would be appended.
    public var appended = 0
    /// Events that were there already: the same notification again, the same bytes posted again.
    public var duplicates = 0
    public var firstPosition: Int64?
    public var lastPosition: Int64?
    /// What could not be read or verified; kept as it came (`deadLetters`).
    public var refused: [RefusedText] = []
    /// SHA-256 of letters that waited for this and were taken in with it; their events are among those counted.
    public var retried: [String] = []
    /// What a person should know of what was taken in, each once.
    public private(set) var notes: [Note] = []
    private var noted: Set<Note> = []
    /// Whose the purchases are that were posted for a customer, in the order of the body.
    public var claims: [Claim] = []
    /// What subscriber documents of RevenueCat's could not say, or said and no event holds: the first
    /// `gapCountMax`, in the order of the documents.
    public private(set) var gaps: [Gap] = []
    /// How many there are of each kind.
    public private(set) var gapCounts: [RevenueCatSubscriberGap.Code: Int] = [:]
    /// A move brings thousands of customers, and most have one.
    public static let gapCountMax = 1_000

    /// What a document left open about one customer.
    public struct Gap: Sendable, Hashable {
        public var subject: String
        public var gap: RevenueCatSubscriberGap
    }

    /// Something of a purchase that was taken in and gives nobody anything yet.
    public struct Note: Sendable, Hashable {
        public enum Code: String, Sendable {
            /// The newest catalog does not name the product: it counts once one does.
            case unknownProduct = "unknown_product"
            /// Nobody is named, and nobody has claimed it.
            case nobodys
        }

        public var code: Code
        /// `apple:2000000123`.
        public var line: String
        public var product: String?
    }

    /// A purchase that was posted for a customer. A claim moves nothing that is somebody's already.
    public struct Claim: Sendable, Equatable {
        /// `apple:2000000123`.
        public var line: String
        public var product: String?
        /// As the owner is shown; `nil`: nobody's, because the claim was voided.
        public var owner: String?
        /// Whether that is the customer for whom it was posted.
        public var isTheirs: Bool

        public init(line: String, product: String?, owner: String?, isTheirs: Bool) {
            self.line = line
            self.product = product
            self.owner = owner
            self.isTheirs = isTheirs
        }
    }

    /// A signed text that was refused, and why.
    public struct RefusedText: Sendable, Equatable {
        /// Where it stands in the body; empty where it is the body.
        public var place: String
        public var refusal: AppStoreRefusal
        /// Under which its bytes are kept.
        public var sha256: String
    }

    public init() {}

    package mutating func add(_ gap: Gap) {
        gapCounts[gap.gap.code, default: 0] += 1
        if gaps.count < Self.gapCountMax { gaps.append(gap) }
    }

    /// Takes what other documents left open.
    package mutating func addGaps(of other: IngestReceipt) {
        gapCounts.merge(other.gapCounts) { $0 + $1 }
        gaps += other.gaps.prefix(max(0, Self.gapCountMax - gaps.count))
    }

    /// Each note is told once.
    package mutating func add(_ note: Note) {
        if noted.insert(note).inserted { notes.append(note) }
    }
}

/// How bodies from the App Store are taken in.
public struct IngestOptions: Sendable {
    /// What a body is that is nothing but a signed text.
    public var kind: AppStorePayloadKind
    /// The customer who posts a transaction of their own; a token in the payload outranks it.
    public var subject: String?
    /// What the poster says that they bought; a transaction of another product is refused (`app_identity`), whoever
    /// signed it. `nil`: whatever it states.
    public var product: String?
    /// Verify, map and decide upon all that the ledger holds, and append nothing.
    public var isDryRun: Bool

    public init(
        kind: AppStorePayloadKind = .notification, subject: String? = nil, product: String? = nil,
        isDryRun: Bool = false
    ) {
        self.kind = kind
        self.subject = subject
        self.product = product
        self.isDryRun = isDryRun
    }
}
