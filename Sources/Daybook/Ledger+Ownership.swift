import DaybookDomain
public import DaybookEvents
public import DaybookIngest
import DaybookStore

/// How a restore is taken in.
public struct RestoreOptions: Sendable {
    /// What a body is that is nothing but a signed text.
    public var kind: AppStorePayloadKind
    /// Say what would happen, and write nothing.
    public var isPreview: Bool
    /// Who asks and why, for the audit of what moves.
    public var actor: String?
    public var reason: String?

    public init(
        kind: AppStorePayloadKind = .transaction, isPreview: Bool = false, actor: String? = nil,
        reason: String? = nil
    ) {
        self.kind = kind
        self.isPreview = isPreview
        self.actor = actor
        self.reason = reason
    }
}

/// Whose purchases are: restores and transfers (E51).
extension Ledger {
    /// A device has some purchases, a bundle of hundreds is a mistake of somebody's.
    public static let restoredTextCountMax = 1_000

    /// Takes in what a customer's device hands over on Restore Purchases, and decides whose each line is.
    ///
    /// Every signed text is verified and recorded as `ingest` does it. Then a line that was nobody's is the
    /// customer's, and one of somebody else's goes by the catalog's policy `transfer`: it stays, moves by one
    /// `purchase.transferred`, or makes the two one customer. Consumables are never restored (rule 6). All of it is one
    /// commit, so of two customers who restore one line at the same time the first gets it. The same again appends
    /// nothing.
    /// - Parameter bodies: Signed transactions, or pages of them.
    /// - Returns: What became of each line, and what everybody concerned has before and after. A preview answers the
    ///   same and writes nothing.
    /// - Throws: `LedgerError.badInput` for a customer who has no name or more than `restoredTextCountMax` texts,
    ///   `.rejected` where the ledger has no catalog or refuses unknown customers, `.store`. A text that is refused,
    ///   and a line that stays with its owner, are answers.
    public func restore(
        _ bodies: [[UInt8]], for subject: String, by verifier: AppStoreVerifier,
        options: RestoreOptions = RestoreOptions()
    ) async throws -> RestoreReceipt {
        let environment = verifier.identity.environment
        try checkName(subject, environment)
        let ingest = IngestOptions(
            kind: options.kind, subject: subject, isDryRun: options.isPreview)
        var letters = IngestReceipt()
        var statements: [RestoreStatement] = []
        var posted: [String: PostedText] = [:]
        for body in bodies {
            let texts: [AppStoreSignedText]
            do throws(AppStoreRefusal) {
                texts = try AppStoreBody.signedTexts(in: body, as: options.kind)
            } catch {
                let whole = PostedText(bytes: body, body: body, ingest, verifier)
                try await refuse(whole, error, &letters)
                continue
            }
            letters.texts += texts.count
            guard letters.texts <= Self.restoredTextCountMax else {
                throw Self.tooMany(letters.texts)
            }
            for text in texts {
                let raw = PostedText(text, in: body, ingest, verifier)
                do throws(AppStoreRefusal) {
                    let statement = try await statement(text, raw.bytes, subject, verifier)
                    posted[statement.sha256] = raw
                    statements.append(statement)
                } catch {
                    try await refuse(raw, error, &letters)
                }
            }
        }
        let request = RestoreRequest(
            environment: environment, subject: subject, actor: options.actor,
            reason: options.reason, statements: statements)
        var receipt = try await restored(request, isPreview: options.isPreview)
        for refused in receipt.refused {
            guard let text = posted.removeValue(forKey: refused.sha256) else { continue }
            try await refuse(text, refused.refusal, &letters)
        }
        if !options.isPreview {
            receipt.retried = try await settle(statements, posted, verifier)
        }
        receipt.texts = letters.texts
        receipt.refused = letters.refused
        return receipt
    }

    /// What was taken in is no letter any more, and what waited for it is tried.
    /// - Returns: The digests of the letters that were taken in with it.
    private func settle(
        _ statements: [RestoreStatement], _ posted: [String: PostedText],
        _ verifier: AppStoreVerifier
    ) async throws -> [String] {
        var letters = IngestReceipt()
        for statement in statements {
            guard let text = posted[statement.sha256] else { continue }
            try await settleLetters(of: text.bytes)
            guard !statement.needsKnownLine, let line = statement.line else { continue }
            try await retryLetters(waitingFor: line, by: verifier, &letters)
        }
        return letters.retried
    }

    private func restored(
        _ request: RestoreRequest, isPreview: Bool
    ) async throws -> RestoreReceipt {
        let ledger = isPreview ? try rehearsal() : self
        guard case .restore(let receipt) = try await ledger.submit(.restore(request)) else {
            preconditionFailure("a restore is answered with its receipt")
        }
        return receipt
    }

    /// Gives a line to another customer, or takes the latest transfer of it back.
    /// - Parameter isPreview: Say what would happen, and write nothing; its receipt has the positions that the event
    ///   would have.
    /// - Throws: `LedgerError.rejected` for a line that is unknown or not the customer's, the same customer on both
    ///   sides, a missing reason, nothing to take back, or a transfer whose time for that is over; `.badInput`,
    ///   `.idempotencyConflict`, `.store`.
    @discardableResult
    public func transfer(
        _ request: TransferRequest, isPreview: Bool = false
    ) async throws -> TransferReceipt {
        let command = PreparedCommand(request.command)
        let ledger = isPreview ? try rehearsal() : self
        guard case .transfer(let receipt) = try await ledger.submit(.transfer(command)) else {
            preconditionFailure("a transfer is answered with its receipt")
        }
        return receipt
    }

    /// Whose a line is, as that customer is shown; `nil`: nobody's, or nothing is known of it.
    /// - Parameter line: `apple:2000000123`.
    public func owner(
        of line: String, environment: Environment = .production, moment: Moment = .now
    ) throws -> String? {
        try refresh()
        return try translating {
            let now = clock()
            let cut = try resolve(moment.knownAt, now: now).position
            return try state.withLock { state in
                guard let id = state.names.id(of: line),
                    let stream = state.streamID(environment, .line, id)
                else { return nil }
                let at = moment.at ?? LedgerClock(wall: now, last: state.head.recordedAt).now
                let builder = CaseBuilder(state: state, store: store, cut: cut, at: at)
                let owner = try builder.belonging(of: stream).owner
                guard owner != 0 else { return nil }
                let person = state.identity.person(
                    CustomerKey(environment, owner), cut: cut, corrections: state.corrections,
                    names: state.names)
                return state.names[person.shown]
            }
        }
    }

    private func checkName(_ subject: String, _ environment: Environment) throws {
        do throws(EventProblem) {
            try CustomerName.check(subject, environment)
        } catch {
            throw LedgerError.badInput([InputProblem(line: nil, error)])
        }
    }

    private static func tooMany(_ count: Int) -> LedgerError {
        .badInput([
            InputProblem(
                line: nil, column: nil, code: "too_large",
                reason:
                    "at least \(count) signed texts; one restore takes at most \(restoredTextCountMax): take in whole histories by ingest"
            )
        ])
    }

    /// What a signed text says, with the customer's claim.
    private func statement(
        _ text: AppStoreSignedText, _ bytes: [UInt8], _ subject: String,
        _ verifier: AppStoreVerifier
    ) async throws(AppStoreRefusal) -> RestoreStatement {
        let now = clock()
        let document: AppStoreDocument
        switch await verifier.confirm(bytes, as: text.kind, now: now) {
        case .refused(let refusal): throw refusal
        case .verified(let statement): document = statement.document
        }
        let environment = verifier.identity.environment
        var transaction: AppStoreTransaction?
        var isRenewal = false
        switch document {
        case .transaction(let posted): transaction = posted
        // What Apple tells by itself is nobody's claim.
        case .notification(let told): transaction = told.transaction
        case .renewal: isRenewal = true
        case .appTransaction: break
        }
        var claimant: String? = subject
        if case .notification = document { claimant = nil }
        let isConsumable = transaction?.type == .known(.consumable)
        do {
            // A consumable is recorded, a refund of one above all, and claimed for nobody: it is restored to nobody.
            let mapping = AppStoreMapping(
                environment: environment, subject: isConsumable ? nil : claimant)
            let facts = try reports(mapping.events(of: document), bytes)
            let lines = facts.lazy.map { EventRouter.stream(of: $0.draft) }
            return RestoreStatement(
                place: text.place, sha256: Digest.hexadecimal(Digest.sha256(bytes)),
                line: isConsumable
                    ? "apple:\(transaction?.id ?? "")" : lines.first { $0.kind == .line }?.name,
                product: transaction?.productID, isConsumable: isConsumable,
                needsKnownLine: isRenewal, facts: facts)
        } catch let problem as EventProblem {
            throw AppStoreRefusal([InputProblem(line: nil, problem)])
        } catch {
            throw AppStoreRefusal(.format, "\(error)")
        }
    }
}
