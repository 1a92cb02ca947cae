import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import Testing

@Suite("Dozzi: one-time unlimited stories")
struct DozziTests {
    let ledger: Ledger

    init() async throws { ledger = try await Fixtures.ledger("dozzi") }

    private func purchase(_ key: String = "p1", transaction: String = "2000") -> EventDraft {
        EventDraft(
            type: .purchaseCompleted, subject: "ada", occurredAt: Fixtures.now,
            source: EventSource(kind: "apple", key: key), trust: .verified,
            data: [
                "product": "com.dozzi.unlimited_stories", "kind": "non_consumable",
                "transaction_id": .string(transaction), "price_milli": 2990, "currency": "USD",
            ])
    }

    @Test("DZ-01 A new customer has two stories and may create one")
    func newCustomer() throws {
        let (status, _) = try ledger.status(of: "ada")
        #expect(status.status == "free")
        #expect(status.display?.text == "2 stories remaining")
        #expect(try ledger.check("stories", for: "ada").allowed)
    }

    @Test("DZ-02 One story used reads as the document says, and well for one")
    func oneUsed() async throws {
        try await ledger.consume("stories", by: "ada", ref: "s1")
        let (status, _) = try ledger.status(of: "ada")
        #expect(status.display?.text == "1 stories remaining")
        #expect(status.display?.pluralSafeText == "1 story remaining")
    }

    @Test("DZ-03 The third story is refused with the numbers and a paywall")
    func third() async throws {
        try await ledger.consume("stories", by: "ada", ref: "s1")
        try await ledger.consume("stories", by: "ada", ref: "s2")
        let before = try ledger.head().position
        await #expect {
            try await ledger.consume("stories", by: "ada", ref: "s3")
        } throws: { error in
            guard case .rejected(let rejection, let decision)? = error as? LedgerError else {
                return false
            }
            return rejection
                == .limitReached(
                    meter: "stories", limit: 2, used: 2, reserved: 0, requested: 1, resetsAt: nil)
                && decision?.paywall?.context == "usageLimitReached"
        }
        #expect(try ledger.head().position == before)
        #expect(try ledger.check("stories", for: "ada").usage?.remaining == 0)
    }

    @Test("DZ-07 DZ-22 A purchase unlocks at once, and stories under it burn no quota")
    func purchased() async throws {
        try await ledger.consume("stories", by: "ada", ref: "s1")
        try await ledger.record([purchase()])
        let (status, _) = try ledger.status(of: "ada")
        #expect(status.status == "unlimited")
        #expect(status.display?.text == "Unlimited stories")
        try await ledger.consume("stories", by: "ada", ref: "s2")
        try await ledger.consume("stories", by: "ada", ref: "s3")
        let decision = try ledger.check("stories", for: "ada")
        #expect(decision.reason == .lifetime)
        #expect(decision.usage?.used == 1)
    }

    @Test("DZ-21 A refund takes access away at its date and the reversal gives it back")
    func refund() async throws {
        try await ledger.consume("stories", by: "ada", ref: "s1")
        try await ledger.record([purchase()])
        let position = try ledger.head().position
        func statement(_ type: String, _ key: String, _ signedAt: Int64) -> EventDraft {
            EventDraft(
                type: EventTypeName(rawValue: type), subject: "ada", occurredAt: Fixtures.now,
                source: EventSource(kind: "apple", key: key, signedAt: signedAt),
                trust: .verified,
                data: ["transaction_id": "2000", "revoked_at": .integer(Fixtures.now)])
        }
        try await ledger.record([statement("purchase.refunded", "r1", Fixtures.now + 1)])
        let refunded = try ledger.check("premiumVoices", for: "ada")
        #expect(!refunded.allowed)
        #expect(refunded.reason == .refunded)
        #expect(try ledger.check("stories", for: "ada").usage?.remaining == 1)
        let known = Moment(knownAt: .position(position))
        #expect(
            try ledger.check(CheckQuestion("premiumVoices"), for: "ada", moment: known).decision
                .allowed)
        try await ledger.record([statement("purchase.refund_reversed", "r2", Fixtures.now + 2)])
        #expect(try ledger.check("premiumVoices", for: "ada").allowed)
    }

    @Test("X-05 X-06 The same key returns the same receipt; another payload is a conflict")
    func idempotency() async throws {
        let first = try await ledger.consume("stories", by: "ada", ref: "s1", key: "tap")
        let head = try ledger.head().position
        let second = try await ledger.consume("stories", by: "ada", ref: "s1", key: "tap")
        #expect(first == second)
        #expect(try ledger.head().position == head)
        await #expect {
            try await ledger.consume("stories", by: "ada", ref: "s2", key: "tap")
        } throws: { error in
            if case .idempotencyConflict? = error as? LedgerError { true } else { false }
        }
    }

    @Test("X-04 DZ-14 Of ten taps at once exactly two succeed")
    func parallel() async throws {
        let ledger = ledger
        let succeeded = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<10 {
                group.addTask {
                    (try? await ledger.consume("stories", by: "ada", ref: "s\(index)")) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(succeeded == 2)
        #expect(try ledger.check("stories", for: "ada").usage?.used == 2)
    }

    @Test("DZ-05 DZ-06 An alias merges two quotas: used is the sum, remaining never negative")
    func alias() async throws {
        try await ledger.consume("stories", by: "anon", ref: "a1")
        try await ledger.consume("stories", by: "anon", ref: "a2")
        try await ledger.consume("stories", by: "ada", ref: "b1")
        try await ledger.perform(CommandRequest(.alias(to: "ada"), subject: "anon"))
        for name in ["ada", "anon"] {
            let usage = try ledger.check("stories", for: name).usage
            #expect(usage?.used == 3)
            #expect(usage?.remaining == 0)
            #expect(usage?.overage == 1)
        }
        try await ledger.perform(CommandRequest(.unalias(from: "ada"), subject: "anon"))
        #expect(try ledger.check("stories", for: "ada").usage?.used == 1)
    }

    @Test("DZ-15 A released or timed-out reservation gives the units back")
    func reservations() async throws {
        let reserve = Command.reserve(
            meter: "stories", amount: 2, reservation: "r1", timeoutMilliseconds: 600_000)
        try await ledger.perform(CommandRequest(reserve, subject: "ada"))
        #expect(try ledger.check("stories", for: "ada").usage?.remaining == 0)
        for (wait, remaining) in [(599_999, 0), (600_000, 2)] as [(Int64, Int64)] {
            let later = Moment(at: Fixtures.now + wait)
            #expect(
                try ledger.check(CheckQuestion("stories"), for: "ada", moment: later).decision
                    .usage?.remaining == remaining)
        }
        try await ledger.perform(CommandRequest(.release(reservation: "r1"), subject: "ada"))
        #expect(try ledger.check("stories", for: "ada").usage?.remaining == 2)
    }
}
