import DaybookDomain
public import DaybookEvents
import DaybookIngest
import DaybookStore

extension Ledger {
    /// Takes in one subscriber document of RevenueCat's REST API (`GET /subscribers/{app_user_id}`), for moving.
    ///
    /// Nobody signs it, so its events are `imported`. They are one commit, and the bytes are kept once. A statement
    /// that is recorded already is not recorded again, so the same document appends nothing and a newer one what has
    /// changed since; of a document that brings nothing the bytes are not kept. It fills in what nobody has said: what
    /// another source says of a transaction, or of how things stand with it, stays. What the document cannot say is in
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
        try readKeys()
        let found = try translating {
            try state.withLock { state in
                // Everything that is known of the customer, also what is dated after now.
                let builder = CaseBuilder(
                    state: state, store: store, cut: Int64.max, at: EventBounds.timeMax)
                var news = try DocumentNews(
                    reading.drafts, of: reading.subject, environment, builder)
                let aliases = KnownAliases(state: state, cut: Int64.max)
                for draft in reading.drafts {
                    let isRecorded = try isRecorded(draft, state)
                    if draft.type == "subject.aliased", !isRecorded, aliases.has(draft) { continue }
                    try news.take(draft, isRecorded: isRecorded)
                }
                return (news.drafts, news.duplicates, news.gaps)
            }
        }
        receipt.duplicates = found.1
        for gap in found.2 { receipt.add(.init(subject: reading.subject, gap: gap)) }
        return found.0
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
