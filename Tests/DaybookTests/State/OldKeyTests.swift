import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookStore
import Foundation
import Testing

/// A key is known for ever (rule 16): also when it left memory for a lookup array, and the array for a file.
struct OldKeyTests {
    private static func draft(_ index: Int) -> EventDraft {
        EventDraft(
            type: .usageRecorded, subject: "u\(index % 7)", occurredAt: Int64(index),
            source: EventSource(kind: "native", key: "request-\(index)"), trust: .imported,
            data: ["meter": "stories", "amount": .integer(1), "ref": .string("story \(index)")])
    }

    @Test("A request of 40,000 events ago is known, in memory and from files")
    func oldKeys() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "ledger.sqlite").path
        var ledger = try await Ledger.create(
            at: path, catalog: try Fixtures.catalogDocument("dozzi"), clock: { Fixtures.now })
        let count = 40_000
        for start in stride(from: 0, to: count, by: 5_000) {
            try await ledger.record((start..<start + 5_000).map(Self.draft))
        }
        let samples = (0..<count).filter { $0 % 97 == 0 }.map(Self.draft)
        for _ in 0..<2 {
            let receipt = try await ledger.record(samples)
            #expect(receipt.duplicates == samples.count)
            #expect(receipt.appended == 0)
            let fresh = try await ledger.record([Self.draft(count + Int.random(in: 0..<1_000_000))])
            #expect(fresh.appended == 1)
            try ledger.close()
            ledger = try Ledger.open(path, clock: { Fixtures.now })
        }
        let folderOfRuns = path + ".snapshots"
        let files = try FileManager.default.contentsOfDirectory(atPath: folderOfRuns)
        #expect(files.count { $0.hasSuffix(".daykeys") } == 2)
        try ledger.close()
    }
}
