import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Foundation
import Testing

/// A clock that the test can stop at the moment when the ledger's writer asks it, so that what is sent meanwhile shares
/// the next commit. It goes on by a millisecond whenever it is asked: one time, one commit.
private final class TurnstileClock: Sendable {
    private struct Content {
        var now = Fixtures.now
        var isClosed = false
        var isWaiting = false
    }
    private let condition = NSCondition()
    nonisolated(unsafe) private var content = Content()

    func read() -> Int64 {
        condition.withLock {
            while content.isClosed {
                content.isWaiting = true
                condition.wait()
            }
            content.isWaiting = false
            content.now += 1
            return content.now
        }
    }

    var isWaiting: Bool { condition.withLock { content.isWaiting } }

    func close() { condition.withLock { content.isClosed = true } }

    func open() {
        condition.withLock {
            content.isClosed = false
            condition.broadcast()
        }
    }
}

@Suite("Receipts of repeated commands")
struct ReceiptTests {
    /// Sends requests so that they reach the writer together, in this order. Each waits on a thread of its own: the
    /// threads that all tests share go on.
    private static func together<Answer: Sendable>(
        _ ledger: Ledger, _ clock: TurnstileClock,
        _ calls: [@Sendable () async throws -> Answer]
    ) async throws -> [Answer] {
        let threads = OwnThreads()
        return try await withTaskExecutorPreference(threads) {
            clock.close()
            let first = Task(executorPreference: threads) {
                try await ledger.consume("stories", by: "doorkeeper")
            }
            while !clock.isWaiting { try await Task.sleep(for: .milliseconds(1)) }
            var tasks: [Task<Answer, any Error>] = []
            for call in calls {
                tasks.append(Task(executorPreference: threads) { try await call() })
                while ledger.writer.waitingCount < tasks.count {
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
            clock.open()
            _ = try await first.value
            var answers: [Answer] = []
            for task in tasks { answers.append(try await task.value) }
            return answers
        }
    }

    private static func ledger(_ clock: TurnstileClock) async throws -> Ledger {
        let ledger = try Ledger(inMemory: "magical-stories", clock: { clock.read() })
        try await ledger.publish(
            CatalogPublication(document: try Fixtures.catalogDocument("magical-stories")))
        return ledger
    }

    @Test("A receipt holds the command's own events, whatever was written in the same millisecond")
    func exact() async throws {
        let fixture = try await LedgerFixture("magical-stories")
        try await fixture.use("stories", "s1", "s2")
        let first = try await fixture.ledger.consume("stories", by: "ada", ref: "s3", key: "K1")
        #expect(first.positions.count == 2)
        // Refused, with evidence in the very next position.
        await #expect(throws: LedgerError.self) {
            try await fixture.ledger.consume("stories", by: "ada", ref: "s4", key: "K2")
        }
        #expect(try fixture.count(of: .accessDenied) == 1)
        #expect(try fixture.ledger.head().position == first.positions[1] + 1)
        let again = try await fixture.ledger.consume("stories", by: "ada", ref: "s3", key: "K1")
        #expect(again == first)
        #expect(again.decision?.usage?.used == 3)
    }

    @Test("The first receipt comes again after other months, catalogs and another process")
    func later() async throws {
        let fixture = try await LedgerFixture("magical-stories")
        let first = try await fixture.ledger.consume("stories", by: "ada", ref: "s1", key: "K1")
        try await fixture.use("stories", "s2")
        fixture.clock.now = instant("2026-02-20T00:00:00Z")
        let second = try await fixture.ledger.consume("stories", by: "ada", ref: "s3", key: "K3")
        // The new month's reset came with it.
        #expect(second.positions.count == 2)
        try await fixture.publish(replacing: ["limit: 3\n": "limit: 5\n"])
        #expect(
            try await fixture.ledger.consume("stories", by: "ada", ref: "s1", key: "K1") == first)
        #expect(
            try await fixture.ledger.consume("stories", by: "ada", ref: "s3", key: "K3") == second)
        let other = try Ledger(store: fixture.ledger.core.store, clock: { fixture.clock.now })
        #expect(try await other.consume("stories", by: "ada", ref: "s3", key: "K3") == second)
    }

    @Test("A reservation's receipt comes again as it was")
    func reservation() async throws {
        let fixture = try await LedgerFixture("magical-stories")
        let command = Command.reserve(
            meter: "stories", amount: 2, reservation: "r", timeoutMilliseconds: nil)
        let first = try await fixture.perform(command, key: "R1")
        #expect(first.decision?.usage?.reserved == 2)
        try await fixture.perform(.release(reservation: "r"))
        #expect(try await fixture.perform(command, key: "R1") == first)
    }

    @Test("The same request twice in one commit: one use, and one answer with the use counted")
    func doubleTap() async throws {
        let clock = TurnstileClock()
        let ledger = try await Self.ledger(clock)
        let tap: @Sendable (String) -> @Sendable () async throws -> Receipt = { ref in
            { try await ledger.consume("stories", by: "ada", ref: ref, key: "tap-\(ref)") }
        }
        let receipts = try await Self.together(
            ledger, clock, [tap("a"), tap("b"), tap("a"), tap("b"), tap("a")])
        #expect(receipts[0] == receipts[2])
        #expect(receipts[0] == receipts[4])
        #expect(receipts[1] == receipts[3])
        let used = Set(receipts.map { $0.decision?.usage?.used })
        #expect(used == [1, 2])
        #expect(Set(receipts.flatMap(\.positions)).count == 2)
        #expect(Set(receipts.map(\.recordedAt)).count == 1, "they did not share a commit")
    }

    @Test("Many threads tap the same keys at once: each key counts once and has one receipt")
    func concurrent() async throws {
        let ledger = try await Fixtures.ledger("dozzi")
        for round in 0..<20 {
            let subject = "u\(round)"
            let receipts = try await withThrowingTaskGroup(of: (Int, Receipt).self) { group in
                for tap in 0..<16 {
                    group.addTask {
                        let key = "\(subject)-\(tap % 2)"
                        return (
                            tap % 2,
                            try await ledger.consume("stories", by: subject, ref: key, key: key)
                        )
                    }
                }
                var all: [Int: [Receipt]] = [:]
                for try await (key, receipt) in group { all[key, default: []].append(receipt) }
                return all
            }
            for same in receipts.values { #expect(same.allSatisfy { $0 == same[0] }) }
            let used = receipts.values.compactMap { $0[0].decision?.usage?.used }.sorted()
            #expect(used == [1, 2])
        }
    }

    @Test("A zone that was named a moment ago decides in the same commit")
    func zoneInGroup() async throws {
        let seen = instant("2026-01-01T00:00:00Z")
        let clock = TurnstileClock()
        let ledger = try await Self.ledger(clock)
        let arrival = EventDraft.reported(
            .subjectCreated, at: seen, key: "arrival",
            ["first_seen_at": .integer(seen), "tz": "Pacific/Auckland"])
        let arrive: @Sendable () async throws -> Int64 = {
            try await ledger.record([arrival]).firstPosition ?? 0
        }
        let use: @Sendable () async throws -> Int64 = {
            let receipt = try await ledger.consume("stories", by: "ada", ref: "s")
            // Midnight in Auckland, not in UTC.
            let isLocal =
                receipt.decision?.usage?.period?.start == instant("2025-12-31T11:00:00Z")
            return isLocal ? receipt.positions[0] : -receipt.positions[0]
        }
        let positions = try await Self.together(ledger, clock, [arrive, use])
        let times = try ledger.history(of: "ada").map(\.event.recordedAt)
        #expect(Set(times) == [try ledger.head().recordedAt], "they did not share a commit")
        #expect(positions[0] < abs(positions[1]))
        #expect(positions[1] > 0, "the month was that of the default zone")
    }
}

@Suite("Keys that the ledger makes")
struct DerivedKeyTests {
    @Test("A customer with the longest id leaves events that can be exported and imported again")
    func longSubject() async throws {
        var fixture = try await LedgerFixture("magical-stories")
        fixture.subject = String(repeating: "u", count: 250)
        try await fixture.use("stories", "s1", "s2", "s3")
        #expect(
            try await fixture.refusal(of: .consume(meter: "stories", amount: 1, ref: "s4")) != nil)
        #expect(
            try await fixture.refusal(of: .consume(meter: "stories", amount: 1, ref: "s4")) != nil)
        fixture.clock.now = instant("2026-02-10T00:00:00Z")
        try await fixture.use("stories", "s5")
        try await fixture.ledger.tick()
        for type in ["limit.reached", "access.denied", "usage.reset"] {
            #expect(try fixture.count(of: EventTypeName(rawValue: type)) == 1, "\(type)")
        }
        var bytes: [UInt8] = []
        try fixture.ledger.export { bytes += $0 }
        let copy = try Ledger(
            inMemory: "magical-stories", clock: { instant("2026-02-10T00:00:00Z") })
        var chunks = [bytes]
        let report = try await copy.importLines({ chunks.popLast() })
        #expect(report.refused.isEmpty)
        #expect(try copy.head().position == fixture.ledger.head().position)
        // What is there is known under its name in the copy too.
        #expect(try await copy.tick().appended == 0)
    }

    @Test("A key that fits is written as it always was")
    func shortSubject() async throws {
        let fixture = try await LedgerFixture("magical-stories")
        try await fixture.use("stories", "s1", "s2", "s3")
        fixture.clock.now = instant("2026-02-10T00:00:00Z")
        try await fixture.use("stories", "s4")
        let keys = try fixture.ledger.history(of: "ada").compactMap(\.event.draft.source.key)
        #expect(keys.contains("limit/ada/stories/2026-01"))
        #expect(keys.contains("reset/ada/stories/2026-02"))
    }
}
