import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookStore
import DaybookTesting
import Foundation
import Testing

/// One past (law 9): a file that was restored, copied over or replaced goes on from what it holds, and from nothing
/// else. The seed is printed; `DAYBOOK_SEED` repeats a run.
@Suite("One past")
struct ForkTests {
    private static let seed: UInt64 =
        ProcessInfo.processInfo.environment["DAYBOOK_SEED"].flatMap(UInt64.init)
        ?? .random(in: .min ... .max)

    /// More than a file of keys and a segment, in batches.
    private static let count = 17_000

    private static func record(_ drafts: [EventDraft], in ledger: Ledger) async throws {
        for start in stride(from: 0, to: drafts.count, by: 4_096) {
            try await ledger.record(Array(drafts[start..<min(start + 4_096, drafts.count)]))
        }
    }

    /// A ledger that was copied away at a random place and went on, with some kinds of derived files of its future.
    private struct Fork {
        let bench: ForkBench
        /// Events before the copy.
        let place: Int
        let comment: Comment

        var common: [EventDraft] { ForkBench.drafts(0..<place, past: 0) }
    }

    /// Every combination of snapshots, segments and key arrays.
    private static let combinations = 0..<(1 << ForkBench.suffixes.count)

    private static func fork(_ combination: Int, _ sequence: String) async throws -> Fork {
        print("\(sequence) \(combination): seed \(seed) (DAYBOOK_SEED repeats it)")
        var random = SplitMix64(seed: seed &+ UInt64(combination))
        let place = Int.random(in: 1..<16_000, using: &random)
        let bench = try ForkBench()
        var ledger = try await bench.create()
        try await record(ForkBench.drafts(0..<place, past: 0), in: ledger)
        try ledger.close()
        try bench.keep()
        ledger = try bench.open()
        try await record(ForkBench.drafts(place..<count, past: 0), in: ledger)
        try ledger.snapshot()
        try ledger.close()
        let kept = Set(
            ForkBench.suffixes.enumerated().filter { combination >> $0.offset & 1 == 1 }.map {
                $0.element
            })
        try bench.keepDerived(kept)
        for suffix in kept { #expect(!bench.folder.derivedNames(suffix).isEmpty) }
        return Fork(
            bench: bench, place: place,
            comment: "fork at \(place), with \(kept.sorted()), seed \(seed)")
    }

    @Test(
        "A restored file goes on with left-over snapshots, segments and key arrays of the past that it abandoned",
        arguments: combinations)
    func leftOver(combination: Int) async throws {
        let fork = try await Self.fork(combination, "left over")
        let (bench, comment, common) = (fork.bench, fork.comment, fork.common)
        try bench.restore()
        var ledger = try bench.open()
        let other = ForkBench.drafts(fork.place..<Self.count, past: 1)
        try await Self.record(other, in: ledger)
        let control = try await ForkBench.control([common, other])
        try ForkBench.expect(ledger, isAs: control, comment)
        // Every key of this past is known, where it stands in this one, and none of the other.
        func probe() async throws {
            for part in [common.suffix(3), other.prefix(3), other.suffix(3)] {
                let receipt = try await ledger.record(Array(part))
                #expect(receipt.duplicates == part.count, comment)
            }
        }
        try await probe()
        let strange = ForkBench.drafts(fork.place..<fork.place + 9, past: 0).enumerated()
            .filter { (fork.place + $0.offset) % 3 == 0 }.map(\.element)
        for one in [ledger, control] {
            #expect(try await one.record(strange).appended == 3, comment)
        }
        try ledger.close()
        ledger = try bench.open()
        try await probe()
        try ForkBench.expect(ledger, isAs: control, comment)
        let next = EventDraft.used(
            "stories", at: ForkBench.now, ref: "next", subject: "customer-3")
        try await ledger.record([next])
        try await control.record([next])
        try ForkBench.expect(ledger, isAs: control, comment)
        try ledger.close()
    }

    @Test("A file that goes on beyond the snapshot of another past does not begin with it")
    func sameKeyAtTheCut() async throws {
        let bench = try ForkBench()
        var ledger = try await bench.create()
        try ledger.close()
        try bench.keep()
        func drafts(_ names: [String]) -> [EventDraft] {
            names.enumerated().map {
                .used(
                    "stories", at: ForkBench.now - 10 + Int64($0.offset), ref: "r\($0.offset)",
                    subject: $0.element)
            }
        }
        ledger = try bench.open()
        try await ledger.record(drafts(["ada", "bob", "cleo"]))
        try ledger.snapshot()
        try ledger.close()
        try bench.restore()
        ledger = try bench.open()
        try await ledger.record(drafts(["bob", "ada", "cleo"]))
        try ledger.close()
        ledger = try bench.open()
        #expect(ledger.core.snapshotCut == 0)
        let receipt = try await ledger.consume("stories", by: "ada", ref: "mine")
        let position = try #require(receipt.positions.first)
        let row = try #require(try ledger.core.store.rows(at: [position]).first)
        let names = try ledger.core.store.names(after: 0)
        #expect(names[Int(row.event.customer) - 1] == "ada")
        #expect(try ledger.verify().filter { !$0.isClean } == [])
        try ledger.close()
        #expect(bench.folder.derivedNames(".aside").count >= 1)
    }

    /// Events that are recorded after a restore.
    private static let continued = 40

    @Test(
        "A process that has the file open while it is restored in place writes nothing into it",
        arguments: combinations)
    func restoredUnderneath(combination: Int) async throws {
        let fork = try await Self.fork(combination, "restored in place")
        let bench = fork.bench
        let stream = try bench.open()
        try await stream.record(ForkBench.drafts(Self.count..<Self.count + 20, past: 0))
        try bench.restore()
        // Another process: within one, SQLite would go on with what it has mapped of the log that was removed.
        await #expect(processExitsWith: .success) {
            [path = bench.path as String, place = fork.place as Int] in
            let other = try Ledger.open(path, clock: { ForkBench.now })
            try await other.record(ForkBench.drafts(place..<place + ForkTests.continued, past: 1))
            try other.close()
        }
        let draft = EventDraft.used("stories", at: ForkBench.now, ref: "late", subject: "ada")
        let code = try await storeCode { _ = try await stream.record([draft]) }
        let noticed: [StoreError.Code?] = [.replaced, .otherHistory, .foreignLog]
        #expect(noticed.contains(code), "\(String(describing: code))")
        // Within a second; asked often enough, without sleeping, that it must have passed.
        let deadline = ContinuousClock.now + .seconds(5)
        var asked: StoreError.Code?
        // Until then SQLite itself may find the two states of the file at odds, which is no answer either.
        while !noticed.contains(asked), ContinuousClock.now < deadline {
            asked = try await storeCode {
                _ = try stream.status(
                    of: "customer-1", environment: .production, moment: Moment(at: ForkBench.now))
            }
        }
        #expect(noticed.contains(asked), "\(String(describing: asked))")
        // Closing it moves nothing of its log into the file.
        try? stream.close()
        await #expect(processExitsWith: .success) {
            [path = bench.path as String, place = fork.place as Int] in
            let control = try await ForkBench.control([
                ForkBench.drafts(0..<place, past: 0),
                ForkBench.drafts(place..<place + ForkTests.continued, past: 1),
            ])
            let again = try Ledger.open(path, clock: { ForkBench.now })
            try #require(try again.digest().digest == control.digest().digest)
            try #require(
                try FinalAnswers(again, at: ForkBench.end)
                    == FinalAnswers(control, at: ForkBench.end))
            try #require(try again.verify().filter { !$0.isClean } == [])
            try again.close()
        }
    }

    @Test(
        "The process that noticed a restore in place closes the ledger and opens what is there now")
    func reopened() async throws {
        let fork = try await Self.fork(0, "reopened by the same process")
        let bench = fork.bench
        let stream = try bench.open()
        try await stream.record(ForkBench.drafts(Self.count..<Self.count + 20, past: 0))
        try bench.restore()
        let draft = EventDraft.used("stories", at: ForkBench.now, ref: "late", subject: "ada")
        let code = try await storeCode { _ = try await stream.record([draft]) }
        let noticed: [StoreError.Code?] = [.replaced, .otherHistory, .foreignLog]
        #expect(noticed.contains(code), "\(String(describing: code))")
        try stream.close()
        try await Self.expectGoesOn(fork)
    }

    /// The file that lies there goes on as if its other future had never been.
    private static func expectGoesOn(_ fork: Fork) async throws {
        let ledger = try fork.bench.open()
        #expect(try ledger.head().position == Int64(fork.place) + 1)
        let other = ForkBench.drafts(fork.place..<fork.place + continued, past: 1)
        try await ledger.record(other)
        try ForkBench.expect(
            ledger, isAs: try await ForkBench.control([fork.common, other]), fork.comment)
        try ledger.close()
    }

    @Test(
        "A process whose file is renamed over during its work acknowledges nothing any more",
        arguments: combinations)
    func replacedUnderneath(combination: Int) async throws {
        let fork = try await Self.fork(combination, "renamed over")
        let bench = fork.bench
        let writer = try bench.open()
        try await writer.record(ForkBench.drafts(Self.count..<Self.count + 20, past: 0))
        try ForkBench.shell(
            "cp '\(bench.copy)' '\(bench.path).new' && mv '\(bench.path).new' '\(bench.path)' "
                + "&& rm -f '\(bench.path)-wal' '\(bench.path)-shm'")
        let code = try await storeCode {
            try await writer.record(ForkBench.drafts(Self.count + 20..<Self.count + 40, past: 0))
        }
        #expect(code == .replaced)
        try? writer.close()
        try await Self.expectGoesOn(fork)
    }

    @Test("A reader notices that the file was replaced")
    func replacedUnderAReader() async throws {
        let bench = try ForkBench()
        let writer = try await bench.create()
        try await writer.record(ForkBench.drafts(0..<20, past: 0))
        try writer.close()
        let reader = try bench.open(readOnly: true)
        let spare = try ForkBench()
        try await spare.create().close()
        try ForkBench.shell("mv '\(spare.path)' '\(bench.path)'")
        // Within a second; asked often enough, without sleeping, that it must have passed.
        let deadline = ContinuousClock.now + .seconds(5)
        var code: StoreError.Code?
        while code == nil, ContinuousClock.now < deadline {
            code = try await storeCode { try reader.refresh() }
        }
        #expect(code == .replaced)
        try? reader.close()
    }

    @Test(
        "A log beside a file that was restored is recognised before any read or write",
        arguments: combinations)
    func strangeLog(combination: Int) async throws {
        let fork = try await Self.fork(combination, "log of another state")
        let bench = fork.bench
        let writer = try bench.open()
        try await writer.record(ForkBench.drafts(Self.count..<Self.count + 40, past: 0))
        // The log holds the last events; the file is put back to where it was long before the log began.
        try bench.keep(as: "later")
        try writer.close()
        let later = bench.folder.url.appending(path: "later").path
        try ForkBench.shell(
            "rm -f '\(bench.path)'-*; cp '\(bench.copy)' '\(bench.path)'; cp '\(later)-wal' '\(bench.path)-wal'"
        )
        for readOnly in [true, false] {
            let code = try await storeCode { _ = try bench.open(readOnly: readOnly) }
            #expect(code == .foreignLog)
        }
        // The file with its own log is whole.
        try ForkBench.shell(
            "rm -f '\(bench.path)'-*; cp '\(later)' '\(bench.path)'; cp '\(later)-wal' '\(bench.path)-wal'"
        )
        let whole = try bench.open()
        #expect(try whole.head().position == Int64(Self.count) + 41)
        try whole.close()
        // Without the log it is what was restored.
        try ForkBench.shell("rm -f '\(bench.path)'-*; cp '\(bench.copy)' '\(bench.path)'")
        try await Self.expectGoesOn(fork)
    }

    @Test(
        "A ledger of schema 2 is brought up to date when it is opened, with the history that it had"
    )
    func schema2() async throws {
        let bench = try ForkBench()
        let golden = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Goldens/schema-2/ledger.db")
        try FileManager.default.copyItem(at: golden, to: URL(filePath: bench.path))
        // After everything that the file holds: it was written in 2026.
        let ledger = try Ledger.open(bench.path, readOnly: true, clock: { ForkBench.end })
        let history = try ledger.history()
        #expect(
            history.hash.description
                == "4df5967faf4bfc6687aa1e6b13ac1fb6ae662f85b923458f06cab421385d90a8")
        #expect(history.position == 5)
        #expect(try ledger.verify().filter { !$0.isClean } == [])
        try ledger.close()
    }

    @Test("A ledger of schema 1 is brought up to date when it is opened, and names its history")
    func olderSchema() async throws {
        let bench = try ForkBench()
        let golden = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Goldens/schema-1/ledger.db")
        try FileManager.default.copyItem(at: golden, to: URL(filePath: bench.path))
        let ledger = try bench.open(readOnly: true)
        let end = try ledger.core.store.end()
        #expect(end.head.position == 8 && end.history.position == 8)
        #expect(try ledger.core.store.confirms(end.history))
        #expect(try ledger.core.store.findings() == [])
        try ledger.close()
        // After everything that the file holds: it was written in 2026.
        let writer = try Ledger.open(bench.path, clock: { ForkBench.end })
        try await writer.record([
            .used("coins", at: ForkBench.now, ref: "new", subject: "ada")
        ])
        #expect(try writer.verify().filter { !$0.isClean } == [])
        #expect(try writer.core.store.confirms(end.history))
        try writer.close()
    }
}
