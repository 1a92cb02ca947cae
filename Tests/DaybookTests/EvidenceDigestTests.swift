import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// Rule 23: evidence and names that merely occur are no units of the digest.
@Suite("Evidence and the digest")
struct EvidenceDigestTests {
    let story: StoryLedger
    let now = Fixtures.now

    init() async throws { story = try await StoryLedger("magical-stories") }

    private func digest() throws -> String {
        let (digest, count) = try story.ledger.digest()
        let replay = try story.ledger.replay()
        #expect(replay.digest == digest)
        #expect(replay.liveDigest == digest)
        #expect(replay.units == count)
        #expect(replay.differences == [])
        return "\(count) \(digest)"
    }

    @Test(
        "Evidence alone makes no unit",
        arguments: ["access.denied", "limit.reached", "feature.restricted", "assignment.conflict"])
    func evidence(_ type: String) async throws {
        try await story.record(.used("stories", at: now, ref: "s1"))
        let before = try digest()
        var data: JSONObject = ["feature": "customThemes", "reason_code": "not_entitled"]
        switch type {
        case "limit.reached": data = ["meter": "stories", "limit": 3, "used": 3]
        case "feature.restricted": data = ["feature": "customThemes"]
        case "assignment.conflict": data = ["transaction_id": "1", "profile": "rex"]
        default: data["enforcement"] = "hard"
        }
        try await story.record(.reported(type, at: now, key: "e1", subject: "ben", data))
        #expect(try digest() == before)
        // What comes after it counts as if it had come alone.
        try await story.record(.used("stories", at: now + 1, ref: "b1", subject: "ben"))
        let other = try await StoryLedger("magical-stories")
        try await other.record(.used("stories", at: now, ref: "s1"))
        try await other.record(.used("stories", at: now + 1, ref: "b1", subject: "ben"))
        let (expected, count) = try other.ledger.digest()
        #expect(try digest() == "\(count) \(expected)")
    }

    @Test("A refusal that leaves evidence changes no digest")
    func refusal() async throws {
        try await story.record(.used("stories", at: now, ref: "s1"))
        let before = try digest()
        var ben = story
        ben.subject = "ben"
        #expect(
            try await ben.refusal(of: .consume(meter: "collections", amount: 1, ref: "c1")) != nil)
        #expect(try ben.count(of: "access.denied") == 1)
        #expect(try digest() == before)
        let snapshot = try story.ledger.digest(knownAt: .position(story.ledger.head().position))
        #expect("\(snapshot.unitCount) \(snapshot.digest)" == before)
    }

    @Test("Who something is handed to, or is said to be, is no unit before an event is theirs")
    func targets() async throws {
        let line = LineStory("1", product: "com.magicalstories.premium.monthly")
        try await story.record(line.started("1", from: now, until: now + 1_000_000))
        #expect(try story.ledger.digest().unitCount == 1)
        try await story.record(
            line.event("purchase.transferred", at: now + 1, ["from": "ada", "to": "ben"]))
        #expect(try story.ledger.digest().unitCount == 1)
        // Without a line it is an event of who gives.
        try await story.record(
            .reported(
                "purchase.transferred", at: now + 2, key: "all", subject: "ben",
                ["from": "ben", "to": "cleo"]))
        #expect(try story.ledger.digest().unitCount == 2)
        try await story.record(
            .reported(
                "subject.aliased", at: now + 3, key: "alias", subject: "ben",
                ["alias": "ben", "canonical": "dora"]))
        #expect(try story.ledger.digest().unitCount == 2)
        _ = try digest()
    }

    @Test("A history whose every event is void has no unit")
    func voided() async throws {
        let before = try story.ledger.digest()
        let use = EventDraft.used("stories", at: now, ref: "s1")
        try await story.record(
            use,
            .reported(
                "limit.reached", at: now, key: "l", ["meter": "stories", "limit": 3, "used": 3]))
        try await story.perform(
            .voidEvent(source: "native", key: use.source.key ?? ""))
        let after = try story.ledger.digest()
        #expect(after.digest == before.digest && after.unitCount == before.unitCount)
        _ = try digest()
    }
}
