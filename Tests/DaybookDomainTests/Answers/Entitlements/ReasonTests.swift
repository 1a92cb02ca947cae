import DaybookDomain
import Testing

@Suite("Reasons")
struct ReasonTests {
    @Test(
        "Why a source gives nothing is read back from its word",
        arguments: [
            "not_started", "expired", "expired.voluntary", "expired.", "intro_expired",
            "grant_voided", "refunded", "revoked", "billing_retry", "transferred",
            "needs_assignment", "unknown_product", "unverified", "unknown_state_fallback_free",
            "family_not_shareable", "family_serves_no_profile",
        ])
    func why(word: String) {
        #expect(Source.Why(rawValue: word)?.rawValue == word)
    }

    @Test("Reasons of a store are equal when their bytes are")
    func bytes() throws {
        let words = ["expired.caf\u{E9}", "expired.cafe\u{301}", "expired"]
        let whys = try words.map { try #require(Source.Why(rawValue: $0)) }
        #expect(Set(whys).count == 3)
    }

    @Test("A word that is no reason is none", arguments: ["", "expire", "Expired", "family"])
    func none(word: String) {
        #expect(Source.Why(rawValue: word) == nil)
        #expect(word == "family" || DecisionReason(rawValue: word) == nil)
    }

    @Test("A reason is shown as its word")
    func shown() {
        #expect(DecisionReason.allCases.allSatisfy { "\($0)" == $0.rawValue })
        #expect("\(DecisionReason.freePeriod)" == "intro_period")
    }
}
