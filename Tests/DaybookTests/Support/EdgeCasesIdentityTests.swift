import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// E47 to E54: which IDs belong to one customer, and who owns what.
@Suite("Edge cases: families, aliases and transfers")
struct EdgeCasesIdentityTests {
    let fixture: LedgerFixture
    let lineage = LineageFixture("1", product: "com.magicalstories.premium.monthly")
    let day = LedgerFixture.day
    let start = instant("2026-01-10T10:00:00Z")
    let end = instant("2026-02-10T10:00:00Z")

    init() async throws {
        fixture = try await LedgerFixture("magical-stories", now: instant("2026-12-01T00:00:00Z"))
    }

    private func isPremium(_ name: String, at time: Int64, knownAt position: Int64? = nil) throws
        -> Bool
    {
        try fixture.ledger.status(
            of: name,
            moment: Moment(at: time, knownAt: position.map(Moment.Knowledge.position))
        ).status.entitlements.contains(where: \.isActive)
    }

    private func aliased(_ alias: String, to canonical: String, key: String) -> EventDraft {
        .reported(
            .subjectAliased, at: start, key: key, subject: alias,
            ["alias": .string(alias), "canonical": .string(canonical)])
    }

    @Test("E47 A lineage that names no customer waits until a customer posts it")
    func orphan() async throws {
        var orphan = lineage
        orphan.subject = nil
        try await fixture.record(orphan.started("1", from: start, until: end))
        #expect(try fixture.ledger.subjects() == [])
        #expect(try !isPremium("ada", at: start))
        try await fixture.record(
            lineage.stated("1", from: start, until: end, signedAt: start + day))
        #expect(try isPremium("ada", at: start))
        #expect(try fixture.ledger.subjects() == ["ada"])
    }

    @Test("E48 Two ids with a subscription each are one person with both")
    func bothSubscribed() async throws {
        let other = LineageFixture("2", product: lineage.product, subject: "anon")
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            other.started("2", from: start, until: end + day))
        try await fixture.record(aliased("anon", to: "ada", key: "a1"))
        for name in ["ada", "anon"] {
            let status = try fixture.ledger.status(of: name, moment: Moment(at: start)).status
            #expect(status.subject == "ada")
            #expect(status.entitlements.first?.candidates.count == 2)
            #expect(status.entitlements.first?.expiresAt == end + day)
        }
    }

    @Test("E48 An anonymous subscription is the signed-in customer's after the alias")
    func anonymous() async throws {
        let other = LineageFixture("2", product: lineage.product, subject: "anon")
        try await fixture.record(other.started("2", from: start, until: end))
        let position = try fixture.ledger.head().position
        #expect(try !isPremium("ada", at: start))
        try await fixture.record(aliased("anon", to: "ada", key: "a1"))
        #expect(try isPremium("ada", at: start))
        #expect(try !isPremium("ada", at: start, knownAt: position))
    }

    @Test("E49 Chains and circles of aliases are one set of names")
    func chains() async throws {
        try await fixture.record(
            aliased("a", to: "b", key: "1"), aliased("b", to: "c", key: "2"),
            aliased("c", to: "a", key: "3"), .used("stories", at: start, ref: "s1", subject: "a"),
            .used("stories", at: start, ref: "s2", subject: "c"))
        for name in ["a", "b", "c"] {
            let status = try fixture.ledger.status(of: name, moment: Moment(at: start)).status
            #expect(status.subject == "a")
            #expect(status.meters.first?.used == 2)
        }
    }

    @Test("E49 A command that would close a circle or name itself is refused")
    func cycles() async throws {
        var fixture = fixture
        fixture.subject = "a"
        try await fixture.perform(.alias(to: "b"))
        #expect(try await fixture.refusal(of: .alias(to: "a")) == .aliasToItself("a"))
        #expect(try await fixture.refusal(of: .alias(to: "b"))?.code == "already_aliased")
        fixture.subject = "b"
        #expect(
            try await fixture.refusal(of: .alias(to: "a")) == .aliasCycle("b", canonical: "a"))
    }

    @Test("E50 An alias that was a mistake splits the counts by the names that were used")
    func unaliased() async throws {
        try await fixture.record(
            .used("stories", at: start, ref: "s1"),
            .used("stories", at: start, ref: "s2", subject: "ben"),
            aliased("ben", to: "ada", key: "a1"))
        func used(_ name: String) throws -> Int64? {
            try fixture.ledger.status(of: name, moment: Moment(at: start)).status.meters.first?.used
        }
        #expect(try used("ada") == 2)
        try await fixture.record(
            .reported(
                .subjectUnaliased, at: start + 1, key: "a2", subject: "ben",
                ["alias": "ben", "canonical": "ada"]))
        #expect(try used("ada") == 1)
        #expect(try used("ben") == 1)
    }

    @Test("E51 A second customer who names a purchase does not own it")
    func sharedDevice() async throws {
        var ben = lineage
        (ben.subject, ben.source) = ("ben", "apple_jws")
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            ben.stated("1", from: start, until: end, signedAt: start + day))
        #expect(try isPremium("ada", at: start + 2 * day))
        let status = try fixture.ledger.status(of: "ben", moment: Moment(at: start + day)).status
        #expect(status.entitlements.allSatisfy { !$0.isActive })
        #expect(status.warnings == ["owned_by_other"])
    }

    @Test("E51 A transfer moves the lineage at its moment, and what comes later lands there too")
    func transferred() async throws {
        let moment = start + 5 * day
        var moved = lineage
        moved.subject = nil
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            moved.event(.purchaseTransferred, at: moment, ["from": "ada", "to": "ben"]),
            lineage.renewed("2", from: end, until: end + 28 * day))
        #expect(try isPremium("ada", at: moment - 1))
        #expect(try !isPremium("ben", at: moment - 1))
        #expect(try !isPremium("ada", at: moment))
        #expect(try isPremium("ben", at: moment))
        #expect(try isPremium("ben", at: end))
        #expect(try !isPremium("ada", at: end))
    }

    @Test(
        "E52 Names that mean no customer are refused, and nothing is recorded",
        arguments: ["null", "undefined", "0", "guest", "NULL", "someone@example.com"])
    func junk(_ name: String) async throws {
        let head = try fixture.ledger.head()
        let code = name.contains("@") ? "pii_forbidden" : "junk_subject"
        #expect(
            try await fixture.problems(of: .used("stories", at: start, ref: "s1", subject: name))
                == [code])
        await #expect {
            try await fixture.ledger.consume("stories", by: name, ref: "s1")
        } throws: { error in
            guard case .badInput(let problems)? = error as? LedgerError else { return false }
            return problems.map(\.code) == [code]
        }
        #expect(try fixture.ledger.head() == head)
    }

    @Test("E53 A token of a customer who was not known yet makes that customer the owner")
    func token() async throws {
        var cleo = lineage
        cleo.subject = "cleo"
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            cleo.renewed(
                "2", from: end, until: end + 28 * day, ["app_account_token": "cleo"]))
        #expect(try fixture.ledger.subjects().contains("cleo"))
        #expect(try isPremium("cleo", at: end))
        #expect(try !isPremium("ada", at: end))
    }
}
