import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookTesting
import Foundation
import Testing

/// A ledger file as it was written when consumables stood in customers' streams: `Goldens/ledger-1/consumables.bin`.
///
/// Transaction 9 was posted for bob and for ada, 10 with zoe's token for bob, 11 told by Apple alone, 12 told by Apple
/// and posted for cleo, who used 3 of it, 13 refunded and then posted for dora; eve bought two at another store and got
/// half of it back. It said then: ada 10, bob 20, zoe 0, cleo 7, dora 10, eve 10.
@Suite("A ledger file of the first format")
struct OldFileTests {
    /// Each purchase counted once. Whether bob or ada posted the first one earlier, the old form does not say.
    private static let credits: [(subject: String, left: Int64)] = [
        ("ada", 10), ("bob", 0), ("zoe", 10), ("apple:11", 10), ("apple:12", 0), ("cleo", 7),
        ("dora", 0), ("eve", 10),
    ]
    private static let now = instant("2026-12-01T00:00:00Z")

    private static func withLedger(_ body: (Ledger) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "daybook-old-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // What the system throws away sooner or later anyway.
        defer { try? FileManager.default.removeItem(at: folder) }
        let golden = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Goldens/ledger-1/consumables.bin")
        let copy = folder.appending(path: "ledger.sqlite")
        try FileManager.default.copyItem(at: golden, to: copy)
        let ledger = try Ledger.open(copy.path, clock: { now })
        try await body(ledger)
        try ledger.close()
    }

    private static func check(_ ledger: Ledger) throws {
        for (subject, left) in credits {
            let status = try ledger.status(
                of: subject, environment: .test, moment: Moment(at: now)
            ).status
            #expect(status.meters.first { $0.name == "stories" }?.granted == left, "\(subject)")
        }
    }

    @Test("Every row of a consumable belongs to a lineage, and every other row where it stands")
    func rows() async throws {
        try await Self.withLedger { ledger in
            for position in 1...(try ledger.head().position) {
                let event = try #require(try ledger.event(at: position))
                // It was moved when the file was opened.
                #expect(EventRouter.move(of: event) == nil, "\(position)")
                let isPurchase = event.draft.type.isOf(.purchase)
                #expect((event.stream.kind == .lineage) == isPurchase)
            }
            try Self.check(ledger)
            #expect(try ledger.verify().filter { !$0.isClean } == [])
        }
    }

    @Test("Its export counts each purchase once, for its owner, in a ledger of today")
    func exported() async throws {
        try await Self.withLedger { ledger in
            var lines: [[UInt8]] = []
            try ledger.export { lines.append($0) }
            let copy = try Ledger(inMemory: "magical-stories", clock: { Self.now })
            var next = lines.makeIterator()
            _ = try await copy.importLines({ next.next() })
            try Self.check(copy)
            #expect(try copy.replay().agrees)
        }
    }
}
