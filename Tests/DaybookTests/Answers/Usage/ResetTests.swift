import Daybook
import DaybookDomain
import DaybookEvents
import DaybookTesting
import Testing

@Suite("Resets")
struct ResetTests {
    private func uses(_ meter: String, _ times: String...) -> [EventDraft] {
        times.map { .used(meter, at: instant($0), ref: $0) }
    }

    private func reset(
        _ meter: String, at time: String, key: String = "r", _ more: JSONObject = JSONObject()
    ) -> EventDraft {
        var data: JSONObject = [
            "meter": .string(meter), "trigger": "manual", "period_start": 0,
            "effective_at": .integer(instant(time)),
        ]
        for member in more.members { data[member.name] = member.value }
        return .reported(.usageReset, at: instant(time), key: key, data)
    }

    @Test("A reset retains the anchor unless it says otherwise; then periods are counted from it")
    func anchor() async throws {
        for (value, end) in [
            (JSONValue.bool(true), "2026-04-01T04:00:00Z"), (.null, "2026-04-01T04:00:00Z"),
            (.bool(false), "2026-04-10T12:00:00Z"),
        ] {
            let fixture = try await MeterCatalog.fixture()
            for draft in uses("monthly", "2026-03-10T11:59:59Z", "2026-03-10T12:00:00Z") {
                try await fixture.record(draft)
            }
            try await fixture.record(
                reset("monthly", at: "2026-03-10T12:00:00Z", ["retain_anchor": value]))
            #expect(try fixture.numbers("monthly", "2026-03-10T11:59:59Z") == "1/1")
            #expect(try fixture.numbers("monthly", "2026-03-10T12:00:00Z") == "1/1")
            let answer = try #require(
                try fixture.meter("monthly", at: instant("2026-03-20T00:00:00Z")))
            #expect(answer.lastResetAt == instant("2026-03-10T12:00:00Z"))
            #expect(answer.period?.end == instant(end))
            let name = value == .bool(false) ? "2026-03-10" : "2026-03"
            #expect(answer.periodName == name)
            #expect(try fixture.meter("monthly", at: instant(end) - 1)?.used == 1)
            #expect(try fixture.meter("monthly", at: instant(end))?.used == 0)
        }
    }

    @Test("An anchor that was moved before the customer was first seen stays moved")
    func early() async throws {
        let fixture = try await MeterCatalog.fixture()
        try await fixture.record(
            reset("stated", at: "2026-01-20T12:00:00Z", ["retain_anchor": false]))
        let short = try #require(
            try fixture.meter("stated", at: instant("2026-02-01T00:00:00Z")))
        #expect(short.period?.start == MeterCatalog.start)
        #expect(short.period?.end == instant("2026-02-20T12:00:00Z"))
        let next = try #require(
            try fixture.meter("stated", at: instant("2026-02-20T12:00:00Z")))
        #expect(next.period?.start == instant("2026-02-20T12:00:00Z"))
        #expect(next.period?.end == instant("2026-03-20T11:00:00Z"))
    }

    @Test("Preserved overage counts as used after the reset; else it is forgotten")
    func overage() async throws {
        for (preserves, expected) in [(true, "1/1"), (false, "0/2")] {
            let fixture = try await MeterCatalog.fixture()
            for time in ["01", "02", "03"] {
                for draft in uses("monthly", "2026-03-\(time)T12:00:00Z") {
                    try await fixture.record(draft)
                }
            }
            try await fixture.record(
                reset(
                    "monthly", at: "2026-03-10T12:00:00Z", ["preserve_overage": .bool(preserves)]))
            #expect(try fixture.numbers("monthly", "2026-03-10T11:59:59Z") == "3/0")
            #expect(try fixture.numbers("monthly", "2026-03-10T12:00:00Z") == expected)
            #expect(try fixture.meter("monthly", at: instant("2026-03-10T12:00:00Z"))?.overage == 0)
            // The next month owes nothing.
            #expect(try fixture.numbers("monthly", "2026-04-01T04:00:00Z") == "0/2")
        }
    }

    @Test("Preserved overage beyond the limit stays overage, and grants pay for it")
    func beyond() async throws {
        let fixture = try await MeterCatalog.fixture()
        try await fixture.record(
            .used("monthly", at: instant("2026-03-01T12:00:00Z"), ref: "a", amount: 7))
        try await fixture.record(
            .reported(
                .grantIssued, at: instant("2026-03-10T00:00:00Z"), key: "g",
                [
                    "grant_id": "g", "meter": "monthly", "amount": 1,
                    "starts_at": .integer(instant("2026-03-10T12:00:00Z")),
                ]))
        try await fixture.record(
            reset("monthly", at: "2026-03-10T12:00:00Z", ["preserve_overage": true]))
        // 7 used of 2 were 5 over; of them 2 are the limit's and 1 the grant's.
        let answer = try #require(try fixture.meter("monthly", at: instant("2026-03-11T00:00:00Z")))
        #expect((answer.used, answer.remaining, answer.overage, answer.granted) == (5, 0, 2, 0))
    }

    @Test("What is preserved is the overage by the limit with which the period ended")
    func changedLimit() async throws {
        let lineage = LineageFixture("1000", product: "club.monthly")
        let (begun, over) = (instant("2026-03-02T14:00:00Z"), instant("2026-03-10T00:00:00Z"))
        // Used under a limit of 5 that fell to 1, and under one of 1 that rose to 5.
        for (from, until, used, expected) in [
            (begun, over, "2026-03-03T00:00:00Z", Int64(2)),
            (over, over + 60 * LedgerFixture.day, "2026-03-02T15:00:00Z", 0),
        ] {
            let fixture = try await MeterCatalog.fixture()
            try await fixture.record(lineage.started("1000", from: from, until: until))
            try await fixture.record(.used("plan", at: instant(used), ref: "a", amount: 3))
            try await fixture.record(
                reset("plan", at: "2026-03-20T12:00:00Z", ["preserve_overage": true]))
            let answer = try #require(
                try fixture.meter("plan", at: instant("2026-03-21T00:00:00Z")))
            #expect(answer.used == expected)
        }
    }

    @Test("Of two resets at one instant the last in order says how")
    func twice() async throws {
        let fixture = try await MeterCatalog.fixture()
        let time = "2026-03-10T12:00:00Z"
        try await fixture.record(
            .used("monthly", at: instant("2026-03-01T12:00:00Z"), ref: "a", amount: 3))
        try await fixture.record(reset("monthly", at: time, key: "a", ["preserve_overage": true]))
        try await fixture.record(reset("monthly", at: time, key: "b", ["retain_anchor": false]))
        #expect(try fixture.numbers("monthly", time) == "0/2")
        #expect(
            try fixture.meter("monthly", at: instant(time))?.period?.end
                == instant("2026-04-10T12:00:00Z"))
    }

    @Test("What counts nothing is not reset", arguments: ["boxes", "memory", "storage", "disk"])
    func kinds(_ meter: String) async throws {
        let fixture = try await MeterCatalog.fixture()
        let draft = reset(meter, at: "2026-03-10T12:00:00Z")
        #expect(try await fixture.problems(of: draft) == ["forbidden"])
        #expect(try await fixture.refusal(of: .resetUsage(meter: meter))?.code == "wrong_kind")
        #expect(try await fixture.problems(of: reset("monthly", at: "2026-03-10T12:00:00Z")) == [])
    }

    @Test("Support resets at another time, with the anchor moved and the overage preserved")
    func command() async throws {
        let fixture = try await MeterCatalog.fixture(now: "2026-03-20T00:00:00Z")
        try await fixture.record(
            .used("monthly", at: instant("2026-03-01T12:00:00Z"), ref: "a", amount: 3))
        let terms = Command.ResetTerms(
            effectiveAt: instant("2026-03-10T12:00:00Z"), retainsAnchor: false,
            preservesOverage: true)
        let first = try await fixture.perform(.resetUsage(meter: "monthly", terms: terms), key: "k")
        #expect(try fixture.numbers("monthly", "2026-03-20T00:00:00Z") == "1/1")
        #expect(
            try fixture.meter("monthly")?.period?.end == instant("2026-04-10T12:00:00Z"))
        let again = try await fixture.perform(.resetUsage(meter: "monthly", terms: terms), key: "k")
        #expect(again.positions == first.positions)
        // The same key with other terms is another request.
        await #expect(throws: LedgerError.self) {
            try await fixture.perform(.resetUsage(meter: "monthly"), key: "k")
        }
    }

    @Test("Resets of a range: past, due and to come, each with its reason")
    func calendar() async throws {
        let fixture = try await MeterCatalog.fixture(now: "2026-05-20T00:00:00Z")
        try await fixture.record(
            .used("monthly", at: instant("2026-04-10T12:00:00Z"), ref: "a"),
            reset("monthly", at: "2026-03-10T12:00:00Z"))
        let range = instant("2026-03-01T05:00:00Z")..<instant("2026-07-01T04:00:00Z")
        func rows() throws -> [String] {
            try fixture.ledger.resets(
                of: "ada", meter: "monthly", from: range.lowerBound, until: range.upperBound
            ).resets.map {
                "\(RFC3339.format($0.at)) \($0.trigger.rawValue) \($0.state.rawValue) "
                    + "\($0.periodName ?? "-")"
            }
        }
        let expected = [
            "2026-03-01T05:00:00Z scheduled past 2026-03",
            "2026-03-10T12:00:00Z manual past 2026-03",
            "2026-04-01T04:00:00Z scheduled past 2026-04",
            "2026-05-01T04:00:00Z scheduled due 2026-05",
            "2026-06-01T04:00:00Z scheduled to_come 2026-06",
        ]
        #expect(try rows() == expected)
        try await fixture.ledger.tick()
        #expect(try rows() == expected.map { $0.replacing(" due ", with: " past ") })
        let page = try fixture.ledger.resets(
            of: "ada", meter: "monthly", from: range.lowerBound, until: range.upperBound, limit: 2)
        #expect(page.resets.count == 2 && page.isMore)
        let all = try fixture.ledger.resets(
            of: "ada", meter: "monthly", from: range.lowerBound, until: range.upperBound, limit: 5)
        #expect(all.resets.count == 5 && !all.isMore)
        // From this period on, where nothing is said.
        #expect(
            try fixture.ledger.resets(of: "ada", meter: "monthly", limit: 1).resets.map(\.at)
                == [instant("2026-05-01T04:00:00Z")])
        // From this period on, until a time; and before it there is nothing.
        func until(_ time: String) throws -> [Int64] {
            try fixture.ledger.resets(of: "ada", meter: "monthly", until: instant(time)).resets.map(
                \.at)
        }
        #expect(
            try until("2026-06-01T04:00:00.001Z")
                == ["2026-05-01T04:00:00Z", "2026-06-01T04:00:00Z"].map { instant($0) })
        #expect(try until("2026-04-01T00:00:00Z") == [])
        // What never begins anew does so by hand alone.
        #expect(try fixture.ledger.resets(of: "ada", meter: "ever").resets == [])
        try await fixture.record(reset("ever", at: "2026-03-10T12:00:00Z", key: "e"))
        #expect(
            try fixture.ledger.resets(of: "ada", meter: "ever").resets.map(\.at)
                == [instant("2026-03-10T12:00:00Z")])
        for name in ["boxes", "nothing"] {
            #expect(throws: LedgerError.self) {
                try fixture.ledger.resets(of: "ada", meter: name)
            }
        }
    }
}
