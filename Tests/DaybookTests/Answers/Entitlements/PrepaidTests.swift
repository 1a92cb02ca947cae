import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookTesting
import Testing

/// What is bought before it begins, and access that goes on from one source to the next.
@Suite("Access that goes on")
struct PrepaidTests {
    private static let catalog = """
        app: passes
        title: Passes
        defaultTimeZone: UTC
        groups: [Club]
        products:
          pass.month:
            kind: nonRenewing
            duration: P1M
            entitlements: [club]
          club.monthly:
            kind: autoRenewable
            group: Club
            period: P1M
            entitlements: [club]
        entitlements:
          club: [chat]
        features:
          chat:

        """
    private let now = instant("2026-01-10T00:00:00Z")

    private func ledger() async throws -> LedgerFixture {
        try await LedgerFixture("passes", document: Array(Self.catalog.utf8), now: now)
    }

    private func pass(_ id: String, at time: String) -> EventDraft {
        LineageFixture(id, product: "pass.month").event(
            .purchaseCompleted, at: instant(time),
            [
                "kind": "non_renewing", "product": "pass.month", "transaction_id": .string(id),
                "starts_at": .integer(instant(time)), "price_milli": 990, "currency": "USD",
            ])
    }

    private func row(_ fixture: LedgerFixture, _ time: String) throws -> [String] {
        let answer = try #require(try fixture.entitlement("club", at: instant(time)))
        let end = answer.expiresAt.map(RFC3339.format) ?? "-"
        return ["\(answer.isActive) \(answer.state.rawValue) \(end)"]
            + answer.candidates.map {
                "\($0.id) \($0.state.rawValue) \($0.startsAt.map(RFC3339.format) ?? "-")"
            }
    }

    @Test("Passes one after the other: the end is the last one's, and later ones are candidates")
    func passes() async throws {
        let fixture = try await ledger()
        try await fixture.record(
            pass("1", at: "2026-01-01T00:00:00Z"), pass("2", at: "2026-01-05T00:00:00Z"),
            pass("3", at: "2026-01-07T00:00:00Z"))
        #expect(
            try row(fixture, "2026-01-04T23:59:59Z") == [
                "true active 2026-02-01T00:00:00Z", "apple:1 active 2026-01-01T00:00:00Z",
            ])
        #expect(
            try row(fixture, "2026-01-10T00:00:00Z") == [
                "true active 2026-04-01T00:00:00Z", "apple:1 active 2026-01-01T00:00:00Z",
                "apple:3 pending 2026-03-01T00:00:00Z", "apple:2 pending 2026-02-01T00:00:00Z",
            ])
        let decision = try fixture.check("chat")
        #expect(
            decision.candidates.filter { $0.why == .notStarted }.map(\.id) == [
                "apple:3", "apple:2",
            ])
        // The last day of the last one, and after it.
        #expect(
            try fixture.entitlement("club", at: instant("2026-03-31T23:59:59Z"))?.isActive == true)
        #expect(
            try fixture.entitlement("club", at: instant("2026-04-01T00:00:00Z"))?.isActive == false)
    }

    @Test("A gap breaks access: what begins after it does not count for the end")
    func gap() async throws {
        let fixture = try await ledger()
        try await fixture.record(pass("1", at: "2026-01-01T00:00:00Z"))
        for (id, start) in [
            ("touching", "2026-02-01T00:00:00Z"), ("apart", "2026-05-01T00:00:00Z"),
        ] {
            let terms = Command.GrantTerms(
                id: id, target: .entitlement("club"), startsAt: instant(start),
                expiresAt: instant(start) + 30 * LedgerFixture.day)
            try await fixture.perform(.issueGrant(terms))
        }
        #expect(
            try fixture.entitlement("club")?.expiresAt
                == instant("2026-02-01T00:00:00Z") + 30 * LedgerFixture.day)
    }

    @Test(
        "A recorded subscription that begins later is a candidate with its start")
    func subscription() async throws {
        let fixture = try await ledger()
        let start = instant("2026-02-01T00:00:00Z")
        try await fixture.record(pass("1", at: "2026-01-01T00:00:00Z"))
        try await fixture.record(
            LineageFixture("9", product: "club.monthly").started(
                "9", from: start, until: start + 28 * LedgerFixture.day, signedAt: now))
        #expect(
            try row(fixture, "2026-01-10T00:00:00Z") == [
                "true active 2026-03-01T00:00:00Z", "apple:1 active 2026-01-01T00:00:00Z",
                "apple:9 pending 2026-02-01T00:00:00Z",
            ])
        // Before it was recorded it was not known.
        #expect(
            try row(fixture, "2026-01-09T23:59:59Z").first == "true active 2026-02-01T00:00:00Z")
    }

    @Test("A charge that failed before the end shows while access runs, and no longer once renewed")
    func billing() async throws {
        let fixture = try await ledger()
        let lineage = LineageFixture("9", product: "club.monthly")
        let (start, end) = (instant("2026-01-01T00:00:00Z"), instant("2026-02-01T00:00:00Z"))
        let failed = end - LedgerFixture.day
        try await fixture.record(lineage.started("9", from: start, until: end))
        try await fixture.record(
            lineage.billingFailed(at: failed, graceUntil: end + 3 * LedgerFixture.day))
        func warned(_ time: Int64) throws -> [Bool] {
            let status = try fixture.status(at: time)
            let club = status.entitlements.first { $0.name == "club" }
            return [
                club?.isActive == true, status.warnings.contains("billing_problem"),
                club?.winner?.flags.contains("billing_problem") == true,
            ]
        }
        #expect(try warned(failed - 1) == [true, false, false])
        #expect(try warned(failed) == [true, true, true])
        #expect(try warned(end) == [true, true, true])
        #expect(try warned(end + 3 * LedgerFixture.day) == [false, false, false])
        try await fixture.record(
            lineage.renewed("10", from: end, until: end + 28 * LedgerFixture.day))
        #expect(try warned(end - 1) == [true, true, true])
        #expect(try warned(end) == [true, false, false])
    }

    @Test("E35 A refund that is taken back gives access back, also where its end had been reported")
    func reversed() async throws {
        let lineage = LineageFixture("9", product: "club.monthly")
        let (start, end) = (instant("2026-01-01T00:00:00Z"), instant("2026-02-01T00:00:00Z"))
        let refund = start + 10 * LedgerFixture.day
        let reversal = start + 12 * LedgerFixture.day
        let events = [
            lineage.started("9", from: start, until: end), lineage.refunded("9", at: refund),
            lineage.event(
                .subscriptionExpired, at: refund + 1,
                [
                    "transaction_id": "9", "ended_at": .integer(refund), "reason": "refunded",
                ]),
            lineage.event(
                .purchaseRefundReversed, at: reversal, ["transaction_id": "9"]),
        ]
        for first in 0..<4 {
            let fixture = try await ledger()
            for index in 0..<4 { try await fixture.record(events[(first + index * 3) % 4]) }
            for time in [refund - 1, refund, reversal, end - 1] {
                #expect(
                    try fixture.entitlement("club", at: time)?.isActive == true, "from \(first)")
            }
            #expect(try fixture.entitlement("club", at: end)?.isActive == false)
        }
        // Without the reversal it ends with the refund, and with the report alone, too.
        let refunded = try await ledger()
        for event in events.prefix(3) { try await refunded.record(event) }
        #expect(try refunded.entitlement("club", at: refund)?.isActive == false)
        let ended = try await ledger()
        for event in [events[0], events[2]] { try await ended.record(event) }
        #expect(try ended.entitlement("club", at: refund)?.isActive == false)
        // An end that has another reason stays.
        let paused = try await ledger()
        for event in [events[0], events[1], events[3]] { try await paused.record(event) }
        try await paused.record(
            lineage.event(
                .subscriptionExpired, at: refund - 1,
                [
                    "transaction_id": "9", "ended_at": .integer(refund - 1), "reason": "paused",
                ]))
        #expect(try paused.entitlement("club", at: refund)?.isActive == false)
        // A second end, reported after the reversal, counts again.
        let again = try await ledger()
        for event in events { try await again.record(event) }
        try await again.record(
            lineage.event(
                .subscriptionExpired, at: reversal + LedgerFixture.day,
                [
                    "transaction_id": "9", "ended_at": .integer(reversal + LedgerFixture.day),
                    "reason": "refunded",
                ]))
        #expect(try again.entitlement("club", at: reversal)?.isActive == true)
        #expect(try again.entitlement("club", at: reversal + LedgerFixture.day)?.isActive == false)
    }

    @Test("Of a commit with many events the one is named with which the answer came about")
    func explained() async throws {
        let fixture = try await ledger()
        fixture.clock.now = instant("2026-03-01T00:00:00Z")
        try await fixture.record(
            .reported(.appLaunched, at: 5, key: "l1"),
            .reported(.appLaunched, at: 6, key: "l2"))
        fixture.clock.now += LedgerFixture.day
        try await fixture.record(
            .reported(.appLaunched, at: 7, key: "l3"),
            pass("1", at: "2026-02-20T00:00:00Z"),
            .reported(.appLaunched, at: 8, key: "l4"),
            .reported(.appLaunched, at: 9, key: "l5"))
        let explanation = try fixture.ledger.explain(
            CheckQuestion("chat"), for: "ada",
            moment: Moment(at: instant("2026-03-01T12:00:00Z")))
        #expect(explanation.beliefs.map(\.allowed) == [false, true])
        #expect(explanation.beliefs.last?.event?.event.draft.type == .purchaseCompleted)
    }
}
