import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import DaybookTesting
import InMemoryLogging
import Logging
import Testing

/// A clock that was wrong for a minute, or was put back: time goes on.
@Suite("The ledger's clock")
struct LedgerClockTests {
    private let start = instant("2026-03-10T10:00:00Z")
    private let day = LedgerFixture.day

    private func launched(_ key: String, recordedAt: Int64? = nil) -> EventDraft {
        var draft = EventDraft.reported(.appLaunched, at: start, key: key)
        draft.recordedAt = recordedAt
        return draft
    }

    private func refused(_ ledger: Ledger, _ drafts: [EventDraft]) async throws -> [String] {
        do {
            try await ledger.record(drafts, options: ReportOptions(isAsRecorded: true))
            return []
        } catch LedgerError.badInput(let problems) {
            return problems.map { "\($0.code) \($0.member ?? "")" }
        }
    }

    @Test(
        "After a time recorded ahead, decisions and answers go by the clock, only recorded times wait",
        arguments: [instant("2099-12-31T00:00:00Z"), instant("2026-03-10T15:00:00Z")])
    func ahead(_ wrong: Int64) async throws {
        let fixture = try await LedgerFixture("magical-stories", now: wrong)
        try await fixture.record(launched("k1"))
        fixture.clock.now = start
        let receipt = try await fixture.ledger.consume("stories", by: "ada", ref: "s1", key: "c1")
        #expect(receipt.recordedAt == wrong)
        #expect(receipt.clockLead == wrong - start)
        let event = try #require(try fixture.ledger.history(of: "ada").last?.event)
        #expect(event.draft.occurredAt == start)
        #expect(event.recordedAt == wrong)
        let (decision, asOf) = try fixture.ledger.check(CheckQuestion("stories"), for: "ada")
        #expect(asOf.at == start)
        #expect(asOf.clockLead == wrong - start)
        #expect(asOf.isOpen)
        #expect(decision.usage?.used == 1)
        let reset = try #require(decision.usage?.period?.end)
        #expect(reset < start + 32 * day)
        // The same request again gets an equal receipt, whatever the clock says by then.
        fixture.clock.now = start + day
        let again = try await fixture.ledger.consume("stories", by: "ada", ref: "s1", key: "c1")
        #expect(again == receipt)
        // The next period begins when it begins.
        fixture.clock.now = reset + 1
        #expect(try fixture.ledger.check("stories", for: "ada").usage?.used == 0)
        try await fixture.ledger.consume("stories", by: "ada", ref: "s2")
        #expect(try fixture.ledger.check("stories", for: "ada").usage?.used == 1)
        #expect(try fixture.ledger.replay().agrees)
    }

    @Test("What time brings comes by the clock: a grant ends, a catalog takes effect")
    func intervals() async throws {
        let fixture = try await LedgerFixture(
            "magical-stories", now: instant("2050-01-01T00:00:00Z"))
        try await fixture.record(launched("k1"))
        fixture.clock.now = start
        try await fixture.perform(
            .issueGrant(
                Command.GrantTerms(
                    id: "g1", target: .entitlement("premium"), expiresAt: start + day,
                    reason: "compensation")))
        func isPremium() throws -> Bool {
            try #require(try fixture.entitlement("premium")).isActive
        }
        #expect(try isPremium())
        fixture.clock.now = start + day
        #expect(try !isPremium())
        let receipt = try await fixture.publish(replacing: [:], effectiveAt: start + 2 * day)
        #expect(receipt.positions.count == 1)
    }

    @Test("A recorded time by which something was known means the time that was recorded")
    func knowledge() async throws {
        let wrong = start + 10 * day
        let fixture = try await LedgerFixture("dozzi", now: start)
        try await fixture.ledger.consume("stories", by: "ada", ref: "s1")
        fixture.clock.now = wrong
        try await fixture.record(launched("k1"))
        fixture.clock.now = start + day
        try await fixture.ledger.consume("stories", by: "ada", ref: "s2")
        func used(_ knownAt: Moment.Knowledge) throws -> (Int64?, Bool) {
            let (decision, asOf) = try fixture.ledger.check(
                CheckQuestion("stories"), for: "ada",
                moment: Moment(at: start + day, knownAt: knownAt))
            return (decision.usage?.used, asOf.isOpen)
        }
        let head = try fixture.ledger.head().position
        #expect(try used(.instant(start + 2 * day)) == (1, false))
        #expect(try used(.instant(wrong)) == (2, true))
        #expect(try used(.position(head)) == (2, false))
    }

    @Test(
        "A step back of some seconds is waited for, so that one customer's events keep their order")
    func step() async throws {
        let fixture = try await LedgerFixture("dozzi", now: start)
        try await fixture.ledger.consume("stories", by: "ada", ref: "s1")
        fixture.clock.now = start - 30_000
        let receipt = try await fixture.ledger.consume("stories", by: "ada", ref: "s2")
        #expect(receipt.recordedAt == start)
        #expect(receipt.clockLead == 0)
        let last = try #require(try fixture.ledger.history(of: "ada").last?.event)
        #expect(last.draft.occurredAt == start)
    }

    @Test("It is said in the log once, by doctor and by verify, until the time is reached")
    func told() async throws {
        let clock = FixtureClock(start + day)
        let handler = InMemoryLogHandler()
        let ledger = try Ledger(
            store: InMemoryEventStore(app: "dozzi"), log: Logger(label: "test") { _ in handler },
            clock: { clock.now })
        try await ledger.publish(
            CatalogPublication(document: try Fixtures.catalogDocument("dozzi"), effectiveAt: 0))
        func warnings() -> Int { handler.entries.count { $0.level >= .warning } }
        #expect(try ledger.verify().allSatisfy(\.isClean))
        #expect(warnings() == 0)
        clock.now = start
        for number in 1...3 { try await ledger.consume("stories", by: "u\(number)", ref: "s") }
        #expect(warnings() == 1)
        let finding = try #require(try ledger.verify().first { !$0.isClean })
        #expect(finding.check == "clock: nothing is recorded ahead of it")
        #expect(finding.detail.contains("from position 1 on"))
        #expect(try ledger.doctor().contains { $0.area == "clock" && $0.severity == .warning })
        clock.now = start + 2 * day
        try await ledger.consume("stories", by: "u9", ref: "s")
        #expect(try ledger.verify().allSatisfy(\.isClean))
        #expect(try !ledger.doctor().contains { $0.area == "clock" })
        #expect(warnings() == 1)
    }

    @Test("A file may not bring a recorded time that lies ahead by more than a day")
    func asRecorded() async throws {
        let fixture = try await LedgerFixture("dozzi", now: start)
        let ledger = fixture.ledger
        let far = instant("9999-12-31T23:59:59Z")
        #expect(
            try await refused(ledger, [launched("k1", recordedAt: far)]) == [
                "out_of_bounds recorded_at"
            ])
        #expect(
            try await refused(ledger, [launched("k1", recordedAt: start + day + 1)])
                == ["out_of_bounds recorded_at"])
        var pieces = [
            launched("k1", recordedAt: far).recordedLine + [0x0A]
        ]
        let error = await #expect(throws: LedgerError.self) {
            try await ledger.importLines(
                { pieces.popLast() }, options: ImportOptions(isAsRecorded: true))
        }
        #expect("\(try #require(error))".contains("by more than a day"))
        #expect(try ledger.head().position == 1)
        #expect(try await refused(ledger, [launched("k1", recordedAt: start + day)]).isEmpty)
    }

    @Test("A clock that cannot be right records nothing, and answers go on")
    func implausible() async throws {
        let fixture = try await LedgerFixture("dozzi", now: start)
        try await fixture.ledger.consume("stories", by: "ada", ref: "s1")
        for wrong in [instant("2100-01-01T00:00:00Z"), instant("9999-12-31T23:59:59Z"), -1] {
            fixture.clock.now = wrong
            let error = await #expect(throws: LedgerError.self) {
                try await fixture.ledger.consume("stories", by: "ada", ref: "s2")
            }
            #expect(error?.code == "wrong_clock")
            #expect(try fixture.ledger.doctor().contains { $0.area == "clock" })
        }
        #expect(try fixture.ledger.head().position == 2)
        #expect(try fixture.meter("stories", at: start)?.used == 1)
        #expect(LedgerClock.problem(0, isMachine: true)?.code == .wrongClock)
        #expect(LedgerClock.problem(start, isMachine: true) == nil)
        #expect(LedgerClock.problem(0, isMachine: false) == nil)
    }
}
