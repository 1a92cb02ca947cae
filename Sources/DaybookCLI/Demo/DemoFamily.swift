import Daybook

/// The second act: one family, live, on a ledger of its own. Every line is a command that is run as it stands.
struct DemoFamily {
    let stage: Stage
    let ledger: String
    let catalog: String

    private static let transaction = "2000000123456789"
    private static let purchase =
        #"{"product":"com.dozzi.unlimited_stories","kind":"non_consumable","transaction_id":"\#(transaction)","price_milli":2990,"currency":"USD"}"#

    /// - Returns: What happened, for `--json`.
    func play() async throws -> JSONObject {
        try stage.chapter(
            "Two stories, and a third", "Dozzi gives every family two stories. Ada makes three.")
        try stage.prompt("export DAYBOOK_LEDGER=\(ledger)")
        try await run("init", "$DAYBOOK_LEDGER", "--catalog", catalog)
        try await tell("story-1")
        try await tell("story-2")
        let refused = try await stage.run(
            ["consume", "ada", "stories", "--ref", "story-3"], ledger: ledger)
        try stage.must(!refused.isYes, "the third story is refused")
        let beforeRefund = try await buy()
        try await tell("story-3")
        let after = try await refund()
        let before = try await askAgain(asKnownAt: beforeRefund)
        try await run("history", "ada")
        return [
            "refused": .object(refused.json), "position_before_refund": .integer(beforeRefund),
            "allowed_after_refund": .bool(after), "allowed_as_known_before": .bool(before),
        ]
    }

    private func tell(_ ref: String) async throws {
        try await run("consume", "ada", "stories", "--ref", ref)
    }

    /// - Returns: The position after the purchase.
    private func buy() async throws -> Int64 {
        try stage.chapter(
            "A purchase", "Ada pays 2.99 USD once. The App Store says so; the ledger believes it.")
        try await run(
            "record", "purchase.completed", "ada", "--source", "apple", "--key", "purchase-1",
            "--trust", "verified", "--data", Self.purchase)
        try await run("check", "ada", "premiumVoices")
        return try await LedgerOptions.using(try Ledger.open(ledger, readOnly: true)) {
            try $0.head().position
        }
    }

    private func refund() async throws -> Bool {
        try stage.chapter(
            "A refund", "Apple gives the money back. Access goes with it, the stories stay.")
        let data =
            #"{"transaction_id":"\#(Self.transaction)","revoked_at":\#(SystemClock.now())}"#
        try await run(
            "record", "purchase.refunded", "ada", "--source", "apple", "--key", "refund-1",
            "--trust", "verified", "--data", data)
        let decision = try await stage.run(["check", "ada", "premiumVoices"], ledger: ledger)
        try stage.must(!decision.isYes, "access goes with the refund")
        return decision.isYes
    }

    private func askAgain(asKnownAt position: Int64) async throws -> Bool {
        try stage.chapter(
            "What did we know?",
            "The same question, as the ledger would have answered it before it heard of the refund."
        )
        try await run("check", "ada", "premiumVoices", "--known-at", "@\(position)")
        return true
    }

    private func run(_ words: String...) async throws {
        try await stage.runWell(words, ledger: ledger)
    }
}
