import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import DaybookTesting
import Foundation
import Testing

/// Law 3: a snapshot changes the time to an answer, never the answer.
@Suite("Snapshots")
struct SnapshotTests {
    /// A ledger file in a folder of its own, removed afterwards.
    private static func withLedger(
        _ app: String = "nuzzle", _ body: (String, [EventDraft]) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "ledger.sqlite").path
        let drafts = try LawTests.drafts(app, seed: 7, subjects: 4, events: 60)
        let ledger = try await Ledger.create(
            at: path, catalog: try Fixtures.catalogDocument(app), clock: { 0 })
        try ledger.close()
        try await body(path, drafts)
    }

    private static func snapshotFile(_ path: String) throws -> URL {
        let folder = URL(filePath: path + ".snapshots")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        return folder.appending(path: try #require(names.last))
    }

    @Test(
        "X-02 A snapshot at every position, plus the tail, gives the digest of a replay from zero")
    func everyPosition() async throws {
        try await Self.withLedger { path, drafts in
            for draft in drafts {
                let ledger = try Ledger.open(path, clock: { 0 })
                try await ledger.record([draft])
                let live = try ledger.digest()
                #expect(try ledger.replay(workers: 2).digest == live.digest)
                try ledger.snapshot()
                try ledger.close()
            }
            let reopened = try Ledger.open(path, clock: { 0 })
            #expect(reopened.core.snapshotCut == Int64(drafts.count) + 1)
            let report = try reopened.replay()
            #expect(report.agrees)
            #expect(report.differences == [])
            #expect(try reopened.verify().allSatisfy(\.isClean))
            try reopened.close()
        }
    }

    @Test(
        "A snapshot upon the one before has the bytes of one that is made from the rows alone",
        arguments: Fixtures.apps)
    func uponAnother(_ app: String) async throws {
        try await Self.withLedger(app) { path, drafts in
            // Ids that are named before and after the first snapshot, linked, and of two letter cases.
            let id = "9a3c1f0e-5b6d-4e7f-8a90-1b2c3d4e5f60"
            func link(_ subject: String, _ command: Command) -> CommandRequest {
                CommandRequest(command, subject: subject)
            }
            let links = [
                link(id, .alias(to: "later")), link("anon-1", .alias(to: "ada")),
                link(id.uppercased(), .alias(to: "anon-2")), link("anon-3", .alias(to: "anon-1")),
            ]
            let half = drafts.count / 2
            let ledger = try Ledger.open(path, clock: { 0 })
            try await ledger.record(Array(drafts[..<half]))
            for request in links[..<2] { _ = try await ledger.perform(request) }
            try ledger.snapshot()
            // It goes on upon its file.
            #expect(ledger.core.state.withLock { $0.names.heldCount } == 0)
            try await ledger.record(Array(drafts[half...]))
            for request in links[2...] { _ = try await ledger.perform(request) }
            try ledger.snapshot()
            let upon = try Self.snapshotFile(path)
            let bytes = try Data(contentsOf: upon)
            try ledger.close()
            try FileManager.default.removeItem(at: upon.deletingLastPathComponent())
            let again = try Ledger.open(path, clock: { 0 })
            #expect(again.core.snapshotCut == 0)
            try again.snapshot()
            try again.close()
            let whole = try ContainerFile(path: try Self.snapshotFile(path).path)
            #expect(try Data(contentsOf: URL(filePath: whole.path)) == bytes)
            for section in ["names", "streams", "order", "links"] {
                #expect(whole.elementCount(section) > 0, "\(section)")
            }
        }
    }

    @Test("A snapshot of another ledger is not used")
    func foreign() async throws {
        try await Self.withLedger { path, drafts in
            try await Self.withLedger { other, _ in
                // The same events at the same positions: only the ledger's id tells them apart.
                for name in [path, other] {
                    let ledger = try Ledger.open(name, clock: { 0 })
                    try await ledger.record(drafts)
                    try ledger.snapshot()
                    try ledger.close()
                }
                let foreign = try Data(contentsOf: try Self.snapshotFile(other))
                try foreign.write(to: try Self.snapshotFile(path))
                let ledger = try Ledger.open(path, readOnly: true, clock: { 0 })
                #expect(ledger.core.snapshotCut == 0)
                #expect(try ledger.replay().agrees)
                try ledger.close()
            }
        }
    }

    @Test(
        "Known at any position: the digest and the funnels of a ledger that ends there, from any snapshot"
    )
    func ladder() async throws {
        try await Self.withLedger("magical-stories") { path, drafts in
            let ledger = try Ledger.open(path, clock: { 1_790_000_000_000 })
            var random = SplitMix64(seed: 5)
            let shuffled = drafts.shuffled(using: &random)
            let alone = try Ledger(inMemory: "magical-stories", clock: { 1_790_000_000_000 })
            try await alone.publish(
                CatalogPublication(document: try Fixtures.catalogDocument("magical-stories")))
            var digests: [Int64: StateDigest] = [:]
            for (index, draft) in shuffled.enumerated() {
                try await ledger.record([draft])
                try await alone.record([draft])
                digests[try alone.head().position] = try alone.digest().digest
                if index % 17 == 3 { try ledger.snapshot() }
            }
            for (position, digest) in digests {
                #expect(
                    try ledger.digest(knownAt: .position(position)).digest == digest,
                    "position \(position)")
            }
            try ledger.close()
        }
    }

    @Test("Of old snapshots one stays for each distance, four times as far as the one before")
    func rungs() {
        var kept: [Int64] = []
        for cut in stride(from: Int64(1_000), through: 2_000_000, by: 1_000) {
            kept.append(cut)
            let surplus = SnapshotLadder.surplus(kept)
            kept.removeAll { surplus.contains($0) }
        }
        #expect(kept.count <= 9)
        #expect(kept.suffix(2) == [1_999_000, 2_000_000])
        for distance in [Int64(4_096), 16_384, 65_536, 262_144, 1_048_576] {
            let oldest = 2_000_000 - distance
            let near = kept.filter { $0 <= oldest && $0 >= oldest - 4 * distance }
            #expect(!near.isEmpty, "none about \(distance) back: \(kept)")
        }
    }
}
