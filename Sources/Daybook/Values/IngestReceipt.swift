import DaybookEvents
public import DaybookIngest
import DaybookStore

/// What became of one payload that came from the App Store, or from RevenueCat.
public struct IngestReceipt: Sendable, Equatable {
    /// How many signed payloads were in it: a page has many, an empty page none. A webhook counts as one.
    public var texts = 0
    /// Events; of a dry run those that would be appended.
    public var appended = 0
    /// Events that were there already: the same notification again, the same bytes posted again.
    public var duplicates = 0
    /// The first and the last position that were appended; `nil`: nothing was.
    public var firstPosition: Int64?
    /// The last of these positions.
    public var lastPosition: Int64?
    /// What could not be read or verified; kept as it came (`deadLetters`).
    public var refused: [RefusedText] = []
    /// SHA-256 of dead letters that waited for this and were taken in with it; their events are among those counted.
    public var retried: [String] = []
    /// What an operator should know of what was taken in, each once.
    public private(set) var notes: [Note] = []
    private var noted: Set<Note> = []
    /// The owners of the purchases that were posted for a customer, in the order of the payload.
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
        /// The customer of the document.
        public var subject: String
        /// What the document could not say, or said and no event holds.
        public var gap: RevenueCatSubscriberGap
    }

    /// A purchase that was taken in and gives no customer anything yet, and why.
    public struct Note: Sendable, Hashable {
        /// Why the purchase gives no customer anything yet.
        public enum Code: String, Sendable {
            /// The newest catalog does not name the product: it counts once one does.
            case unknownProduct = "unknown_product"
            /// It names no customer, and no customer has claimed it.
            case nobodys
        }

        /// Why it gives nothing yet.
        public var code: Code
        /// `apple:2000000123`.
        public var lineage: String
        /// The product's id at the store; `nil`: the payload names none.
        public var product: String?
    }

    /// A purchase that was posted for a customer. A claim does not move a purchase that has an owner already.
    public struct Claim: Sendable, Equatable {
        /// `apple:2000000123`.
        public var lineage: String
        /// The product's id at the store; `nil`: the claim names none.
        public var product: String?
        /// As the owner is shown; `nil`: there is none, because the claim was voided.
        public var owner: String?
        /// Whether that is the customer for whom it was posted.
        public var isTheirs: Bool

        /// Creates a claim; nothing is checked.
        public init(lineage: String, product: String?, owner: String?, isTheirs: Bool) {
            self.lineage = lineage
            self.product = product
            self.owner = owner
            self.isTheirs = isTheirs
        }
    }

    /// A signed payload that was refused, and why.
    public struct RefusedText: Sendable, Equatable {
        /// Where it stands in what was posted; empty where it is all of it.
        public var place: String
        /// The class of the refusal, with what was seen.
        public var refusal: PayloadRefusal
        /// Of its bytes, under which they are kept.
        public var sha256: String

        package init(place: String, refusal: PayloadRefusal, sha256: String) {
            self.place = place
            self.refusal = refusal
            self.sha256 = sha256
        }
    }

    /// A receipt of nothing so far: all counts 0.
    public init() {}

    package mutating func add(_ gap: Gap) {
        gapCounts[gap.gap.code, default: 0] += 1
        if gaps.count < Self.gapCountMax { gaps.append(gap) }
    }

    /// Takes what became of another payload.
    package mutating func add(_ other: IngestReceipt) {
        texts += other.texts
        appended += other.appended
        duplicates += other.duplicates
        firstPosition = firstPosition ?? other.firstPosition
        lastPosition = other.lastPosition ?? lastPosition
        refused += other.refused
        retried += other.retried
        for note in other.notes { add(note) }
        claims += other.claims
        gapCounts.merge(other.gapCounts) { $0 + $1 }
        gaps += other.gaps.prefix(max(0, Self.gapCountMax - gaps.count))
    }

    /// Each note is told once.
    package mutating func add(_ note: Note) {
        if noted.insert(note).inserted { notes.append(note) }
    }
}

/// How payloads from the App Store are taken in.
public struct IngestOptions: Sendable {
    /// The kind of a signed payload that is posted by itself, without an envelope.
    public var kind: AppStorePayloadKind
    /// The customer who posts a transaction of their own; a token in the payload outranks it.
    public var subject: String?
    /// What the poster says that they bought; a transaction of another product is refused (`app_identity`), even where
    /// its signature is good. `nil`: any product is taken.
    public var product: String?
    /// Verify, map and decide upon all that the ledger holds, and append nothing.
    public var isDryRun: Bool

    /// By default a notification, of any product and for no named customer, is taken in.
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
