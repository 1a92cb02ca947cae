import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

@Suite("The reference model, computed by hand")
struct ReferenceModelTests {
    private typealias Day = ModelHistory

    private func expect(
        _ history: ModelHistory, at: Int64, remaining: Int64?, overage: Int64, used: Int64,
        meter: String = "units", sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let answer = history.answer(at: at).meters[meter]
        #expect(answer?.remaining == remaining, sourceLocation: sourceLocation)
        #expect(answer?.overage == overage, sourceLocation: sourceLocation)
        #expect(answer?.used == used, sourceLocation: sourceLocation)
    }

    @Test("M01 Use without grants is overage")
    func noGrants() throws {
        var history = ModelHistory.units()
        try history.use("units", 50, at: Day.hour(1))
        expect(history, at: Day.day(30), remaining: 0, overage: 50, used: 50)
    }

    @Test("M02 A grant of 100 less 50 is 50, and nothing once it has ended")
    func oneGrant() throws {
        var history = ModelHistory.units()
        try history.grant("a", 100, at: Day.day(0), ["expires_at": .integer(Day.day(30))])
        try history.use("units", 50, at: Day.hour(1))
        expect(history, at: Day.day(30) - 1, remaining: 50, overage: 0, used: 50)
        expect(history, at: Day.day(30), remaining: 0, overage: 0, used: 50)
    }

    @Test("M03 A voided grant stops burning, what it gave stays given")
    func voidedGrant() throws {
        var history = ModelHistory.units()
        try history.grant("a", 100, at: Day.day(0))
        try history.add(
            "grant.voided", at: Day.hour(1),
            ["grant_id": "a", "voided_at": .integer(Day.hour(1))])
        try history.use("units", 50, at: Day.hour(1) - 60_000)
        try history.use("units", 50, at: Day.hour(1) + 60_000)
        expect(history, at: Day.day(5), remaining: 0, overage: 50, used: 100)
    }

    @Test("M04 The next grant repays earlier overage")
    func repaidOverage() throws {
        var history = ModelHistory.units()
        try history.use("units", 25, at: Day.hour(23))
        try history.use("units", 25, at: Day.hour(25))
        try history.grant("a", 100, at: Day.day(1))
        expect(history, at: Day.day(2), remaining: 50, overage: 0, used: 50)
    }

    @Test("M05 and M06 Priority first, then the earliest end", arguments: [true, false])
    func burnOrder(_ isByPriority: Bool) throws {
        var history = ModelHistory.units()
        try history.grant(
            "late", 100, at: Day.day(0),
            isByPriority ? ["priority": 2] : ["expires_at": .integer(Day.day(9000))])
        try history.grant(
            "soon", 100, at: Day.day(0),
            isByPriority ? ["priority": 1] : ["expires_at": .integer(Day.day(30))])
        try history.use("units", 120, at: Day.hour(1))
        expect(history, at: Day.day(29), remaining: 80, overage: 0, used: 120)
        try history.add(
            "grant.voided", at: Day.day(2),
            ["grant_id": "late", "voided_at": .integer(Day.day(2))])
        expect(history, at: Day.day(29), remaining: 0, overage: 0, used: 120)
    }

    @Test("E67 A refund takes what is left; the rest is a debt of the next purchase")
    func clawback() throws {
        var history = ModelHistory.units(allowsDebt: true)
        let fields: JSONObject = [
            "product": "pack", "kind": "consumable", "quantity": 2, "price_milli": 1,
            "currency": "USD",
        ]
        for (transaction, time) in [("a", Day.day(1)), ("b", Day.day(4))] {
            var purchase = fields
            purchase["transaction_id"] = .string(transaction)
            try history.add("purchase.completed", at: time, purchase)
        }
        try history.use("units", 15, at: Day.day(2))
        try history.add(
            "purchase.refunded", at: Day.day(3),
            ["transaction_id": "a", "kind": "consumable", "revoked_at": .integer(Day.day(3))])
        expect(history, at: Day.day(2), remaining: 5, overage: 0, used: 15)
        expect(history, at: Day.day(3), remaining: 0, overage: 0, used: 15)
        expect(history, at: Day.day(4), remaining: 5, overage: 0, used: 15)
    }

    @Test("DZ-06 Two halves of one person share one quota; apart again after un-alias")
    func alias() throws {
        var history = try ModelHistory.app("dozzi")
        try history.use("stories", 2, at: Day.day(1))
        try history.add(
            "usage.recorded", at: Day.day(2), ["meter": "stories", "amount": 1], subject: "bob")
        try history.add(
            "subject.aliased", at: Day.day(9), ["alias": "bob", "canonical": "ada"])
        expect(history, at: Day.day(3), remaining: 0, overage: 1, used: 3, meter: "stories")
        #expect(history.answer(at: Day.day(3)) == history.answer(at: Day.day(3), subject: "bob"))
        try history.add("subject.unaliased", at: Day.day(10), ["alias": "bob"])
        expect(history, at: Day.day(3), remaining: 0, overage: 0, used: 2, meter: "stories")
    }

    @Test("E74 and E75 A void counts from its position on, and can be voided")
    func corrections() throws {
        var history = try ModelHistory.app("dozzi")
        try history.add(
            "usage.recorded", at: Day.day(1), ["meter": "stories", "amount": 1], key: "use",
            trust: .imported)
        for (key, target) in [("void", "use"), ("again", "void")] {
            try history.add(
                "correction.voided", at: Day.day(2),
                ["target": ["source": "native", "key": .string(target)], "reason": "x"], key: key)
        }
        let used = (2...4).map { history.answer(at: Day.day(3), cut: $0).meters["stories"]?.used }
        #expect(used == [1, 0, 1])
        try history.add(
            "correction.amended", at: Day.day(2),
            [
                "target": ["source": "native", "key": "use"], "reason": "x",
                "patch": ["amount": 2],
            ])
        expect(history, at: Day.day(3), remaining: 0, overage: 0, used: 2, meter: "stories")
    }

    @Test("Rule 12 A ref counts once, and covered use burns nothing")
    func references() throws {
        var history = try ModelHistory.app("dozzi")
        try history.use("stories", 1, at: Day.day(1), ref: "s")
        try history.use("stories", 1, at: Day.day(2), ref: "s")
        try history.add(
            "usage.recorded", at: Day.day(2),
            ["meter": "stories", "amount": 1, "covered_by": "unlimited"])
        expect(history, at: Day.day(3), remaining: 1, overage: 0, used: 1, meter: "stories")
        try history.add("usage.reversed", at: Day.day(4), ["target": "s"])
        expect(history, at: Day.day(3), remaining: 1, overage: 0, used: 1, meter: "stories")
        expect(history, at: Day.day(4), remaining: 2, overage: 0, used: 0, meter: "stories")
    }

    @Test("E56 and E57 A reservation ends at its end; a commit then is too late")
    func reservations() throws {
        var history = try ModelHistory.app("dozzi")
        let end = Day.hour(1)
        for id in ["a", "b"] {
            try history.add(
                "usage.reserved", at: Day.start,
                [
                    "reservation_id": .string(id), "meter": "stories", "amount": 1,
                    "expires_at": .integer(end),
                ])
        }
        try history.add("usage.committed", at: end - 1, ["reservation_id": "a"])
        try history.add("usage.committed", at: end, ["reservation_id": "b"])
        let before = history.answer(at: end - 1).meters["stories"]
        #expect(before?.used == 1 && before?.reserved == 1 && before?.remaining == 0)
        let after = history.answer(at: end).meters["stories"]
        #expect(after?.used == 1 && after?.reserved == 0 && after?.remaining == 1)
    }

    @Test("E58, MS-06 and MS-11 Months begin at local midnight; a manual reset begins anew")
    func months() throws {
        var history = try ModelHistory.app("magical-stories")
        try history.add(
            "subject.created", at: Day.start,
            ["first_seen_at": .integer(Day.start), "tz": "Pacific/Auckland"])
        try history.use("stories", 2, at: instant("2026-01-31T10:59:59.999Z"))
        try history.use("stories", 1, at: instant("2026-01-31T11:00:00Z"))
        let february = instant("2026-02-10T00:00:00Z")
        expect(history, at: february, remaining: 2, overage: 0, used: 1, meter: "stories")
        #expect(
            history.answer(at: february).meters["stories"]?.periodStart
                == (instant("2026-01-31T11:00:00Z")))
        try history.add(
            "usage.reset", at: february,
            [
                "meter": "stories", "period_start": 0, "effective_at": .integer(february),
                "trigger": "manual",
            ])
        expect(history, at: february, remaining: 3, overage: 0, used: 0, meter: "stories")
    }

    @Test("E60 A limit that was raised or lowered rules the running period")
    func limits() throws {
        var history = ModelHistory.units(limit: 3)
        try history.use("units", 3, at: Day.day(1))
        for (day, limit) in [(Int64(2), Int64(5)), (Int64(3), Int64(2))] {
            var next = history.catalog
            next.meters[0].limit = limit
            history.later.append((Day.day(day), .all, next))
        }
        expect(history, at: Day.day(2) - 1, remaining: 0, overage: 0, used: 3)
        expect(history, at: Day.day(2), remaining: 2, overage: 0, used: 3)
        expect(history, at: Day.day(3), remaining: 0, overage: 1, used: 3)
    }

    @Test(
        "Rule 4 A notice of grace that is still to come moves no period: bought, handed over, then recovered"
    )
    func laterNotice() throws {
        var history = ModelHistory(try CatalogReader.read(SamplerCatalog.first))
        let bought = Day.day(2) + 3_661_007
        let club: JSONObject = [
            "product": "club.monthly", "group": "Club", "original_transaction_id": "1",
            "price_milli": 0, "currency": "USD",
        ]
        func period(_ transaction: String, _ from: Int64, _ until: Int64) -> JSONObject {
            var fields = club
            fields["transaction_id"] = .string(transaction)
            fields["starts_at"] = .integer(from)
            fields["expires_at"] = .integer(until)
            return fields
        }
        var started = period("1", bought, Day.day(9))
        started["reason"] = "initial"
        try history.add("subscription.started", at: bought, started, subject: "bob")
        try history.add("app.launched", at: Day.day(3), [:])
        try history.add(
            "purchase.transferred", at: Day.day(20),
            ["original_transaction_id": "1", "from": "bob", "to": "ada", "rule": "restore"],
            subject: "bob", trust: .imported)
        try history.add(
            "subscription.billing_failed", at: Day.day(40),
            ["original_transaction_id": "1", "grace_expires_at": .integer(Day.day(60))],
            subject: "bob")
        try history.add(
            "subscription.renewed", at: Day.day(45), period("2", Day.day(45), Day.day(75)),
            subject: "bob")
        func start(_ time: Int64) -> Int64? {
            history.answer(at: time).meters["exports"]?.periodStart
        }
        let week: Int64 = 7 * 86_400_000
        // Until the notice ada's weeks are not counted from a purchase that was over before it was hers.
        let before = try #require(start(Day.day(30)))
        #expect((before - bought) % week != 0)
        // From the notice on the purchase goes on until it was paid again, as hers, by its own day.
        let after = try #require(start(Day.day(46)))
        #expect((after - bought) % week == 0)
    }
}
