import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// Plans whose limit is a number: which limit a use is held against, and what a change of plan leaves behind (E60,
/// E61).
@Suite("Plans with a number")
struct PlanLimitTests {
    /// Free: four prints in a period, with `club` twenty; `club` also opens the feature that prints are of.
    let fixture: LedgerFixture
    let lineage = LineageFixture("1", product: "club.monthly")
    let day = LedgerFixture.day
    let start = instant("2026-01-10T10:00:00Z")

    init() async throws {
        fixture = try await LedgerFixture(
            "sampler", document: SamplerCatalog.first, now: instant("2026-01-10T10:00:00Z"))
        try await fixture.record(
            .reported(
                .subjectCreated, at: start - day, key: "ada",
                ["first_seen_at": .integer(start - day)]))
    }

    private func prints(_ time: Int64) throws -> MeterAnswer {
        try #require(try fixture.meter("prints", at: time))
    }

    private func printed(_ amount: Int64, at time: Int64) -> EventDraft {
        .used("prints", at: time, ref: "p\(time)", amount: amount)
    }

    private func granted(_ amount: Int64, at time: Int64) -> EventDraft {
        .reported(
            .grantIssued, at: time, key: "grant/\(time)",
            [
                "grant_id": .string("g\(time)"), "meter": "prints", "amount": .integer(amount),
                "starts_at": .integer(time), "reason": "support",
            ])
    }

    /// At every moment, as known at the end, the naive model says the same.
    private func compare() throws {
        let comparison = try ModelComparison(fixture.ledger)
        let found = try comparison.differences(
            at: comparison.moments, cut: Int64(comparison.events.count))
        #expect(found == [])
    }

    @Test("What the catalog says of an entitlement and a meter is meant, whatever else it opens")
    func numbered() async throws {
        try await fixture.record(lineage.started("1", from: start, until: start + 20 * day))
        #expect(try prints(start).limit == 20)
        #expect(try prints(start).coveredBy == nil)
        let before = try fixture.check("printing", at: start)
        #expect(before.allowed && before.reason == .subscription && before.usage?.remaining == 20)
        fixture.clock.now = start + day
        try await fixture.ledger.consume("prints", 20, by: "ada", ref: "all")
        // Asked for the feature and asked for the meter the answer is one.
        for name in ["printing", "prints"] {
            let decision = try fixture.check(name)
            #expect(!decision.allowed && decision.reason == .limitReached, "\(name)")
        }
        #expect(
            try await fixture.refusal(of: .consume(meter: "printing", amount: 1, ref: "more"))
                != nil)
        try compare()
    }

    @Test("An entitlement to which the catalog gives no number frees the meter by its feature")
    func freed() async throws {
        try await fixture.record(
            .reported(
                .grantIssued, at: start, key: "g",
                [
                    "grant_id": "g", "feature": "printing", "unlimited": true, "reason": "beta",
                    "starts_at": .integer(start),
                ]))
        #expect(try prints(start).limit == nil)
        try compare()
    }

    @Test("E61 What a plan covered burns no grant when the plan ends")
    func downgrade() async throws {
        let end = start + 5 * day
        try await fixture.record(
            granted(5, at: start), lineage.started("1", from: start, until: end),
            printed(10, at: start + day))
        let during = try prints(start + day)
        #expect((during.limit, during.remaining, during.granted) == (20, 15, 5))
        let after = try prints(end)
        #expect((after.limit, after.used, after.overage) == (4, 10, 6))
        // Free quota: none. The grant: whole, for it covered nothing.
        #expect((after.remaining, after.granted) == (5, 5))
        try await fixture.record(printed(2, at: end + day))
        #expect(try prints(end + day).granted == 3)
        try compare()
    }

    @Test("E61 What a grant covered stays burned when a plan begins; what nothing did is covered")
    func upgrade() async throws {
        let begin = start + 5 * day
        try await fixture.record(
            granted(2, at: start), printed(7, at: start + day),
            lineage.started("1", from: begin, until: begin + 31 * day))
        let before = try prints(begin - 1)
        #expect((before.remaining, before.granted, before.overage) == (0, 0, 1))
        let after = try prints(begin)
        #expect((after.limit, after.remaining, after.granted, after.overage) == (20, 15, 0, 0))
        try compare()
    }

    @Test("E60 A period that was closed after a plan had ended keeps what the plan covered")
    func closed() async throws {
        let next = start - day + 31 * day
        try await fixture.record(
            granted(5, at: start), lineage.started("1", from: start, until: start + 5 * day),
            printed(10, at: start + day))
        let later = try prints(next + day)
        #expect((later.used, later.remaining, later.granted) == (0, 9, 5))
        try compare()
    }

    @Test("E60 There and back again: a limit that falls and rises leaves what it found")
    func thereAndBack() async throws {
        let end = start + 5 * day
        try await fixture.record(
            lineage.started("1", from: start, until: end), printed(10, at: start + day),
            lineage.renewed("2", from: end + day, until: end + 20 * day),
            printed(1, at: end + 2 * day))
        #expect(try prints(end).overage == 6)
        let back = try prints(end + 2 * day)
        #expect((back.used, back.remaining, back.overage) == (11, 9, 0))
        try compare()
    }

    @Test("E61 What was in grace then was covered then, whatever became of it")
    func grace() async throws {
        let end = start + 5 * day
        let recovery = end + 6 * day
        // Without access during billing retry.
        var text = String(decoding: SamplerCatalog.first, as: UTF8.self)
        text = text.replacing("billingRetryAccess: true", with: "billingRetryAccess: false")
        let other = try await LedgerFixture("sampler", document: Array(text.utf8), now: start)
        try await other.record(
            granted(5, at: start), lineage.started("1", from: start, until: end),
            lineage.billingFailed(at: end, graceUntil: end + 4 * day), printed(10, at: end + day),
            lineage.renewed("2", from: recovery, until: recovery + 10 * day))
        for time in [end + day, end + 5 * day, recovery + day, recovery + 11 * day] {
            #expect(try other.meter("prints", at: time)?.granted == 5, "at \(time)")
        }
        let comparison = try ModelComparison(other.ledger)
        let found = try comparison.differences(
            at: comparison.moments, cut: Int64(comparison.events.count))
        #expect(found == [])
    }

    // MARK: What an unlimited source covers (rules 12 and 15)

    @Test("FR-26 A customer who may use a feature anyway burns none of its preview uses")
    func preview() async throws {
        let vault = LineageFixture("9", product: "vault.forever")
        try await fixture.record(
            vault.event(
                .purchaseCompleted, at: start,
                [
                    "product": "vault.forever", "kind": "non_consumable", "transaction_id": "9",
                    "price_milli": 9_000, "currency": "EUR", "starts_at": .integer(start),
                ]))
        fixture.clock.now = start + day
        for ref in ["a", "b", "c"] {
            try await fixture.ledger.consume("preview.archive", by: "ada", ref: ref)
        }
        let covered = try fixture.ledger.history(of: "ada").compactMap {
            $0.event.draft.data["covered_by"]?.text
        }
        #expect(covered == ["vault", "vault", "vault"])
        try await fixture.record(vault.refunded("9", at: start + 2 * day))
        fixture.clock.now = start + 3 * day
        #expect(try fixture.check("preview.archive").usage?.remaining == 2)
        #expect(try fixture.check("archive").reason == .freeQuota)
        try await fixture.ledger.consume("preview.archive", by: "ada", ref: "d")
        #expect(try fixture.check("preview.archive").usage?.remaining == 1)
        try compare()
    }

    @Test(
        "An unlimited grant frees a meter under any of its names",
        arguments: ["meter", "feature"], ["prints", "printouts"])
    func alias(_ field: String, _ name: String) async throws {
        try await fixture.record(
            .reported(
                .grantIssued, at: start, key: "g",
                [
                    "grant_id": "g", field: .string(name), "unlimited": true, "reason": "beta",
                    "starts_at": .integer(start), "expires_at": .integer(start + day),
                ]))
        let meter = try prints(start)
        #expect(meter.limit == nil)
        #expect(meter.coveredBy?.id == "g")
        #expect(try prints(start + day).limit == 4)
        try compare()
    }
}
