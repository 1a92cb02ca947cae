import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

@Suite("Dozzi: two free stories")
struct DozziTimelineTests {
    let fixture: LedgerFixture

    init() async throws { fixture = try await LedgerFixture("dozzi") }

    private var ledger: Ledger { fixture.ledger }

    private func attributes(_ status: Status) -> [String: String] {
        Dictionary(uniqueKeysWithValues: status.attributes.map { ($0.slot, $0.key) })
    }

    @Test(
        "DZ-01 DZ-02 DZ-03 The status counts down word for word",
        arguments: [
            (0, "2 stories remaining", "2 stories remaining"),
            (1, "1 stories remaining", "1 story remaining"),
            (2, "0 stories remaining", "0 stories remaining"),
        ])
    func countdown(_ used: Int, _ text: String, _ pluralSafe: String) async throws {
        for index in 0..<used { try await fixture.use("stories", "s\(index)") }
        let status = try fixture.status()
        #expect(status.status == "free")
        #expect(status.display?.text == text)
        #expect(status.display?.pluralSafeText == pluralSafe)
        #expect(try fixture.meter("stories")?.remaining == Int64(2 - used))
        let decision = try fixture.check("stories")
        #expect(decision.allowed == (used < 2))
        #expect((decision.reason == .limitReached) == (used == 2))
        #expect((decision.paywall == nil) == (used < 2))
    }

    @Test("DZ-04 Unlimited wears the badge and infinity, free the clock in orange")
    func look() async throws {
        let free = attributes(try fixture.status())
        #expect(free["icon"] == "clock")
        #expect(free["iconColor"] == "orange")
        #expect(free["badge"] == nil)
        try await fixture.record(DozziPurchaseTests.purchase())
        #expect(try fixture.status().status == "unlimited")
        #expect(try fixture.status().display?.text == "Unlimited stories")
        let unlimited = attributes(try fixture.status())
        #expect(unlimited["icon"] == "infinity")
        #expect(unlimited["iconColor"] == "blue")
        #expect(unlimited["badge"] == "PREMIUM")
    }

    @Test(
        "DZ-05 A reinstalled app finds its counter; a new anonymous id begins anew until the alias")
    func reinstalled() async throws {
        try await fixture.use("stories", "s1")
        let clock = fixture.clock
        let reopened = try Ledger(store: ledger.core.store, clock: { clock.now })
        #expect(try reopened.check("stories", for: "ada").usage?.used == 1)
        #expect(try reopened.check("stories", for: "anon").usage?.remaining == 2)
        try await reopened.consume("stories", by: "anon", ref: "a1")
        try await reopened.perform(CommandRequest(.alias(to: "ada"), subject: "anon"))
        for name in ["ada", "anon"] {
            let usage = try reopened.check("stories", for: name).usage
            #expect(usage?.used == 2)
            #expect(usage?.remaining == 0)
            #expect(usage?.overage == 0)
        }
    }

    @Test("DZ-06 Whatever the order of story, alias and correction, nothing is folded twice")
    func aliasesInAnyOrder() async throws {
        let alias = EventDraft.reported(
            .subjectAliased, at: Fixtures.now, key: "alias", subject: "zoe",
            ["alias": "zoe", "canonical": "ada"])
        let unalias = EventDraft.reported(
            .subjectUnaliased, at: Fixtures.now + 1, key: "unalias", subject: "zoe",
            ["alias": "zoe", "canonical": "ada"])
        let void = EventDraft.reported(
            .correctionVoided, at: Fixtures.now + 2, key: "void",
            ["target": ["source": "native", "key": "unalias"], "reason": "it was no mistake"])
        let first = EventDraft.used("stories", at: Fixtures.now - 3, ref: "a1")
        let second = EventDraft.used("stories", at: Fixtures.now - 1, ref: "z1", subject: "zoe")
        let late = EventDraft.used("stories", at: Fixtures.now - 2, ref: "z0", subject: "zoe")
        let inOrder = [first, late, second, alias, unalias, void]
        try await ledger.record(inOrder)
        #expect(try fixture.meter("stories")?.used == 3)
        for order in [
            [[first, second, late, alias, unalias, void]], inOrder.map { [$0] },
            inOrder.reversed().map { [$0] }, [[first, second], [unalias, late, alias], [void]],
        ] {
            let other = try await LedgerFixture("dozzi")
            for batch in order { try await other.ledger.record(batch) }
            #expect(try other.ledger.digest() == ledger.digest())
        }
    }

    @Test("DZ-08 An unknown customer has two stories, and being seen twice appends once")
    func firstContact() async throws {
        let unknown = try fixture.status()
        #expect(!unknown.isKnown)
        #expect(unknown.status == "free")
        #expect(unknown.meters.first?.remaining == 2)
        #expect(try ledger.head().position == 1)
        let seen = EventDraft.reported(
            .subjectCreated, at: Fixtures.now, key: "created/ada",
            ["first_seen_at": .integer(Fixtures.now)])
        #expect(try await fixture.record(seen).appended == 1)
        let again = try await fixture.record(seen)
        #expect(again.appended == 0)
        #expect(again.duplicates == 1)
        #expect(try fixture.status().isKnown)
        #expect(try fixture.status().meters.first?.remaining == 2)
    }

    @Test("DZ-11 Creating a story answers with what is left")
    func consuming() async throws {
        let first = try await ledger.consume("stories", by: "ada", ref: "s1")
        #expect(first.decision?.allowed == true)
        #expect(first.decision?.usage?.remaining == 1)
        let second = try await ledger.consume("stories", by: "ada", ref: "s2")
        #expect(second.decision?.usage?.remaining == 0)
        #expect(try fixture.count(of: .limitReached) == 1)
    }

    @Test("DZ-12 With none left the refusal has the numbers and the document's words")
    func noneLeft() async throws {
        try await fixture.use("stories", "s1", "s2")
        let refusal = try await fixture.refusal(
            of: .consume(meter: "stories", amount: 1, ref: "s3"))
        #expect(
            refusal
                == .limitReached(
                    meter: "stories", limit: 2, used: 2, reserved: 0, requested: 1, resetsAt: nil))
        let decision = try fixture.check("stories")
        #expect(!decision.allowed)
        #expect(decision.display?.text == "No stories remaining")
        #expect(decision.title?.text == "Unlock Unlimited Stories")
        #expect(try fixture.count(of: .usageRecorded) == 2)
    }

    @Test("DZ-13 In strict mode no unknown customer creates a story; by default any may")
    func strict() async throws {
        let strict = try await LedgerFixture(
            "dozzi",
            replacing: [
                "policies:\n": "policies:\n  refusesUnknownSubjects: true\n"
            ])
        let command = Command.consume(meter: "stories", amount: 1, ref: "s1")
        #expect(try await strict.refusal(of: command) == .unknownSubject("ada"))
        #expect(Rejection.unknownSubject("ada").code == "not_found")
        #expect(Rejection.unknownSubject("ada").description.hasPrefix("User not found"))
        #expect(try strict.ledger.head().position == 1)
        try await strict.record(
            .reported(
                .subjectCreated, at: Fixtures.now, key: "created/ada",
                ["first_seen_at": .integer(Fixtures.now)]))
        #expect(try await strict.refusal(of: command) == nil)
        #expect(try !fixture.status().isKnown)
        #expect(try await fixture.refusal(of: command) == nil)
        #expect(try fixture.status().isKnown)
    }

    @Test("DZ-15 A commit in time counts, one after ten minutes comes too late")
    func reservation() async throws {
        func reserve(_ id: String) -> Command {
            .reserve(meter: "stories", amount: 1, reservation: id, timeoutMilliseconds: nil)
        }
        try await fixture.perform(reserve("r1"))
        try await fixture.perform(.commit(reservation: "r1", amount: nil))
        #expect(try fixture.meter("stories")?.used == 1)
        try await fixture.perform(reserve("r2"))
        #expect(try fixture.meter("stories")?.remaining == 0)
        let head = try ledger.head()
        let end = fixture.clock.now + 10 * 60_000
        #expect(try fixture.meter("stories", at: end - 1)?.remaining == 0)
        fixture.clock.now = end
        #expect(try fixture.meter("stories")?.remaining == 1)
        #expect(try ledger.head() == head)
        let refusal = try await fixture.refusal(of: .commit(reservation: "r2", amount: nil))
        #expect(refusal == .reservationExpired("r2", expiredAt: fixture.clock.now))
        #expect(try fixture.meter("stories")?.used == 1)
    }

    @Test(
        "DZ-24 Stories of an offline week are taken in late, as overage, and change no past answer")
    func offline() async throws {
        try await fixture.use("stories", "s1")
        let known = try ledger.head().position
        let drafts = (2...4).map { index in
            let time = Fixtures.now - Int64(index) * LedgerFixture.day
            var draft = EventDraft.used("stories", at: time, ref: "s\(index)")
            draft.extras["client_at"] = .integer(time)
            return draft
        }
        fixture.clock.now += LedgerFixture.day
        #expect(try await ledger.record(drafts).appended == 3)
        let usage = try #require(try fixture.meter("stories"))
        #expect(usage.used == 4)
        #expect(usage.overage == 2)
        #expect(usage.remaining == 0)
        #expect(usage.flags == ["overage"])
        // Each counts from the day on which it was made; two are within the quota, the third is not.
        for (days, used) in [(3, 2), (2, 3)] as [(Int64, Int64)] {
            let then = try fixture.meter("stories", at: Fixtures.now - days * LedgerFixture.day)
            #expect(then?.used == used)
            #expect(then?.flags == (used > 2 ? ["overage"] : []))
        }
        let told = try ledger.history(of: "ada").compactMap {
            $0.event.draft.extras["client_at"]?.integer
        }
        #expect(told.sorted() == drafts.compactMap(\.occurredAt).sorted())
        #expect(try fixture.meter("stories", knownAt: .position(known))?.remaining == 1)
        #expect(try !fixture.check("stories").allowed)
    }

    @Test(
        "DZ-41 Names of children and texts of stories are refused, and nothing is recorded",
        arguments: [
            ("child_name", "Mia"), ("story_text", "Once upon a time"),
            ("note", String(repeating: "z", count: 257)),
        ])
    func personal(_ member: String, _ value: String) async throws {
        var draft = EventDraft.used("stories", at: Fixtures.now, ref: "s1")
        draft.data[member] = .string(value)
        let refused = draft
        await #expect {
            try await fixture.record(refused)
        } throws: { error in
            guard case .badInput(let problems)? = error as? LedgerError else { return false }
            return problems.map(\.code) == ["pii_forbidden"]
        }
        #expect(try ledger.head().position == 1)
    }
}
