import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

@Suite("Nuzzle: the way from the paywall")
struct NuzzleFunnelTests {
    @Test("NZ-12 The way from the paywall counts trials as trials, and a direct start as none")
    func paywallToPaid() async throws {
        let fixture = try await LedgerFixture("nuzzle", now: Fixtures.now + 60 * LedgerFixture.day)
        let day = LedgerFixture.day
        let free: JSONObject = ["offer": ["type": "introductory", "discount": "free_trial"]]
        for (name, extra) in [("ada", free), ("ben", JSONObject()), ("cat", free)] {
            try await fixture.record(
                .reported(
                    .paywallShown, at: Fixtures.now, key: "p-\(name)", subject: name,
                    ["paywall": "pro", "context": "settings"]))
            var lineage = LineageFixture(
                "line-\(name)", product: "com.nestling.pro.monthly", subject: name)
            try await fixture.record(
                lineage.started(
                    "1-\(name)", from: Fixtures.now + day, until: Fixtures.now + 8 * day, extra))
            if name == "cat" { continue }
            lineage.subject = name
            try await fixture.record(
                lineage.renewed(
                    "2-\(name)", from: Fixtures.now + 8 * day, until: Fixtures.now + 38 * day))
        }
        let report = try fixture.ledger.funnel("paywall_to_paid")
        #expect(report.steps.map(\.count) == [3, 2, 1])
    }
}
