import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

@Suite("Nuzzle: the developers' tools")
struct NuzzleDebugTests {
    let fixture: LedgerFixture
    let day = NuzzleFixture.day
    let start = NuzzleFixture.start
    let trial: EventDraft

    init() async throws {
        fixture = try await LedgerFixture("nuzzle")
        var lineage = NuzzleFixture.yearly
        lineage.environment = .sandbox
        trial = NuzzleFixture.trial(lineage)
    }

    private var ledger: Ledger { fixture.ledger }

    private func perform(_ command: Command, in environment: Environment = .sandbox) async throws {
        try await ledger.perform(
            CommandRequest(
                command, subject: "ada", environment: environment, actor: "kim", reason: "test"))
    }

    private func status(_ time: Int64? = nil, knownAt: Moment.Knowledge? = nil) throws -> Status {
        try ledger.status(
            of: "ada", environment: .sandbox, moment: Moment(at: time, knownAt: knownAt)
        ).status
    }

    private func check(_ name: String, _ time: Int64? = nil) throws -> Decision {
        try ledger.check(
            CheckQuestion(name), for: "ada", environment: .sandbox, moment: Moment(at: time)
        ).decision
    }

    @Test(
        "NZ-17 Forced Pro opens everything and says that it is pretence; switched off, truth is back"
    )
    func force() async throws {
        try await perform(.setOverride(kind: "force_entitlement", value: "pro", expiresAt: nil))
        for name in NuzzleFixture.pro {
            let decision = try check(name)
            #expect(decision.allowed)
            #expect(decision.reason == .debug)
            #expect(decision.source?.kind == .debug)
        }
        #expect(try status().status == "subscribed")
        #expect(try status().entitlements.first?.isActive == true)
        let explained = try ledger.explain(
            CheckQuestion("aiAssistant"), for: "ada", environment: .sandbox
        ).decision
        #expect(explained.reason == .debug)
        #expect(explained.source?.kind == .debug)
        fixture.clock.now += 1
        try await perform(.clearOverride(kind: "force_entitlement"))
        #expect(try status().status == "notSubscribed")
        #expect(try check("aiAssistant").reason == .notEntitled)
    }

    @Test(
        "NZ-17 Production refuses every override, whatever its source, and ignores one that is there",
        arguments: [
            "force_entitlement", "expire_trial", "clear_subscription", "reset_trial_eligibility",
        ])
    func production(_ kind: String) async throws {
        await #expect {
            try await perform(
                .setOverride(kind: kind, value: nil, expiresAt: nil), in: .production)
        } throws: { error in
            guard case .rejected(.overrideForbidden, _)? = error as? LedgerError else {
                return false
            }
            return true
        }
        #expect(try ledger.head().position == 1)
        for trust in [Trust.imported, .admin, .debug] {
            var draft = EventDraft.reported(
                .debugOverrideSet, at: start, key: "d1",
                [
                    "kind": .string(kind), "value": "pro", "actor": "kim",
                    "expires_at": .integer(start + day),
                ])
            draft.trust = trust
            await #expect(throws: LedgerError.self) { try await fixture.record(draft) }
            // One that an older ledger holds is ignored when it is asked.
            #expect(try pretended(draft, in: .production) == false)
            #expect(try pretended(draft, in: .sandbox) == (kind == "force_entitlement"))
        }
        #expect(try ledger.head().position == 1)
        #expect(try fixture.status().status == "notSubscribed")
    }

    /// Whether an override opens anything for the customer of its stream.
    private func pretended(_ draft: EventDraft, in environment: Environment) throws -> Bool {
        var names = NameTable()
        var state = AggregateState(kind: .customer)
        state.evolve(EventEncoder.row(draft, names: &names).event, names: names)
        let context = CustomerCase(
            environment: environment, subject: "ada", isKnown: true,
            folded: SharedAggregate(state), lineages: [],
            lineagesOfOthers: [], catalogs: try ledger.catalogs(), zones: ZoneSet(["UTC": .utc]),
            names: names, at: start)
        return try #require(Check(context)).decide(CheckQuestion("aiAssistant")).allowed
    }

    @Test("NZ-18 A trial can be looked at as if it were over, without touching a fact")
    func expireTrial() async throws {
        try await ledger.record([trial])
        fixture.clock.now = start + day
        let before = try status()
        try await perform(.setOverride(kind: "expire_trial", value: nil, expiresAt: nil))
        #expect(try status().status == "expired")
        #expect(try !check("aiAssistant").allowed)
        #expect(try status(start + day - 1).status == "subscribed")
        fixture.clock.now += 1_000
        try await perform(.clearOverride(kind: "expire_trial"))
        let after = try status()
        #expect(after.status == "subscribed")
        #expect(after.entitlements == before.entitlements)
        let types = try ledger.history(of: "ada", environment: .sandbox).map(
            \.event.draft.type.rawValue)
        #expect(
            types == ["subscription.started", "debug.override_set", "debug.override_cleared"])
    }

    @Test("NZ-19 Cleared data is hidden, not gone: history has it, and a later renewal shows")
    func clear() async throws {
        try await ledger.record([trial])
        fixture.clock.now = start + day
        let known = try ledger.head().position
        try await perform(.setOverride(kind: "clear_subscription", value: nil, expiresAt: nil))
        #expect(try status().status == "notSubscribed")
        #expect(try status(knownAt: .position(known)).status == "subscribed")
        let types = try ledger.history(of: "ada", environment: .sandbox).map(
            \.event.draft.type.rawValue)
        #expect(types == ["subscription.started", "debug.override_set"])
        #expect(try status(start + 2 * day).status == "subscribed", "it lasts a day")
        var lineage = NuzzleFixture.yearly
        lineage.environment = .sandbox
        try await ledger.record([
            lineage.renewed("9002", from: start + day + 1_000, until: start + 9 * day)
        ])
        #expect(try status(start + day + 1_000).status == "subscribed")
    }

    @Test("NZ-20 A reset makes the trial available again, until the next one begins")
    func resetEligibility() async throws {
        func isEligible(_ time: Int64) throws -> Bool? {
            try status(time).introEligible.first?.isEligible
        }
        try await ledger.record([trial])
        fixture.clock.now = start + 10 * day
        #expect(try isEligible(fixture.clock.now) == false)
        try await perform(
            .setOverride(
                kind: "reset_trial_eligibility", value: nil, expiresAt: start + 20 * day))
        #expect(try isEligible(start + 11 * day) == true)
        #expect(try isEligible(start + 12 * day - 1) == true)
        var lineage = NuzzleFixture.yearly
        lineage.environment = .sandbox
        try await ledger.record([
            lineage.started(
                "9009", from: start + 12 * day, until: start + 19 * day, NuzzleFixture.trialOffer)
        ])
        #expect(try isEligible(start + 12 * day) == false)
    }

    @Test("NZ-21 An override has an actor, a reason and an end, a day where none is said")
    func bounded() async throws {
        try await perform(.setOverride(kind: "force_entitlement", value: "pro", expiresAt: nil))
        let kept = try #require(
            try ledger.history(of: "ada", environment: .sandbox).first?.event.draft)
        #expect(kept.data["actor"] == "kim")
        #expect(kept.extras["reason"] == "test")
        #expect(kept.data["expires_at"] == .integer(start + day))
        #expect(kept.trust == .debug)
        #expect(try status(start + day - 1).status == "subscribed")
        #expect(try status(start + day).status == "notSubscribed")
    }
}
