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

/// A derived file as it was written once, kept by the version of its format; `RECORD_GOLDEN=1` writes what is missing.
struct GoldenFile {
    let url: URL

    /// - Parameter container: The format version of the container.
    init(container: UInt32, _ kind: String, layout: UInt64) {
        url = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
            .appending(path: "Goldens/container-\(container)/\(kind)-\(layout).bin")
    }

    /// The bytes without what a change of the vocabulary changes: the fingerprint, and the header's checksum.
    static func withoutFingerprint(_ bytes: Data) -> [UInt8] {
        var bytes = [UInt8](bytes)
        for index in [16..<24, 140..<144].joined() { bytes[index] = 0 }
        return bytes
    }

    static func fingerprint(_ bytes: Data) -> [UInt8] { Array([UInt8](bytes)[16..<24]) }

    /// Gives a file another fingerprint, and its header the checksum that fits.
    static func setFingerprint(_ data: inout Data, _ fingerprint: [UInt8]) {
        var bytes = [UInt8](data)
        bytes.replaceSubrange(16..<24, with: fingerprint)
        bytes.replaceSubrange(140..<144, with: [0, 0, 0, 0])
        let count = bytes[136..<140].reversed().reduce(0) { $0 << 8 | Int($1) }
        let checksum = CRC32C.checksum(Array(bytes[0..<144 + 56 * count]))
        bytes.replaceSubrange(
            140..<144, with: withUnsafeBytes(of: checksum.littleEndian, Array.init))
        data = Data(bytes)
    }
}

/// Files of each format version, byte by byte: a change of the layout needs a new version.
@Suite("Golden files", .serialized)
struct GoldenFileTests {
    private static let isRecording = ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1"
    private static let eventCount: Int64 = 16

    /// What the damaged snapshots have, and an event for every form in which events are packed.
    private static var history: [EventDraft] {
        let start = instant("2026-03-02T10:00:00Z")
        let lineage = LineageFixture("2000002", product: "com.crowd.pro", subject: "bob")
        return SnapshotDamageTests.history + [
            .reported(.appLaunched, at: start, key: "l", subject: "bob"),
            .reported(
                .paywallDismissed, at: start + 1, key: "p2", subject: "bob",
                [
                    "context": "settings", "feature": "everything", "variant": "B",
                    "dwell_ms": 1_500,
                ]),
            .reported(
                .usageReserved, at: start + 2, key: "r", subject: "bob",
                [
                    "meter": "tickets", "amount": 2, "reservation_id": "r1",
                    "expires_at": .integer(start + 600_000),
                ]),
            .reported(
                .checkoutCompleted, at: start + 3, key: "d2", subject: "bob",
                ["product": "com.crowd.pro", "attempt": "a1", "variant": "B"]),
            lineage.started("2000002", from: start + 4, until: start + 30 * LedgerFixture.day),
            .reported(
                .usageCommitted, at: start + 5, key: "r2", subject: "bob",
                ["reservation_id": "r1"]),
            .used(
                "tickets", at: start + 6, ref: "a ref of more than fifteen bytes", subject: "bob"),
        ]
    }

    /// A ledger whose number, times and names are the same on every run.
    private struct Bench {
        let store = InMemoryEventStore(app: "crowd", ledgerID: "golden")
        let folder: LedgerFolder
        let digest: StateDigest
        let answers: FinalAnswers

        init() async throws {
            folder = try LedgerFolder()
            let ledger = try Ledger(store: store, clock: { LedgerTemplate.later })
            try await ledger.publish(
                CatalogPublication(
                    document: Array(SnapshotDamageTests.catalog.utf8), effectiveAt: 0))
            // One by one: names are numbered in this order.
            for draft in GoldenFileTests.history { try await ledger.record([draft]) }
            digest = try ledger.digest().digest
            answers = try FinalAnswers(ledger)
        }

        func open(_ log: Logger = Logger(label: "daybook")) throws -> Ledger {
            try Ledger(
                store: store, path: folder.path, segmentEventCount: GoldenFileTests.eventCount,
                log: log, clock: { LedgerTemplate.later })
        }

        /// Today's files: the segment and the snapshot.
        func written() throws -> (segment: Data, snapshot: Data) {
            let ledger = try open()
            let snapshot = try ledger.snapshot().path
            let segment = try #require(folder.derivedNames(".dayseg").first)
            return (
                try Data(contentsOf: folder.derived.appending(path: segment)),
                try Data(contentsOf: URL(filePath: snapshot))
            )
        }
    }

    private static func files(_ container: UInt32) -> (segment: GoldenFile, snapshot: GoldenFile) {
        (
            GoldenFile(container: container, "segment", layout: PackedEvent.layoutVersion),
            GoldenFile(
                container: container, "snapshot", layout: UInt64(SnapshotFormat.layoutVersion))
        )
    }

    private static func version(_ bytes: Data) -> UInt32 {
        [UInt8](bytes)[8..<12].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    @Test("Today's files are byte by byte those that were committed for their version")
    func bytes() async throws {
        let bench = try await Bench()
        let today = try bench.written()
        #expect(Self.version(today.segment) == Self.version(today.snapshot))
        let golden = Self.files(Self.version(today.segment))
        for (file, bytes) in [(golden.segment, today.segment), (golden.snapshot, today.snapshot)] {
            if Self.isRecording, !FileManager.default.fileExists(atPath: file.url.path) {
                try FileManager.default.createDirectory(
                    at: file.url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try bytes.write(to: file.url)
            }
            // Without the file the version is new: RECORD_GOLDEN=1 keeps its first files.
            let kept = try Data(contentsOf: file.url)
            let isSame =
                GoldenFile.withoutFingerprint(kept) == GoldenFile.withoutFingerprint(bytes)
            #expect(
                isSame,
                """
                \(file.url.lastPathComponent) would be written otherwise today: raise the layout's version \
                (PackedEvent, SnapshotFormat or the container) and keep the new files with RECORD_GOLDEN=1
                """)
        }
    }

    @Test("A committed segment and snapshot are read, and answer as the rows do")
    func reading() async throws {
        let bench = try await Bench()
        let today = try bench.written()
        let golden = Self.files(Self.version(today.segment))
        let names = (
            try #require(bench.folder.derivedNames(".dayseg").first),
            try #require(bench.folder.derivedNames(".daysnap").first)
        )
        for (file, name, bytes) in [
            (golden.segment, names.0, today.segment), (golden.snapshot, names.1, today.snapshot),
        ] {
            var kept = try Data(contentsOf: file.url)
            // A vocabulary that grew since makes the file one of another build, which is not the question here.
            GoldenFile.setFingerprint(&kept, GoldenFile.fingerprint(bytes))
            try kept.write(to: bench.folder.derived.appending(path: name))
        }
        let handler = InMemoryLogHandler()
        let ledger = try bench.open(Logger(label: "daybook") { _ in handler })
        #expect(try ledger.core.snapshotCut == ledger.head().position)
        #expect(try ledger.digest().digest == bench.digest)
        #expect(try FinalAnswers(ledger) == bench.answers)
        let replay = try ledger.replay()
        #expect(replay.digest == bench.digest && replay.segmentEvents == Self.eventCount)
        #expect(try ledger.verify().filter { !$0.isClean } == [])
        try ledger.close()
        #expect(handler.entries.filter { $0.level >= .warning }.map { "\($0.message)" } == [])
    }
}
