import DaybookDomain
import DaybookEvents
public import DaybookIngest
import DaybookStore

/// Requests in the apps' own forms, which their catalogs describe.
extension Ledger {
    /// Does what an app asks for, and answers in the app's words (docs/catalog.md#calls).
    /// - Parameters:
    ///   - request: Names a call of the newest catalog; the body has the members that this call declares.
    ///   - verifier: By what signed transactions are verified; only `takeTransaction` needs one.
    ///   - admitting: Asked about a signed payload before it is taken in; one that is not admitted is refused, and not
    ///     kept.
    /// - Returns: Also where a rule refuses a use, or a signed payload is not believed: in the app's words.
    /// - Throws: `LedgerError.badInput` for a call that the catalog does not have (`unknown_call`) and for a request
    ///   that is not what the catalog says; `.store` with `busy` where a signed payload could not be decided now and
    ///   should be sent again; what `perform`, `record` and `ingest` throw.
    public func call(
        _ request: AppCallRequest, by verifier: AppStoreVerifier? = nil,
        admitting: @escaping @Sendable (_ payload: [UInt8]) async throws -> Bool = { _ in true }
    ) async throws -> AppCallReply {
        let known = try catalogs().newest?.catalog.calls ?? []
        guard let call = known.first(where: { haveSameBytes($0.name, request.name) }) else {
            let near = NearestName.of(request.name, among: known.map(\.name))
            throw LedgerError.bad(
                "unknown_call",
                "the catalog has no call \(ShownText.escaped(request.name))\(near.map { "; did you mean \($0)?" } ?? "")"
            )
        }
        let inputs = try AppCallInputs(request.body, of: call)
        let work = AppCallWork(
            ledger: self, call: call, inputs: inputs, request: request, admitting: admitting)
        return try await work.run(by: verifier)
    }
}

/// One request in an app's own form.
private struct AppCallWork {
    let ledger: Ledger
    let call: AppCall
    let inputs: AppCallInputs
    let request: AppCallRequest
    let admitting: @Sendable ([UInt8]) async throws -> Bool

    func run(by verifier: AppStoreVerifier?) async throws -> AppCallReply {
        switch call.work {
        case .consume: try await consume()
        case .showStatus: try await showStatus()
        case .takeTransaction: try await takeTransaction(verifier)
        case .claimTransaction: try await claimTransaction()
        }
    }

    private func consume() async throws -> AppCallReply {
        let command = Command.consume(
            meter: call.meter ?? "", amount: try inputs.integer(.amount) ?? 1,
            ref: try inputs.text(.ref))
        let asked = CommandRequest(
            command, subject: request.subject, environment: request.environment, key: request.key,
            profile: try inputs.text(.profile))
        do {
            return try reply(decision: try await ledger.perform(asked).json)
        } catch LedgerError.rejected(_, let decision?) where !decision.allowed {
            return try reply(isRefused: true, decision: decision.json)
        }
    }

    private func showStatus() async throws -> AppCallReply {
        if call.registers {
            let status = try ledger.status(
                of: request.subject, environment: request.environment
            ).status
            if !status.isKnown { try await register() }
        }
        return try reply()
    }

    /// Two first requests at once record one event: they have one key.
    private func register() async throws {
        let now = ledger.core.clock()
        let seen = EventDraft(
            type: .subjectCreated, environment: request.environment, subject: request.subject,
            occurredAt: now,
            source: EventSource(
                kind: "native", key: EventSource.boundedKey("created/\(request.subject)")),
            trust: .imported, data: ["first_seen_at": .integer(now)])
        do {
            try await ledger.record([seen])
        } catch LedgerError.idempotencyConflict {
            // The other request came first, at another millisecond.
        }
    }

    private func takeTransaction(_ verifier: AppStoreVerifier?) async throws -> AppCallReply {
        guard let verifier else {
            throw LedgerError.bad(
                "not_configured",
                "it was not said for which app of the store payloads are believed (--bundle-id)")
        }
        let payload = try inputs.signed()
        guard try await admitting(payload) else { return try reply(isRefused: true) }
        let receipt = try await ledger.ingest(
            payload, by: verifier,
            options: IngestOptions(
                kind: .transaction, subject: request.subject, product: try inputs.text(.product)))
        if let refused = receipt.refused.first, refused.refusal.reason == .retryable {
            throw LedgerError.store(StoreError(.busy, refused.refusal.detail))
        }
        return try reply(isRefused: !receipt.refused.isEmpty)
    }

    private func claimTransaction() async throws -> AppCallReply {
        let transaction = try inputs.id(.transaction) ?? ""
        let start = try inputs.instant(.purchasedAt) ?? 0
        var data: JSONObject = [
            "product": .orNull(try inputs.text(.product)), "transaction_id": .string(transaction),
            "original_transaction_id": .string(
                try inputs.id(.originalTransaction) ?? transaction), "starts_at": .integer(start),
        ]
        if let end = try inputs.instant(.expiresAt) { data["expires_at"] = .integer(end) }
        let claim = EventDraft(
            type: .storeTransactionStated, environment: request.environment,
            // Claimed now: among claims the earlier one counts, and its date is not the claimant's to choose (rule 7).
            subject: request.subject, occurredAt: nil,
            source: EventSource(
                kind: "native",
                key: EventSource.boundedKey("claim/\(request.subject)/\(transaction)")),
            trust: .clientAsserted, data: data)
        try await ledger.record([claim])
        return try reply()
    }

    // MARK: Answers

    private func reply(
        isRefused: Bool = false, decision: JSONObject? = nil
    ) throws -> AppCallReply {
        let members = isRefused ? call.refusal : call.answer
        var found = JSONObject()
        found["decision"] = decision.map { .object($0) }
        // A status is worked out where the app is told of it.
        if members.contains(where: { $0.value.root == "status" }) {
            let (status, asOf) = try ledger.status(
                of: request.subject, profile: try inputs.text(.profile),
                environment: request.environment, locale: try inputs.text(.locale))
            found["status"] = .object(status.json(asOf))
        }
        var answer = JSONObject()
        for member in members { answer[member.name] = member.value.json(in: found) }
        return AppCallReply(isRefused: isRefused, answer: answer, envelope: call.envelope)
    }
}

extension AppCall.Value {
    fileprivate var root: String? {
        if case .path(let path) = self { path.first } else { nil }
    }

    /// `nil`: the ledger's answer has no such value.
    fileprivate func json(in found: JSONObject) -> JSONValue? {
        switch self {
        case .text(let text): .string(text)
        case .integer(let number): .integer(number)
        case .flag(let flag): .bool(flag)
        case .path(let path): found.value(at: path).flatMap { $0 == .null ? Optional.none : $0 }
        }
    }
}
