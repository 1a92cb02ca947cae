import Daybook
import DaybookAudit
import DaybookEvents
import DaybookStore
import DaybookTesting
import Foundation
import Synchronization
import Testing

/// Mistakes in the tables of a ledger, each found by the check that is there for it.
@Suite("Verification of rows")
struct RowVerificationTests {
    @Test("A healthy ledger is clean in every check, with and without derived files")
    func healthy() async throws {
        let bench = try await VerificationBench()
        #expect(try bench.failing() == [:])
        let checks = try bench.findings().map(\.check)
        for word in ["rows", "history", "keys", "clock", "documents", "segments", "snapshots"] {
            #expect(checks.contains { $0.hasPrefix(word + ":") }, "\(word)")
        }
        #expect(try bench.verified() == [:])
        try bench.removeDerived()
        #expect(try bench.failing() == [:])
        #expect(try bench.verified() == [:])
    }

    @Test("A healthy ledger is clean, too, while others write to it")
    func growing() async throws {
        let bench = try await VerificationBench()
        let other = try VerificationBench.open(bench.folder, readOnly: false)
        let count = Atomic(0)
        let before = try other.head().position
        // Each look at the clock is a moment at which another process has just written.
        let ledger = try Ledger(
            store: try SQLiteEventStore(path: bench.folder.path, readOnly: true),
            path: bench.folder.path, readOnly: true,
            segmentEventCount: VerificationBench.segmentCount
        ) {
            let number = count.add(1, ordering: .relaxed).newValue
            let use = CommandRequest(
                .consume(meter: "tickets", amount: 1, ref: "\(number)"),
                subject: "customer-\(number)")
            _ = other.writer.performTogether([use])
            return VerificationBench.now
        }
        #expect(try ledger.verify().filter { !$0.isClean } == [])
        #expect(try other.head().position > before + 2)
        try ledger.close()
        try other.close()
    }

    static let mistakes: [(String, Set<String>)] = [
        ("UPDATE events SET occurred_at = occurred_at + 1 WHERE position = 4", ["history"]),
        ("UPDATE events SET key = 'another' WHERE position = 4", ["history"]),
        ("UPDATE events SET rest = '{\"a\":1}' WHERE position = 3", ["history"]),
        ("UPDATE events SET trust = trust + 1 WHERE position = 15", ["history"]),
        ("UPDATE names SET text = text || 'x' WHERE id = 2", ["history"]),
        ("UPDATE events SET stream = 1 WHERE position = 5", ["rows", "history"]),
        ("UPDATE events SET version = version + 1 WHERE position = 20", ["rows"]),
        ("UPDATE events SET previous = previous - 1 WHERE position = 20", ["rows"]),
        ("UPDATE events SET source = 4000 WHERE position = 20", ["rows", "history"]),
        ("DELETE FROM events WHERE position = 20", ["rows", "history"]),
        (
            """
            UPDATE events SET key = (SELECT key FROM events WHERE position = 20), \
            source = (SELECT source FROM events WHERE position = 20) WHERE position = 21
            """, ["keys", "history"]
        ),
        (
            "UPDATE events SET recorded_at = recorded_at - 1 WHERE position = 25",
            ["clock", "history"]
        ),
        ("UPDATE documents SET bytes = x'00' WHERE id = 1", ["documents"]),
        ("UPDATE documents SET id = 7 WHERE id = 1", ["documents"]),
        ("UPDATE history_head SET hash = zeroblob(32)", ["history"]),
        ("UPDATE history_head SET name_hash = zeroblob(32)", ["history"]),
        ("UPDATE history_head SET streams = streams - 1", ["history"]),
        ("UPDATE history_head SET epoch = epoch + 1", ["history"]),
    ]

    @Test("A planted mistake fails its own check and no other one", arguments: mistakes)
    func planted(sql: String, expected: Set<String>) async throws {
        let bench = try await VerificationBench()
        try bench.removeDerived()
        try bench.damage(sql)
        let failing = try bench.failing()
        #expect(Set(failing.keys) == expected, "\(failing)")
        do {
            let verified = try Ledger.verify(at: bench.folder.path).filter { !$0.isClean }
            let checks = Set(verified.map { String($0.check.prefix { $0 != ":" }) })
            #expect(checks.isSuperset(of: expected), "\(verified)")
        } catch LedgerError.store(let refusal) {
            // That it is not even opened is an answer, too.
            #expect(refusal.code == .damaged, "\(refusal)")
        }
    }

    @Test("A changed leaf of a block is told with its number")
    func block() async throws {
        let bench = try await VerificationBench(more: 300)
        #expect(try bench.failing() == [:])
        try bench.damage("UPDATE history_blocks SET hash = zeroblob(32) WHERE id = 1")
        let failing = try bench.failing()
        #expect(Set(failing.keys) == ["history"])
        #expect(failing["history"]?.contains("block 1 (positions 1 to 256)") == true)
    }

    private static func launches(_ range: Range<Int>) -> [EventDraft] {
        range.map { .reported(.appLaunched, at: Int64($0), key: "launch \($0) of a great many") }
    }

    /// Exchanges the first two elements of a section of an array, under checksums that fit.
    private static func swapFirst(of section: String, in path: String) throws {
        let file = try ContainerFile(path: path)
        let sizes = [
            ("filter", 32), ("hashes", 8), ("offsets", 4), ("id-filter", 32), ("id-hashes", 8),
            ("id-offsets", 4),
        ]
        let sections = try sizes.map { part, size in
            var bytes = try file.bytes(part)
            if part == section { for index in 0..<4 { bytes.swapAt(index, 4 + index) } }
            return ContainerSection(
                name: part, elementCount: bytes.count / size, bytes: bytes)
        }
        try ContainerWriter.write(file.header, sections, to: path)
    }

    @Test("A changed mark, and wrong entries of a lookup array, are told with their positions")
    func marks() async throws {
        let bench = try await VerificationBench()
        let ledger = try Ledger.open(bench.folder.path, clock: { VerificationBench.now })
        for start in stride(from: 0, to: 16_400, by: 8_200) {
            try await ledger.record(Self.launches(start..<start + 8_200))
        }
        try ledger.close()
        // The history has uses with refs, so the array has ids.
        let name = try #require(bench.folder.derivedNames(".daykeys").first)
        #expect(try bench.failing() == [:])
        let checks = try bench.findings()
        let arrays = checks.first { $0.check.hasPrefix("lookup arrays:") }
        #expect(arrays?.detail == "16384 events")
        // Two entries change places: both positions are under the hash of another key, or another id.
        for (section, reason) in [
            ("offsets", "its key is under"), ("id-offsets", "id entry 0 is"),
        ] {
            try Self.swapFirst(of: section, in: bench.path(name))
            let failing = try bench.failing()
            #expect(Set(failing.keys) == ["lookup arrays"], "\(failing)")
            #expect(failing["lookup arrays"]?.contains(reason) == true, "\(failing)")
            try Self.swapFirst(of: section, in: bench.path(name))
        }
        try FileManager.default.removeItem(atPath: bench.path(name))
        try bench.damage("UPDATE history_marks SET tree = zeroblob(length(tree))")
        let marked = try bench.failing()
        #expect(Set(marked.keys) == ["history"], "\(marked)")
        #expect(marked["history"]?.contains("the mark at position 16384") == true)
    }
}
