import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// What a funnel counts when its steps may come in any order (docs/rules.md#funnels).
@Suite("Funnels in any order")
struct FunnelOrderTests {
    let fixture: LedgerFixture
    let start = Fixtures.now
    let hour = LedgerFixture.hour

    init() async throws {
        fixture = try await LedgerFixture(
            "magical-stories", now: Fixtures.now + 30 * LedgerFixture.day,
            replacing: [
                "funnels:\n": """
                funnels:
                  discovery:
                    window: P1D
                    order: anyOrder
                    steps:
                      - { name: paywall, event: paywall.shown }
                      - { name: firstStory, event: milestone.reached, context: first_story }
                      - { name: milestone, event: milestone.reached }
                    exclusions:
                      - { name: skipped, event: onboarding.skipped }

                """
            ])
    }

    private func event(
        _ type: String, _ subject: String, after hours: Int64, _ data: JSONObject = [:]
    ) -> EventDraft {
        .reported(
            EventTypeName(rawValue: type), at: start + hours * hour,
            key: "\(subject)/\(type)/\(hours)", subject: subject,
            data)
    }

    private func paywall(_ subject: String, after hours: Int64) -> EventDraft {
        event("paywall.shown", subject, after: hours, ["paywall": "main", "context": "settings"])
    }

    private func milestone(_ name: String, _ subject: String, after hours: Int64) -> EventDraft {
        event("milestone.reached", subject, after: hours, ["name": .string(name)])
    }

    @Test("Each step counts who took that step, and its time runs from the step that came before")
    func counts() async throws {
        try await fixture.record(
            // All three, the last of the catalog first.
            milestone("tenth_story", "ada", after: 0), paywall("ada", after: 2),
            milestone("first_story", "ada", after: 5),
            // The second step alone.
            milestone("first_story", "ben", after: 0),
            // The first, and the third too late.
            paywall("eve", after: 0), milestone("tenth_story", "eve", after: 25),
            // Skipped after the entry.
            paywall("gil", after: 0), event("onboarding.skipped", "gil", after: 1, ["flow": "f"]))
        let report = try fixture.ledger.funnel("discovery")
        #expect(report.order == .anyOrder)
        #expect(report.entered == 3)
        #expect(report.steps.map(\.name) == ["paywall", "firstStory", "milestone"])
        #expect(report.steps.map(\.count) == [2, 2, 1])
        #expect(report.steps.map(\.medianMilliseconds) == [2 * hour, 3 * hour, nil])
    }

    @Test("An event with a context goes to the step that wants it, and the next to the plain one")
    func contexts() async throws {
        try await fixture.record(
            milestone("first_story", "ada", after: 0), milestone("first_story", "ada", after: 1),
            milestone("tenth_story", "ben", after: 0), milestone("first_story", "ben", after: 4))
        let report = try fixture.ledger.funnel("discovery")
        #expect(report.entered == 2)
        #expect(report.steps.map(\.count) == [0, 2, 2])
        #expect(report.steps.map(\.medianMilliseconds) == [nil, 4 * hour, hour])
    }

    @Test("In order, a customer enters a funnel with its first step")
    func ordered() async throws {
        try await fixture.record(
            event("onboarding.completed", "ada", after: 0, ["flow": "f"]),
            event("onboarding.started", "ada", after: 1, ["flow": "f"]),
            event("onboarding.completed", "ada", after: 3, ["flow": "f"]),
            event("onboarding.completed", "ben", after: 0, ["flow": "f"]))
        let report = try fixture.ledger.funnel("onboarding_completion")
        #expect(report.entered == 1)
        #expect(report.steps.map(\.count) == [1, 1])
        #expect(report.steps.map(\.medianMilliseconds) == [nil, 2 * hour])
    }
}
