import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookStore
import Foundation
import InMemoryLogging
import Logging
import Synchronization
import Testing

/// Segments that a long-lived ledger writes beside its work.
@Suite("Sealing beside the work")
struct SealingTests {
    private static let eventCount: Int64 = 16

    private static func open(
        _ folder: LedgerFolder, log: Logger = Logger(label: "daybook")
    ) throws -> Ledger {
        try Ledger(
            store: try SQLiteEventStore(path: folder.path), path: folder.path,
            segmentEventCount: eventCount, log: log, clock: { 0 })
    }

    /// A folder with a ledger that has its catalog alone, and what may be recorded.
    private static func begun() async throws -> (folder: LedgerFolder, drafts: [EventDraft]) {
        let folder = try LedgerFolder()
        try await folder.create("dozzi", clock: { 0 }).close()
        return (folder, try LawTests.drafts("dozzi", seed: 11, subjects: 5, events: 100))
    }

    @Test(
        "A range is sealed when its last event is committed, without any snapshot, and not before")
    func soon() async throws {
        let (folder, drafts) = try await Self.begun()
        let ledger = try Self.open(folder)
        var recorded = 0
        for (count, sealed) in [(14, 0), (15, 1), (16, 1), (30, 1), (79, 5)] {
            try await ledger.record(Array(drafts[recorded..<count]))
            recorded = count
            ledger.writer.finishDerivedWriting()
            #expect(folder.derivedNames(".dayseg").count == sealed, "after \(count)")
        }
        #expect(folder.derivedNames(".daysnap") == [])
        #expect(folder.derivedNames(".tmp") == [])
        let report = try ledger.replay()
        #expect(report.segmentEvents == 80 && report.agrees)
        #expect(try ledger.verify().allSatisfy(\.isClean))
        // One that is deleted, and one that is found to be damaged, are written anew.
        let names = folder.derivedNames(".dayseg")
        let bytes = try names.map { try Data(contentsOf: folder.derived.appending(path: $0)) }
        try ledger.close()
        try FileManager.default.removeItem(at: folder.derived.appending(path: names[1]))
        var damaged = bytes[3]
        damaged[400] ^= 1
        try damaged.write(to: folder.derived.appending(path: names[3]))
        let again = try Self.open(folder)
        #expect(try again.replay().segmentEvents == 48)
        // The header names the history at the time of writing, so nothing that comes may bring a new name.
        var last = drafts[78]
        last.source.key = "again"
        try await again.record([last])
        again.writer.finishDerivedWriting()
        #expect(try again.replay().segmentEvents == 80)
        try again.close()
        let renewed = try names.map { try Data(contentsOf: folder.derived.appending(path: $0)) }
        #expect(renewed == bytes)
    }

    /// Asks for a use that is refused, every few milliseconds, until a segment is there.
    /// - Returns: Whether one was written within ten seconds.
    private static func isSealedBesideRefusals(
        _ ledger: Ledger, _ folder: LedgerFolder
    ) async throws -> Bool {
        for _ in 0..<1_000 where folder.derivedNames(".dayseg") == [] {
            await #expect(throws: LedgerError.self) {
                try await ledger.consume("stories", 1_000, by: "greedy")
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        return folder.derivedNames(".dayseg") != []
    }

    @Test("Refused requests do not postpone the sealing of a full range")
    func refusals() async throws {
        let (folder, drafts) = try await Self.begun()
        let ledger = try Self.open(folder)
        try await ledger.record(Array(drafts[..<15]))
        #expect(try await Self.isSealedBesideRefusals(ledger, folder))
        try ledger.close()
    }

    @Test("What another process committed is sealed after a request that appends nothing")
    func foreign() async throws {
        let (folder, drafts) = try await Self.begun()
        let ledger = try Self.open(folder)
        // Without a path a ledger writes no derived files.
        let other = try Ledger(store: try SQLiteEventStore(path: folder.path), clock: { 0 })
        try await other.record(Array(drafts[..<15]))
        try other.close()
        #expect(folder.derivedNames(".dayseg") == [])
        #expect(try await Self.isSealedBesideRefusals(ledger, folder))
        try ledger.close()
    }

    @Test("What cannot be written is told once a range, and no commit fails")
    func failing() async throws {
        let (folder, drafts) = try await Self.begun()
        // A file where the folder should be.
        try Data().write(to: folder.derived)
        let handler = InMemoryLogHandler()
        let ledger = try Self.open(folder, log: Logger(label: "daybook") { _ in handler })
        for draft in drafts[..<50] {
            try await ledger.record([draft])
            ledger.writer.finishDerivedWriting()
        }
        #expect(try ledger.head().position == 51)
        let told = handler.entries.filter { "\($0.message)".hasPrefix("a segment was not written") }
        #expect(told.count == 3)
        #expect(told.allSatisfy { $0.level == .warning })
        // There is space again: the next range is written, and the lost ones by a snapshot.
        try FileManager.default.removeItem(at: folder.derived)
        try await ledger.record(Array(drafts[50..<64]))
        ledger.writer.finishDerivedWriting()
        #expect(folder.derivedNames(".dayseg") == ["000000000003.dayseg"])
        try ledger.snapshot()
        #expect(folder.derivedNames(".dayseg").count == 4)
        #expect(try ledger.replay().segmentEvents == 64)
        try ledger.close()
    }

    @Test("One that is no longer wanted is given up, and nothing is left of it", arguments: 1...4)
    func givenUp(_ patience: Int) async throws {
        let (folder, drafts) = try await Self.begun()
        let ledger = try Ledger.open(folder.path, clock: { 0 })
        try await ledger.record(drafts)
        try ledger.close()
        let store = try SQLiteEventStore(path: folder.path, readOnly: true)
        let segments = SegmentFolder(
            path: folder.derived.path, store: store, ledger: 1, fingerprint: 2,
            eventCount: Self.eventCount, report: { Issue.record("\($0)") })
        let head = try store.head().position
        // Asked before it is begun and after its rows were read.
        var asked = 0
        let isWritten = try segments.sealNext(from: store, through: head) {
            asked += 1
            return asked < patience
        }
        #expect(isWritten == (patience > 2))
        let names =
            (try? FileManager.default.contentsOfDirectory(atPath: folder.derived.path)) ?? []
        #expect(names.filter { $0.hasSuffix(".dayseg") }.count == (isWritten ? 1 : 0))
        #expect(names.filter { $0.hasSuffix(".tmp") } == [])
        // It is tried again.
        #expect(segments.isAnyMissing(through: head))
        var count = isWritten ? 1 : 0
        while try segments.sealNext(from: store, through: head, while: { true }) { count += 1 }
        #expect(count == Int(head / Self.eventCount))
        #expect(!segments.isAnyMissing(through: head))
        try store.close()
    }

    @Test("A ledger that is closed at once leaves whole files alone behind")
    func closing() async throws {
        let (folder, drafts) = try await Self.begun()
        for start in stride(from: 0, to: 100, by: 10) {
            let ledger = try Self.open(folder)
            try await ledger.record(Array(drafts[start..<start + 10]))
            try ledger.close()
            #expect(folder.derivedNames(".tmp") == [])
        }
        let ledger = try Self.open(folder)
        let count = folder.derivedNames(".dayseg").count
        #expect(try ledger.replay().segmentEvents == Int64(count) * Self.eventCount)
        #expect(try ledger.verify().allSatisfy(\.isClean))
        try ledger.close()
    }
}
