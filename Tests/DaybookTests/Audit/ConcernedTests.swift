import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// Which customers an event concerns: also those to whom everything was transferred, without an event of their own.
@Suite("All concerned customers are looked at")
struct ConcernedTests {
    private static let now: Int64 = 1_772_323_200_000
    private static let feature = "premiumVoices"

    private static func purchase(_ subject: String) -> EventDraft {
        var draft = EventDraft.reported(
            .purchaseCompleted, at: now, key: "buy-\(subject)", subject: subject,
            [
                "product": "com.dozzi.unlimited_stories", "kind": "non_consumable",
                "transaction_id": "2000-1", "price_milli": 2_990, "currency": "USD",
            ])
        draft.source.kind = "apple"
        draft.trust = .verified
        return draft
    }

    private static func everything(_ from: String, _ to: String, at: Int64) -> EventDraft {
        .reported(
            .purchaseTransferred, at: now + at, key: "\(from)-\(to)", subject: from,
            ["from": .string(from), "to": .string(to)])
    }

    private static func alias(_ alias: String, _ canonical: String) -> EventDraft {
        .reported(
            .subjectAliased, at: now + 9, key: "alias-\(alias)", subject: alias,
            ["alias": .string(alias), "canonical": .string(canonical), "rule": "login"])
    }

    private static func ledger(_ drafts: [EventDraft]) async throws -> Ledger {
        var clock = now
        let recorded = drafts.map { draft in
            var draft = draft
            clock += 10
            draft.recordedAt = clock
            return draft
        }
        return try await StreamGolden.ledger("dozzi", holding: recorded)
    }

    private static func target(_ draft: EventDraft) -> WhatIf.Target {
        WhatIf.Target(
            source: draft.source.kind, key: draft.source.key ?? "", environment: .production)
    }

    private let at = Moment(at: Self.now + 1_000)

    @Test("Without the first of two transfers the last one loses what came through both")
    func chain() async throws {
        let first = Self.everything("a", "b", at: 1)
        let ledger = try await Self.ledger([
            Self.purchase("a"), first, Self.everything("b", "c", at: 2),
        ])
        let report = try ledger.whatIf(WhatIf(drops: [Self.target(first)]), moment: at)
        let voices = try #require(report.features.first { $0.name == Self.feature })
        #expect(voices.gained == 1 && voices.lost == 1)
        #expect(Set(report.top.map(\.subject)) == ["a", "c"])
        let voiding = CommandRequest(
            .voidEvent(source: "native", key: "a-b"), subject: "a", actor: "kim", reason: "no",
            ticket: "T")
        let dryRun = try await ledger.dryRun(voiding)
        #expect(Set(dryRun.changes.map(\.subject)).isSuperset(of: ["a", "c"]))
    }

    @Test("An alias that moves a purchase to a third customer concerns that customer")
    func aliasOfAGiver() async throws {
        let ledger = try await Self.ledger([
            Self.purchase("a"), .reported(.appLaunched, at: Self.now, key: "x", subject: "x"),
            Self.everything("x", "c", at: 20), Self.alias("a", "x"),
        ])
        var told: Set<String> = []
        _ = try ledger.differences(
            from: Moment(at: at.at, knownAt: .position(4)), to: at
        ) { told.insert($0.subject) }
        #expect(told.contains("c"))
    }

    @Test("A customer without an own event is among all customers")
    func receiver() async throws {
        let ledger = try await Self.ledger([
            Self.purchase("a"), Self.everything("a", "c", at: 1),
        ])
        let found = try ledger.bisect(.allowed(Self.feature), at: at.at)
        guard case .turned = found.outcome else {
            Issue.record("\(found)")
            return
        }
        // Before the transfer it is a's, after it c's: some customer's all the time.
        #expect(try ledger.bisect(.allowed(Self.feature), of: "c", at: at.at).folds > 1)
        let document = try Fixtures.catalogDocument("dozzi")
        #expect(try ledger.whatIf(WhatIf(catalog: document), moment: at).customers == 2)
        var told: Set<String> = []
        _ = try ledger.differences(from: Moment(at: Self.now - 1), to: at) {
            told.insert($0.subject)
        }
        #expect(told.contains("c"))
    }

    @Test("A free trial costs nothing, whatever price its source names, and what follows it does")
    func trialMoney() async throws {
        let fixture = try await LedgerFixture(
            "magical-stories", now: Fixtures.now + 60 * LedgerFixture.day)
        let lineage = LineageFixture("1", product: "com.magicalstories.premium.monthly")
        let day = LedgerFixture.day
        let trial = lineage.started(
            "1", from: Fixtures.now, until: Fixtures.now + 7 * day,
            ["offer": ["type": "introductory", "discount": "free_trial"]])
        let paid = lineage.renewed(
            "2", from: Fixtures.now + 7 * day, until: Fixtures.now + 37 * day)
        try await fixture.record(trial, paid)
        let withoutTrial = try fixture.ledger.whatIf(
            WhatIf(drops: [Self.target(trial)]), moment: .now)
        #expect(withoutTrial.revenue.allSatisfy { $0.before == $0.after })
        let withoutBoth = try fixture.ledger.whatIf(
            WhatIf(drops: [Self.target(trial), Self.target(paid)]), moment: .now)
        #expect(withoutBoth.revenue.map(\.before) == [8_990])
        #expect(withoutBoth.revenue.map(\.after) == [0])
    }

    @Test("Customers who are joined pay once, and a customer who is split too")
    func mergedMoney() async throws {
        let alias = Self.alias("b", "a")
        let apart = try await Self.ledger([
            Self.purchase("a"), .reported(.appLaunched, at: Self.now, key: "l", subject: "b"),
        ])
        let joined = try apart.whatIf(WhatIf(inserts: [alias]), moment: at)
        #expect(joined.revenue.allSatisfy { $0.before == $0.after })
        let together = try await Self.ledger([
            Self.purchase("a"), .reported(.appLaunched, at: Self.now, key: "l", subject: "b"),
            alias,
        ])
        let split = try together.whatIf(WhatIf(drops: [Self.target(alias)]), moment: at)
        #expect(split.revenue.allSatisfy { $0.before == $0.after })
        #expect(split.features.contains { $0.name == Self.feature && $0.lost == 1 })
    }

    @Test("A purchase that is put in belongs to the customer who got everything since")
    func insertedForAnHeir() async throws {
        let ledger = try await Self.ledger([
            .reported(.appLaunched, at: Self.now, key: "l", subject: "a"),
            Self.everything("a", "c", at: 2),
        ])
        let report = try ledger.whatIf(WhatIf(inserts: [Self.purchase("a")]), moment: at)
        let voices = try #require(report.features.first { $0.name == Self.feature })
        #expect(voices.gained == 1)
        #expect(report.top.first { !$0.difference.isEmpty }?.subject == "c")
    }

    @Test("An event of another environment is refused, and not answered about an unknown customer")
    func otherEnvironment() async throws {
        var sandbox = Self.purchase("a")
        sandbox.environment = .sandbox
        let ledger = try await Self.ledger([sandbox])
        var target = Self.target(sandbox)
        target.environment = .sandbox
        #expect(throws: LedgerError.self) { try ledger.whatIf(WhatIf(drops: [target]), moment: at) }
        let report = try ledger.whatIf(
            WhatIf(drops: [target]), environment: .sandbox, moment: at)
        #expect(report.changed == 1)
    }
}
