import Daybook
import DaybookDomain
import DaybookEvents
import DaybookStore
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
