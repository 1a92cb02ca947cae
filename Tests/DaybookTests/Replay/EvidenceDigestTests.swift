import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// Rule 23: evidence and names that merely occur are no aggregates of the digest.
@Suite("Evidence and the digest")
struct EvidenceDigestTests {
    let fixture: LedgerFixture
    let now = Fixtures.now

    init() async throws { fixture = try await LedgerFixture("magical-stories") }

    private func digest() throws -> String {
        let (digest, count) = try fixture.ledger.digest()
        let replay = try fixture.ledger.replay()
        #expect(replay.digest == digest)
        #expect(replay.liveDigest == digest)
        #expect(replay.aggregates == count)
        #expect(replay.differences == [])
        return "\(count) \(digest)"
    }

    @Test(
        "Evidence alone makes no aggregate",
        arguments: ["access.denied", "limit.reached", "feature.restricted", "assignment.conflict"])
    func evidence(_ type: String) async throws {
        try await fixture.record(.used("stories", at: now, ref: "s1"))
        let before = try digest()
        var data: JSONObject = ["feature": "customThemes", "reason_code": "not_entitled"]
        switch type {
        case "limit.reached": data = ["meter": "stories", "limit": 3, "used": 3]
        case "feature.restricted": data = ["feature": "customThemes"]
        case "assignment.conflict": data = ["transaction_id": "1", "profile": "rex"]
        default: data["enforcement"] = "hard"
        }
        try await fixture.record(
            .reported(EventTypeName(rawValue: type), at: now, key: "e1", subject: "ben", data))
        #expect(try digest() == before)
        // What comes after it counts as if it had come alone.
        try await fixture.record(.used("stories", at: now + 1, ref: "b1", subject: "ben"))
        let other = try await LedgerFixture("magical-stories")
        try await other.record(.used("stories", at: now, ref: "s1"))
        try await other.record(.used("stories", at: now + 1, ref: "b1", subject: "ben"))
        let (expected, count) = try other.ledger.digest()
        #expect(try digest() == "\(count) \(expected)")
    }

    @Test("A refusal that leaves evidence changes no digest")
    func refusal() async throws {
        try await fixture.record(.used("stories", at: now, ref: "s1"))
        let before = try digest()
        var ben = fixture
        ben.subject = "ben"
        #expect(
            try await ben.refusal(of: .consume(meter: "collections", amount: 1, ref: "c1")) != nil)
        #expect(try ben.count(of: .accessDenied) == 1)
        #expect(try digest() == before)
        let snapshot = try fixture.ledger.digest(knownAt: .position(fixture.ledger.head().position))
        #expect("\(snapshot.aggregateCount) \(snapshot.digest)" == before)
    }

    @Test("A receiver or an alias's target has no aggregate before an event of their own")
    func targets() async throws {
        let lineage = LineageFixture("1", product: "com.magicalstories.premium.monthly")
        try await fixture.record(lineage.started("1", from: now, until: now + 1_000_000))
        #expect(try fixture.ledger.digest().aggregateCount == 1)
        try await fixture.record(
            lineage.event(.purchaseTransferred, at: now + 1, ["from": "ada", "to": "ben"]))
        #expect(try fixture.ledger.digest().aggregateCount == 1)
        // Without a lineage it is an event of the giver.
        try await fixture.record(
            .reported(
                .purchaseTransferred, at: now + 2, key: "all", subject: "ben",
                ["from": "ben", "to": "cleo"]))
        #expect(try fixture.ledger.digest().aggregateCount == 2)
        try await fixture.record(
            .reported(
                .subjectAliased, at: now + 3, key: "alias", subject: "ben",
                ["alias": "ben", "canonical": "dora"]))
        #expect(try fixture.ledger.digest().aggregateCount == 2)
        _ = try digest()
    }

    @Test("A history whose every event is void has no aggregate")
    func voided() async throws {
        let before = try fixture.ledger.digest()
        let use = EventDraft.used("stories", at: now, ref: "s1")
        try await fixture.record(
            use,
            .reported(
                .limitReached, at: now, key: "l", ["meter": "stories", "limit": 3, "used": 3]))
        try await fixture.perform(
            .voidEvent(source: "native", key: use.source.key ?? ""))
        let after = try fixture.ledger.digest()
        #expect(after.digest == before.digest && after.aggregateCount == before.aggregateCount)
        _ = try digest()
    }
}
