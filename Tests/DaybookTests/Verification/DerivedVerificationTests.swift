import Daybook
import DaybookEvents
import DaybookStore
import Foundation
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Mistakes in derived files under checksums that fit, each found by the check that is there for it.
@Suite("Verification of derived files")
struct DerivedVerificationTests {
    static let mistakes: [(section: String, offset: Int, told: String)] = [
        ("names", 8, "name 1"), ("names", 12, "first stream of name 1"), ("texts", 0, "name 1"),
        ("streams", 32, "last position of stream 2"), ("streams", 40, "version of stream 2"),
        ("streams", 48, "name of stream 2"), ("streams", 52, "aggregate of stream 2"),
        ("streams", 60, "environment of stream 2"), ("streams", 61, "kind of stream 2"),
        ("members", 4, "section members"), ("lines", 8, "section lines"),
        ("links", 8, "section links"), ("links", 55, "section links"),
        ("order", 0, "customer 0 of section order"), ("special", 0, "section special"),
        ("zones", 0, "zones"),
    ]

    @Test("A snapshot that says another thing than the rows is told", arguments: mistakes)
    func snapshot(section: String, offset: Int, told: String) async throws {
        let bench = try await VerificationBench()
        try bench.rewrite(bench.snapshot, section) { bytes in
            if offset < bytes.count { bytes[offset] ^= 1 }
        }
        let failing = try bench.failing()
        #expect(Set(failing.keys) == ["snapshots"], "\(failing)")
        #expect(failing["snapshots"]?.contains(told) == true, "\(failing)")
    }

    @Test("Files that are cut short while they are verified are told, and the process lives")
    func cutMeanwhile() async throws {
        // More than 16,384: after so many the files are cut, and the snapshot is compared at the end.
        let bench = try await VerificationBench(more: 17_000)
        let reader = IndependentReader(
            path: bench.folder.path, derived: bench.folder.derived.path,
            vocabulary: bench.vocabulary)
        let findings = try reader.run { _, _ in
            for name in [bench.snapshot, bench.segment] where truncate(bench.path(name), 0) != 0 {
                Issue.record("\(name) cannot be cut")
            }
        }
        let failing = VerificationBench.failing(
            findings.map { ($0.check, $0.isClean, $0.detail) })
        #expect(failing["snapshots"] != nil, "\(findings)")
    }

    @Test(
        "What is no file is told, and no reader waits for it", arguments: ["snapshot", "segment"])
    func pipes(kind: String) async throws {
        let bench = try await VerificationBench()
        let path = bench.path(kind == "snapshot" ? bench.snapshot : bench.segment)
        try FileManager.default.removeItem(atPath: path)
        try #require(mkfifo(path, 0o600) == 0)
        let failing = try bench.failing()
        #expect(failing["\(kind)s"]?.contains("it is no file") == true, "\(failing)")
        let ledger = try VerificationBench.open(bench.folder)
        #expect(try ledger.status(of: "bob").status.subject == "bob")
        #expect(try ledger.replay().agrees)
        try ledger.close()
    }

    @Test("What follows the last section is told, however much it is")
    func longTail() async throws {
        let bench = try await VerificationBench()
        try #require(truncate(bench.path(bench.snapshot), 1 << 40) == 0)
        #expect(try bench.failing()["snapshots"]?.contains("follow its last section") == true)
        let ledger = try VerificationBench.open(bench.folder)
        #expect(try ledger.status(of: "bob").status.subject == "bob")
        try ledger.close()
    }

    @Test("A name without its slot, and a transfer that was never made, are told")
    func slotsAndHandovers() async throws {
        let bench = try await VerificationBench()
        let bytes = try Data(contentsOf: URL(filePath: bench.path(bench.snapshot)))
        try bench.rewrite(bench.snapshot, "slots") { slots in
            let taken = stride(from: 0, to: slots.count, by: 4).first { slots[$0] != 0 }
            if let taken { slots[taken] = 0 }
        }
        #expect(try bench.failing()["snapshots"]?.contains("have slots") == true)
        try bytes.write(to: URL(filePath: bench.path(bench.snapshot)))
        #expect(try bench.failing() == [:])
        try bench.rewrite(bench.snapshot, "handovers") { $0 += [UInt8](repeating: 0, count: 64) }
        #expect(try bench.failing()["snapshots"]?.contains("handovers has 1 elements") == true)
    }

    static let segmentMistakes: [(section: String, offset: Int, told: String)] = [
        ("events", 6 * 64, "position 7: occurred_at is"), ("events", 6 * 64 + 8, "position 7:"),
        ("events", 9 * 64 + 40, "position 10: stream is"),
        ("events", 9 * 64 + 62, "position 10: type is"),
        ("streams", 4 * 9, "position 10: its stream is"),
        ("previous", 4 * 15, "position 16: it follows"),
    ]

    @Test("A segment that says another thing than the rows is told", arguments: segmentMistakes)
    func segment(section: String, offset: Int, told: String) async throws {
        let bench = try await VerificationBench()
        try bench.rewrite(bench.segment, section) { bytes in
            if offset < bytes.count { bytes[offset] ^= 1 }
        }
        let failing = try bench.failing()
        #expect(Set(failing.keys) == ["segments"], "\(failing)")
        #expect(failing["segments"]?.contains(told) == true, "\(failing)")
    }

    @Test("Events that have another digest than the header says are told")
    func segmentDigest() async throws {
        let bench = try await VerificationBench()
        try bench.rewrite(bench.segment, header: { $0.stateDigest[3] ^= 1 })
        let failing = try bench.failing()
        #expect(Set(failing.keys) == ["segments"], "\(failing)")
        #expect(failing["segments"]?.contains("another SHA-256") == true)
    }

    @Test("A damaged block is told, and a snapshot or its removal is the remedy")
    func blocks() async throws {
        let bench = try await VerificationBench()
        for (name, check) in [(bench.segment, "segments"), (bench.snapshot, "snapshots")] {
            let url = URL(filePath: bench.path(name))
            let whole = try Data(contentsOf: url)
            var bytes = whole
            bytes[bytes.startIndex + whole.count - 5] ^= 1
            try bytes.write(to: url)
            let failing = try bench.failing()
            #expect(Set(failing.keys) == [check], "\(failing)")
            #expect(failing[check]?.contains("is damaged") == true)
            try whole.write(to: url)
        }
    }

    @Test("Files of another history, version or ledger are told and are no failure")
    func strangers() async throws {
        let bench = try await VerificationBench()
        let changes: [(inout ContainerHeader) -> Void] = [
            { $0.history.hash = .zero }, { $0.fingerprint ^= 1 }, { $0.ledger ^= 1 },
            { $0.history.nameCount += 1 },
        ]
        let url = URL(filePath: bench.path(bench.snapshot))
        let whole = try Data(contentsOf: url)
        for change in changes {
            try bench.rewrite(bench.snapshot, header: change)
            let findings = try bench.findings()
            #expect(findings.filter { !$0.isClean } == [])
            let note = findings.first { $0.check.hasPrefix("derived files:") }
            #expect(note?.detail.contains(bench.snapshot) == true)
            try whole.write(to: url)
        }
        try Data().write(to: bench.folder.derived.appending(path: "999999999999.daysnap"))
        #expect(try bench.failing() == [:])
    }
}
