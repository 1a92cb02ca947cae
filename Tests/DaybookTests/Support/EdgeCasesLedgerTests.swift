import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// E01, E12 to E15 and E74 to E76: delivery, unknown things and corrections.
@Suite("Edge cases: delivery and corrections")
struct EdgeCasesLedgerTests {
    let fixture: LedgerFixture
    let now = Fixtures.now
    let day = LedgerFixture.day
    let lineage = LineageFixture("1", product: "com.magicalstories.premium.monthly")

    init() async throws { fixture = try await LedgerFixture("magical-stories") }

    private func stories() throws -> MeterAnswer { try #require(try fixture.meter("stories")) }

    @Test("E01 The same notification twice is there once")
    func twice() async throws {
        let draft = lineage.started("1", from: now, until: now + day)
        let first = try await fixture.record(draft)
        let second = try await fixture.record(draft)
        #expect((first.appended, second.appended, second.duplicates) == (1, 0, 1))
        let both = try await fixture.record(draft, draft)
        #expect((both.appended, both.duplicates) == (0, 2))
    }

    @Test("E01 One key with two contents is refused, and the whole batch with it")
    func oneKeyTwoEvents() async throws {
        var other = EventDraft.used("stories", at: now, ref: "s2")
        let first = EventDraft.used("stories", at: now, ref: "s1")
        other.source = first.source
        try await fixture.record(first)
        let head = try fixture.ledger.head()
        #expect(
            try await fixture.problems(of: .used("stories", at: now, ref: "s3"), other)
                == ["idempotency_conflict"])
        #expect(try fixture.ledger.head() == head)
    }

    @Test("E12 Two events of one millisecond keep one order, whichever came first")
    func oneMillisecond() async throws {
        func moved(_ key: String, _ zone: String) -> EventDraft {
            .reported(.subjectTimeZoneChanged, at: now, key: key, ["tz": .string(zone)])
        }
        let drafts = [moved("a", "Asia/Kolkata"), moved("b", "America/New_York")]
        var periods: [MeterPeriod?] = []
        for order in [drafts, drafts.reversed()] {
            let fixture = try await LedgerFixture("magical-stories")
            for draft in order { try await fixture.record(draft) }
            periods.append(
                try fixture.meter("stories", at: instant("2026-03-15T00:00:00Z"))?.period)
        }
        #expect(periods[0] == periods[1])
        #expect(periods[0]?.start == instant("2026-03-01T00:00:00-05:00"))
    }

    @Test("E13 A clock that steps back does not turn the ledger's time back")
    func clockBack() async throws {
        try await fixture.use("stories", "s1")
        fixture.clock.now -= 10 * day
        try await fixture.use("stories", "s2")
        let times = try fixture.ledger.history(of: "ada").map(\.event.recordedAt)
        #expect(times == [now, now])
        #expect(try fixture.ledger.head().recordedAt == now)
    }

    @Test("E15 What is unknown is kept, shown and skipped")
    func unknown() async throws {
        let before = try fixture.status()
        try await fixture.record(
            .reported(
                EventTypeName(rawValue: "ops.unknown_notification"), at: now, key: "u1",
                ["notificationType": "SOMETHING_NEW", "amount": 3]),
            .reported(
                .subscriptionPaused, at: now, key: "u2", ["original_transaction_id": "1"]))
        var after = try fixture.status()
        after.isKnown = before.isKnown
        #expect(after == before)
        let history = try fixture.ledger.history(of: "ada").map(\.event.draft)
        #expect(
            history.map(\.type.rawValue) == ["ops.unknown_notification", "subscription.paused"])
        #expect(history.first?.data["notificationType"] == "SOMETHING_NEW")
    }

    @Test("E15 An unknown word is kept and counts as another value")
    func unknownWord() async throws {
        try await fixture.record(
            lineage.started(
                "1", from: now, until: now + day,
                ["offer": ["type": "introductory", "discount": "FREE_FOREVER"]]))
        #expect(try fixture.entitlement("premium")?.state == .active)
        let offer = try fixture.ledger.history(of: "ada").first?.event.draft.data["offer"]
        #expect(offer?.object?["discount"] == "FREE_FOREVER")
    }

    @Test("E74 Voiding an old use refolds its month, and what was known before stays known")
    func voided() async throws {
        try await fixture.use("stories", "s1", "s2")
        try await fixture.record(.used("stories", at: now - 30 * day, ref: "old"))
        let position = try fixture.ledger.head().position
        let target = EventDraft.used("stories", at: now - 30 * day, ref: "old").source
        try await fixture.perform(
            .voidEvent(source: target.kind, key: try #require(target.key)))
        #expect(try fixture.meter("stories", at: now - 30 * day)?.used == 0)
        #expect(
            try fixture.meter("stories", at: now - 30 * day, knownAt: .position(position))?.used
                == 1)
        #expect(try stories().used == 2)
        let entries = try fixture.ledger.history(of: "ada")
        #expect(entries.filter(\.isVoid).map { $0.event.draft.data["ref"]?.text } == ["old"])
    }

    @Test("E75 Voiding the correction brings the use back")
    func voidedVoid() async throws {
        let draft = EventDraft.used("stories", at: now, ref: "s1")
        try await fixture.record(draft)
        let key = try #require(draft.source.key)
        try await fixture.perform(
            .voidEvent(source: "native", key: key), key: "correction-1")
        #expect(try stories().used == 0)
        try await fixture.perform(
            .voidEvent(source: "ledger", key: "correction-1"), key: "correction-2")
        #expect(try stories().used == 1)
        try await fixture.perform(.voidEvent(source: "ledger", key: "correction-2"))
        #expect(try stories().used == 0)
    }

    @Test("E76 A report can be amended, the last word wins, and its identity cannot")
    func amended() async throws {
        let draft = EventDraft.used("stories", at: now, ref: "s1")
        try await fixture.record(draft)
        let key = try #require(draft.source.key)
        for amount in [2, 3] as [Int64] {
            try await fixture.perform(
                .amendEvent(
                    source: "native", key: key, patch: ["amount": .integer(amount)]))
            #expect(try stories().used == amount)
        }
        for field in ["type", "key", "subject", "occurred_at"] {
            let patch = JSONObject([.init(name: field, value: "x")])
            #expect(
                try await fixture.refusal(
                    of: .amendEvent(source: "native", key: key, patch: patch))
                    == .fieldUnamendable(field))
        }
    }

    @Test("E76 A signed fact can be voided and never amended")
    func signed() async throws {
        let draft = lineage.started("1", from: now, until: now + day)
        try await fixture.record(draft)
        let key = try #require(draft.source.key)
        #expect(
            try await fixture.refusal(
                of: .amendEvent(
                    source: draft.source.kind, key: key,
                    patch: ["expires_at": .integer(now + 9 * day)]))
                == .signedFactUnamendable(source: draft.source.kind, key: key))
        #expect(try fixture.entitlement("premium")?.expiresAt == now + day)
        try await fixture.perform(.voidEvent(source: draft.source.kind, key: key))
        #expect(try fixture.entitlement("premium")?.state == SourceState.none)
    }

    @Test("A correction without its target is refused by command")
    func noTarget() async throws {
        #expect(
            try await fixture.refusal(of: .voidEvent(source: "native", key: "none"))
                == .targetUnknown(source: "native", key: "none"))
    }
}
