import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import DaybookTesting
import Foundation
import Testing

/// A ledger file that is copied away and back by other programs, as an operator does.
struct ForkBench {
    let folder: LedgerFolder
    var path: String { folder.path }
    var copy: String { folder.url.appending(path: "copy").path }
    /// Where a backup goes.
    var saved: String { folder.url.appending(path: "saved.db").path }

    static let now: Int64 = 1_767_225_600_000
    static let end: Int64 = 1_798_675_200_000

    /// The kinds of derived files.
    static let suffixes = [".daysnap", ".dayseg", ".daykeys"]

    init() throws { folder = try LedgerFolder() }

    func create() async throws -> Ledger {
        try await folder.create("dozzi") { Self.now }
    }

    /// - Parameter count: How many uses of past 0 it has.
    func create(_ count: Int) async throws -> Ledger {
        let ledger = try await create()
        try await ledger.record(Self.drafts(0..<count, past: 0))
        return ledger
    }

    func open(readOnly: Bool = false) throws -> Ledger {
        try Ledger.open(path, readOnly: readOnly, clock: { Self.now })
    }

    /// Uses of both pasts: in past 1 they come in the opposite order and for other customers, so that the same keys
    /// stand at other positions and the same numbers mean other names; every third has another key.
    static func drafts(_ range: Range<Int>, past: Int) -> [EventDraft] {
        range.map { place in
            let index = past == 0 ? place : range.upperBound - 1 - (place - range.lowerBound)
            let name = past == 0 ? (index * 7) % 53 : 52 - (index * 11) % 53
            let isOwn = past == 1 && index % 3 == 0
            return .used(
                "stories", at: now - 40_000_000 + Int64(index), ref: "\(isOwn ? "y" : "r")\(index)",
                subject: "customer-\(name)")
        }
    }

    /// Copies by another process: closing a descriptor of a file drops the locks that a process has on it.
    static func shell(_ command: String) throws {
        let status = try ChildCommand("/bin/sh", ["-c", command]).start().wait()
        try #require(status == 0, "\(command)")
    }

    /// Keeps the file with its log as they are now.
    func keep(as name: String = "copy") throws {
        let target = folder.url.appending(path: name).path
        try Self.shell(
            "cp '\(path)' '\(target)'; [ ! -e '\(path)-wal' ] || cp '\(path)-wal' '\(target)-wal'")
    }

    /// Puts the kept file back into the same inode, and takes the log away.
    func restore() throws {
        try Self.shell("cp '\(copy)' '\(path)' && rm -f '\(path)-wal' '\(path)-shm'")
    }

    /// Restores a backup as the command does; by default the one saved, in place of the ledger.
    @discardableResult
    func restore(
        from backup: String, to target: String? = nil, isReplacing: Bool = true
    ) throws -> RestoredLedger {
        try Ledger.restore(
            backup: backup, to: target ?? path, isReplacing: isReplacing, actor: "sam",
            reason: "test", clock: { Self.now })
    }

    /// Removes the derived files of other kinds.
    func keepDerived(_ kept: Set<String>) throws {
        for suffix in Self.suffixes where !kept.contains(suffix) {
            for name in folder.derivedNames(suffix) {
                try FileManager.default.removeItem(at: folder.derived.appending(path: name))
            }
        }
    }

    /// A ledger that only ever had these events.
    static func control(_ drafts: [[EventDraft]]) async throws -> Ledger {
        let ledger = try await LedgerTemplate("dozzi").ledger(clock: { now })
        for part in drafts { try await ledger.record(part) }
        return ledger
    }

    /// Nothing of another past is in any answer: it is the ledger that only ever had these events.
    static func expect(
        _ ledger: Ledger, isAs control: Ledger, _ comment: Comment,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(
            try ledger.digest().digest == control.digest().digest, comment,
            sourceLocation: sourceLocation)
        #expect(
            try FinalAnswers(ledger, at: end) == FinalAnswers(control, at: end), comment,
            sourceLocation: sourceLocation)
        for source in ReplaySource.allCases {
            #expect(
                try ledger.replay(source: source).digest == control.digest().digest, comment,
                sourceLocation: sourceLocation)
        }
        #expect(
            try ledger.verify().filter { !$0.isClean } == [], comment,
            sourceLocation: sourceLocation)
    }
}

/// The code of the store's error that a body throws; `nil` without one.
func storeCode(of body: () async throws -> Void) async throws -> StoreError.Code? {
    do {
        try await body()
        return nil
    } catch LedgerError.store(let error) {
        return error.code
    }
}
