import DaybookEvents
public import DaybookIngest
import DaybookStore

/// What became of one body that came from the App Store, or from RevenueCat.
public struct IngestReceipt: Sendable, Equatable {
    /// Signed texts in the body; a page has many, an empty page none. A webhook counts as one.
    public var texts = 0
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
    /// Whose the purchases are that were posted for a customer, in the order of the body; none of a dry run.
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
    /// Verify and map, and append nothing.
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

extension Ledger {
    /// Takes in one body of Apple's: a notification, a signed transaction, a page.
    ///
    /// Every signed text is verified, mapped and recorded for itself, all its events in one commit, with its bytes
    /// kept once by digest. A text that is refused changes nothing; its bytes and the reason are kept too, and the
    /// rest of the body is taken in.
    /// - Parameter verifier: Says which app, environment and authorities are believed, and who is asked whether
    ///   certificates were withdrawn.
    /// - Throws: `LedgerError` when the ledger cannot be written; a body that is refused is an answer.
    @discardableResult
    public func ingest(
        _ body: [UInt8], by verifier: AppStoreVerifier, options: IngestOptions = IngestOptions()
    ) async throws -> IngestReceipt {
        var receipt = IngestReceipt()
        let texts: [AppStoreSignedText]
        do throws(AppStoreRefusal) {
            texts = try AppStoreBody.signedTexts(in: body, as: options.kind)
        } catch {
            let whole = PostedText(bytes: body, body: body, options, verifier)
            try await refuse(whole, error, &receipt)
            return receipt
        }
        receipt.texts = texts.count
        for text in texts {
            try await take(
                PostedText(text, in: body, options, verifier), verifier, options, &receipt)
        }
        return receipt
    }

    private func take(
        _ text: PostedText, _ verifier: AppStoreVerifier, _ options: IngestOptions,
        _ receipt: inout IngestReceipt
    ) async throws {
        guard case .appStore(let kind) = text.kind else { return }
        switch await verifier.confirm(text.bytes, as: kind, now: clock()) {
        case .refused(let refusal): try await refuse(text, refusal, &receipt)
        case .verified(let statement):
            do {
                try await take(statement.document, text, options, &receipt)
            } catch let refusal as AppStoreRefusal {
                return try await refuse(text, refusal, &receipt)
            } catch let problem as EventProblem {
                let refusal = AppStoreRefusal(
                    .format, "\(problem.member): \(problem.reason) [\(problem.code.rawValue)]")
                return try await refuse(text, refusal, &receipt)
            } catch LedgerError.badInput(let problems) {
                return try await refuse(text, AppStoreRefusal(problems), &receipt)
            }
            guard !text.isDryRun else { return }
            try await settleLetters(of: text.bytes)
            if let line = statement.document.toldLine {
                try await retryLetters(waitingFor: line, by: verifier, &receipt)
            }
        }
    }

    private func take(
        _ document: AppStoreDocument, _ text: PostedText, _ options: IngestOptions,
        _ receipt: inout IngestReceipt
    ) async throws {
        let mapping = AppStoreMapping(environment: text.environment, subject: text.subject)
        try checkLine(of: document, text.environment)
        try check(document, isOf: options.product)
        let reports = try reports(mapping.events(of: document), text.bytes)
        guard !text.isDryRun else { return }
        let made = try await record(.checked(reports), ReportOptions())
        receipt.appended += made.appended
        receipt.duplicates += made.duplicates
        receipt.firstPosition = receipt.firstPosition ?? made.firstPosition
        receipt.lastPosition = made.lastPosition ?? receipt.lastPosition
        receipt.claims += try reports.compactMap { try claim(of: $0.draft) }
        try note(document, text.environment, &receipt)
    }

    /// Notes what a person should know of a purchase.
    private func note(
        _ document: AppStoreDocument, _ environment: Environment, _ receipt: inout IngestReceipt
    ) throws {
        guard let transaction = document.told else { return }
        let isCredit = transaction.type == .known(.consumable)
        let id = isCredit ? transaction.id : transaction.originalID
        let line = "apple:\(id ?? "")"
        func add(_ code: IngestReceipt.Note.Code) {
            let note = IngestReceipt.Note(code: code, line: line, product: transaction.productID)
            receipt.add(note)
        }
        let catalog = state.withLock { $0.catalogs.newest?.catalog }
        if let catalog, let product = transaction.productID, catalog.product(product) == nil {
            add(.unknownProduct)
        }
        if try owner(of: line, environment: environment) == nil { add(.nobodys) }
    }

    /// What became of a claim; `nil` for every other event.
    private func claim(of draft: EventDraft) throws -> IngestReceipt.Claim? {
        guard draft.type == "purchase.claimed", let subject = draft.subject else { return nil }
        let line = EventRouter.stream(of: draft).name
        let owner = try owner(of: line, environment: draft.environment)
        let shown = state.withLock { state in
            state.customer(named: subject, in: draft.environment).map {
                state.shownName(of: $0, draft.environment)
            }
        }
        return IngestReceipt.Claim(
            line: line, product: draft.data["product"]?.text, owner: owner,
            isTheirs: owner != nil && haveSameBytes(owner, shown))
    }

    /// A renewal names no app, and the same certificates sign for every app: posted alone it is believed only of a line
    /// that a transaction of this app has told of.
    private func checkLine(of document: AppStoreDocument, _ environment: Environment) throws {
        guard case .renewal(let renewal) = document else { return }
        let line = "apple:\(renewal.originalID ?? "")"
        // Another process may have taken the transaction in.
        try refresh()
        let isKnown = state.withLock { state in
            state.names.id(of: line).flatMap { state.streamID(environment, .line, $0) } != nil
        }
        guard isKnown else {
            throw AppStoreRefusal(unknownLine: line)
        }
    }

    private func check(_ document: AppStoreDocument, isOf product: String?) throws {
        guard let product, case .transaction(let transaction) = document,
            transaction.productID != product
        else { return }
        throw AppStoreRefusal(
            .appIdentity,
            "it is a purchase of \(transaction.productID.map { "\"\($0)\"" } ?? "no product"), not of \"\(product)\""
        )
    }

    /// Canonical events; the first one brings the bytes that they were read from.
    func reports(_ drafts: [EventDraft], _ bytes: [UInt8]) throws -> [CheckedReport] {
        // Which bytes said it is no part of what was said: the store may sign the same statement twice.
        try CheckedReport.read(drafts.map { try EventValidator.canonical($0) }, from: bytes) {
            EventJSON.requestDigest(of: $0)
        }
    }
}

extension PostedText {
    init(
        bytes: [UInt8], place: String = "", body: [UInt8], _ options: IngestOptions,
        _ verifier: AppStoreVerifier
    ) {
        self.init(
            bytes: bytes, place: place, body: body, kind: .appStore(options.kind),
            subject: options.subject, environment: verifier.identity.environment,
            isDryRun: options.isDryRun)
    }

    init(
        _ text: AppStoreSignedText, in body: [UInt8], _ options: IngestOptions,
        _ verifier: AppStoreVerifier
    ) {
        self.init(
            bytes: Array(text.text.utf8), place: text.place, body: body, options, verifier)
        kind = .appStore(text.kind)
    }
}

extension AppStoreDocument {
    /// The transaction of which it tells; `nil`: none.
    var told: AppStoreTransaction? {
        switch self {
        case .transaction(let transaction): transaction
        case .notification(let notification): notification.transaction
        case .renewal, .appTransaction: nil
        }
    }

    /// The line of which it tells, where that is no credit's; `nil`: none.
    var toldLine: String? {
        guard let told, told.type != .known(.consumable) else { return nil }
        return told.originalID.map { "apple:\($0)" }
    }
}
