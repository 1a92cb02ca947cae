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

/// Law 3 for files that are cut short while they are mapped: the process lives, and answers what the rows say.
@Suite("Derived files cut short while they are in use")
struct LostFileTests {
    private static let eventCount: Int64 = 16

    /// What of a file is left; some of it ends within a page, where no read fails.
    enum Rest: CaseIterable {
        case nothing, half, page, allButChecksum

        func byteCount(of whole: Int) -> Int {
            switch self {
            case .nothing: 0
            case .half: whole / 2
            case .page: whole > 4_096 ? 4_096 : whole / 3
            case .allButChecksum: whole - 4
            }
        }
    }

    /// A ledger that is open, with a snapshot that was written upon an older one, segments, and some events more.
    private struct Bench {
        let folder: LedgerFolder
        let ledger: Ledger
        let handler = InMemoryLogHandler()
        let expected: (digest: StateDigest, answers: FinalAnswers)
        /// What is wrong with the invented history itself, such as a correction of nothing.
        let failing: [String]

        init(
            _ drafts: [EventDraft], snapshotsAfter cuts: [Int],
            create: (LedgerFolder) async throws -> Ledger
        ) async throws {
            folder = try LedgerFolder()
            try await create(folder).close()
            var start = 0
            for cut in cuts + [drafts.count] {
                let ledger = try Self.open(folder, InMemoryLogHandler())
                try await ledger.record(Array(drafts[start..<cut]))
                if cut < drafts.count { try ledger.snapshot() }
                try ledger.close()
                start = cut
            }
            let untouched = try Ledger(
                store: try SQLiteEventStore(path: folder.path, readOnly: true), readOnly: true,
                clock: { LedgerTemplate.later })
            expected = (try untouched.digest().digest, try FinalAnswers(untouched))
            failing = try untouched.verify().filter { !$0.isClean }.map(\.check)
            try untouched.close()
            ledger = try Self.open(folder, handler)
            #expect(ledger.core.snapshotCut > 0)
        }

        init(app: String, events: Int = 300) async throws {
            var random = SplitMix64(seed: LawTests.seed)
            let drafts = try LawTests.drafts(app, seed: LawTests.seed, subjects: 8, events: events)
                .shuffled(using: &random)
            try await self.init(drafts, snapshotsAfter: [drafts.count / 3, drafts.count - 40]) {
                try await $0.create(app) { LedgerTemplate.later }
            }
        }

        static func open(_ folder: LedgerFolder, _ handler: InMemoryLogHandler) throws -> Ledger {
            try Ledger(
                store: try SQLiteEventStore(path: folder.path), path: folder.path,
                segmentEventCount: LostFileTests.eventCount,
                log: Logger(label: "daybook") { _ in handler },
                clock: { LedgerTemplate.later })
        }

        static func cut(_ folder: LedgerFolder, _ suffix: String, to rest: Rest) throws {
            for name in folder.derivedNames(suffix) {
                let path = folder.derived.appending(path: name).path
                var status = stat()
                try #require(stat(path, &status) == 0)
                try #require(
                    truncate(path, off_t(rest.byteCount(of: Int(status.st_size)))) == 0)
            }
        }

        func check(_ place: Comment) throws {
            #expect(try FinalAnswers(ledger) == expected.answers, place)
            #expect(try ledger.digest().digest == expected.digest, place)
            for workers in [1, 2, 7] {
                let report = try ledger.replay(workers: workers)
                #expect(report.agrees && report.differences == [], place)
                #expect(report.digest == expected.digest, place)
            }
            #expect(try ledger.digests().digests.last == expected.digest, place)
        }

        var losses: [String] {
            handler.entries.map { "\($0.message)" }.filter { $0.contains("cut short") }
        }
    }

    @Test(
        "A snapshot that is cut short is made again from rows: no answer and no write notices",
        arguments: Fixtures.apps, Rest.allCases)
    func snapshots(app: String, rest: Rest) async throws {
        print("seed \(LawTests.seed)")
        let bench = try await Bench(app: app)
        try Bench.cut(bench.folder, ".daysnap", to: rest)
        try bench.check("\(app), \(rest)")
        #expect(bench.losses.count == 1, "\(bench.losses)")
        // What is decided, too: a key that is known, a new event, and everything once more.
        let draft = EventDraft(
            type: .appLaunched, subject: "new customer", occurredAt: 7,
            source: EventSource(kind: "native", key: "a launch"), trust: .imported,
            data: JSONObject())
        #expect(try await bench.ledger.record([draft]).appended == 1)
        #expect(try await bench.ledger.record([draft]).duplicates == 1)
        #expect(try bench.ledger.replay().agrees)
        // The next snapshot is whole again, and the next opening begins with it.
        try bench.ledger.snapshot()
        let digest = try bench.ledger.digest().digest
        // The file that was cut short lies there still, beside the new one; nothing else is wrong.
        let failing = try bench.ledger.verify().filter { !$0.isClean }
        #expect(
            failing.map(\.check).filter { !bench.failing.contains($0) } == [
                "snapshots: say what the rows say"
            ])
        try bench.ledger.close()
        let again = try Bench.open(bench.folder, InMemoryLogHandler())
        let head = try again.head().position
        #expect(again.core.snapshotCut == head)
        #expect(try again.digest().digest == digest)
        try again.close()
    }

    @Test("So is one with aliases, corrections and zones in it", arguments: Rest.allCases)
    func linkedSnapshots(rest: Rest) async throws {
        let history = SnapshotDamageTests.history
        for cut in 1..<history.count {
            let bench = try await Bench(history, snapshotsAfter: cut > 1 ? [cut - 1, cut] : [cut]) {
                try await Ledger.create(
                    at: $0.path, catalog: Array(SnapshotDamageTests.catalog.utf8),
                    clock: { LedgerTemplate.later })
            }
            try Bench.cut(bench.folder, ".daysnap", to: rest)
            try bench.check("after \(cut), \(rest)")
            #expect(bench.losses.count == 1, "after \(cut), \(rest): \(bench.losses)")
            try bench.ledger.close()
        }
    }

    @Test(
        "Segments that are cut short cost the reading of rows: before a replay, and in the middle",
        arguments: Rest.allCases, [false, true])
    func segments(rest: Rest, isMapped: Bool) async throws {
        let bench = try await Bench(app: "dozzi", events: 600)
        if isMapped {
            // All of them are open, and are cut while events are folded.
            let isCut = Flag()
            let folder = bench.folder
            let report = try bench.ledger.replay(workers: 1) { done, total in
                if done < total, isCut.set() { try Bench.cut(folder, ".dayseg", to: rest) }
            }
            #expect(isCut.isSet)
            #expect(report.digest == bench.expected.digest && report.agrees)
        } else {
            #expect(try bench.ledger.replay().segmentEvents > 0)
            try Bench.cut(bench.folder, ".dayseg", to: rest)
        }
        try bench.check("\(rest)")
        #expect(try bench.ledger.replay().segmentEvents == 0)
        try bench.ledger.snapshot()
        #expect(try bench.ledger.replay().segmentEvents > 0)
        try bench.check("\(rest), sealed anew")
        try bench.ledger.close()
    }

    @Test("Keys whose file is cut short are still known", arguments: Rest.allCases)
    func keys(rest: Rest) async throws {
        let folder = try LedgerFolder()
        let first = try await folder.create("dozzi") { 0 }
        let count = Int(LookupRun.alignment) + 50
        func launches(_ range: Range<Int>) -> [EventDraft] {
            range.map {
                EventDraft(
                    type: .appLaunched, subject: "ada", occurredAt: Int64($0),
                    source: EventSource(kind: "native", key: "launch \($0)"), trust: .imported,
                    data: JSONObject())
            }
        }
        try await first.record([.used("stories", at: 5, ref: "s")])
        for start in stride(from: 0, to: count, by: 8_000) {
            try await first.record(launches(start..<min(count, start + 8_000)))
        }
        try first.close()
        let ledger = try Ledger.open(folder.path, clock: { 0 })
        let probes = Array(launches(0..<count)[..<9]) + launches(16_000..<16_009)
        #expect(try await ledger.record(probes).duplicates == 18)
        let name = try #require(folder.derivedNames(".daykeys").first)
        let path = folder.derived.appending(path: name).path
        var status = stat()
        try #require(stat(path, &status) == 0)
        try #require(truncate(path, off_t(rest.byteCount(of: Int(status.st_size)))) == 0)
        #expect(try await ledger.record(probes).duplicates == 18)
        var other = launches(3..<4)
        other[0].occurredAt = 5
        await #expect(throws: LedgerError.self) { try await ledger.record(other) }
        // The ids that events name are in the file, too.
        #expect(try ledger.customers(withID: "s").matches.map(\.customer?.subject) == ["ada"])
        #expect(try await ledger.record(launches(count..<count + 1)).appended == 1)
        #expect(try ledger.verify().filter { !$0.isClean } == [])
        try ledger.close()
    }

    @Test("Where rows give something else than the snapshot had, nothing is answered and decided")
    func lostForGood() async throws {
        let folder = try LedgerFolder()
        let ledger = try await folder.create("dozzi") { 0 }
        try await ledger.record([.used("stories", at: 5, ref: "s")])
        let report = try ledger.snapshot()
        try ledger.close()
        // Well-formed, and with a name's first stream that no name ever had.
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: report.path)))
        func number(_ offset: Int) -> Int {
            bytes[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        let (start, count, checksum) = (number(168), number(176), number(192))
        bytes[start + count - 1] = 0x7F
        let sum = CRC32C.checksum(Array(bytes[start..<start + count]))
        bytes.replaceSubrange(
            checksum..<checksum + 4, with: withUnsafeBytes(of: sum.littleEndian, Array.init))
        try Data(bytes).write(to: URL(filePath: report.path))
        let deceived = try Ledger.open(folder.path, clock: { 0 })
        #expect(deceived.core.snapshotCut == report.position)
        try #require(truncate(report.path, 0) == 0)
        func expectLoss(_ body: () async throws -> Void) async {
            do {
                try await body()
                Issue.record("it was answered")
            } catch {
                #expect("\(error)".contains("open the ledger again"), "\(error)")
            }
        }
        await expectLoss { _ = try deceived.status(of: "ada") }
        await expectLoss { _ = try deceived.replay() }
        await expectLoss { _ = try await deceived.consume("stories", by: "ada", ref: "t") }
        await expectLoss { _ = try deceived.snapshot() }
        try deceived.close()
        let again = try Ledger.open(folder.path, clock: { 0 })
        #expect(try again.head().position == report.position)
        try await again.consume("stories", by: "ada", ref: "t")
        try again.close()
    }
}

/// Set once, by the first caller.
private final class Flag: @unchecked Sendable {
    // Safe to share: used under `guardian` alone.
    private let guardian = NSLock()
    private var value = false

    var isSet: Bool { guardian.withLock { value } }

    func set() -> Bool {
        guardian.withLock {
            defer { value = true }
            return !value
        }
    }
}
