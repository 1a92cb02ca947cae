public import DaybookEvents
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
    /// Whose the purchases are that were posted for a customer, in the order of the body; none of a dry run.
    public var claims: [Claim] = []

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

/// Something from outside that could not be read or verified, as it came.
public struct DeadLetter: Sendable, Equatable {
    public var position: Int64
    public var recordedAt: Int64
    public var environment: Environment
    /// The class: `format`, `chain`, `signature`, `app_identity`, `environment` or `retryable`.
    public var code: String
    /// At most 256 characters, without what must not be recorded, such as an e-mail address that it quoted.
    public var detail: String
    public var kind: BodyKind
    public var subject: String?
    /// Lower-case hexadecimal SHA-256 of its bytes.
    public var sha256: String
    /// When it was taken in after all; `nil` while it waits.
    public var resolvedAt: Int64?
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
            try await refuse(body, "", error, verifier, options, &receipt)
            return receipt
        }
        receipt.texts = texts.count
        for text in texts {
            try await take(text, verifier, options, &receipt)
        }
        return receipt
    }

    private func take(
        _ text: AppStoreSignedText, _ verifier: AppStoreVerifier, _ options: IngestOptions,
        _ receipt: inout IngestReceipt
    ) async throws {
        let bytes = Array(text.text.utf8)
        let now = clock()
        switch await verifier.confirm(bytes, as: text.kind, now: now) {
        case .refused(let refusal):
            try await refuse(bytes, text.place, refusal, verifier, options, &receipt, text.kind)
        case .verified(let statement):
            let environment = verifier.identity.environment
            let mapping = AppStoreMapping(environment: environment, subject: options.subject)
            do {
                try checkLine(of: statement.document, environment)
                try check(statement.document, isOf: options.product)
                let reports = try reports(mapping.events(of: statement.document, now: now), bytes)
                guard !options.isDryRun else { return }
                let made = try await record(.checked(reports), ReportOptions())
                receipt.appended += made.appended
                receipt.duplicates += made.duplicates
                receipt.firstPosition = receipt.firstPosition ?? made.firstPosition
                receipt.lastPosition = made.lastPosition ?? receipt.lastPosition
                receipt.claims += try reports.compactMap { try claim(of: $0.draft) }
            } catch let refusal as AppStoreRefusal {
                try await refuse(bytes, text.place, refusal, verifier, options, &receipt, text.kind)
            } catch let problem as EventProblem {
                let refusal = AppStoreRefusal(
                    .format, "\(problem.member): \(problem.reason) [\(problem.code.rawValue)]")
                try await refuse(bytes, text.place, refusal, verifier, options, &receipt, text.kind)
            } catch LedgerError.badInput(let problems) {
                let refusal = AppStoreRefusal(
                    .format, problems.map(\.description).joined(separator: "; "))
                try await refuse(bytes, text.place, refusal, verifier, options, &receipt, text.kind)
            }
        }
    }

    /// What became of a claim; `nil` for every other event.
    private func claim(of draft: EventDraft) throws -> IngestReceipt.Claim? {
        guard draft.type == "purchase.claimed", let subject = draft.subject else { return nil }
        let line = EventRouter.stream(of: draft).name
        let owner = try owner(of: line, environment: draft.environment)
        let shown = state.withLock { state in
            state.names.id(of: subject).map { state.shownName(of: $0, draft.environment) }
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

    // MARK: Dead letters

    private static let letterSource = "ingest"

    func refuse(
        _ bytes: [UInt8], _ place: String, _ refusal: AppStoreRefusal,
        _ verifier: AppStoreVerifier, _ options: IngestOptions, _ receipt: inout IngestReceipt,
        _ kind: AppStorePayloadKind? = nil
    ) async throws {
        let environment = verifier.identity.environment
        try await refuse(
            bytes, place, refusal, .appStore(kind ?? options.kind), environment,
            isDryRun: options.isDryRun, subject: options.subject, &receipt)
    }

    /// Keeps what is refused as a letter.
    func refuse(
        _ bytes: [UInt8], _ place: String, _ refusal: AppStoreRefusal, _ kind: BodyKind,
        _ environment: Environment, isDryRun: Bool, subject: String? = nil,
        _ receipt: inout IngestReceipt
    ) async throws {
        let sha256 = Digest.hexadecimal(Digest.sha256(bytes))
        receipt.refused.append(.init(place: place, refusal: refusal, sha256: sha256))
        guard !isDryRun else { return }
        let data: JSONObject = [
            "code": .string(refusal.reason.rawValue), "kind": .string(kind.word),
            "raw_sha256": .string(sha256),
        ]
        try await note(
            "ingest.rejected", key: sha256, data, for: subject, reason: refusal.detail,
            environment, bytes)
    }

    /// Keeps what is known of a letter; the same letter again is the same event.
    ///
    /// What is quoted in the reason came from outside, and so did the customer's name: either may be what no event may
    /// hold, and then the letter is kept without it.
    private func note(
        _ type: String, key: String, _ data: JSONObject, for subject: String? = nil,
        reason: String? = nil, _ environment: Environment, _ bytes: [UInt8]?
    ) async throws {
        // Without a time the ledger's clock is taken, and the same letter is the same request whenever it comes.
        let bare = try EventValidator.canonical(
            EventDraft(
                type: type, environment: environment, subject: nil,
                occurredAt: nil, source: EventSource(kind: Self.letterSource, key: key),
                trust: .system, data: data))
        var draft = bare
        if let reason {
            var told = draft
            // An address of a person may stand in the text, which no check of an event looks into.
            let words = reason.split(separator: " ", omittingEmptySubsequences: false)
            let text = words.map { $0.contains("@") ? "…" : $0 }.joined(separator: " ")
            told.extras["reason"] = .string(
                String(String.UnicodeScalarView(text.unicodeScalars.prefix(256))))
            if let canonical = try? EventValidator.canonical(told) { draft = canonical }
        }
        if let subject {
            var told = draft
            told.data["for"] = .string(subject)
            if let canonical = try? EventValidator.canonical(told) { draft = canonical }
        }
        let document = bytes.map {
            StoredDocument(sha256: Digest.hexadecimal(Digest.sha256($0)), bytes: $0)
        }
        // A letter is its bytes: the clock of another try may give another reason.
        let identity = EventDraft(
            type: type, environment: bare.environment, subject: nil, occurredAt: nil,
            source: bare.source, trust: .system, data: JSONObject())
        let report = CheckedReport(
            draft: draft, digest: EventJSON.requestDigest(of: identity), document: document)
        _ = try await record(.checked([report]), ReportOptions())
    }

    /// What could not be read or verified, in the order in which it came.
    /// - Parameter environment: `nil`: all of them.
    /// - Complexity: One scan of the ledger.
    public func deadLetters(environment: Environment? = nil) throws -> [DeadLetter] {
        var letters: [DeadLetter] = []
        var resolved: [String: Int64] = [:]
        try scan { event in
            guard event.draft.source.kind == Self.letterSource,
                environment == nil || event.draft.environment == environment
            else { return }
            let name = event.draft.environment.name + "/"
            if event.draft.type == "ops.dead_letter_resolved" {
                resolved[name + (event.draft.data["raw_sha256"]?.text ?? "")] = event.recordedAt
            } else if let letter = DeadLetter(event) {
                letters.append(letter)
            }
        }
        return letters.map { letter in
            var letter = letter
            letter.resolvedAt = resolved[letter.environment.name + "/" + letter.sha256]
            return letter
        }
    }

    /// The bytes of a letter, or of what an event was read from, exactly as they came.
    public func rawBody(sha256: String) throws -> [UInt8]? {
        try translating { try store.document(sha256: sha256) }
    }

    /// Tries a letter again, as if it came now.
    /// - Parameter verifier: Not asked about what nobody signs.
    /// - Returns: What became of it; it is resolved when nothing of it was refused.
    /// - Throws: `LedgerError.badInput` for a letter of the App Store without a verifier.
    public func retry(
        _ letter: DeadLetter, by verifier: AppStoreVerifier? = nil
    ) async throws -> IngestReceipt {
        guard let bytes = try rawBody(sha256: letter.sha256) else {
            throw LedgerError.store(
                StoreError(.damaged, "the body \(letter.sha256.prefix(12)) is not in this ledger"))
        }
        let receipt: IngestReceipt
        var environment = letter.environment
        switch (letter.kind, verifier) {
        case (.revenueCat, _):
            receipt = try await ingestRevenueCat(bytes, environment: environment)
        case (.appStore(let kind), let verifier?):
            environment = verifier.identity.environment
            receipt = try await ingest(
                bytes, by: verifier, options: IngestOptions(kind: kind, subject: letter.subject))
        case (.appStore, nil):
            throw LedgerError.badInput([
                InputProblem(
                    line: nil, column: nil, code: "no_verifier",
                    reason: "the letter \(letter.sha256.prefix(12)) is of the App Store; "
                        + "say which app and authorities are believed")
            ])
        }
        if receipt.refused.isEmpty {
            try await note(
                "ops.dead_letter_resolved", key: letter.sha256 + "/resolved",
                ["raw_sha256": .string(letter.sha256)], environment, nil)
        }
        return receipt
    }

    private func scan(_ body: (RecordedEvent) throws -> Void) throws {
        try refresh()
        let (names, streams, head) = state.withLock { ($0.names, $0.streams, $0.head) }
        try translating {
            try store.scanRows(
                after: Checkpoint(position: 0), through: head.checkpoint, chunkCount: 1_000
            ) { rows in
                for row in rows {
                    let record = streams[row.event.stream].record
                    guard record.kind == .ledger else { continue }
                    let stream = StreamName(record.environment, record.kind, names[record.name])
                    try body(try EventDecoder.recorded(row, stream: stream, names: names))
                }
            }
        }
    }
}

extension DeadLetter {
    init?(_ event: RecordedEvent) {
        guard event.draft.type == "ingest.rejected",
            let sha256 = event.draft.data["raw_sha256"]?.text
        else { return nil }
        self.init(
            position: event.position, recordedAt: event.recordedAt,
            environment: event.draft.environment, code: event.draft.data["code"]?.text ?? "",
            detail: event.draft.extras["reason"]?.text ?? "",
            kind: (event.draft.data["kind"]?.text).flatMap(BodyKind.init(word:))
                ?? .appStore(.notification),
            subject: event.draft.data["for"]?.text, sha256: sha256, resolvedAt: nil)
    }
}
