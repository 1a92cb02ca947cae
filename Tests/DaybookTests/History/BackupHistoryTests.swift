import Daybook
import DaybookAudit
import DaybookDomain
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

/// Backups and what is restored from them, where files, logs and other programs get in the way.
@Suite("Backups of one past")
struct BackupHistoryTests {
    let bench: ForkBench
    var saved: String { bench.saved }

    init() throws { bench = try ForkBench() }

    private func mode(_ path: String) throws -> mode_t {
        var status = stat()
        try #require(stat(path, &status) == 0, "\(path)")
        return status.st_mode & 0o777
    }

    /// Changes a file past everything that protects it.
    private func damage(_ path: String, _ sql: String) throws {
        let store = try SQLiteEventStore(path: path)
        try store.executeWithoutTriggers(sql)
        try store.close()
    }

    @Test(
        "A backup that a program puts beside the ledger's log is not mixed with it",
        arguments: [false, true])
    func logBesideABackup(isCarriedOn: Bool) async throws {
        var ledger = try await bench.create(5)
        if isCarriedOn { _ = try ledger.backUp(to: saved) }
        try await ledger.record(ForkBench.drafts(5..<1_000, past: 0))
        try ledger.close()
        ledger = try bench.open()
        try await ledger.record(ForkBench.drafts(1_000..<1_005, past: 0))
        // The same history as the ledger's, after the place where its log begins, in other pages.
        _ = try ledger.backUp(to: saved)
        try await ledger.record(ForkBench.drafts(1_005..<1_010, past: 0))
        try bench.keep(as: "later")
        try ledger.close()
        let log = bench.folder.url.appending(path: "later-wal").path
        try ForkBench.shell(
            "rm -f '\(bench.path)'-*; cp '\(saved)' '\(bench.path)'; cp '\(log)' '\(bench.path)-wal'"
        )
        for readOnly in [true, false] {
            let code = try await storeCode { _ = try bench.open(readOnly: readOnly) }
            #expect(code == .foreignLog)
        }
        try ForkBench.shell("rm -f '\(bench.path)'-*")
        let restored = try bench.open()
        #expect(try restored.head().position == 1_006)
        #expect(try restored.verify().filter { !$0.isClean } == [])
        try restored.close()
    }

    @Test("Damage of the ledger is not taken over into a backup", arguments: [30, 300])
    func damagedSource(position: Int) async throws {
        var ledger = try await bench.create(20)
        _ = try ledger.backUp(to: saved)
        try await ledger.record(ForkBench.drafts(20..<position + 20, past: 0))
        try ledger.close()
        try damage(
            bench.path,
            "UPDATE events SET occurred_at = occurred_at + 1 WHERE position = \(position)")
        ledger = try bench.open(readOnly: true)
        let code = try await storeCode { _ = try ledger.backUp(to: saved) }
        #expect(code == .damaged)
        try ledger.close()
        #expect(try Ledger.proveBackup(at: saved).position == 21)
    }

    static let damages = [
        "UPDATE events SET previous = NULL WHERE position = 100",
        "UPDATE events SET version = version + 1 WHERE position = 10",
        "UPDATE events SET amount = 7 WHERE position = 10",
        "DELETE FROM documents", "UPDATE documents SET id = 4",
        "UPDATE history_marks SET hash = zeroblob(32)",
        "UPDATE history_marks SET names = names - 1",
        "UPDATE history_marks SET stream_hash = zeroblob(32)", "DELETE FROM history_marks",
    ]

    @Test("A backup that says something else than was committed is not whole", arguments: damages)
    func damagedBackup(sql: String) async throws {
        let ledger = try await bench.create()
        for start in stride(from: 0, to: 16_400, by: 4_100) {
            try await ledger.record(ForkBench.drafts(start..<start + 4_100, past: 0))
        }
        _ = try ledger.backUp(to: saved)
        try ledger.close()
        #expect(try Ledger.proveBackup(at: saved).position == 16_401)
        try damage(saved, sql)
        #expect(try await storeCode { _ = try Ledger.proveBackup(at: saved) } == .damaged)
        let code = try await storeCode { try bench.restore(from: saved, to: bench.path + "2") }
        #expect(code == .damaged)
        #expect(!FileManager.default.fileExists(atPath: bench.path + "2"))
    }

    @Test("No event from outside takes the last epoch away")
    func epochs() async throws {
        let ledger = try await bench.create(3)
        func begun(_ epoch: Int64) -> EventDraft {
            EventDraft(
                type: .ledgerRestored, subject: nil, occurredAt: ForkBench.now,
                source: EventSource(kind: "native", key: "e\(epoch)"), trust: .admin,
                data: ["epoch": .integer(epoch), "history": "00", "reason": "x"])
        }
        for epoch: Int64 in [1, 1_002, 1_000_000_000] {
            let error = await #expect(throws: LedgerError.self) {
                try await ledger.record([begun(epoch)])
            }
            guard case .badInput(let problems)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(problems.map(\.code) == ["out_of_bounds"])
        }
        let both = await #expect(throws: LedgerError.self) {
            try await ledger.record([begun(3), begun(2)])
        }
        #expect(both != nil)
        _ = try ledger.backUp(to: saved)
        try ledger.close()
        #expect(try bench.restore(from: saved).history.epoch == 2)
    }

    @Test(
        "What is restored has the permissions of the ledger that it replaces",
        arguments: [0o600, 0o640])
    func permissions(bits: Int) async throws {
        let ledger = try await bench.create(3)
        _ = try ledger.backUp(to: saved)
        try ledger.close()
        chmod(bench.path, mode_t(bits))
        chmod(saved, 0o644)
        let kept = try #require(try bench.restore(from: saved).keptAt)
        #expect(try mode(bench.path) == mode_t(bits))
        #expect(try mode(kept) == mode_t(bits))
        // Without a ledger to replace it is the backup's, and so is the lock's.
        chmod(saved, mode_t(bits))
        try bench.restore(from: saved, to: bench.path + "2", isReplacing: false)
        #expect(try mode(bench.path + "2") == mode_t(bits))
        let restored = try Ledger.open(bench.path + "2", clock: { ForkBench.now })
        try await restored.record(ForkBench.drafts(3..<4, past: 0))
        try restored.close()
        #expect(try mode(bench.path + "2.lock") == mode_t(bits))
    }

    @Test("A restore that was killed at any step is done again, and loses nothing")
    func killed() async throws {
        let ledger = try await bench.create(10)
        _ = try ledger.backUp(to: saved)
        try await ledger.record(ForkBench.drafts(10..<40, past: 0))
        // As a kill leaves it: the log is not in the file yet, the ledger has its second name, the draft is there.
        try bench.keep(as: "later")
        try ledger.close()
        let later = bench.folder.url.appending(path: "later").path
        let draft = "\(bench.path).1f.new"
        try ForkBench.shell(
            """
            rm -f '\(bench.path)'*; cp '\(later)' '\(bench.path)'; cp '\(later)-wal' '\(bench.path)-wal'
            ln '\(bench.path)-wal' '\(bench.path).replaced-at-41-wal'
            ln '\(bench.path)' '\(bench.path).replaced-at-41'
            cp '\(saved)' '\(draft)'; touch '\(draft).lock'
            """)
        let restored = try bench.restore(from: saved)
        #expect(restored.abandoned?.position == 41)
        #expect(restored.history.epoch == 2)
        let kept = try Ledger.open(try #require(restored.keptAt), clock: { ForkBench.now })
        #expect(try kept.head().position == 41)
        #expect(try kept.verify().filter { !$0.isClean } == [])
        try kept.close()
        let now = try bench.open()
        #expect(try now.head().position == 12)
        try now.close()
        let left = try FileManager.default.contentsOfDirectory(atPath: bench.folder.url.path)
        #expect(left.filter { $0.contains(".new") } == [])
    }

    @Test("No ledger is replaced of which it cannot be told that it is the same one")
    func strangers() async throws {
        let ledger = try await bench.create(3)
        _ = try ledger.backUp(to: saved)
        try ledger.close()
        let stranger = try ForkBench()
        try await stranger.create().close()
        func code() async throws -> StoreError.Code? {
            try await storeCode { try bench.restore(from: saved, to: stranger.path) }
        }
        let before = try FileManager.default.contentsOfDirectory(
            atPath: stranger.folder.url.path)
        try ForkBench.shell("rm -f '\(stranger.path).lock'")
        #expect(try await code() == .otherHistory)
        // Not even a lock appears beside another ledger's file.
        let after = try FileManager.default.contentsOfDirectory(
            atPath: stranger.folder.url.path)
        #expect(
            Set(after).subtracting(before).subtracting(["ledger.sqlite-wal", "ledger.sqlite-shm"])
                == [])
        #expect(!FileManager.default.fileExists(atPath: stranger.path + ".lock"))
        try ForkBench.shell("ln '\(stranger.path)' '\(stranger.path).second'")
        #expect(try await code() == .failed)
        try ForkBench.shell("rm '\(stranger.path).second'; : > '\(stranger.path)'")
        #expect(try await code() == .notALedger)
        // What is left of a ledger that is gone is not taken for the new one's.
        for suffix in ["-wal", "-journal"] {
            try ForkBench.shell("rm -f '\(stranger.path)'*; echo x > '\(stranger.path)\(suffix)'")
            #expect(try await code() == .alreadyExists)
        }
    }

    @Test("Looking at a backup of an older schema changes nothing of it")
    func older() throws {
        let golden = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Goldens/schema-1/ledger.db")
        let before = try Data(contentsOf: golden)
        try before.write(to: URL(filePath: saved))
        let error = #expect(throws: LedgerError.self) { try Ledger.proveBackup(at: saved) }
        guard case .store(let refusal)? = error else { return }
        #expect(refusal.code == .readOnly)
        #expect(try Data(contentsOf: URL(filePath: saved)) == before)
        // SQLite itself makes an empty log for any reader.
        let log = FileManager.default.contents(atPath: saved + "-wal")
        #expect(log?.isEmpty != false)
    }
}
