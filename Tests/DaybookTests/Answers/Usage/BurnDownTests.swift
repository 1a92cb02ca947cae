import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// Grants, credits and quotas burn in one order (rule 15); M01 to M06 are OpenMeter's own cases.
@Suite("Burn-down")
struct BurnDownTests {
    let start = instant("2026-03-01T00:00:00Z")
    let day = LedgerFixture.day
    let hour = LedgerFixture.hour

    /// A ledger whose only meter is a lifetime counter with a free limit.
    private func ledger(
        free limit: Int64 = 0, allowsDebt: Bool = false, period: String = "lifetime"
    ) async throws -> LedgerFixture {
        try await LedgerFixture(
            "magical-stories", now: start + 400 * day,
            replacing: [
                "    period: calendarMonth\n    limit: 3\n    limitsWith:\n      premium: unlimited\n":
                    """
                    period: \(period)
                    limit: \(limit)
                    allowsDebt: \(allowsDebt)

                """,
                "products:\n": """
                products:
                  com.magicalstories.stories.10:
                    kind: consumable
                    credits: { meter: stories, amount: 10 }

                """,
            ])
    }

    private func grant(
        _ id: String, _ amount: Int64, from start: Int64, until end: Int64? = nil,
        priority: Int64? = nil, rollover: (least: Int64, most: Int64)? = nil
    ) -> EventDraft {
        var data: JSONObject = [
            "grant_id": .string(id), "meter": "stories", "amount": .integer(amount),
            "starts_at": .integer(start), "reason": "support",
        ]
        if let end { data["expires_at"] = .integer(end) }
        if let priority { data["priority"] = .integer(priority) }
        if let rollover {
            data["rollover"] = ["min": .integer(rollover.least), "max": .integer(rollover.most)]
        }
        return .reported(.grantIssued, at: start, key: id, data)
    }

    private func void(_ id: String, at time: Int64) -> EventDraft {
        .reported(
            .grantVoided, at: time, key: "void/\(id)",
            ["grant_id": .string(id), "voided_at": .integer(time)])
    }

    private func use(_ amount: Int64, at time: Int64) -> EventDraft {
        .used("stories", at: time, ref: "use/\(time)", amount: amount)
    }

    @Test("M01 Without a grant all usage is overage")
    func m01() async throws {
        let fixture = try await ledger()
        try await fixture.record(use(50, at: start + hour))
        let meter = try #require(try fixture.meter("stories", at: start + 30 * day))
        #expect((meter.granted, meter.overage, meter.used) == (0, 50, 50))
    }

    @Test("M02 A grant that covers the usage keeps the rest")
    func m02() async throws {
        let fixture = try await ledger()
        try await fixture.record(
            grant("g1", 100, from: start, until: start + 30 * day + 1), use(50, at: start + hour))
        let meter = try #require(try fixture.meter("stories", at: start + 30 * day))
        #expect((meter.granted, meter.overage) == (50, 0))
    }

    @Test("M03 A voided grant covers what was used before and nothing after")
    func m03() async throws {
        let fixture = try await ledger()
        let minute: Int64 = 60_000
        try await fixture.record(
            grant("g1", 100, from: start), void("g1", at: start + hour),
            use(50, at: start + 59 * minute), use(50, at: start + 61 * minute))
        let before = try #require(try fixture.meter("stories", at: start + hour - 1))
        #expect((before.granted, before.used, before.overage) == (50, 50, 0))
        let after = try #require(try fixture.meter("stories", at: start + 5 * day))
        #expect((after.granted, after.used, after.overage) == (0, 100, 50))
    }

    @Test("M04 A later grant repays what was used before it")
    func m04() async throws {
        let fixture = try await ledger()
        try await fixture.record(
            use(25, at: start - hour), use(25, at: start + hour), grant("g1", 100, from: start))
        #expect(try fixture.meter("stories", at: start - 1)?.overage == 25)
        let atStart = try #require(try fixture.meter("stories", at: start))
        #expect((atStart.granted, atStart.overage) == (75, 0))
        let after = try #require(try fixture.meter("stories", at: start + day))
        #expect((after.granted, after.overage) == (50, 0))
    }

    @Test("M05 The lower priority burns first")
    func m05() async throws {
        let fixture = try await ledger()
        try await fixture.record(
            grant("second", 100, from: start, priority: 2),
            grant("first", 100, from: start, priority: 1), use(120, at: start + hour))
        #expect(try fixture.meter("stories", at: start + day)?.granted == 80)
        try await fixture.record(void("first", at: start + 2 * day))
        #expect(try fixture.meter("stories", at: start + 2 * day)?.granted == 80)
        try await fixture.record(void("second", at: start + 3 * day))
        #expect(try fixture.meter("stories", at: start + 3 * day)?.granted == 0)
    }

    @Test("M06 Of one priority the soonest to end burns first, in whatever order they came")
    func m06() async throws {
        for isReversed in [false, true] {
            let fixture = try await ledger()
            let grants = [
                grant("short", 100, from: start, until: start + 30 * day),
                grant("long", 100, from: start, until: start + 36_500 * day),
            ]
            try await fixture.ledger.record(isReversed ? grants.reversed() : grants)
            try await fixture.record(use(120, at: start + hour))
            #expect(try fixture.meter("stories", at: start + 30 * day - 1)?.granted == 80)
            #expect(try fixture.meter("stories", at: start + 30 * day)?.granted == 80)
        }
    }

    @Test("E64 Equal priority and end: the earlier start burns first, then the smaller key")
    func ties() async throws {
        let fixture = try await ledger()
        try await fixture.record(
            grant("a", 10, from: start + 1), grant("b", 10, from: start),
            grant("c", 10, from: start), use(15, at: start + hour))
        for (id, left) in [("b", 15), ("c", 10), ("a", 0)] as [(String, Int64)] {
            let time = start + day + Int64(id.utf8.first ?? 0)
            try await fixture.record(void(id, at: time))
            #expect(try fixture.meter("stories", at: start + 2 * day)?.granted == left, "\(id)")
        }
    }

    @Test("E64 What an expired grant had left is gone and was not used")
    func expiredRemainder() async throws {
        let fixture = try await ledger()
        try await fixture.record(
            grant("g1", 100, from: start, until: start + day), use(30, at: start + hour))
        let meter = try #require(try fixture.meter("stories", at: start + day))
        #expect((meter.granted, meter.used, meter.overage) == (0, 30, 0))
    }

    @Test("The free quota burns as a grant of priority 0 that ends with its period")
    func freeQuota() async throws {
        for priority in [0, 1, 200] as [Int64] {
            let fixture = try await ledger(free: 3, period: "calendarMonth")
            try await fixture.record(
                grant("g1", 10, from: start, priority: priority), use(2, at: start + hour))
            let meter = try #require(try fixture.meter("stories", at: start + day))
            #expect((meter.remaining, meter.granted) == (11, 10))
        }
        let fixture = try await ledger(free: 3, period: "calendarMonth")
        try await fixture.record(
            grant("sooner", 10, from: start, until: start + 2 * day, priority: 0),
            use(2, at: start + hour))
        let meter = try #require(try fixture.meter("stories", at: start + day))
        #expect((meter.remaining, meter.granted) == (11, 8))
        #expect(try fixture.meter("stories", at: start + 2 * day)?.remaining == 3)
    }

    @Test(
        "E65 At a period's end a grant keeps min(most, max(least, what is left))",
        arguments: [(0, 100, 10), (80, 20, 10), (97, 5, 0), (50, 50, 50)]
            as [(Int64, Int64, Int64)])
    func rollover(_ used: Int64, _ most: Int64, _ least: Int64) async throws {
        let fixture = try await ledger(period: "calendarMonth")
        var events = [grant("g1", 100, from: start, rollover: (least, most))]
        if used > 0 { events.append(use(used, at: start + hour)) }
        try await fixture.ledger.record(events)
        let april = instant("2026-04-01T00:00:00Z")
        #expect(try fixture.meter("stories", at: april - 1)?.granted == 100 - used)
        #expect(
            try fixture.meter("stories", at: april)?.granted == min(most, max(least, 100 - used)))
    }

    @Test("E66 Voiding a grant leaves what was burnt where it was")
    func voided() async throws {
        let fixture = try await ledger()
        try await fixture.record(
            grant("g1", 100, from: start), use(60, at: start + hour),
            void("g1", at: start + day))
        #expect(try fixture.meter("stories", at: start + day - 1)?.granted == 40)
        let meter = try #require(try fixture.meter("stories", at: start + day))
        #expect((meter.granted, meter.used, meter.overage) == (0, 60, 0))
    }

    private func bought(_ transaction: String, at time: Int64, quantity: Int64 = 1) -> EventDraft {
        .reported(
            .purchaseCompleted, at: time, key: "buy/\(transaction)",
            [
                "product": "com.magicalstories.stories.10", "kind": "consumable",
                "transaction_id": .string(transaction), "quantity": .integer(quantity),
                "price_milli": 1990, "currency": "USD",
            ])
    }

    private func refunded(_ transaction: String, at time: Int64, percent: Int64) -> EventDraft {
        .reported(
            .purchaseRefunded, at: time, key: "refund/\(transaction)",
            [
                "transaction_id": .string(transaction), "kind": "consumable",
                "revoked_at": .integer(time), "pct_milli": .integer(percent),
            ])
    }

    @Test("Bought credits never end, and a quantity gives as many")
    func credits() async throws {
        let fixture = try await ledger()
        try await fixture.record(bought("t1", at: start, quantity: 3), use(4, at: start + hour))
        #expect(try fixture.meter("stories", at: start - 1)?.granted == 0)
        #expect(try fixture.meter("stories", at: start + 390 * day)?.granted == 26)
    }

    @Test("E67 A refund takes back its share of the credits, rounded up")
    func partialRefund() async throws {
        let fixture = try await ledger()
        try await fixture.record(
            bought("t1", at: start), refunded("t1", at: start + day, percent: 33_334))
        #expect(try fixture.meter("stories", at: start + day - 1)?.granted == 10)
        #expect(try fixture.meter("stories", at: start + day)?.granted == 6)
    }

    @Test("E67 A refund of spent credits takes what is left, and a debt only where allowed")
    func debt() async throws {
        for allowsDebt in [false, true] {
            let fixture = try await ledger(allowsDebt: allowsDebt)
            try await fixture.record(
                bought("t1", at: start), use(7, at: start + hour),
                refunded("t1", at: start + day, percent: 100_000))
            let meter = try #require(try fixture.meter("stories", at: start + day))
            #expect((meter.granted, meter.debt) == (0, allowsDebt ? 7 : 0))
            #expect(meter.remaining == 0)
            try await fixture.record(bought("t2", at: start + 2 * day))
            let next = try #require(try fixture.meter("stories", at: start + 2 * day))
            #expect((next.granted, next.debt) == (allowsDebt ? 3 : 10, 0))
        }
    }

    @Test("E67 A refund that is reversed gives the credits back as if nothing had happened")
    func reversedRefund() async throws {
        let fixture = try await ledger()
        try await fixture.record(
            bought("t1", at: start), refunded("t1", at: start + day, percent: 100_000))
        #expect(try fixture.meter("stories", at: start + 2 * day)?.granted == 0)
        try await fixture.record(
            .reported(
                .purchaseRefundReversed, at: start + 3 * day, key: "reversed",
                ["transaction_id": "t1", "kind": "consumable"]))
        #expect(try fixture.meter("stories", at: start + 2 * day)?.granted == 10)
    }
}
