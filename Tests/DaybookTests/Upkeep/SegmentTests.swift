import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import DaybookTesting
import Foundation
import InMemoryLogging
import Logging
import Testing

/// Laws 2 and 3 for segments: they change the time to an answer, never the answer.
@Suite("Segments")
struct SegmentTests {
    /// So small that a short history has many.
    private static let eventCount: Int64 = 16

    private static func open(
        _ folder: LedgerFolder, readOnly: Bool = true, log: Logger = Logger(label: "daybook")
    ) throws -> Ledger {
        try Ledger(
            store: try SQLiteEventStore(path: folder.path, readOnly: readOnly), path: folder.path,
            readOnly: readOnly, segmentEventCount: eventCount, log: log,
            clock: { 0 })
    }

    /// A ledger that took these drafts in this order, with a snapshot somewhere on the way.
    private static func fill(
        _ folder: LedgerFolder, _ app: String, _ drafts: [EventDraft], snapshotAfter count: Int
    ) async throws {
        try await folder.create(app, clock: { 0 }).close()
        let ledger = try Ledger(
            store: try SQLiteEventStore(path: folder.path), path: folder.path,
            segmentEventCount: eventCount, clock: { 0 })
        var random = SplitMix64(seed: 9)
        try await LawTests.record(
            Array(drafts[..<count]), in: ledger, batchCountMax: 40, &random)
        try ledger.snapshot()
        try await LawTests.record(
            Array(drafts[count...]), in: ledger, batchCountMax: 40, &random)
        try ledger.close()
    }

    @Test(
        "X-02 Law 2: rows, segments and both, with and without a snapshot, on 1, 2 and 7 threads",
        arguments: Fixtures.apps)
    func replay(_ app: String) async throws {
        print("seed \(LawTests.seed)")
        var random = SplitMix64(seed: LawTests.seed)
        let drafts = try LawTests.drafts(app, seed: LawTests.seed).shuffled(using: &random)
        let alone = try await LawTests.ledger(app, drafts, &random)
        let expected = try alone.digest()
        let answers = try FinalAnswers(alone)
        let folder = try LedgerFolder()
        let cut = Int.random(in: 32...drafts.count, using: &random)
        try await Self.fill(folder, app, drafts, snapshotAfter: cut)
        // The snapshot sealed what it covers; what came later was sealed beside the work, as far as there was time.
        let names = folder.derivedNames(".dayseg")
        #expect(names.count >= (cut + 1) / Int(Self.eventCount))

        func check(_ place: Comment, segments: Int64) throws {
            let ledger = try Self.open(folder)
            #expect(try ledger.digest() == expected, place)
            #expect(try FinalAnswers(ledger) == answers, place)
            for workers in [1, 2, 7] {
                for batchCount in [1, 7, 1_000] {
                    let rows = try ledger.replay(
                        workers: workers, source: .rows, batchCount: batchCount)
                    #expect(rows.digest == expected.digest && rows.segmentEvents == 0, place)
                    let both = try ledger.replay(workers: workers, batchCount: batchCount)
                    #expect(both.digest == expected.digest && both.agrees, place)
                    #expect(both.segmentEvents == segments, place)
                    #expect(both.differences == [], place)
                }
            }
            try ledger.close()
        }

        let sealed = Int64(names.count) * Self.eventCount
        try check("snapshot and segments", segments: sealed)
        for name in folder.derivedNames(".daysnap") {
            try FileManager.default.removeItem(at: folder.derived.appending(path: name))
        }
        try check("segments alone", segments: sealed)
        // One is lost in the middle: its rows stand in.
        let lost = folder.derived.appending(path: names[1])
        try FileManager.default.removeItem(at: lost)
        try check("a gap", segments: sealed - Self.eventCount)
        try FileManager.default.removeItem(at: folder.derived)
        try check("rows alone", segments: 0)
    }

    @Test("X-02 Law 3: the events of every stream, known at any position, are those of its rows")
    func cuts() async throws {
        print("seed \(LawTests.seed)")
        let drafts = try LawTests.drafts("dozzi", seed: LawTests.seed, subjects: 4, events: 120)
        let folder = try LedgerFolder()
        try await Self.fill(folder, "dozzi", drafts, snapshotAfter: 90)
        let ledger = try Self.open(folder)
        let state = ledger.core.state.withLock { $0 }
        #expect(ledger.core.events.segments?.count ?? 0 >= 5)
        var beyondCount = 0
        for stream in 1...UInt32(state.streams.count) {
            let head = state.headOf(stream).position
            guard head > 0 else { continue }
            let rows = try ledger.core.store.stream(endingAt: head).reversed().map(\.event)
            for cut in 0...state.head.position {
                let known = rows.filter { $0.position <= cut }
                #expect(
                    try state.log.stream(endingAt: head, cut: cut) == known,
                    "stream \(stream) at \(cut)")
                if !known.isEmpty, known.count < rows.count { beyondCount += 1 }
            }
        }
        #expect(beyondCount > 100)
        try ledger.close()
    }

    /// A ledger of one segment and some events more, and what it answers.
    private struct Bench {
        let folder: LedgerFolder
        let digest: StateDigest
        let answers: FinalAnswers
        let name: String
        let bytes: Data

        init() async throws {
            folder = try LedgerFolder()
            let drafts = try LawTests.drafts("dozzi", seed: 3, subjects: 3, events: 20)
            try await SegmentTests.fill(folder, "dozzi", drafts, snapshotAfter: drafts.count)
            name = try #require(folder.derivedNames(".dayseg").first)
            bytes = try Data(contentsOf: folder.derived.appending(path: name))
            for file in folder.derivedNames(".daysnap") {
                try FileManager.default.removeItem(at: folder.derived.appending(path: file))
            }
            let ledger = try SegmentTests.open(folder)
            digest = try ledger.digest().digest
            answers = try FinalAnswers(ledger)
            try ledger.close()
        }

        /// Opens the ledger with these bytes as its segment, asks everything, and gives what was warned of.
        func warnings(_ bytes: Data, _ place: Comment) throws -> [String] {
            try bytes.write(to: folder.derived.appending(path: name))
            let handler = InMemoryLogHandler()
            let ledger = try SegmentTests.open(
                folder, log: Logger(label: "daybook") { _ in handler })
            #expect(try FinalAnswers(ledger) == answers, place)
            #expect(try ledger.digest().digest == digest, place)
            #expect(try ledger.replay().digest == digest, place)
            try ledger.close()
            return handler.entries.filter { $0.level >= .warning }.map { "\($0.message)" }
        }
    }

    @Test("A bit flipped in any byte costs one log line and the reading of rows, never an answer")
    func flips() async throws {
        let bench = try await Bench()
        #expect(try bench.warnings(bench.bytes, "whole") == [])
        for index in 0..<bench.bytes.count {
            var bytes = bench.bytes
            bytes[bytes.startIndex + index] ^= UInt8(1) << (index % 8)
            let warnings = try bench.warnings(bytes, "byte \(index) flipped")
            #expect(warnings.count == 1, "byte \(index): \(warnings)")
        }
    }

    @Test("A damaged one is told by verify, and written anew by the next snapshot")
    func renewal() async throws {
        let bench = try await Bench()
        var bytes = bench.bytes
        bytes[bytes.startIndex + 400] ^= 1
        let file = bench.folder.derived.appending(path: bench.name)
        try bytes.write(to: file)
        let ledger = try Self.open(bench.folder, readOnly: false)
        let finding = try ledger.verify().first { $0.check.hasPrefix("segments:") }
        #expect(finding?.isClean == false)
        #expect(finding?.detail.hasSuffix("a snapshot writes it anew") == true)
        try ledger.snapshot()
        try ledger.close()
        #expect(try Data(contentsOf: file) == bench.bytes)
    }

    @Test("Rows without segments are read at once, down to the segment before them")
    func gaps() async throws {
        let folder = try LedgerFolder()
        let drafts = try LawTests.drafts("dozzi", seed: 3, subjects: 5, events: 100)
        try await Self.fill(folder, "dozzi", drafts, snapshotAfter: drafts.count)
        let names = folder.derivedNames(".dayseg")
        #expect(names.count >= 5)
        for name in names[1...2] {
            try FileManager.default.removeItem(at: folder.derived.appending(path: name))
        }
        let ledger = try Self.open(folder)
        let segments = try #require(ledger.core.events.segments)
        #expect([0, 1, 2, 4].map(segments.endBeforeRows) == [0, 16, 16, 64])
        #expect(segments.segment(3) != nil)
        segments.drop(3, because: StoreError(.damaged, "the test found it so"))
        #expect([1, 2, 3, 4].map(segments.endBeforeRows) == [16, 16, 16, 16])
        try ledger.close()
        try FileManager.default.removeItem(at: folder.derived)
        let bare = try #require(try Self.open(folder).core.events.segments)
        #expect([0, 1, 4].map(bare.endBeforeRows) == [0, 0, 0])
    }

    @Test("Cut short at any length it is not used")
    func truncations() async throws {
        let bench = try await Bench()
        for count in stride(from: 0, to: bench.bytes.count, by: 3) {
            let warnings = try bench.warnings(bench.bytes.prefix(count), "cut after \(count)")
            #expect(warnings.count == 1, "\(count): \(warnings)")
        }
    }

    @Test("A segment of another ledger is not used, and one of other rows is found by verify")
    func foreign() async throws {
        let bench = try await Bench()
        let other = try await Bench()
        let warnings = try bench.warnings(other.bytes, "of another ledger")
        #expect(warnings.count == 1 && warnings[0].contains("of another ledger"), "\(warnings)")
        try bench.bytes.write(to: bench.folder.derived.appending(path: bench.name))
        let ledger = try Self.open(bench.folder)
        let checked = try ledger.verify()
        #expect(checked.filter { !$0.isClean } == [])
        let detail = checked.first { $0.check.hasPrefix("segments:") }?.detail
        #expect(detail == "16 events")
        try ledger.close()
        // Well-formed and wrong: the seventh event's time is another than its row says.
        try Self.rewrite(bench.folder.derived.appending(path: bench.name)) { events in
            events[6 * PackedEvent.byteCount] ^= 1
        }
        let deceived = try Self.open(bench.folder)
        let finding = try deceived.verify().first { $0.check.hasPrefix("segments:") }
        #expect(finding?.isClean == false)
        #expect(finding?.detail.contains("position 7: occurred_at is") == true)
        try deceived.close()
    }

    /// Changes events of a segment and makes their checksum fit.
    private static func rewrite(_ file: URL, _ body: (inout ArraySlice<UInt8>) -> Void) throws {
        var bytes = [UInt8](try Data(contentsOf: file))
        // The first multiple of 64 behind the table of four sections.
        let start = 384
        let end = start + Int(eventCount) * PackedEvent.byteCount
        var events = ArraySlice(Array(bytes[start..<end]))
        body(&events)
        bytes.replaceSubrange(start..<end, with: events)
        let checksum = CRC32C.checksum(Array(events))
        bytes.replaceSubrange(
            end..<end + 4, with: withUnsafeBytes(of: checksum.littleEndian, Array.init))
        try Data(bytes).write(to: file)
    }

    @Test(
        "Bits of no event under a fitting checksum are refused, and rows are read from then on",
        arguments: [(UInt8(0xF0), "an extension that is not there"), (0xE0, "no form")])
    func strangeBits(_ form: UInt8, _ reason: String) async throws {
        let bench = try await Bench()
        try Self.rewrite(bench.folder.derived.appending(path: bench.name)) { events in
            for event in 0..<Int(Self.eventCount) {
                let start = event * PackedEvent.byteCount
                events[start + 63] = form
                for offset in 52..<56 { events[start + offset] = 0xFF }
            }
        }
        let replayed = try Self.open(bench.folder)
        // The first replay meets the bits, and says so; the next question is answered from rows.
        #expect(throws: LedgerError.self) { try replayed.replay() }
        let again = try replayed.replay()
        #expect(again.digest == bench.digest && again.segmentEvents == 0)
        try replayed.close()
        let asked = try Self.open(bench.folder)
        #expect(try FinalAnswers(asked) == bench.answers, "\(reason)")
        try asked.close()
        let verified = try Self.open(bench.folder)
        let finding = try verified.verify().first { $0.check.hasPrefix("segments:") }
        #expect(finding?.isClean == false)
        try verified.close()
    }

    @Test("A segment of another layout is not used, and written anew by the next snapshot")
    func otherLayout() async throws {
        let bench = try await Bench()
        var bytes = bench.bytes
        GoldenFile.setFingerprint(&bytes, [UInt8](repeating: 0x5A, count: 8))
        let warnings = try bench.warnings(bytes, "of another layout")
        #expect(warnings.count == 1 && warnings[0].contains("vocabulary or version"), "\(warnings)")
        let ledger = try Self.open(bench.folder, readOnly: false)
        try ledger.snapshot()
        try ledger.close()
        let file = bench.folder.derived.appending(path: bench.name)
        #expect(try Data(contentsOf: file) == bench.bytes)
    }
}
