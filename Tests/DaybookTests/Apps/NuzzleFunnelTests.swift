import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

@Suite("Nuzzle: the way from the paywall")
struct NuzzleFunnelTests {
    @Test("NZ-12 The way from the paywall counts trials as trials, and a direct start as none")
    func paywallToPaid() async throws {
        let story = try await StoryLedger("nuzzle", now: Fixtures.now + 60 * StoryLedger.day)
        let day = StoryLedger.day
        let free: JSONObject = ["offer": ["type": "introductory", "discount": "free_trial"]]
        for (name, extra) in [("ada", free), ("ben", JSONObject()), ("cat", free)] {
            try await story.record(
                .reported(
                    "paywall.shown", at: Fixtures.now, key: "p-\(name)", subject: name,
                    ["paywall": "pro", "context": "settings"]))
            var line = LineStory(
                "line-\(name)", product: "com.nestling.pro.monthly", subject: name)
            try await story.record(
                line.started(
                    "1-\(name)", from: Fixtures.now + day, until: Fixtures.now + 8 * day, extra))
            if name == "cat" { continue }
            line.subject = name
            try await story.record(
                line.renewed(
                    "2-\(name)", from: Fixtures.now + 8 * day, until: Fixtures.now + 38 * day))
        }
        let report = try story.ledger.funnel("paywall_to_paid")
        #expect(report.steps.map(\.count) == [3, 2, 1])
    }
}
