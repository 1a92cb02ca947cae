import Daybook
import DaybookDomain
import DaybookEvents
import DaybookStore
import DaybookTesting
import Foundation
import Testing

/// A replay in a fresh process can fail: it is compared with what was worked out in other ways.
@Suite("What a replay is compared with")
struct ReplayComparisonTests {
    private static func replay(
        _ bench: VerificationBench, _ source: ReplaySource = .segments, workers: Int = 1
    ) throws -> ReplayReport {
        let ledger = try VerificationBench.open(bench.folder)
        defer { #expect(throws: Never.self) { try ledger.close() } }
        return try ledger.replay(workers: workers, source: source)
    }

    @Test("A healthy ledger agrees, and the report says with what")
    func healthy() async throws {
        let bench = try await VerificationBench()
        for source in ReplaySource.allCases {
            for workers in [1, 2, 7] {
                let report = try Self.replay(bench, source, workers: workers)
                #expect(report.agrees && report.differences == [])
                #expect(
                    report.comparison.chainAggregates == report.aggregates && report.aggregates > 1)
                #expect(report.comparison.chainStep == 1)
                #expect(report.comparison.chainSource == (source == .rows ? .segments : .rows))
                #expect(report.comparison.snapshotCut == report.events)
            }
        }
        let ledger = try VerificationBench.open(bench.folder)
        let report = try ledger.replay(isComparing: false)
        #expect(report.comparison.chainAggregates == 0 && report.comparison.snapshotCut == nil)
        try ledger.close()
    }

    @Test("States that are at hand are compared, too")
    func atHand() async throws {
        let bench = try await VerificationBench()
        let ledger = try VerificationBench.open(bench.folder)
        #expect(try ledger.replay().comparison.cachedAggregates == 0)
        _ = try ledger.check("tickets", for: "bob")
        let report = try ledger.replay()
        #expect(report.agrees && report.comparison.cachedAggregates == 1)
        // One that is not what its events come to, under the stamp of what they come to.
        let state = ledger.core.state.withLock { $0 }
        let name = try #require(state.names.id(of: "bob"))
        let bob = try #require(state.streamID(.production, .customer, name))
        let stamp = state.stamp(of: bob)
        ledger.core.cache.keep(SharedAggregate(kind: .customer), of: bob, stamp)
        let other = try ledger.replay()
        #expect(!other.agrees && other.differences == ["production/customer/bob"])
        try ledger.close()
    }

    @Test("A snapshot from before the end is compared with the events up to it")
    func olderSnapshot() async throws {
        let bench = try await VerificationBench()
        let ledger = try VerificationBench.open(bench.folder, readOnly: false)
        try await ledger.record([
            .used("tickets", at: instant("2026-05-01T10:00:00Z"), ref: "late", subject: "bob")
        ])
        try ledger.close()
        let report = try Self.replay(bench)
        #expect(report.agrees && report.differences == [])
        #expect(report.comparison.snapshotCut == report.events - 1)
        try bench.rewrite(bench.snapshot, header: { $0.stateDigest[0] ^= 1 })
        #expect(try !Self.replay(bench).agrees)
    }

    @Test("A chain that leaves out an event is found beside the fold over rows")
    func chain() async throws {
        let bench = try await VerificationBench()
        try bench.removeDerived()
        // The last events of one customer stand one after the other.
        try bench.damage(
            "UPDATE events SET previous = previous - 1 WHERE position = (SELECT max(position) FROM events)"
        )
        let report = try Self.replay(bench, .rows)
        #expect(!report.agrees)
        #expect(report.differences.count == 1)
        #expect(report.differences.first?.contains("bob") == true, "\(report.differences)")
        #expect(try bench.failing().keys.sorted() == ["rows"])
        #expect(try bench.verified()["replay"]?.contains("bob") == true)
    }

    @Test("A segment with another event than the row is found, whichever of the two is replayed")
    func segment() async throws {
        let bench = try await VerificationBench()
        // The sixteenth event is a use by bob; as a launch it counts nothing.
        try bench.rewrite(bench.segment, "events") { $0[15 * 64 + 62] = 100 }
        for source in ReplaySource.allCases {
            let report = try Self.replay(bench, source)
            #expect(!report.agrees, "\(source)")
            #expect(report.differences.contains { $0.contains("bob") }, "\(report.differences)")
        }
        let failing = try bench.verified()
        #expect(failing["segments"] != nil && failing["replay"] != nil, "\(failing)")
        #expect(failing["rows"] == nil && failing["history"] == nil, "\(failing)")
    }

    @Test("A digest that the snapshot was not given when it was written is found")
    func digest() async throws {
        let bench = try await VerificationBench()
        let whole = try Data(contentsOf: URL(filePath: bench.path(bench.snapshot)))
        try bench.rewrite(bench.snapshot, header: { $0.stateDigest[31] ^= 1 })
        let report = try Self.replay(bench)
        #expect(!report.agrees && !report.comparison.isSnapshotSame)
        #expect(report.digest == report.liveDigest)
        #expect(report.differences.count == 1)
        #expect(Set(try bench.verified().keys) == ["snapshot", "replay"])
        try whole.write(to: URL(filePath: bench.path(bench.snapshot)))
        try bench.rewrite(bench.snapshot, "sums") { $0[0] ^= 1 }
        #expect(try Self.replay(bench).agrees)
        #expect(Set(try bench.verified().keys) == ["snapshot"])
    }
}
