import DaybookEvents
import DaybookIngest
import DaybookStore

/// Takes in what Apple signed.
struct AppStoreIngest {
    let writer: LedgerWriter

    private var core: LedgerCore { writer.core }

    /// Takes in one payload of Apple's: a notification, a signed transaction, a page.
    func ingest(
        _ payload: [UInt8], by verifier: AppStoreVerifier, options: IngestOptions = IngestOptions()
    ) async throws -> IngestReceipt {
        if options.isDryRun {
            var options = options
            options.isDryRun = false
            return try await AppStoreIngest(writer: DryRun(core).writer).ingest(
                payload, by: verifier, options: options)
        }
        var receipt = IngestReceipt()
        let texts: [AppStoreSignedPayload]
        do throws(PayloadRefusal) {
            texts = try AppStoreEnvelope.signedPayloads(in: payload, as: options.kind)
        } catch {
            let whole = PostedText(bytes: payload, payload: payload, options, verifier)
            try await DeadLetters(writer: writer).refuse(whole, error, &receipt)
            return receipt
        }
        receipt.texts = texts.count
        for text in texts {
            try await take(
                PostedText(text, in: payload, options, verifier), verifier, options, &receipt)
        }
        return receipt
    }

    private func take(
        _ text: PostedText, _ verifier: AppStoreVerifier, _ options: IngestOptions,
        _ receipt: inout IngestReceipt
    ) async throws {
        guard case .appStore(let kind) = text.kind else { return }
        switch await verifier.confirm(text.bytes, as: kind, now: core.clock()) {
        case .refused(let refusal):
            try await DeadLetters(writer: writer).refuse(text, refusal, &receipt)
        case .verified(let statement):
            do {
                try await take(statement.document, text, options, &receipt)
            } catch let refusal as PayloadRefusal {
                return try await DeadLetters(writer: writer).refuse(text, refusal, &receipt)
            } catch let problem as EventProblem {
                return try await DeadLetters(writer: writer).refuse(
                    text, PayloadRefusal(.format, problem.description), &receipt)
            } catch LedgerError.badInput(let problems) {
                return try await DeadLetters(writer: writer).refuse(
                    text, PayloadRefusal(problems), &receipt)
            }
            try await DeadLetters(writer: writer).settle(of: text.bytes)
            if let lineage = statement.document.toldLineage {
                try await DeadLetters(writer: writer).retry(
                    waitingFor: lineage, by: verifier, &receipt)
            }
        }
    }

    private func take(
        _ document: AppStoreDocument, _ text: PostedText, _ options: IngestOptions,
        _ receipt: inout IngestReceipt
    ) async throws {
        let mapping = AppStoreMapping(environment: text.environment, subject: text.subject)
        try checkLineage(of: document, text.environment)
        try check(document, isOf: options.product)
        let reports = try reports(mapping.events(of: document), text.bytes)
        let made = try await writer.record(reports, ReportOptions())
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
        let lineage = "apple:\(id ?? "")"
        func add(_ code: IngestReceipt.Note.Code) {
            let note = IngestReceipt.Note(
                code: code, lineage: lineage, product: transaction.productID)
            receipt.add(note)
        }
        let catalog = core.state.withLock { $0.catalogs.newest?.catalog }
        if let catalog, let product = transaction.productID, catalog.product(product) == nil {
            add(.unknownProduct)
        }
        if try OwnerQuestion(core: core).owner(of: lineage, environment: environment) == nil {
            add(.nobodys)
        }
    }

    /// What became of a claim; `nil` for every other event.
    private func claim(of draft: EventDraft) throws -> IngestReceipt.Claim? {
        guard draft.type == .purchaseClaimed, let subject = draft.subject else { return nil }
        let lineage = EventRouter.stream(of: draft).name
        let owner = try OwnerQuestion(core: core).owner(of: lineage, environment: draft.environment)
        let shown = core.state.withLock { state in
            state.customer(named: subject, in: draft.environment).map {
                state.shownName(of: $0, draft.environment)
            }
        }
        return IngestReceipt.Claim(
            lineage: lineage, product: draft.data["product"]?.text, owner: owner,
            isTheirs: owner != nil && haveSameBytes(owner, shown))
    }

    /// A renewal names no app, and the same certificates sign for every app: posted alone it is believed only of a
    /// lineage that a transaction of this app has told of.
    private func checkLineage(of document: AppStoreDocument, _ environment: Environment) throws {
        guard case .renewal(let renewal) = document else { return }
        let lineage = "apple:\(renewal.originalID ?? "")"
        // Another process may have taken the transaction in.
        try core.refresh()
        let isKnown = core.state.withLock { state in
            state.stream(named: lineage, .lineage, in: environment) != nil
        }
        guard isKnown else {
            throw PayloadRefusal(unknownLineage: lineage)
        }
    }

    private func check(_ document: AppStoreDocument, isOf product: String?) throws {
        guard let product, case .transaction(let transaction) = document,
            transaction.productID != product
        else { return }
        throw PayloadRefusal(
            .appIdentity,
            "it is a purchase of \(transaction.productID.map { "\"\($0)\"" } ?? "no product"), not of \"\(product)\""
        )
    }

    /// Canonical events; the first one brings the bytes that they were read from.
    func reports(_ drafts: [EventDraft], _ bytes: [UInt8]) throws -> [PreparedEvent] {
        // Which bytes said it is no part of what was said: the store may sign the same statement twice.
        try PreparedEvent.reading(
            drafts.map { try EventValidator.canonical($0) }, from: bytes, core.store.header.secret
        ) {
            EventJSON.requestDigest(of: $0)
        }
    }
}

extension PostedText {
    init(
        bytes: [UInt8], place: String = "", payload: [UInt8], _ options: IngestOptions,
        _ verifier: AppStoreVerifier
    ) {
        self.init(
            bytes: bytes, place: place, payload: payload, kind: .appStore(options.kind),
            subject: options.subject, environment: verifier.identity.environment,
            isDryRun: options.isDryRun)
    }

    init(
        _ text: AppStoreSignedPayload, in payload: [UInt8], _ options: IngestOptions,
        _ verifier: AppStoreVerifier
    ) {
        self.init(
            bytes: Array(text.text.utf8), place: text.place, payload: payload, options, verifier)
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

    /// The lineage of which it tells, where that is not one of a consumable; `nil`: none.
    var toldLineage: String? {
        guard let told, told.type != .known(.consumable) else { return nil }
        return told.originalID.map { "apple:\($0)" }
    }
}
