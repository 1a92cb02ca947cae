import Daybook
import DaybookAudit
import DaybookDomain
import DaybookTesting
import Foundation
import InMemoryLogging
import Logging
import Testing

/// Files with names like those of derived files, and with impossible numbers.
@Suite("Stray derived files")
struct StrayFileTests {
    private static let names = [
        "004294967295.dayseg", "000000000007.dayseg", "9223372036854775807.dayseg",
        "99999999999999999999.dayseg", "-5.dayseg", "9223372036854775807.daysnap",
        "999999999999.daysnap", "-5.daysnap", "+1.daysnap",
        "keys-000000000001-9223372036854775807.daykeys", "keys--5-9223372036854775807.daykeys",
    ]

    private static func place(_ names: [String], in folder: LedgerFolder) throws {
        try FileManager.default.createDirectory(
            at: folder.derived, withIntermediateDirectories: true)
        for name in names { try Data().write(to: folder.derived.appending(path: name)) }
    }

    @Test("Whatever numbers stray files have, no memory is taken for what lies before them")
    func memory() async throws {
        let folder = try LedgerFolder()
        try await folder.create("dozzi", clock: { 0 }).close()
        try Self.place(Self.names, in: folder)
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            #if os(Linux)
                var limit = rlimit(rlim_cur: 1 << 30, rlim_max: 1 << 30)
                try #require(setrlimit(__rlimit_resource_t(2), &limit) == 0)  // RLIMIT_DATA
            #endif
            let ledger = try Ledger.open(path, readOnly: true, clock: { 0 })
            try #require(try ledger.head().position == 1)
            try #require(try ledger.verify().count > 0)
            try ledger.close()
        }
    }

    @Test("What lies beyond the ledger's end is told once for each kind, and passed over")
    func warnings() async throws {
        let folder = try LedgerFolder()
        let ledger = try await folder.create("dozzi", clock: { 0 })
        let digest = try ledger.digest().digest
        try ledger.snapshot()
        try ledger.close()
        try Self.place(Self.names.filter { !$0.hasSuffix(".daykeys") }, in: folder)
        let handler = InMemoryLogHandler()
        let opened = try Ledger.open(
            folder.path, log: Logger(label: "daybook") { _ in handler }, clock: { 0 })
        #expect(opened.core.snapshotCut == 1)
        #expect(try opened.digest().digest == digest)
        try opened.close()
        let warnings = handler.entries.filter { $0.level >= .warning }.map { "\($0.message)" }
        #expect(warnings.count == 2, "\(warnings)")
        #expect(warnings.allSatisfy { $0.contains("beyond the ledger's end") }, "\(warnings)")
    }

    @Test("Stray snapshots do not push out the newest one")
    func pruning() async throws {
        let folder = try LedgerFolder()
        let ledger = try await folder.create("dozzi", clock: { 0 })
        try ledger.snapshot()
        try Self.place(Self.names, in: folder)
        for number in 2...5 {
            try await ledger.record([.used("stories", at: Int64(number), ref: "\(number)")])
            let report = try ledger.snapshot()
            #expect(FileManager.default.fileExists(atPath: report.path))
        }
        try ledger.close()
        let again = try Ledger.open(folder.path, readOnly: true, clock: { 0 })
        #expect(again.core.snapshotCut == 5)
        try again.close()
    }
}
