import DaybookDomain
public import DaybookEvents
import DaybookIngest
import DaybookStore

extension Ledger {
    /// Takes in one subscriber document of RevenueCat's REST API (`GET /subscribers/{app_user_id}`), for moving.
    ///
    /// Nobody signs it, so its events are `imported`. They are one commit, and the bytes are kept once. A statement
    /// that is recorded already is not recorded again, so the same document appends nothing and a newer one what has
    /// changed since; of a document that brings nothing the bytes are not kept. What the document cannot say is in
    /// `gaps` of the receipt. What cannot be read changes nothing and becomes a dead letter.
    /// - Parameters:
    ///   - environment: `production` takes what `is_sandbox` says is real, `sandbox` the rest; the others take none of
    ///     it. What is left out is counted in a gap.
    ///   - subject: The customer whom the document was asked for; `nil`: as the document says (`app_user_id` beside
    ///     `subscriber`, else `original_app_user_id`).
    ///   - isDryRun: Read and compare, and append nothing.
    /// - Throws: `LedgerError` when the ledger cannot be written; a document that is refused is an answer.
    @discardableResult
    public func ingestRevenueCatSubscriber(
        _ body: [UInt8], environment: Environment = .production, subject: String? = nil,
        isDryRun: Bool = false
    ) async throws -> IngestReceipt {
        var receipt = IngestReceipt()
        receipt.texts = 1
        let posted = PostedText(
            bytes: body, body: body, kind: .revenueCatSubscriber, subject: subject,
            environment: environment, isDryRun: isDryRun)
        do {
            try Self.checkEnvironment(environment)
            try refresh()
            let catalog = state.withLock { $0.catalogs.newest?.catalog }
            let reader = RevenueCatSubscriberReader(
                catalog: catalog, environment: environment, subject: subject)
            let reading: RevenueCatSubscriberReading
            do throws(LineProblem) {
                reading = try reader.read(body)
            } catch {
                throw AppStoreRefusal(.format, error.sentence)
            }
            let news = try news(of: reading, environment, &receipt)
            note(reading, catalog, &receipt)
            guard !isDryRun else { return receipt }
            if !news.isEmpty {
                let made = try await record(news, from: body, identity: Self.statement)
                receipt.appended = made.appended
                receipt.duplicates += made.duplicates
                receipt.firstPosition = made.firstPosition
                receipt.lastPosition = made.lastPosition
            }
            try await settleLetters(of: body)
        } catch let refusal as AppStoreRefusal {
            try await refuse(posted, refusal, &receipt)
        } catch LedgerError.badInput(let problems) {
            try await refuse(posted, AppStoreRefusal(problems), &receipt)
        }
        return receipt
    }

    /// A key is made of what is stated; when a document said it is no part of that.
    private static func statement(_ draft: EventDraft) -> Int64 {
        EventJSON.requestDigest(
            of: EventDraft(
                type: draft.type, environment: draft.environment, subject: nil, occurredAt: nil,
                source: EventSource(kind: draft.source.kind, key: draft.source.key),
                trust: .imported, data: JSONObject()))
    }

    /// What the ledger does not know yet, in the order of the document.
    private func news(
        of reading: RevenueCatSubscriberReading, _ environment: Environment,
        _ receipt: inout IngestReceipt
    ) throws -> [EventDraft] {
        // Everything that is known of the customer, also what is dated after now.
        let customer = try customerCase(
            reading.subject, environment, Moment(at: EventBounds.timeMax)
        ).question
        let known = DocumentNews(customer)
        try readKeys()
        let (news, duplicates) = try translating {
            try state.withLock { state in
                var news: [EventDraft] = []
                var duplicates = 0
                let aliases = KnownAliases(state: state, cut: Int64.max)
                for draft in reading.drafts {
                    if try isRecorded(draft, state) {
                        duplicates += 1
                    } else if draft.type == "subject.aliased"
                        ? !aliases.has(draft) : known.isNews(draft)
                    {
                        news.append(draft)
                    }
                }
                return (news, duplicates)
            }
        }
        receipt.duplicates = duplicates
        for draft in reading.events {
            guard DocumentNews.isFact(draft), let line = known.otherLine(of: draft) else {
                continue
            }
            let product = draft.data["product"]?.text ?? ""
            let transaction = draft.data["transaction_id"]?.text ?? ""
            receipt.add(
                .init(
                    subject: reading.subject,
                    gap: .init(
                        code: .knownElsewhere, name: product,
                        sentence: "\(product): transaction \(transaction) stands in the line "
                            + "\(line) already, which goes on being told by its own source")))
        }
        return news
    }

    private func isRecorded(_ draft: EventDraft, _ state: LedgerState) throws -> Bool {
        guard let source = state.names.id(of: draft.source.kind) else { return false }
        let key = EventKey(draft.environment, source, Reference(draft.source.key ?? ""))
        return try state.position(of: key, in: store) != nil
    }

    /// Notes what a person should know of the document.
    private func note(
        _ reading: RevenueCatSubscriberReading, _ catalog: Catalog?,
        _ receipt: inout IngestReceipt
    ) {
        for gap in reading.gaps { receipt.add(.init(subject: reading.subject, gap: gap)) }
        guard let catalog else { return }
        for draft in reading.events where DocumentNews.isFact(draft) {
            guard let product = draft.data["product"]?.text, catalog.product(product) == nil
            else { continue }
            receipt.add(
                IngestReceipt.Note(
                    code: .unknownProduct, line: EventRouter.stream(of: draft).name,
                    product: product))
        }
    }
}

/// What of a subscriber document is news beside what is known of its customer.
struct DocumentNews {
    private let customer: CustomerCase

    /// - Parameter customer: Folded with everything that is recorded.
    init(_ customer: CustomerCase) { self.customer = customer }

    /// Whether an event says what was bought, not how things stand with it.
    static func isFact(_ draft: EventDraft) -> Bool {
        ["subscription.started", "subscription.renewed", "purchase.completed"]
            .contains(draft.type)
    }

    /// Whether an event of a document, which is not recorded under its own key, has something to say.
    func isNews(_ draft: EventDraft) -> Bool {
        if otherLine(of: draft) != nil { return false }
        guard RevenueCatSubscriberReader.isRestatement(draft) else { return true }
        let signedAt = draft.source.signedAt ?? Int64.min
        switch draft.type {
        case "subscription.auto_renew_changed":
            guard let renewal = line(of: draft)?.autoRenew else { return false }
            return !renewal.value && renewal.rank.signedAt < signedAt
        case "purchase.refund_reversed":
            let id = draft.data["transaction_id"]?.text.map { Reference($0) }
            guard let fact = line(of: draft)?.transactions.first(where: { $0.id == id }) else {
                return false
            }
            return fact.revocation != .none && fact.revocationRank.signedAt < signedAt
        case "grant.voided": return endsEarlier(draft)
        default: return true
        }
    }

    /// The line of the customer's that has the transaction of an event already, where that is not the event's own.
    ///
    /// The document has no original transaction, so its line has another name than the one of the store's own events.
    func otherLine(of draft: EventDraft) -> String? {
        guard let transaction = draft.data["transaction_id"]?.text else { return nil }
        let stream = EventRouter.stream(of: draft)
        guard stream.kind == .line else { return nil }
        let store = stream.name.prefix { $0 != ":" } + ":"
        let id = Reference(transaction)
        return customer.lines.first { line in
            !haveSameBytes(line.name, stream.name) && line.name.hasPrefix(store)
                && line.state.transactions.contains { $0.id == id && !$0.coreRank.isNone }
        }?.name
    }

    private func line(of draft: EventDraft) -> LineState? {
        let name = EventRouter.stream(of: draft).name
        return customer.lines.first { haveSameBytes($0.name, name) }?.state
    }

    /// Whether a promotion is known to last longer than the document says.
    private func endsEarlier(_ draft: EventDraft) -> Bool {
        guard let id = draft.data["grant_id"]?.text.map({ Reference($0) }),
            let end = draft.data["voided_at"]?.integer,
            let grant = customer.state.customer.grants.first(where: { $0.id == id })
        else { return false }
        let isLonger = grant.expiresAt == Event.absent || grant.expiresAt > end
        return isLonger
            && !customer.state.customer.voids.contains { $0.id == id && $0.voidedAt <= end }
    }
}
