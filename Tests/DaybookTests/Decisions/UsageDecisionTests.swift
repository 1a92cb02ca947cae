import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// What commands about meters come to, beyond a quota that runs out.
@Suite("Decisions about usage")
struct UsageDecisionTests {
    let fixture: LedgerFixture
    let now = Fixtures.now
    let day = LedgerFixture.day

    init() async throws { fixture = try await LedgerFixture("magical-stories") }

    private func used(_ meter: String, at time: Int64? = nil) throws -> Int64? {
        try fixture.meter(meter, at: time)?.used
    }

    @Test(
        "The least and the greatest number are amounts out of bounds, wherever an amount enters",
        arguments: [Int64.min, Int64.min + 1, Int64.max, -1, 0])
    func extremes(_ amount: Int64) async throws {
        try await fixture.perform(
            .reserve(meter: "stories", amount: 1, reservation: "r", timeoutMilliseconds: nil))
        let head = try fixture.ledger.head()
        let fork = try await LedgerFixture("fork-in-the-road")
        let commands: [Command] = [
            .consume(meter: "stories", amount: amount, ref: "s"),
            .reserve(meter: "stories", amount: amount, reservation: "x", timeoutMilliseconds: nil),
            .commit(reservation: "r", amount: amount),
            .issueGrant(.init(id: "g", target: .meter("stories"), amount: amount)),
        ]
        for command in commands {
            #expect(try await fixture.refusal(of: command) == .amountOutOfBounds(amount))
        }
        if amount != -1 {
            #expect(
                try await fork.refusal(of: .consume(meter: "groups", amount: amount, ref: "g"))
                    == .amountOutOfBounds(amount))
        }
        _ = try fixture.ledger.check(CheckQuestion("stories", amount: amount), for: "ada")
        #expect(try fixture.ledger.head() == head)
    }

    @Test("A use that is refused says what people are shown, as a check does")
    func refusedUse() async throws {
        let left = try #require(try fixture.meter("stories")?.remaining)
        for number in 0..<left {
            try await fixture.ledger.consume("stories", by: "ada", ref: "s\(number)")
        }
        let checked = try fixture.ledger.check("stories", for: "ada")
        #expect(!checked.allowed && checked.paywall != nil && checked.display != nil)
        do {
            try await fixture.ledger.consume("stories", by: "ada", ref: "more")
            Issue.record("it was not refused")
        } catch LedgerError.rejected(_, let decision) {
            #expect(decision?.paywall == checked.paywall)
            #expect(decision?.display == checked.display)
            #expect(decision?.title == checked.title)
        }
    }

    @Test("Gauges and windows refuse what only a counter can do")
    func kinds() async throws {
        let fork = try await LedgerFixture("fork-in-the-road")
        try await fork.use("groups", "g1")
        let head = try fork.ledger.head()
        let commands: [(Command, String)] = [
            (
                .reserve(meter: "groups", amount: 1, reservation: "r", timeoutMilliseconds: nil),
                "gauge"
            ),
            (
                .reserve(meter: "history", amount: 1, reservation: "r", timeoutMilliseconds: nil),
                "window"
            ),
            (.consume(meter: "history", amount: 1, ref: "h"), "window"),
            (.resetUsage(meter: "groups"), "gauge"), (.resetUsage(meter: "history"), "window"),
            (.reverseUsage(target: "g1"), "gauge"), (.pin(meter: "history", ref: "g1"), "window"),
        ]
        for (command, kind) in commands {
            guard case .wrongKind(_, kind, _)? = try await fork.refusal(of: command) else {
                Issue.record("\(command) was not refused for its \(kind)")
                continue
            }
        }
        #expect(try fork.ledger.head() == head)
        try await fork.perform(.pin(meter: nil, ref: "g1"))
        let dozzi = try await LedgerFixture("dozzi")
        #expect(try await dozzi.refusal(of: .pin(meter: nil, ref: "x")) == .noGauge)
    }

    @Test("Rule 12 A use that was taken back is not used again under its ref")
    func usedAgain() async throws {
        try await fixture.use("stories", "s1")
        try await fixture.perform(.reverseUsage(target: "s1"))
        #expect(try used("stories") == 0)
        let head = try fixture.ledger.head()
        #expect(
            try await fixture.refusal(of: .consume(meter: "stories", amount: 1, ref: "s1"))
                == .usageReversed(ref: "s1"))
        #expect(try fixture.ledger.head() == head)
        try await fixture.use("stories", "s2", "s2")
        #expect(try used("stories") == 1)
        // By its key as well, and another meter's ref is another use.
        let receipt = try await fixture.ledger.consume("stories", by: "ada", ref: "s3", key: "k3")
        #expect(receipt.positions.count == 1)
        try await fixture.perform(.reverseUsage(target: "k3"))
        #expect(
            try await fixture.refusal(of: .consume(meter: "stories", amount: 1, ref: "s3"))
                == .usageReversed(ref: "s3"))
    }

    @Test("A reversal takes back one meter's use, and names the meter where two have the ref")
    func oneMeter() async throws {
        try await fixture.record(
            .used("stories", at: now, ref: "x"), .used("collections", at: now, ref: "x"))
        #expect(
            try await fixture.refusal(of: .reverseUsage(target: "x"))
                == .ambiguousUsage("x", meters: ["collections", "stories"]))
        #expect(
            try await fixture.refusal(of: .reverseUsage(target: "x", meter: "nosuch"))
                == .unknownName(name: "nosuch", nearest: nil))
        try await fixture.perform(.reverseUsage(target: "x", meter: "stories"))
        #expect(try used("stories") == 0)
        #expect(try used("collections") == 1)
        let data = try #require(try fixture.ledger.history(of: "ada").last).event.draft.data
        #expect(data["meter"] == "stories")
    }

    @Test("A reported reversal without a meter means the meter of the first use, as the model says")
    func reported() async throws {
        let comparable = try await LedgerFixture("magical-stories", now: now)
        try await comparable.record(
            .used("collections", at: now - 5, ref: "x"), .used("stories", at: now - 4, ref: "x"),
            .used("stories", at: now - 3, ref: "y"),
            .reported(.usageReversed, at: now - 2, key: "r1", ["target": "x"]),
            .reported(
                .usageReversed, at: now - 1, key: "r2", ["target": "y", "meter": "collections"]))
        #expect(try comparable.meter("collections")?.used == 0)
        #expect(try comparable.meter("stories")?.used == 2)
        #expect(try comparable.meter("collections", at: now - 3)?.used == 1)
        // Late news: the ref was used on the other meter first.
        try await comparable.record(.used("stories", at: now - 6, ref: "x"))
        #expect(try comparable.meter("collections")?.used == 1)
        #expect(try comparable.meter("stories")?.used == 1)
    }

    @Test("Rule 21 The commit that takes the last unit says that the limit is reached")
    func committedLimit() async throws {
        try await fixture.use("stories", "s1")
        for id in ["a", "b"] {
            try await fixture.perform(
                .reserve(meter: "stories", amount: 1, reservation: id, timeoutMilliseconds: nil))
        }
        #expect(try fixture.count(of: .limitReached) == 0)
        try await fixture.perform(.commit(reservation: "a", amount: nil))
        #expect(try fixture.count(of: .limitReached) == 0)
        let receipt = try await fixture.perform(.commit(reservation: "b", amount: nil), key: "c2")
        #expect(receipt.positions.count == 2)
        let reached = try #require(
            try fixture.ledger.history(of: "ada").first { $0.event.draft.type == .limitReached }
        ).event.draft
        #expect(reached.data == ["meter": "stories", "limit": 3, "used": 3])
        #expect(reached.extras["causation"] == "c2")
        #expect(
            try await fixture.perform(.commit(reservation: "b", amount: nil), key: "c2") == receipt)
    }

    @Test("A commit of less than was set aside leaves units, and reaches no limit")
    func partialCommit() async throws {
        try await fixture.perform(
            .reserve(meter: "stories", amount: 3, reservation: "a", timeoutMilliseconds: nil))
        try await fixture.perform(.commit(reservation: "a", amount: 2))
        #expect(try fixture.count(of: .limitReached) == 0)
        try await fixture.use("stories", "s1")
        #expect(try fixture.count(of: .limitReached) == 1)
    }
}

/// Rule 14: when the reset that time makes by itself is written.
@Suite("Scheduled resets")
struct ScheduledResetTests {
    let fixture: LedgerFixture

    init() async throws {
        fixture = try await LedgerFixture("magical-stories", now: instant("2026-01-10T00:00:00Z"))
    }

    private func resets() throws -> [String?] {
        try fixture.ledger.history(of: "ada").filter { $0.event.draft.type == .usageReset }
            .map { $0.event.draft.data["period"]?.text }
    }

    private func tick(_ time: String) async throws -> Int {
        fixture.clock.now = instant(time)
        return try await fixture.ledger.tick().appended
    }

    @Test("A customer who stays away gets one reset, not one a month")
    func idle() async throws {
        try await fixture.use("stories", "s1")
        #expect(try await tick("2026-01-31T00:00:00Z") == 0)
        #expect(try await tick("2026-02-02T00:00:00Z") == 1)
        let digest = try fixture.ledger.digest().digest
        for month in ["2026-03-02", "2026-04-02", "2027-04-02"] {
            #expect(try await tick("\(month)T00:00:00Z") == 0)
        }
        #expect(try fixture.ledger.digest().digest == digest)
        // A customer who comes back finds the month begun; the month after it is marked again.
        try await fixture.use("stories", "s2")
        #expect(try resets() == ["2026-02"])
        #expect(try await tick("2027-05-02T00:00:00Z") == 1)
        #expect(try await tick("2027-06-02T00:00:00Z") == 0)
        #expect(try resets() == ["2026-02", "2027-05"])
        #expect(try fixture.ledger.replay().agrees)
    }

    @Test("A customer who comes back after months without ticks gets only that month's reset")
    func back() async throws {
        try await fixture.use("stories", "s1")
        fixture.clock.now = instant("2026-06-10T00:00:00Z")
        try await fixture.use("stories", "s2")
        #expect(try resets() == ["2026-06"])
        #expect(try fixture.meter("stories")?.used == 1)
    }

    @Test("Reserved and committed units are usage, reserved and released ones are not")
    func reserved() async throws {
        try await fixture.perform(
            .reserve(meter: "stories", amount: 1, reservation: "a", timeoutMilliseconds: nil))
        try await fixture.perform(.release(reservation: "a"))
        #expect(try await tick("2026-02-02T00:00:00Z") == 0)
        try await fixture.perform(
            .reserve(meter: "stories", amount: 1, reservation: "b", timeoutMilliseconds: nil))
        try await fixture.perform(.commit(reservation: "b", amount: nil))
        #expect(try await tick("2026-03-02T00:00:00Z") == 1)
        #expect(try await tick("2026-04-02T00:00:00Z") == 0)
        fixture.clock.now = instant("2026-04-03T00:00:00Z")
        try await fixture.perform(
            .reserve(meter: "stories", amount: 1, reservation: "c", timeoutMilliseconds: nil))
        #expect(try resets() == ["2026-03"])
    }

    @Test("A scheduled reset is in no digest and does not restart a count")
    func noDigest() async throws {
        try await fixture.use("stories", "s1")
        fixture.clock.now = instant("2026-02-02T00:00:00Z")
        let before = try fixture.ledger.digest().digest
        try await fixture.ledger.tick()
        #expect(try fixture.ledger.digest().digest == before)
        #expect(try fixture.meter("stories", at: instant("2026-01-31T00:00:00Z"))?.used == 1)
    }

    @Test("A tick ahead of the clock is refused, and the next event is not late")
    func future() async throws {
        try await fixture.use("stories", "s1")
        let head = try fixture.ledger.head()
        await #expect(throws: LedgerError.self) {
            try await fixture.ledger.tick(at: fixture.clock.now + 1)
        }
        await #expect(throws: LedgerError.self) {
            try await fixture.ledger.tick(at: instant("2030-01-01T00:00:00Z"))
        }
        #expect(try fixture.ledger.head() == head)
        #expect(try await fixture.ledger.tick(at: fixture.clock.now).appended == 0)
    }
}
