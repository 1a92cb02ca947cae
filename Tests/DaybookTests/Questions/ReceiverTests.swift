import Daybook
import DaybookDomain
import DaybookEvents
import DaybookTesting
import Testing

/// Customers known only as receivers of transfers, and IDs that only an alias names.
@Suite("Customers without an event of their own")
struct ReceiverTests {
    private static let document =
        MeterCatalog.text + """
            funnels:
              kept:
                window: P90D
                steps:
                  - { event: subscription.renewed, name: first }
                  - { event: subscription.renewed, name: second }
            eventNames:
              memberRenewed: { milestone: renewed }

            """
    private let now = instant("2026-04-01T00:00:00Z")
    private let day = LedgerFixture.day
    private let fixture: LedgerFixture

    init() async throws {
        fixture = try await LedgerFixture("meters", document: Array(Self.document.utf8), now: now)
    }

    /// A subscription that began 80 days ago and was renewed 50 and 20 days ago.
    private func lineage(_ id: String, of subject: String) -> [EventDraft] {
        let lineage = LineageFixture(id, product: "club.monthly", subject: subject)
        return [
            lineage.started("\(id)-1", from: now - 80 * day, until: now - 50 * day),
            lineage.renewed("\(id)-2", from: now - 50 * day, until: now - 20 * day),
            lineage.renewed("\(id)-3", from: now - 20 * day, until: now + 10 * day),
        ]
    }

    /// Everything that a customer owns becomes another's, 60 days ago.
    private func gift(_ from: String, _ to: String) -> EventDraft {
        .reported(
            .purchaseTransferred, at: now - 60 * day, key: "gift-\(from)", subject: from,
            ["from": .string(from), "to": .string(to)])
    }

    @Test("A receiver of everything walks a funnel by it, also as known before what came later")
    func funnel() async throws {
        try await fixture.ledger.record(lineage("1", of: "giver") + [gift("giver", "taker")])
        try await fixture.record(.used("daily", at: now - 1, ref: "later", subject: "zed"))
        for moment in [nil, Moment.Knowledge.position(5)] {
            let report = try fixture.ledger.funnel(
                FunnelRequest("kept", moment: Moment(knownAt: moment)))
            #expect(report.entered == 1)
            #expect(report.steps.map(\.count) == [1, 1])
        }
        // Before the transfer was known, the renewals were the giver's.
        let before = try fixture.ledger.funnel(
            FunnelRequest("kept", moment: Moment(knownAt: .position(4))))
        #expect(before.steps.map(\.count) == [1, 1])
        #expect(try fixture.ledger.subjects() == ["giver", "zed"])
    }

    @Test("An id that only an alias names is its person's, who is counted once")
    func alias() async throws {
        try await fixture.ledger.record(lineage("1", of: "anon"))
        try await fixture.record(
            .reported(
                .subjectAliased, at: now - 70 * day, key: "alias", subject: "anon",
                ["alias": "anon", "canonical": "cora"]))
        #expect(try fixture.ledger.subjects() == ["anon"])
        #expect(try fixture.ledger.funnel("kept").steps.map(\.count) == [1, 1])
        // What is given to an id that only an alias names is its person's too.
        try await fixture.ledger.record(lineage("2", of: "giver") + [gift("giver", "cora")])
        #expect(try fixture.ledger.funnel("kept").steps.map(\.count) == [1, 1])
        #expect(
            try fixture.ledger.status(of: "anon").status.entitlements.map(\.isActive) == [true])
    }

    @Test(
        "A publication's dry run counts receivers who own something, and none who got nothing")
    func dryRun() async throws {
        try await fixture.ledger.record(
            lineage("1", of: "giver") + [gift("giver", "taker"), gift("poor", "nobody")])
        let changed = Self.document.replacing("club: 100 }", with: "club: 200 }")
        let dryRun = try fixture.ledger.dryRun(
            CatalogPublication(document: Array(changed.utf8)))
        #expect(dryRun.customers == 3)
        #expect(dryRun.changedCustomers == 1)
        #expect(dryRun.changedAnswers == 1)
    }

    @Test("An export under the app's names has what is derived of them")
    func derived() async throws {
        try await fixture.ledger.record(lineage("1", of: "giver") + [gift("giver", "taker")])
        var lines: [JSONObject] = []
        try fixture.ledger.export(names: .app) {
            let object = try #require(try JSONReader.read(Array($0.dropLast())).object)
            if object["derived_from"] != nil { lines.append(object) }
        }
        // For the new owner the first renewal began the subscription.
        #expect(lines.map { $0["type"] } == ["memberRenewed"])
        #expect(lines.map { $0["subject"] } == ["taker"])
        #expect(lines.map { $0["occurred_at"] } == [.integer(now - 20 * day)])
    }
}
