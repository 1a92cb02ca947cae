import Daybook
import DaybookDomain
import DaybookEvents
import DaybookStore
import Foundation
import InMemoryLogging
import Logging
import Testing

/// Decision 0019: the next snapshot is due when reading the tail would take longer than a start may.
@Suite("Start-up budget")
struct StartUpBudgetTests {
    @Test(
        "The budget in events is its time at the rate that was measured, and 4,096 at least",
        arguments: [
            // (milliseconds, events that were read, in milliseconds, events allowed)
            (250, 0, 0, 250_000),
            (250, 100_000, 200, 125_000),
            (250, 10_000, 5, 500_000),
            // Too few to tell.
            (250, 9_999, 5_000, 250_000),
            // A machine that slept, and a clock that stood still.
            (250, 100_000, 3_600_000, 25_000),
            (250, 100_000, 0, 250_000),
            (250, 1_000_000, 1, 2_500_000),
            (1_000, 100_000, 100, 1_000_000),
            (1, 0, 0, 4_096),
            (0, 0, 0, 4_096),
        ] as [(Int, Int64, Int, Int64)])
    func count(_ row: (Int, Int64, Int, Int64)) {
        var budget = StartUpBudget(.milliseconds(row.0))
        budget.note(row.1, took: .milliseconds(row.2))
        #expect(budget.tailCountMax == row.3)
        // The last measurement counts.
        budget.note(20_000, took: .milliseconds(20))
        #expect(budget.tailCountMax == max(4_096, Int64(row.0) * 1_000))
    }

    @Test("Without end it never overflows, and a fixed rate stays")
    func limits() {
        #expect(StartUpBudget(.seconds(Int64.max)).tailCountMax == 86_400_000_000)
        var fixed = StartUpBudget(.milliseconds(100), rate: 200_000)
        fixed.note(1_000_000, took: .milliseconds(1))
        #expect(fixed.tailCountMax == 20_000)
        #expect(StartUpBudget(.seconds(1), rate: 1).tailCountMax == 100_000)
    }

    /// Each is an event of some customer.
    private static func drafts(_ range: Range<Int>) -> [EventDraft] {
        range.map { number in
            EventDraft(
                type: .featureUsed, subject: "c\(number % 50)",
                occurredAt: 1_768_000_000_000 + Int64(number),
                source: EventSource(kind: "app", key: "k\(number)"), trust: .system,
                data: ["feature": "stories"])
        }
    }

    @Test(
        "A ledger that is closed leaves a snapshot behind when its tail is too long, and not before"
    )
    func closing() async throws {
        let folder = try LedgerFolder()
        try await folder.create("dozzi", clock: { 0 }).close()
        func record(_ range: Range<Int>) async throws -> Int64 {
            let ledger = try Ledger.open(
                folder.path, startUp: StartUpBudget(.milliseconds(50), rate: 100_000), clock: { 0 })
            try await ledger.record(Self.drafts(range))
            try ledger.close()
            let reopened = try Ledger.open(folder.path, readOnly: true, clock: { 0 })
            defer { try? reopened.close() }
            return reopened.core.snapshotCut
        }
        // With the catalog 5,000 events, which take 50 ms at this rate.
        #expect(try await record(0..<4_999) == 0)
        #expect(try await record(4_999..<5_000) == 5_001)
        #expect(try await record(5_000..<5_001) == 5_001)
    }

    @Test(
        "A snapshot is due, too, when many names or events came since the last one, and not before",
        arguments: [true, false])
    func held(isOfNames: Bool) async throws {
        let folder = try LedgerFolder()
        try await folder.create("dozzi", clock: { 0 }).close()
        var held = HeldBounds()
        // The catalog's event and names come first; 50 customers, who are all named after 50 events.
        if isOfNames { held.namesMax = 45 } else { held.eventsMax = 60 }
        let ledger = try Ledger(
            store: try SQLiteEventStore(path: folder.path), path: folder.path, held: held,
            clock: { 0 })
        let before = isOfNames ? 30 : 59
        try await ledger.record(Self.drafts(0..<before))
        ledger.writer.finishDerivedWriting()
        #expect(ledger.core.snapshotCut == 0)
        try await ledger.record(Self.drafts(before..<before + 30))
        ledger.writer.finishDerivedWriting()
        #expect(ledger.core.snapshotCut == Int64(before + 31))
        #expect(ledger.core.state.withLock { $0.names.heldCount } == 0)
        #expect(try ledger.verify().allSatisfy(\.isClean))
        // With all of that in its file another one is not due.
        try await ledger.record(Self.drafts(before + 30..<before + 31))
        try ledger.close()
        let reopened = try Ledger.open(folder.path, readOnly: true, clock: { 0 })
        #expect(reopened.core.snapshotCut == Int64(before + 31))
        try reopened.close()
    }

    @Test(
        "A snapshot that cannot be written is tried again after a pause, however pressing",
        arguments: [(Duration.seconds(86_400), 1), (.zero, 20)])
    func failing(pause: Duration, attempts: Int) async throws {
        let folder = try LedgerFolder()
        try await folder.create("dozzi", clock: { 0 }).close()
        // A file where the folder should be.
        try Data().write(to: folder.derived)
        let handler = InMemoryLogHandler()
        var held = HeldBounds()
        held.namesMax = 2
        held.pauseAfterFailure = pause
        let ledger = try Ledger(
            store: try SQLiteEventStore(path: folder.path), path: folder.path, held: held,
            log: Logger(label: "daybook") { _ in handler }, clock: { 0 })
        for number in 0..<24 {
            try await ledger.record(Self.drafts(number..<number + 1))
            ledger.writer.finishDerivedWriting()
        }
        func told() -> Int {
            handler.entries.count { "\($0.message)".hasPrefix("no snapshot was written") }
        }
        let count = told()
        #expect(attempts == 1 ? count == 1 : count >= attempts)
        #expect(ledger.core.snapshotCut == 0)
        // At its end it is tried once more; without a pause the last commit may have had one begun since.
        try ledger.close()
        #expect(attempts == 1 ? told() == count + 1 : told() > count)
    }

    @Test("A process that lives long writes one beside its work")
    func beside() async throws {
        let folder = try LedgerFolder()
        try await folder.create("dozzi", clock: { 0 }).close()
        let ledger = try Ledger.open(
            folder.path, startUp: StartUpBudget(.zero), clock: { 0 })
        try await ledger.record(Self.drafts(0..<4_095))
        ledger.writer.finishDerivedWriting()
        #expect(folder.derivedNames(".daysnap") == [])
        try await ledger.record(Self.drafts(4_095..<4_096))
        ledger.writer.finishDerivedWriting()
        #expect(ledger.core.snapshotCut == 4_097)
        #expect(folder.derivedNames(".daysnap").count == 1)
        try ledger.close()
    }
}
