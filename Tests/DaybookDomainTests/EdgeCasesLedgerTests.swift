import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// E01, E12 to E15 and E74 to E76: delivery, unknown things and corrections.
@Suite("Edge cases: delivery and corrections")
struct EdgeCasesLedgerTests {
    let story: StoryLedger
    let now = Fixtures.now
    let day = StoryLedger.day
    let line = LineStory("1", product: "com.magicalstories.premium.monthly")

    init() async throws { story = try await StoryLedger("magical-stories") }

    private func stories() throws -> MeterAnswer { try #require(try story.meter("stories")) }

    @Test("E01 The same notification twice is there once")
    func twice() async throws {
        let draft = line.started("1", from: now, until: now + day)
        let first = try await story.record(draft)
        let second = try await story.record(draft)
        #expect((first.appended, second.appended, second.duplicates) == (1, 0, 1))
        let both = try await story.record(draft, draft)
        #expect((both.appended, both.duplicates) == (0, 2))
    }

    @Test("E01 One key with two contents is refused, and the whole batch with it")
    func oneKeyTwoEvents() async throws {
        var other = EventDraft.used("stories", at: now, ref: "s2")
        let first = EventDraft.used("stories", at: now, ref: "s1")
        other.source = first.source
        try await story.record(first)
        let head = try story.ledger.head()
        #expect(
            try await story.problems(of: .used("stories", at: now, ref: "s3"), other)
                == ["idempotency_conflict"])
        #expect(try story.ledger.head() == head)
    }

    @Test("E12 Two events of one millisecond keep one order, whichever came first")
    func oneMillisecond() async throws {
        func moved(_ key: String, _ zone: String) -> EventDraft {
            .reported("subject.tz_changed", at: now, key: key, ["tz": .string(zone)])
        }
        let drafts = [moved("a", "Asia/Kolkata"), moved("b", "America/New_York")]
        var periods: [MeterPeriod?] = []
        for order in [drafts, drafts.reversed()] {
            let story = try await StoryLedger("magical-stories")
            for draft in order { try await story.record(draft) }
            periods.append(try story.meter("stories", at: instant("2026-03-15T00:00:00Z"))?.period)
        }
        #expect(periods[0] == periods[1])
        #expect(periods[0]?.start == instant("2026-03-01T00:00:00-05:00"))
    }

    @Test("E13 A clock that steps back does not turn the ledger's time back")
    func clockBack() async throws {
        try await story.use("stories", "s1")
        story.clock.now -= 10 * day
        try await story.use("stories", "s2")
        let times = try story.ledger.history(of: "ada").map(\.event.recordedAt)
        #expect(times == [now, now])
        #expect(try story.ledger.head().recordedAt == now)
    }

    @Test("E15 What nobody knows is kept, shown and skipped")
    func unknown() async throws {
        let before = try story.status()
        try await story.record(
            .reported(
                "ops.unknown_notification", at: now, key: "u1",
                ["notificationType": "SOMETHING_NEW", "amount": 3]),
            .reported(
                "subscription.paused", at: now, key: "u2", ["original_transaction_id": "1"]))
        var after = try story.status()
        after.isKnown = before.isKnown
        #expect(after == before)
        let history = try story.ledger.history(of: "ada").map(\.event.draft)
        #expect(history.map(\.type) == ["ops.unknown_notification", "subscription.paused"])
        #expect(history.first?.data["notificationType"] == "SOMETHING_NEW")
    }

    @Test("E15 A word that nobody knows is kept and counts as another value")
    func unknownWord() async throws {
        try await story.record(
            line.started(
                "1", from: now, until: now + day,
                ["offer": ["type": "introductory", "discount": "FREE_FOREVER"]]))
        #expect(try story.entitlement("premium")?.state == .active)
        let offer = try story.ledger.history(of: "ada").first?.event.draft.data["offer"]
        #expect(offer?.object?["discount"] == "FREE_FOREVER")
    }

    @Test("E74 Voiding an old use refolds its month, and what was known before stays known")
    func voided() async throws {
        try await story.use("stories", "s1", "s2")
        try await story.record(.used("stories", at: now - 30 * day, ref: "old"))
        let position = try story.ledger.head().position
        let target = EventDraft.used("stories", at: now - 30 * day, ref: "old").source
        try await story.perform(
            .voidEvent(source: target.kind, key: try #require(target.key)))
        #expect(try story.meter("stories", at: now - 30 * day)?.used == 0)
        #expect(
            try story.meter("stories", at: now - 30 * day, knownAt: .position(position))?.used
                == 1)
        #expect(try stories().used == 2)
        let entries = try story.ledger.history(of: "ada")
        #expect(entries.filter(\.isVoid).map { $0.event.draft.data["ref"]?.text } == ["old"])
    }

    @Test("E75 Voiding the correction brings the use back")
    func voidedVoid() async throws {
        let draft = EventDraft.used("stories", at: now, ref: "s1")
        try await story.record(draft)
        let key = try #require(draft.source.key)
        try await story.perform(
            .voidEvent(source: "native", key: key), key: "correction-1")
        #expect(try stories().used == 0)
        try await story.perform(
            .voidEvent(source: "ledger", key: "correction-1"), key: "correction-2")
        #expect(try stories().used == 1)
        try await story.perform(.voidEvent(source: "ledger", key: "correction-2"))
        #expect(try stories().used == 0)
    }

    @Test("E76 A report can be amended, the last word wins, and its identity cannot")
    func amended() async throws {
        let draft = EventDraft.used("stories", at: now, ref: "s1")
        try await story.record(draft)
        let key = try #require(draft.source.key)
        for amount in [2, 3] as [Int64] {
            try await story.perform(
                .amendEvent(
                    source: "native", key: key, patch: ["amount": .integer(amount)]))
            #expect(try stories().used == amount)
        }
        for field in ["type", "key", "subject", "occurred_at"] {
            let patch = JSONObject([.init(name: field, value: "x")])
            #expect(
                try await story.refusal(
                    of: .amendEvent(source: "native", key: key, patch: patch))
                    == .fieldUnamendable(field))
        }
    }

    @Test("E76 A signed fact can be voided and never amended")
    func signed() async throws {
        let draft = line.started("1", from: now, until: now + day)
        try await story.record(draft)
        let key = try #require(draft.source.key)
        #expect(
            try await story.refusal(
                of: .amendEvent(
                    source: draft.source.kind, key: key,
                    patch: ["expires_at": .integer(now + 9 * day)]))
                == .signedFactUnamendable(source: draft.source.kind, key: key))
        #expect(try story.entitlement("premium")?.expiresAt == now + day)
        try await story.perform(.voidEvent(source: draft.source.kind, key: key))
        #expect(try story.entitlement("premium")?.state == SourceState.none)
    }

    @Test("A correction without its target is refused by command")
    func noTarget() async throws {
        #expect(
            try await story.refusal(of: .voidEvent(source: "native", key: "none"))
                == .targetUnknown(source: "native", key: "none"))
    }
}
