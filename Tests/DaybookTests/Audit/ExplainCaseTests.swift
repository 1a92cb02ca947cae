import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// Cases that support is asked about, at least three of each app: an explanation names what decided.
@Suite("Explanations of support cases")
struct ExplainCaseTests {
    /// One question about a recorded stream, and what its explanation must say.
    struct Case: Sendable, CustomStringConvertible {
        var stream: String
        var subject: String
        var name: String
        var at: String
        var profile: String?
        var knownAt: Int64?
        /// The answer.
        var reason: DecisionReason
        /// The event that decided; `nil`: time did.
        var event: (position: Int64, type: EventTypeName)?
        /// When it did.
        var decidedAt: String
        /// Where time decided, the position of the event that had set the moment.
        var cause: Int64?
        /// The reasons that were given for the asked time, first to last.
        var beliefs: [DecisionReason] = []

        var description: String { "\(stream) \(subject) \(name) at \(at)" }
    }

    static let cases: [Case] = [
        // Dozzi: a refund locks again; a purchase told two days late; an alias joined two quotas.
        Case(
            stream: "dozzi/refund-after-two-stories", subject: "u_1199", name: "premiumVoices",
            at: "2027-01-01T00:00:00Z", reason: .refunded, event: (8, .purchaseRefunded),
            decidedAt: "2026-02-05T09:00:00Z"),
        Case(
            stream: "dozzi/late-notification", subject: "u_1377", name: "stories",
            at: "2026-03-12T00:00:00Z", reason: .lifetime, event: (6, .purchaseCompleted),
            decidedAt: "2026-03-11T19:00:00Z", beliefs: [.limitReached, .lifetime]),
        Case(
            stream: "dozzi/alias-merges-quotas", subject: "u_1300", name: "stories",
            at: "2027-01-01T00:00:00Z", reason: .limitReached, event: (3, .usageRecorded),
            decidedAt: "2026-03-05T19:20:00Z"),
        // Magical Stories: a grace period lapsed; stories told late used up a month that is over; a month began.
        Case(
            stream: "magical-stories/trial-grace-recovered", subject: "u_1",
            name: "unlimitedStoryGeneration", at: "2026-03-30T00:00:00Z", reason: .billingRetry,
            decidedAt: "2026-03-24T09:00:00Z", cause: 7),
        Case(
            stream: "magical-stories/late-story-last-month", subject: "u_1", name: "stories",
            at: "2026-03-31T23:00:00Z", reason: .limitReached, event: (6, .usageRecorded),
            decidedAt: "2026-03-31T20:00:00Z", beliefs: [.freeQuota, .limitReached]),
        Case(
            stream: "magical-stories/zone-change-mid-month", subject: "u_1", name: "stories",
            at: "2026-02-10T00:00:00Z", reason: .freeQuota, decidedAt: "2026-02-01T05:00:00Z",
            cause: 2),
        // Ollie: a free period over a change to summer time; a refund after it; a purchase that waited for its dog.
        Case(
            stream: "ollie/summer-time-free-period", subject: "u_2001", name: "quickLog",
            at: "2027-01-01T00:00:00Z", reason: .freePeriodExpired,
            decidedAt: "2026-04-05T08:00:00Z", cause: 3),
        Case(
            stream: "ollie/refund-after-the-free-period", subject: "u_2031", name: "quickLog",
            at: "2026-02-11T00:00:00Z", knownAt: 5, reason: .refunded,
            event: (5, .purchaseRefunded), decidedAt: "2026-02-10T11:00:00Z"),
        Case(
            stream: "ollie/offline-purchase-synced-later", subject: "u_2070", name: "quickLog",
            at: "2026-05-27T00:00:00Z", profile: "d_saar", reason: .lifetime,
            event: (5, .purchaseAssigned), decidedAt: "2026-05-26T16:00:05Z"),
        // Fork in the Road: a revocation, voided by support and put back; a lapse; a client's word alone.
        Case(
            stream: "fork-in-the-road/revoked-then-voided-by-support", subject: "u_1",
            name: "unlimitedGroups", at: "2026-02-07T00:00:00Z", reason: .refunded,
            decidedAt: "2026-02-06T11:00:00Z", cause: 3,
            beliefs: [.refunded, .subscription, .refunded]),
        Case(
            stream: "fork-in-the-road/lapse-over-the-limit", subject: "u_1",
            name: "unlimitedCollections", at: "2027-01-01T00:00:00Z", reason: .expired,
            decidedAt: "2026-02-01T12:00:00Z", cause: 2),
        Case(
            stream: "fork-in-the-road/client-asserted-alone", subject: "u_1",
            name: "unlimitedCollections", at: "2027-01-01T00:00:00Z", reason: .unverified,
            decidedAt: "2026-03-04T12:00:00Z", cause: 2),
        // Nuzzle: two refunds, the later one of the current period; a renewal told late; a trial that was never paid; a
        // period that simply ended.
        Case(
            stream: "nuzzle/refunds-now-and-of-an-earlier-period", subject: "u_3080",
            name: "smartPredictions", at: "2027-01-01T00:00:00Z", reason: .refunded,
            event: (6, .purchaseRefunded), decidedAt: "2026-02-10T10:00:00Z"),
        Case(
            stream: "nuzzle/late-renewal-after-expired", subject: "u_3090",
            name: "smartPredictions", at: "2026-02-01T12:00:00Z", reason: .subscription,
            event: (5, .subscriptionRenewed), decidedAt: "2026-02-01T10:00:00Z",
            beliefs: [.expired, .subscription, .subscription]),
        Case(
            stream: "nuzzle/trial-fails-without-grace", subject: "u_3020", name: "aiAssistant",
            at: "2027-01-01T00:00:00Z", reason: .expired,
            decidedAt: "2026-05-07T10:00:00Z", cause: 3),
        Case(
            stream: "nuzzle/grace-expires-recovers-later", subject: "u_3010",
            name: "smartPredictions", at: "2027-01-01T00:00:00Z", reason: .expired,
            decidedAt: "2026-03-25T15:30:00Z", cause: 7),
    ]

    @Test("The deciding event is named, and what was believed before", arguments: cases)
    func deciding(_ asked: Case) async throws {
        let parts = asked.stream.split(separator: "/").map(String.init)
        let pair = StreamGolden.Pair(app: parts[0], name: parts[1])
        let ledger = try await StreamGolden.ledger(
            pair.app, holding: try StreamGolden.drafts(of: pair))
        let at: Int64 = try #require(RFC3339.parse(asked.at))
        let found = try ledger.explain(
            CheckQuestion(asked.name, profile: asked.profile), for: asked.subject,
            moment: Moment(at: at, knownAt: asked.knownAt.map { .position($0) }))
        #expect(found.isKnown)
        #expect(found.decision.reason == asked.reason)
        let deciding = try #require(found.deciding)
        #expect(RFC3339.format(deciding.at) == asked.decidedAt)
        #expect(deciding.event?.event.position == asked.event?.position)
        #expect(deciding.event?.event.draft.type == asked.event?.type)
        #expect(deciding.cause?.event.position == asked.cause)
        #expect(found.beliefs.map(\.reason) == asked.beliefs)
    }

    @Test("Of very many events and commits it is said how many were not looked at")
    func bounds() async throws {
        let fixture = try await LedgerFixture("dozzi")
        let at = Fixtures.now
        try await fixture.ledger.record(
            (0..<70).map { .used("stories", at: at - 100 + Int64($0), ref: "early-\($0)") })
        // What is told later about the same time: one commit each.
        for number in 0..<260 {
            fixture.clock.now = at + 1_000 + Int64(number)
            try await fixture.ledger.record([.used("stories", at: at - 200, ref: "late-\(number)")])
        }
        let found = try fixture.ledger.explain(
            CheckQuestion("stories"), for: "ada", moment: Moment(at: at))
        #expect(found.steps.count == 330)
        #expect(found.untriedCount == 330 - 64)
        #expect(found.passedCommitCount == 260 - 256)
        let small = try fixture.ledger.explain(
            CheckQuestion("stories"), for: "ada",
            moment: Moment(at: at, knownAt: .position(40)))
        #expect(small.untriedCount == 0 && small.passedCommitCount == 0)
    }

    @Test("What would turn the answer is said, and nothing that would not")
    func alternatives() async throws {
        let pair = StreamGolden.Pair(app: "dozzi", name: "refund-after-two-stories")
        let ledger = try await StreamGolden.ledger(
            pair.app, holding: try StreamGolden.drafts(of: pair))
        let at = try #require(RFC3339.parse("2027-01-01T00:00:00Z"))
        let locked = try ledger.explain(
            CheckQuestion("premiumVoices"), for: "u_1199", moment: Moment(at: at))
        #expect(
            locked.alternatives == [
                .entitlement("unlimited", products: ["com.dozzi.unlimited_stories"]),
                .without(position: 8, reason: .lifetime),
            ])
        let unknown = try ledger.explain(
            CheckQuestion("premiumVoices"), for: "nobody", moment: Moment(at: at))
        #expect(!unknown.isKnown)
        #expect(unknown.steps.isEmpty)
        #expect(unknown.deciding == nil)
    }
}
