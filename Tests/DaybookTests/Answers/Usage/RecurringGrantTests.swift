import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookTesting
import Testing

@Suite("Units that come again")
struct RecurringGrantTests {
    private func grant(
        _ id: String = "g", amount: Int64 = 5, meter: String = "units", every: String? = "P1M",
        from start: String = "2026-01-31T15:00:00Z", until end: String? = nil,
        more: JSONObject = JSONObject()
    ) -> EventDraft {
        var data: JSONObject = [
            "grant_id": .string(id), "meter": .string(meter), "amount": .integer(amount),
            "starts_at": .integer(instant(start)),
        ]
        if let every { data["every"] = .string(every) }
        if let end { data["expires_at"] = .integer(instant(end)) }
        for member in more.members { data[member.name] = member.value }
        return .reported(.grantIssued, at: instant(start), key: id, data)
    }

    private func use(_ amount: Int64, _ time: String, of meter: String = "units") -> EventDraft {
        .used(meter, at: instant(time), ref: time, amount: amount)
    }

    @Test("They come again on the day of the month of the start, which clamps and does not stick")
    func months() async throws {
        let fixture = try await MeterCatalog.fixture()
        try await fixture.record(grant(), use(4, "2026-02-01T00:00:00Z"))
        for (time, left) in [
            ("2026-01-31T14:59:59.999Z", 0), ("2026-01-31T15:00:00Z", 5),
            ("2026-02-28T14:59:59.999Z", 1), ("2026-02-28T15:00:00Z", 5),
            ("2026-03-31T13:59:59.999Z", 5), ("2026-03-31T14:00:00Z", 5),
        ] {
            #expect(
                try fixture.meter("units", at: instant(time))?.granted == Int64(left), "\(time)")
        }
    }

    @Test(
        "Of what is left the least and the most stay when they come again",
        arguments: [
            // Used, least, most; then what is there after the first and the second time.
            (4, nil, nil, 5, 5), (4, nil, 3, 6, 8), (0, nil, 3, 8, 8), (5, nil, 3, 5, 8),
            (5, 2, 3, 7, 8), (0, 0, 0, 5, 5), (2, 0, 100, 8, 13),
        ] as [(Int64, Int64?, Int64?, Int64, Int64)])
    func rollover(
        _ used: Int64, _ least: Int64?, _ most: Int64?, _ first: Int64, _ second: Int64
    ) async throws {
        let fixture = try await MeterCatalog.fixture()
        var more = JSONObject()
        if let most { more["rollover"] = ["max": .integer(most)] }
        if let most, let least {
            more["rollover"] = ["min": .integer(least), "max": .integer(most)]
        }
        try await fixture.record(grant(more: more))
        if used > 0 { try await fixture.record(use(used, "2026-02-01T00:00:00Z")) }
        #expect(
            try fixture.meter("units", at: instant("2026-02-28T14:59:59Z"))?.granted == 5 - used)
        #expect(try fixture.meter("units", at: instant("2026-02-28T15:00:00Z"))?.granted == first)
        #expect(try fixture.meter("units", at: instant("2026-03-31T13:59:59Z"))?.granted == first)
        #expect(try fixture.meter("units", at: instant("2026-03-31T14:00:00Z"))?.granted == second)
    }

    @Test("They make good what was used before them, and are left once that is done")
    func makesGood() async throws {
        let fixture = try await MeterCatalog.fixture()
        try await fixture.record(
            use(4, "2026-01-01T00:00:00Z"),
            grant(amount: 1, every: "P2W", from: "2026-01-31T15:00:00Z"))
        // The first four of them, on 31 January, 14 and 28 February and 14 March, make good; the fifth is left.
        for (time, overage, left) in [
            ("2026-01-31T14:00:00Z", 4, 0), ("2026-02-01T00:00:00Z", 3, 0),
            ("2026-03-15T00:00:00Z", 0, 0), ("2026-03-29T00:00:00Z", 0, 1),
            ("2028-03-22T00:00:00Z", 0, 1),
        ] {
            let meter = try #require(try fixture.meter("units", at: instant(time)))
            #expect(meter.overage == Int64(overage), "\(time)")
            #expect(meter.granted == Int64(left), "\(time)")
        }
    }

    @Test("They end with the grant, and with its void")
    func ends() async throws {
        let fixture = try await MeterCatalog.fixture()
        try await fixture.record(grant(until: "2026-03-31T14:00:00Z"))
        #expect(try fixture.meter("units", at: instant("2026-03-31T13:59:59Z"))?.granted == 5)
        #expect(try fixture.meter("units", at: instant("2026-03-31T14:00:00Z"))?.granted == 0)
        try await fixture.record(
            .reported(
                .grantVoided, at: instant("2026-02-20T00:00:00Z"), key: "v",
                ["grant_id": "g", "voided_at": .integer(instant("2026-02-20T00:00:00Z"))]))
        #expect(try fixture.meter("units", at: instant("2026-02-19T23:59:59Z"))?.granted == 5)
        #expect(try fixture.meter("units", at: instant("2026-02-20T00:00:00Z"))?.granted == 0)
        #expect(try fixture.meter("units", at: instant("2026-02-28T15:00:00Z"))?.granted == 0)
    }

    @Test("They burn by priority beside a single grant, and come again for what was burned")
    func priority() async throws {
        let fixture = try await MeterCatalog.fixture()
        try await fixture.record(
            grant("later", more: ["priority": 200]),
            grant("once", amount: 3, every: nil, more: ["priority": 10]),
            use(4, "2026-02-01T00:00:00Z"))
        // Three of the single grant, one of the other.
        #expect(try fixture.meter("units", at: instant("2026-02-02T00:00:00Z"))?.granted == 4)
        #expect(try fixture.meter("units", at: instant("2026-03-01T00:00:00Z"))?.granted == 5)
    }

    @Test("What comes again pays first what was used beyond everything")
    func overage() async throws {
        let fixture = try await MeterCatalog.fixture()
        try await fixture.record(grant(), use(12, "2026-02-01T00:00:00Z"))
        func row(_ time: String) throws -> [Int64?] {
            let answer = try fixture.meter("units", at: instant(time))
            return [answer?.granted, answer?.overage]
        }
        #expect(try row("2026-02-02T00:00:00Z") == [0, 7])
        #expect(try row("2026-02-28T15:00:00Z") == [0, 2])
        #expect(try row("2026-03-31T14:00:00Z") == [3, 0])
        #expect(try row("2026-04-30T14:00:00Z") == [5, 0])
    }

    @Test("With the meter's period, whatever its anchor, they come with every period")
    func period() async throws {
        let fixture = try await MeterCatalog.fixture()
        try await fixture.record(
            grant(meter: "quarterly", every: "period"),
            use(6, "2026-02-01T00:00:00Z", of: "quarterly"))
        #expect(try fixture.numbers("quarterly", "2026-04-01T03:59:59Z") == "6/1")
        #expect(try fixture.numbers("quarterly", "2026-04-01T04:00:00Z") == "0/7")
        // A counter that never begins anew has no periods.
        try await fixture.record(grant("e", meter: "ever", every: "period"))
        #expect(try fixture.numbers("ever", "2027-06-01T00:00:00Z") == "0/7")
    }

    @Test("A day of 23 hours brings them after 23 hours")
    func days() async throws {
        let fixture = try await MeterCatalog.fixture()
        try await fixture.record(
            grant(every: "P1D", from: "2026-03-07T12:00:00Z"), use(5, "2026-03-07T13:00:00Z"))
        #expect(try fixture.meter("units", at: instant("2026-03-08T10:59:59.999Z"))?.granted == 0)
        #expect(try fixture.meter("units", at: instant("2026-03-08T11:00:00Z"))?.granted == 5)
    }

    @Test("explain tells when they come again, where nothing is left")
    func explained() async throws {
        let fixture = try await MeterCatalog.fixture()
        try await fixture.record(grant(), use(5, "2026-02-01T00:00:00Z"))
        let explanation = try fixture.ledger.explain(
            CheckQuestion("units"), for: "ada",
            moment: Moment(at: instant("2026-02-02T00:00:00Z")))
        #expect(!explanation.decision.allowed)
        let later = explanation.alternatives.compactMap { alternative -> Int64? in
            if case .later(let instant, _) = alternative { return instant }
            return nil
        }
        #expect(later == [instant("2026-02-28T15:00:00Z")])
    }

    @Test("Only units come again, and the word is one of the list")
    func refused() async throws {
        let fixture = try await MeterCatalog.fixture()
        let access = EventDraft.reported(
            .grantIssued, at: 0, key: "a",
            ["grant_id": "a", "entitlement": "club", "starts_at": 0, "every": "P1M"])
        #expect(try await fixture.problems(of: access) == ["missing_field"])
        #expect(try await fixture.problems(of: grant(amount: 0)) == ["missing_field"])
        #expect(
            try await fixture.problems(of: grant(more: ["starts_at": -9_000_000_000_000_000_000]))
                == ["out_of_bounds"])
        var terms = Command.GrantTerms(id: "c", target: .meter("units"), amount: 5, every: "P5D")
        #expect(try await fixture.refusal(of: .issueGrant(terms))?.code == "unknown_word")
        // A meter that never begins anew has no period with which they could come.
        terms.every = "period"
        #expect(try await fixture.refusal(of: .issueGrant(terms))?.code == "wrong_kind")
        let quarterly = Command.GrantTerms(
            id: "q", target: .meter("quarterly"), amount: 5, every: "period")
        #expect(try await fixture.refusal(of: .issueGrant(quarterly)) == nil)
        terms.every = "P1W"
        terms.rollover = .init(least: 4, most: 3)
        #expect(try await fixture.refusal(of: .issueGrant(terms))?.code == "amount_out_of_bounds")
        terms.rollover = .init(least: 1, most: 3)
        #expect(try await fixture.refusal(of: .issueGrant(terms)) == nil)
        let draft = try #require(
            try fixture.ledger.history(of: "ada").map(\.event.draft).last {
                $0.type == .grantIssued && $0.data["grant_id"] == "c"
            })
        #expect(draft.data["every"]?.text == "P1W")
        #expect(draft.data["rollover"] == ["min": 1, "max": 3])
    }
}
