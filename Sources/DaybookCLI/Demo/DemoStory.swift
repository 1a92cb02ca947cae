import Daybook
import DaybookDomain
import DaybookEvents

/// The second act: one family, live, on a ledger of its own.
struct DemoStory {
    let stage: Stage
    let ledger: Ledger

    private static let subject = "ada"
    private static let transaction = "2000000123456789"
    private static let product = "com.dozzi.unlimited_stories"

    /// - Returns: What happened, for `--json`.
    func play() async throws -> JSONObject {
        stage.chapter(
            "Two stories, and a third", "Dozzi gives every family two stories. Ada makes three.")
        try await tell("story-1")
        try await tell("story-2")
        let refusal = try await refusedStory("story-3")
        let beforeRefund = try await buy()
        try await tell("story-3")
        try await refund()
        let knownBefore = try askAgain(asKnownAt: beforeRefund)
        stage.say("")
        stage.prompt("history ada")
        let history = try ledger.history(of: Self.subject)
        stage.show { HistoryText(entries: history).text($0) }
        return [
            "refused": .object(refusal), "position_before_refund": .integer(beforeRefund),
            "allowed_after_refund": .bool(
                try ledger.check("premiumVoices", for: Self.subject).allowed),
            "allowed_as_known_before": .bool(knownBefore),
        ]
    }

    private func tell(_ ref: String) async throws {
        stage.prompt("consume ada stories --ref \(ref)")
        let receipt = try await ledger.consume("stories", by: Self.subject, ref: ref, key: ref)
        stage.answer(true, "“\(receipt.decision?.display?.pluralSafeText ?? "")”")
    }

    private func refusedStory(_ ref: String) async throws -> JSONObject {
        stage.prompt("consume ada stories --ref \(ref)")
        do {
            try await ledger.consume("stories", by: Self.subject, ref: ref, key: ref)
        } catch LedgerError.rejected(let rejection, let decision?) {
            stage.answer(false, "\(rejection): “\(decision.display?.text ?? "")”")
            return decision.json
        }
        throw Failure(.no, "demo", "the third story was not refused, which it must be")
    }

    /// - Returns: The position after the purchase.
    private func buy() async throws -> Int64 {
        stage.chapter(
            "A purchase", "Ada pays 2.99 USD once. The App Store says so; the ledger believes it.")
        stage.prompt("record purchase.completed ada …")
        try await state("purchase.completed", key: "purchase") {
            [
                "product": .string(Self.product), "kind": "non_consumable",
                "transaction_id": .string(Self.transaction), "price_milli": 2_990,
                "currency": "USD", "starts_at": .integer($0),
            ]
        }
        stage.answer(true, "“\(try status().display?.text ?? "")”")
        return try ledger.head().position
    }

    private func refund() async throws {
        stage.chapter(
            "A refund", "Apple gives the money back. Access goes with it, the stories stay.")
        stage.prompt("record purchase.refunded ada …")
        try await state("purchase.refunded", key: "refund") {
            ["transaction_id": .string(Self.transaction), "revoked_at": .integer($0)]
        }
        stage.answer(true, "recorded at position \(try ledger.head().position)")
        stage.prompt("check ada premiumVoices")
        let decision = try ledger.check("premiumVoices", for: Self.subject)
        stage.answer(decision.allowed, Words.spaced(decision.reason))
        guard !decision.allowed else {
            throw Failure(.no, "demo", "access did not go with the refund, which it must")
        }
    }

    private func state(
        _ type: String, key: String, _ data: (Int64) -> JSONObject
    ) async throws {
        let now = SystemClock.now()
        try await ledger.record([
            EventDraft(
                type: type, subject: Self.subject, occurredAt: now,
                source: EventSource(kind: "apple", key: key, signedAt: now), trust: .verified,
                data: data(now))
        ])
    }

    private func askAgain(asKnownAt position: Int64) throws -> Bool {
        stage.chapter(
            "What did we know?",
            "The same question, as the ledger would have answered it before it heard of the refund."
        )
        stage.prompt("check ada premiumVoices --known-at @\(position)")
        let moment = Moment(knownAt: .position(position))
        let (decision, asOf) = try ledger.check(
            CheckQuestion("premiumVoices"), for: Self.subject, moment: moment)
        stage.answer(decision.allowed, "\(Words.spaced(decision.reason)), \(asOf.sentence)")
        guard decision.allowed else {
            throw Failure(.no, "demo", "knowledge of the refund leaked into the past")
        }
        return decision.allowed
    }

    private func status() throws -> Status { try ledger.status(of: Self.subject).status }
}
