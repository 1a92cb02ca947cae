import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import Testing

@Suite("Replay, step by step")
struct SteppedReplayTests {
    private static func ledger(_ app: String, _ name: String) async throws -> Ledger {
        let pair = StreamGolden.Pair(app: app, name: name)
        return try await StreamGolden.ledger(app, holding: try StreamGolden.drafts(of: pair))
    }

    @Test(
        "The last step is what the ledger answers, and back is where one came from",
        arguments: try StreamGolden.pairs())
    func walks(_ pair: StreamGolden.Pair) async throws {
        let ledger = try await StreamGolden.ledger(
            pair.app, holding: try StreamGolden.drafts(of: pair))
        for environment in Environment.allCases {
            for subject in try ledger.subjects(in: environment) {
                var replay = try ledger.stepping(subject, environment: environment)
                var steps = [try replay.step()]
                while replay.next() == .arrived { steps.append(try replay.step()) }
                #expect(steps.count == replay.entries.count + 1)
                let last = try #require(steps.last)
                let (status, asOf) = try ledger.status(
                    of: subject, environment: environment, moment: Moment(at: last.at))
                var expected = status.json(asOf)
                expected["as_of"] = nil
                #expect(try replay.status() == expected, "\(pair) \(subject)")
                for index in steps.indices.reversed().dropFirst() {
                    #expect(replay.back() == .arrived)
                    #expect(try replay.step() == steps[index], "\(pair) \(subject) \(index)")
                }
                #expect(replay.back() == .ended)
                let isVoidSilent = steps.allSatisfy { step in
                    !(step.event?.isVoid ?? false) || step.changes.isEmpty
                }
                #expect(isVoidSilent, "\(pair) \(subject)")
            }
        }
    }

    @Test("A walk stops where a condition begins to hold, and at events of a type")
    func conditions() async throws {
        let ledger = try await Self.ledger("dozzi", "refund-after-two-stories")
        var replay = try ledger.stepping("u_1199")
        let allowed = try AnswerCondition("allowed:premiumVoices")
        let denied = try AnswerCondition("denied:premiumVoices")
        #expect(try replay.run(until: [allowed]) == .stopped(at: allowed))
        #expect(try replay.step().event?.event.draft.type == .purchaseCompleted)
        // It holds already, so it begins to hold nowhere after.
        var same = replay
        #expect(try same.run(until: [allowed]) == .ended)
        #expect(try replay.run(until: [denied]) == .stopped(at: denied))
        #expect(try replay.step().event?.event.draft.type == .purchaseRefunded)
        replay.go(toTime: 0)
        #expect(replay.count == 0)
        let used = try AnswerCondition("used:stories>=2")
        #expect(try replay.run(until: [used]) == .stopped(at: used))
        #expect(try replay.holds(used))
        #expect(replay.back() == .arrived)
        #expect(try !replay.holds(used))
        let use = try AnswerCondition("usage.recorded")
        replay.go(toTime: 0)
        var uses = 0
        while try replay.run(until: [use]) == .stopped(at: use) { uses += 1 }
        #expect(uses == replay.entries.count { $0.event.draft.type == .usageRecorded })
        try replay.go(toPosition: 4)
        #expect(try replay.step().event?.event.position == 4)
        #expect(throws: LedgerError.self) { try replay.go(toPosition: 4_711) }
        let unknown = try AnswerCondition("allowed:nosuch")
        replay.go(toTime: 0)
        #expect(throws: LedgerError.self) { try replay.run(until: [unknown]) }
    }

    @Test("What an event changed is told field by field")
    func changes() async throws {
        let ledger = try await Self.ledger("dozzi", "refund-after-two-stories")
        var replay = try ledger.stepping("u_1199")
        let refund = try AnswerCondition("purchase.refunded")
        #expect(try replay.run(until: [refund]) == .stopped(at: refund))
        let changes = try replay.step().changes
        #expect(
            changes.contains(
                JSONDifference(
                    path: "entitlements.unlimited.active", before: .bool(true), after: .bool(false))
            ))
        #expect(
            changes.contains(
                JSONDifference(
                    path: "entitlements.unlimited.state", before: "lifetime", after: "refunded")))
    }

    @Test("Stepping reads a file without write permission")
    func readOnly() async throws {
        let folder = try LedgerFolder()
        let ledger = try await folder.create("dozzi") { 0 }
        let pair = StreamGolden.Pair(app: "dozzi", name: "refund-after-two-stories")
        try await ledger.record(
            try StreamGolden.drafts(of: pair), options: ReportOptions(isAsRecorded: true))
        let head = try ledger.head().position
        try ledger.close()
        let reader = try Ledger.open(folder.path, readOnly: true)
        var replay = try reader.stepping("u_1199")
        while replay.next() == .arrived { _ = try replay.step() }
        // The same ledger refuses whatever would leave something behind.
        await #expect(throws: LedgerError.self) {
            try await reader.consume("stories", by: "u_1199", ref: "x")
        }
        #expect(throws: (any Error).self) { try reader.snapshot() }
        #expect(try reader.head().position == head)
        try reader.close()
    }
}
