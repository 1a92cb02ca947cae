import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// Corrections that were reported, which may come before what they correct.
@Suite("Reported corrections")
struct CorrectionTests {
    let fixture: LedgerFixture
    let now = Fixtures.now
    let day = LedgerFixture.day
    let lineage = LineageFixture("1", product: "com.magicalstories.premium.monthly")

    init() async throws { fixture = try await LedgerFixture("magical-stories") }

    private func amendment(
        of target: EventDraft, _ patch: JSONObject, key: String = "c", at time: Int64? = nil
    ) -> EventDraft {
        let named: JSONObject = [
            "source": .string(target.source.kind), "key": .string(target.source.key ?? ""),
        ]
        return .reported(
            .correctionAmended, at: time ?? now, key: key,
            ["target": .object(named), "reason": "r", "patch": .object(patch)])
    }

    private func voiding(_ target: EventDraft, ticket: String?) -> EventDraft {
        let named: JSONObject = [
            "source": .string(target.source.kind), "key": .string(target.source.key ?? ""),
        ]
        var data: JSONObject = ["target": .object(named), "reason": "r"]
        data["ticket"] = ticket.map(JSONValue.string)
        return .reported(.correctionVoided, at: now, key: "v", data)
    }

    private func code(_ drafts: EventDraft...) async throws -> String? {
        do {
            try await fixture.ledger.record(drafts)
            return nil
        } catch let error as LedgerError {
            return error.code
        }
    }

    /// What `verify` says of amendments.
    private func finding() throws -> VerifyFinding {
        try #require(try fixture.ledger.verify().first { $0.check.contains("every amendment") })
    }

    /// The ledger says what the naive model says, at every moment and cut.
    private func expectModel() throws {
        let comparison = try ModelComparison(fixture.ledger)
        let moments = comparison.moments
        for cut in 1...Int64(comparison.events.count) {
            for difference in try comparison.differences(at: moments, cut: cut) {
                Issue.record("\(difference)")
            }
        }
    }

    @Test("Rule 20 A signed purchase is not amended, whichever came first")
    func signed() async throws {
        let draft = lineage.started("1", from: now, until: now + day)
        let longer = amendment(of: draft, ["expires_at": .integer(now + 900 * day)])
        // First the correction: what it is about is not known yet.
        try await fixture.record(longer)
        #expect(try finding().isClean)
        try await fixture.record(draft)
        #expect(try fixture.entitlement("premium")?.expiresAt == now + day)
        #expect(try !finding().isClean)
        #expect(try finding().detail.contains("signed"))
        try expectModel()
        let entries = try fixture.ledger.history(of: "ada")
        #expect(entries.allSatisfy { $0.amendments.isEmpty })
        #expect(try fixture.ledger.replay().agrees)
        // And where it is there, the correction is refused.
        let again = amendment(of: draft, ["expires_at": .integer(now + 900 * day)], key: "c2")
        #expect(try await code(again) == "forbidden")
    }

    @Test("E76 An amendment that came first and cannot be applied changes nothing, and is told of")
    func invalid() async throws {
        let use = EventDraft.used("stories", at: now, ref: "s1")
        let patches: [JSONObject] = [
            ["amount": 99_999_999_999], ["amount": 2], ["meter": nil], ["amount": "hello"],
            ["ref": "s2", "occurred_at": 5],
        ]
        for (index, patch) in patches.enumerated() {
            try await fixture.record(
                amendment(of: use, patch, key: "c\(index)", at: now + Int64(index)))
        }
        try await fixture.record(use)
        #expect(try fixture.meter("stories")?.used == 2)
        let found = try finding()
        for position in [2, 4, 5, 6] { #expect(found.detail.contains("@\(position) ")) }
        #expect(!found.detail.contains("@3 "))
        let entry = try #require(
            try fixture.ledger.history(of: "ada").first {
                $0.event.draft.type == .usageRecorded
            })
        #expect(entry.amendments == [3])
        try expectModel()
        #expect(try fixture.ledger.replay().agrees)
    }

    @Test("A correction of what is there, or earlier in its batch, is judged at once")
    func known() async throws {
        let use = EventDraft.used("stories", at: now, ref: "s1")
        let head = try fixture.ledger.head()
        #expect(try await code(use, amendment(of: use, ["amount": -50])) == "out_of_bounds")
        #expect(try fixture.ledger.head() == head)
        try await fixture.record(use)
        #expect(try await code(amendment(of: use, ["amount": "x"])) == "wrong_type")
        #expect(try await code(amendment(of: use, ["subject": "bob"])) == "forbidden")
        #expect(try await code(amendment(of: use, [:])) == "wrong_type")
        #expect(try await code(amendment(of: use, ["amount": 3])) == nil)
        #expect(try fixture.meter("stories")?.used == 3)
        // The same correction again is the same event, and is not judged anew.
        let again = try await fixture.record(amendment(of: use, ["amount": 3]))
        #expect((again.appended, again.duplicates) == (0, 1))
    }

    @Test("Voiding a signed fact by report needs a ticket")
    func voided() async throws {
        let draft = lineage.started("1", from: now, until: now + day)
        try await fixture.record(draft)
        #expect(try await code(voiding(draft, ticket: nil)) == "missing_field")
        #expect(try await code(voiding(draft, ticket: "T-1")) == nil)
        #expect(try fixture.entitlement("premium")?.isActive == false)
    }

    @Test("What a ledger took in comes out and goes in again, in the same order")
    func exported() async throws {
        let use = EventDraft.used("stories", at: now, ref: "s1")
        try await fixture.record(amendment(of: use, ["amount": 99_999_999_999]))
        try await fixture.record(use)
        var bytes: [UInt8] = []
        try fixture.ledger.export { bytes += $0 }
        let copy = try Ledger(inMemory: "magical-stories", clock: { Fixtures.now })
        var chunks = [bytes]
        let report = try await copy.importLines({ chunks.popLast() })
        #expect(report.refused.isEmpty)
        #expect(try copy.digest().digest == fixture.ledger.digest().digest)
    }

    @Test("T24 A client cannot grant, reset, correct or transfer, on any path")
    func clients() async throws {
        let use = EventDraft.used("stories", at: now, ref: "s1")
        try await fixture.record(use)
        var drafts = [
            voiding(use, ticket: "T"), amendment(of: use, ["amount": 1]),
            .reported(
                .grantIssued, at: now, key: "g",
                ["grant_id": "g", "entitlement": "premium", "starts_at": .integer(now)]),
            .reported(
                .usageReset, at: now, key: "u",
                [
                    "meter": "stories", "trigger": "manual", "period_start": .integer(now),
                    "effective_at": .integer(now),
                ]),
            .reported(.purchaseTransferred, at: now, key: "t", ["from": "bob", "to": "ada"]),
        ]
        for index in drafts.indices { drafts[index].trust = .clientAsserted }
        let head = try fixture.ledger.head()
        for draft in drafts { #expect(try await code(draft) == "forbidden", "\(draft.type)") }
        #expect(try fixture.ledger.head() == head)
    }
}
