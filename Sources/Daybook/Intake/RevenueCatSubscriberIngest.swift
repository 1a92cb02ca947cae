import DaybookDomain
import DaybookEvents
import DaybookIngest
import DaybookStore

/// Takes in subscriber documents of RevenueCat.
struct RevenueCatSubscriberIngest {
    let writer: LedgerWriter

    private var core: LedgerCore { writer.core }

    /// Takes in one subscriber document of RevenueCat's REST API (`GET /subscribers/{app_user_id}`), for moving.
    func ingestRevenueCatSubscriber(
        _ payload: [UInt8], environment: Environment = .production, subject: String? = nil,
        isDryRun: Bool = false
    ) async throws -> IngestReceipt {
        if isDryRun {
            return try await RevenueCatSubscriberIngest(
                writer: DryRun(core).writer
            ).ingestRevenueCatSubscriber(payload, environment: environment, subject: subject)
        }
        let posted = PostedText(
            bytes: payload, payload: payload, kind: .revenueCatSubscriber, subject: subject,
            environment: environment)
        return try await UnsignedIngest(writer: writer).take(posted, identity: Self.statement) {
            receipt in
            try RevenueCatIngest.checkEnvironment(environment)
            let catalog = core.state.withLock { $0.catalogs.newest?.catalog }
            let reader = RevenueCatSubscriberReader(
                catalog: catalog, environment: environment, subject: subject)
            let reading = try reader.read(payload)
            let news = try news(of: reading, environment, &receipt)
            note(reading, catalog, &receipt)
            return news
        }
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
        try core.readKeys()
        let found = try core.translating {
            try core.state.withLock { state in
                // Everything that is known of the customer, also what is dated after now.
                let builder = CaseBuilder(state: state, cut: Int64.max, at: EventBounds.timeMax)
                var news = try DocumentNews(
                    reading.drafts, of: reading.subject, environment, builder)
                let aliases = KnownAliases(state: state, cut: Int64.max)
                for draft in reading.drafts {
                    let isRecorded = try state.position(of: draft, in: core.store) != nil
                    if draft.type == .subjectAliased, !isRecorded, aliases.has(draft) { continue }
                    try news.take(draft, isRecorded: isRecorded)
                }
                return (news.drafts, news.duplicates, news.gaps)
            }
        }
        receipt.duplicates = found.1
        for gap in found.2 { receipt.add(.init(subject: reading.subject, gap: gap)) }
        return found.0
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
                    code: .unknownProduct, lineage: EventRouter.stream(of: draft).name,
                    product: product))
        }
    }
}
