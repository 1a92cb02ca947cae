import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// Commands that name what is not there, or that would change nothing.
@Suite("Refusals of commands")
struct CommandRefusalTests {
    let fixture: LedgerFixture
    let now = Fixtures.now

    init() async throws { fixture = try await LedgerFixture("magical-stories") }

    private func sandbox(_ command: Command) async throws -> Rejection? {
        do {
            try await fixture.ledger.perform(
                CommandRequest(command, subject: "ada", environment: .sandbox))
            return nil
        } catch LedgerError.rejected(let rejection, _) {
            return rejection
        }
    }

    @Test("An override names an entitlement that there is, and ends later than now")
    func overrides() async throws {
        func force(_ value: String?, _ end: Int64?) -> Command {
            .setOverride(kind: "force_entitlement", value: value, expiresAt: end)
        }
        #expect(
            try await sandbox(force("premum", nil))
                == .unknownName(name: "premum", nearest: "premium"))
        for end in [now, now - 1, 0, Int64.min] {
            #expect(try await sandbox(force("premium", end)) == .overrideEnded(expiresAt: end))
        }
        #expect(try fixture.ledger.history(of: "ada", environment: .sandbox).isEmpty)
        #expect(try await sandbox(force("premium", now + 1)) == nil)
        #expect(try await sandbox(force(nil, nil)) == nil)
    }

    @Test("A grant's reason is one of the vocabulary's words")
    func reasons() async throws {
        func grant(_ reason: String) -> Command {
            .issueGrant(.init(id: reason, target: .entitlement("premium"), reason: reason))
        }
        guard
            case .unknownWord("whim", _, let known)? = try await fixture.refusal(of: grant("whim"))
        else {
            Issue.record("a whim was accepted")
            return
        }
        for reason in known { #expect(try await fixture.refusal(of: grant(reason)) == nil) }
    }

    @Test("An alias is taken apart where it was made")
    func aliases() async throws {
        let ledger = fixture.ledger
        try await ledger.perform(CommandRequest(.alias(to: "b"), subject: "a"))
        try await ledger.perform(CommandRequest(.alias(to: "c"), subject: "b"))
        try await ledger.consume("stories", by: "a", ref: "s1")
        let head = try ledger.head()
        do {
            try await ledger.perform(CommandRequest(.unalias(from: "c"), subject: "a"))
            Issue.record("an un-alias without an alias was accepted")
        } catch LedgerError.rejected(let rejection, _) {
            #expect(rejection == .indirectAlias("a", canonical: "c", links: ["b"]))
            #expect(rejection.description.contains("b"))
        }
        #expect(try ledger.head() == head)
        // Asked from the other side it is the same alias.
        try await ledger.perform(CommandRequest(.unalias(from: "a"), subject: "b"))
        #expect(try ledger.status(of: "c").status.meters.first { $0.name == "stories" }?.used == 0)
        #expect(try ledger.status(of: "a").status.meters.first { $0.name == "stories" }?.used == 1)
        let last = try #require(try ledger.history(of: "b").last).event.draft
        #expect(last.data == ["alias": "a", "canonical": "b"])
    }

    @Test("Voiding a signed fact needs a reason, a ticket and a responsible actor")
    func signedFact() async throws {
        let lineage = LineageFixture("1", product: "com.magicalstories.premium.monthly")
        let draft = lineage.started("1", from: now, until: now + LedgerFixture.day)
        try await fixture.record(draft, .used("stories", at: now, ref: "s1"))
        let key = try #require(draft.source.key)
        let cases: [(actor: String?, reason: String?, ticket: String?, missing: [String])] = [
            (nil, nil, nil, ["reason", "ticket", "actor"]), ("kim", nil, "T", ["reason"]),
            ("kim", "fraud", nil, ["ticket"]), (nil, "fraud", "T", ["actor"]),
            ("", "fraud", "T", ["actor"]),
        ]
        let head = try fixture.ledger.head()
        for item in cases {
            let request = CommandRequest(
                .voidEvent(source: draft.source.kind, key: key), subject: "ada",
                actor: item.actor, reason: item.reason, ticket: item.ticket)
            do {
                try await fixture.ledger.perform(request)
                Issue.record("\(item) was accepted")
            } catch LedgerError.rejected(let rejection, _) {
                #expect(
                    rejection
                        == .signedFactNeeds(item.missing, source: draft.source.kind, key: key))
            }
        }
        #expect(try fixture.ledger.head() == head)
        try await fixture.ledger.perform(
            CommandRequest(
                .voidEvent(source: draft.source.kind, key: key), subject: "ada",
                actor: "kim", reason: "fraud", ticket: "T"))
        #expect(try fixture.entitlement("premium")?.isActive == false)
        // What is not signed may be voided without them.
        let use = EventDraft.used("stories", at: now, ref: "s1").source
        try await fixture.ledger.perform(
            CommandRequest(
                .voidEvent(source: use.kind, key: try #require(use.key)),
                subject: "ada"))
    }

    @Test("E76 An amendment is refused where its outcome would be")
    func amendments() async throws {
        let use = EventDraft.used("stories", at: now, ref: "s1")
        let client = LineageFixture("9", product: "com.magicalstories.premium.monthly")
        var claim = client.started("9", from: now, until: now + LedgerFixture.day)
        claim.trust = .clientAsserted
        try await fixture.record(use, claim)
        let head = try fixture.ledger.head()
        func amend(_ draft: EventDraft, _ patch: JSONObject) throws -> Command {
            .amendEvent(
                source: draft.source.kind, key: try #require(draft.source.key), patch: patch)
        }
        let values: [JSONObject] = [
            ["amount": 99_999_999_999], ["amount": "hello"], ["amount": -50], ["amount": 0],
            ["amount": nil], ["colour": "red"],
        ]
        for patch in values {
            do {
                try await fixture.perform(try amend(use, patch))
                Issue.record("\(patch) was accepted")
            } catch LedgerError.badInput(let problems) {
                #expect(problems.count == 1)
            }
        }
        #expect(
            try await fixture.refusal(of: try amend(use, ["meter": "nosuch"]))
                == .unknownName(name: "nosuch", nearest: nil))
        for field in ["transaction_id", "store", "profile", "original_transaction_id"] {
            let patch = JSONObject([.init(name: field, value: "x")])
            #expect(
                try await fixture.refusal(of: try amend(claim, patch)) == .fieldUnamendable(field))
        }
        #expect(try fixture.ledger.head() == head)
        try await fixture.perform(try amend(use, ["amount": 2]))
        #expect(try fixture.meter("stories")?.used == 2)
    }
}

/// What a ledger that took catalogs before circles were refused must still survive.
@Suite("Gates of meters")
struct GateTests {
    private static func check(_ catalog: Catalog) throws -> Check {
        var catalogs = CatalogHistory()
        catalogs.publish(
            CatalogVersion(
                version: 1, effectiveAt: 0, scope: .all, position: 1, catalog: catalog,
                documentDigest: ""))
        let context = CustomerCase(
            environment: .production, subject: "ada", isKnown: true,
            folded: SharedAggregate(kind: .customer), lineages: [], lineagesOfOthers: [],
            catalogs: catalogs,
            zones: ZoneSet(["UTC": .utc]), names: NameTable(), at: 1)
        return try #require(Check(context))
    }

    @Test("A meter behind a feature that opens by its quota is decided, without the quota")
    func circle() throws {
        var catalog = Catalog(app: "x")
        var feature = Feature(name: "f")
        feature.meter = "m"
        catalog.features = [feature]
        var meter = Meter(name: "m", kind: .counter)
        meter.limit = 3
        meter.requires = "f"
        catalog.meters = [meter]
        let check = try Self.check(catalog)
        #expect(try check.decide(CheckQuestion("m")).allowed == false)
        #expect(try check.decide(CheckQuestion("f")).reason == .notEntitled)
    }

    @Test("A preview opens its feature, and no meter behind it")
    func preview() throws {
        var catalog = Catalog(app: "x")
        var feature = Feature(name: "f")
        feature.previewUses = 3
        catalog.features = [feature]
        var meter = Meter(name: "m", kind: .counter)
        meter.limit = 3
        meter.requires = "f"
        catalog.meters = [meter]
        let check = try Self.check(catalog)
        #expect(try check.decide(CheckQuestion("f")).allowed)
        #expect(try check.decide(CheckQuestion("m")).allowed == false)
    }
}
