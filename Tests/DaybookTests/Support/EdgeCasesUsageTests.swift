import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// E11 and E56 to E68: counters, gauges, reservations, limits that change.
@Suite("Edge cases: usage")
struct EdgeCasesUsageTests {
    let fixture: LedgerFixture
    let now = Fixtures.now
    let day = LedgerFixture.day
    let december = instant("2025-12-20T00:00:00Z")
    let january = instant("2026-01-01T00:00:00Z")

    init() async throws { fixture = try await LedgerFixture("magical-stories") }

    private func stories(_ time: Int64? = nil) throws -> MeterAnswer {
        try #require(try fixture.meter("stories", at: time))
    }

    @Test("E11 E68 The client's clock decides no quota and is kept with its difference")
    func clientClock() async throws {
        try await fixture.use("stories", "s1", "s2", "s3")
        for clientAt in [now - 40 * day, now + 40 * day] {
            let request = CommandRequest(
                .consume(meter: "stories", amount: 1, ref: "s4"), subject: "ada",
                clientAt: clientAt)
            await #expect {
                try await fixture.ledger.perform(request)
            } throws: { error in
                (error as? LedgerError)?.code == "limit_reached"
            }
        }
        fixture.clock.now = instant("2026-02-10T00:00:00Z")
        try await fixture.ledger.perform(
            CommandRequest(
                .consume(meter: "stories", amount: 1, ref: "s4"), subject: "ada", key: "k4",
                clientAt: now))
        let draft = try #require(
            try fixture.ledger.history(of: "ada").first { $0.event.draft.source.key == "k4" }
        ).event.draft
        #expect(draft.occurredAt == fixture.clock.now)
        #expect(draft.extras["client_at"]?.integer == now)
        #expect(draft.extras["skew_ms"]?.integer == now - fixture.clock.now)
        #expect(try stories().used == 1)
    }

    @Test("E11 A clock that the catalog accepts is honoured, and never ahead of the ledger's")
    func acceptedClock() async throws {
        let fixture = try await LedgerFixture(
            "magical-stories", replacing: ["policies:\n": "policies:\n  clock: accept\n"])
        for (clientAt, expected) in [(now - 40 * day, now - 40 * day), (now + day, now)] {
            let receipt = try await fixture.ledger.perform(
                CommandRequest(
                    .consume(meter: "stories", amount: 1, ref: "\(clientAt)"), subject: "ada",
                    clientAt: clientAt))
            let entry = try fixture.ledger.history(of: "ada").first {
                $0.event.position == receipt.positions.first
            }
            #expect(entry?.event.draft.occurredAt == expected)
        }
    }

    @Test("E56 E57 A reservation ends at its moment, and cannot be committed from then on")
    func reservation() async throws {
        try await fixture.perform(
            .reserve(meter: "stories", amount: 2, reservation: "r1", timeoutMilliseconds: 1_000))
        #expect(try stories(now + 999).reserved == 2)
        #expect(try stories(now + 999).remaining == 1)
        #expect(try stories(now + 1_000).reserved == 0)
        #expect(try stories(now + 1_000).remaining == 3)
        fixture.clock.now = now + 1_000
        let head = try fixture.ledger.head()
        #expect(
            try await fixture.refusal(of: .commit(reservation: "r1", amount: nil))
                == .reservationExpired("r1", expiredAt: now + 1_000))
        #expect(try fixture.ledger.head() == head)
        try await fixture.use("stories", "anew")
        #expect(try stories().used == 1)
    }

    @Test("E57 A reservation is committed once, in whole or in part, in time")
    func committed() async throws {
        try await fixture.perform(
            .reserve(meter: "stories", amount: 3, reservation: "r1", timeoutMilliseconds: 1_000))
        fixture.clock.now = now + 999
        #expect(
            try await fixture.refusal(of: .commit(reservation: "r1", amount: 4))
                == .amountOutOfBounds(4))
        try await fixture.perform(.commit(reservation: "r1", amount: 2))
        #expect(try stories().used == 2)
        #expect(
            try await fixture.refusal(of: .commit(reservation: "r1", amount: 2))
                == .reservationClosed("r1"))
        #expect(
            try await fixture.refusal(of: .release(reservation: "r1")) == .reservationClosed("r1"))
        #expect(
            try await fixture.refusal(of: .release(reservation: "r2"))
                == .unknownReservation("r2"))
    }

    @Test("A reservation counts in the month in which it was made")
    func reservationMonth() async throws {
        let midnight = instant("2026-02-01T00:00:00Z")
        fixture.clock.now = midnight - 1_000
        try await fixture.perform(
            .reserve(meter: "stories", amount: 1, reservation: "r1", timeoutMilliseconds: 10_000))
        fixture.clock.now = midnight + 1_000
        try await fixture.perform(.commit(reservation: "r1", amount: nil))
        #expect(try stories(midnight - 1_000).reserved == 1)
        #expect(try stories(midnight + 1_000).used == 0)
    }

    @Test("E58 A use that is told late counts in its own month")
    func lateUse() async throws {
        try await fixture.use("stories", "s1")
        let before = try stories()
        try await fixture.record(.used("stories", at: december, ref: "d1"))
        #expect(try stories() == before)
        #expect(try stories(january - 1).used == 1)
    }

    @Test("E59 A use that is taken back after the month restores its own month alone")
    func lateReversal() async throws {
        try await fixture.record(.used("stories", at: december, ref: "d1"))
        try await fixture.use("stories", "s1")
        try await fixture.perform(.reverseUsage(target: "d1"))
        // On 31 December it was used: taking it back is usage of today (rule 4).
        #expect(try stories(january - 1).used == 1)
        #expect(try stories().used == 1)
        try await fixture.perform(.reverseUsage(target: "s1"))
        #expect(try stories().used == 0)
        #expect(
            try await fixture.refusal(of: .reverseUsage(target: "nothing"))
                == .unknownUsage("nothing"))
    }

    @Test("E60 A limit that rises gives the difference, one that falls leaves nothing negative")
    func changedLimits() async throws {
        try await fixture.use("stories", "s1", "s2", "s3")
        fixture.clock.now += day
        try await fixture.publish(replacing: ["limit: 3\n": "limit: 5\n"])
        #expect(try stories().remaining == 2)
        try await fixture.use("stories", "s4")
        fixture.clock.now += day
        try await fixture.publish(replacing: ["unlimited magical stories": "endless stories"])
        let fallen = try stories()
        #expect((fallen.limit, fallen.used, fallen.remaining, fallen.overage) == (3, 4, 0, 1))
        #expect(fallen.flags == ["overage"])
    }

    @Test("E60 A closed month keeps the limit that it had")
    func closedMonth() async throws {
        try await fixture.record(
            .used("stories", at: december, ref: "d1"), .used("stories", at: december, ref: "d2"),
            .used("stories", at: december, ref: "d3"), .used("stories", at: december, ref: "d4"))
        try await fixture.publish(replacing: ["limit: 3\n": "limit: 5\n"])
        #expect(try stories(january - 1).overage == 1)
        #expect(try stories(january - 1).limit == 3)
        #expect(try stories().limit == 5)
    }

    @Test("E61 What a source covered stays covered when the plan changes")
    func planChange() async throws {
        let lineage = LineageFixture("1", product: "com.magicalstories.premium.monthly")
        let end = now + 5 * day
        try await fixture.use("stories", "s1")
        try await fixture.record(lineage.started("1", from: now, until: end))
        try await fixture.use("stories", "s2", "s3", "s4")
        fixture.clock.now = end
        try await fixture.use("stories", "s5")
        #expect((try stories().used, try stories().remaining) == (2, 1))
        let covered = try fixture.ledger.history(of: "ada").compactMap {
            $0.event.draft.data["covered_by"]?.text
        }
        #expect(covered == ["premium", "premium", "premium"])
    }

    @Test("The same thing used twice counts once, whatever its source")
    func sameRef() async throws {
        try await fixture.use("stories", "s1", "s1")
        try await fixture.record(.used("stories", at: now, ref: "s1"))
        #expect(try stories().used == 1)
    }

    @Test("A report beyond the limit is recorded and shown as overage, never refused")
    func overage() async throws {
        for index in 1...5 {
            try await fixture.record(.used("stories", at: now, ref: "s\(index)"))
        }
        let meter = try stories()
        #expect((meter.used, meter.remaining, meter.overage) == (5, 0, 2))
    }

    @Test(
        "Amounts outside their bounds are refused and recorded nowhere",
        arguments: [0, -1, 1_000_000_001, Int64.max, Int64.min + 1])
    func amounts(_ amount: Int64) async throws {
        let head = try fixture.ledger.head()
        #expect(
            try await fixture.refusal(of: .consume(meter: "stories", amount: amount, ref: "s1"))
                == .amountOutOfBounds(amount))
        #expect(
            try await fixture.problems(of: .used("stories", at: now, ref: "s2", amount: amount))
                == ["out_of_bounds"])
        #expect(try fixture.ledger.head() == head)
    }
}

/// E62 and E63: gauges.
@Suite("Edge cases: gauges")
struct EdgeCasesGaugeTests {
    let fixture: LedgerFixture
    let now = Fixtures.now

    init() async throws { fixture = try await LedgerFixture("fork-in-the-road") }

    private func groups() throws -> MeterAnswer { try #require(try fixture.meter("groups")) }

    @Test("E62 Leaving twice counts once and is flagged")
    func underflow() async throws {
        try await fixture.record(
            .used("groups", at: now, ref: "g1"), .used("groups", at: now, ref: "g2"),
            .used("groups", at: now + 1, ref: "g1", amount: -1),
            .used("groups", at: now + 2, ref: "g1", amount: -1))
        fixture.clock.now += 3
        #expect(try groups().used == 1)
        #expect(try groups().flags == ["gauge_underflow"])
        #expect(try groups().writable == ["g2"])
    }

    @Test("E62 Joining twice counts once and is flagged")
    func duplicate() async throws {
        try await fixture.record(
            .used("groups", at: now - 1, ref: "g1"), .used("groups", at: now, ref: "g1"))
        #expect(try groups().used == 1)
        #expect(try groups().flags == ["gauge_duplicate"])
    }

    @Test("Late news of a gauge counts where it belongs")
    func late() async throws {
        try await fixture.record(.used("groups", at: now, ref: "g1"))
        try await fixture.record(.used("groups", at: now - 5, ref: "g1", amount: -1))
        #expect(try groups().used == 1)
        #expect(try fixture.meter("groups", at: now - 1)?.used == 0)
    }

    @Test("A gauge must say which one, by report and by command")
    func needsRef() async throws {
        #expect(
            try await fixture.refusal(of: .consume(meter: "groups", amount: 1, ref: nil))
                == .ambiguousGauge(meter: "groups"))
        #expect(
            try await fixture.problems(
                of: .reported(
                    .usageRecorded, at: now, key: "k", ["meter": "groups", "amount": 1]))
                == ["missing_field"])
        #expect(try groups().used == 0)
    }

    @Test("E63 Over the limit what is there is readable, and only a deletion allows more")
    func overLimit() async throws {
        for index in 1...5 { try await fixture.record(.used("groups", at: now, ref: "g\(index)")) }
        #expect(try groups().excess == 2)
        #expect(try fixture.status().overLimit)
        #expect(try fixture.check("groups").reason == .limitReached)
        try await fixture.use("groups", "g1")
        #expect(try groups().used == 5)
    }
}
