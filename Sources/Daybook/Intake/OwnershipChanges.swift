import DaybookDomain
import DaybookEvents
import DaybookIngest
import DaybookStore

/// Ownership: restores and transfers (E51).
struct OwnershipChanges {
    let writer: LedgerWriter

    private var core: LedgerCore { writer.core }

    /// A device has some purchases, a bundle of more than a thousand is a mistake of the caller.
    public static let restoredTextCountMax = 1_000

    /// Takes in what a customer's device hands over on Restore Purchases, and decides who owns each lineage.
    func restore(
        _ payloads: [[UInt8]], for subject: String, by verifier: AppStoreVerifier,
        options: RestoreOptions = RestoreOptions()
    ) async throws -> RestoreReceipt {
        let environment = verifier.identity.environment
        try checkName(subject)
        let ingest = IngestOptions(
            kind: options.kind, subject: subject, isDryRun: options.isDryRun)
        var deadLetters = IngestReceipt()
        var statements: [RestoreStatement] = []
        var posted: [String: PostedText] = [:]
        for payload in payloads {
            let texts: [AppStoreSignedPayload]
            do throws(PayloadRefusal) {
                texts = try AppStoreEnvelope.signedPayloads(in: payload, as: options.kind)
            } catch {
                let whole = PostedText(bytes: payload, payload: payload, ingest, verifier)
                try await DeadLetters(writer: writer).refuse(whole, error, &deadLetters)
                continue
            }
            deadLetters.texts += texts.count
            try LedgerError.require(
                deadLetters.texts <= Self.restoredTextCountMax, "too_large",
                "at least \(deadLetters.texts) signed payloads; one restore takes at most \(Self.restoredTextCountMax): take in whole histories by ingest"
            )
            for text in texts {
                let raw = PostedText(text, in: payload, ingest, verifier)
                do throws(PayloadRefusal) {
                    let statement = try await statement(text, raw.bytes, subject, verifier)
                    posted[statement.sha256] = raw
                    statements.append(statement)
                } catch {
                    try await DeadLetters(writer: writer).refuse(raw, error, &deadLetters)
                }
            }
        }
        let request = RestoreRequest(
            environment: environment, subject: subject, actor: options.actor,
            reason: options.reason, statements: statements)
        var receipt = try await restored(request, isDryRun: options.isDryRun)
        for refused in receipt.refused {
            guard let text = posted.removeValue(forKey: refused.sha256) else { continue }
            try await DeadLetters(writer: writer).refuse(text, refused.refusal, &deadLetters)
        }
        if !options.isDryRun {
            receipt.retried = try await settle(statements, posted, verifier)
        }
        receipt.texts = deadLetters.texts
        receipt.refused = deadLetters.refused
        return receipt
    }

    /// Resolves the dead letters of what was taken in, and tries what waited for it.
    /// - Returns: The digests of the dead letters that were taken in with it.
    private func settle(
        _ statements: [RestoreStatement], _ posted: [String: PostedText],
        _ verifier: AppStoreVerifier
    ) async throws -> [String] {
        var deadLetters = IngestReceipt()
        for statement in statements {
            guard let text = posted[statement.sha256] else { continue }
            try await DeadLetters(writer: writer).settle(of: text.bytes)
            guard !statement.needsKnownLineage, let lineage = statement.lineage else { continue }
            try await DeadLetters(writer: writer).retry(
                waitingFor: lineage, by: verifier, &deadLetters)
        }
        return deadLetters.retried
    }

    private func restored(
        _ request: RestoreRequest, isDryRun: Bool
    ) async throws -> RestoreReceipt {
        let writer = isDryRun ? try DryRun(core).writer : self.writer
        guard case .restore(let receipt) = try await writer.submit(.restore(request)) else {
            preconditionFailure("a restore is answered with its receipt")
        }
        return receipt
    }

    /// Gives a lineage to another customer, or takes the latest transfer of it back.
    func transfer(
        _ request: TransferRequest, isDryRun: Bool = false
    ) async throws -> TransferReceipt {
        let command = PreparedCommand(request.command)
        let writer = isDryRun ? try DryRun(core).writer : self.writer
        guard case .transfer(let receipt) = try await writer.submit(.transfer(command)) else {
            preconditionFailure("a transfer is answered with its receipt")
        }
        return receipt
    }

    private func checkName(_ subject: String) throws {
        do throws(EventProblem) {
            try CustomerName.check(subject)
        } catch {
            throw LedgerError.bad(error)
        }
    }

    /// What a signed payload says, with the customer's claim.
    private func statement(
        _ text: AppStoreSignedPayload, _ bytes: [UInt8], _ subject: String,
        _ verifier: AppStoreVerifier
    ) async throws(PayloadRefusal) -> RestoreStatement {
        let now = core.clock()
        let document: AppStoreDocument
        switch await verifier.confirm(bytes, as: text.kind, now: now) {
        case .refused(let refusal): throw refusal
        case .verified(let statement): document = statement.document
        }
        let environment = verifier.identity.environment
        let transaction = document.told
        var isRenewal = false
        if case .renewal = document { isRenewal = true }
        // What Apple tells by itself is no customer's claim.
        var claimant: String? = subject
        if case .notification = document { claimant = nil }
        let isConsumable = transaction?.type == .known(.consumable)
        do {
            // A consumable is recorded, a refund of one above all, and never claimed: it is never restored.
            let mapping = AppStoreMapping(
                environment: environment, subject: isConsumable ? nil : claimant)
            let facts = try AppStoreIngest(writer: writer).reports(
                mapping.events(of: document), bytes)
            let lineages = facts.lazy.map(\.stream)
            return RestoreStatement(
                place: text.place, sha256: Digest.hexadecimal(Digest.sha256(bytes)),
                lineage: isConsumable
                    ? "apple:\(transaction?.id ?? "")"
                    : lineages.first { $0.kind == .lineage }?.name,
                product: transaction?.productID, isConsumable: isConsumable,
                needsKnownLineage: isRenewal, facts: facts)
        } catch let problem as EventProblem {
            throw PayloadRefusal([InputProblem(line: nil, problem)])
        } catch {
            throw PayloadRefusal(.format, "\(error)")
        }
    }
}
