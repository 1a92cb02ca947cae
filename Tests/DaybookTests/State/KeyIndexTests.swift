import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookStore
import DaybookTesting
import Foundation
import Testing

/// Keys are found for ever: in memory, in sealed files, and where files are lost or damaged.
@Suite("Looking up keys")
struct KeyIndexTests {
    private static let keysPerFile = 16_384

    private static func launches(_ range: Range<Int>) -> [EventDraft] {
        range.map { number in
            EventDraft(
                type: .appLaunched, subject: "ada", occurredAt: Int64(number),
                source: EventSource(kind: "native", key: "launch \(number) of many launches"),
                trust: .imported, data: JSONObject())
        }
    }

    /// What the ledger says to events that it has, and to one that it does not have.
    private static func expectKnown(
        _ ledger: Ledger, _ count: Int, _ comment: Comment? = nil
    ) async throws {
        let probes = stride(from: 0, to: count, by: 997).map { $0 } + [count - 1]
        let known = try await ledger.record(probes.flatMap { launches($0..<$0 + 1) })
        #expect(known.duplicates == probes.count, comment)
        #expect(known.appended == 0, comment)
        var other = launches(probes[1]..<probes[1] + 1)
        other[0].occurredAt = 5
        await #expect(throws: LedgerError.self, comment) { try await ledger.record(other) }
    }

    @Test("Keys are sealed in files of 16,384, eight of them become one, and all are found")
    func sealing() async throws {
        let folder = try LedgerFolder()
        let ledger = try await folder.create("dozzi") { 0 }
        let count = 8 * Self.keysPerFile + 100
        var start = 0
        while start < count {
            let end = min(start + 8_000, count)
            try await ledger.record(Self.launches(start..<end))
            start = end
            if start == 3 * 8_000 {
                #expect(
                    folder.derivedNames(".daykeys") == ["keys-000000000001-000000016384.daykeys"])
            }
        }
        #expect(folder.derivedNames(".daykeys") == ["keys-000000000001-000000131072.daykeys"])
        try await Self.expectKnown(ledger, count)
        try ledger.close()
        let reopened = try Ledger.open(folder.path, clock: { 0 })
        try await Self.expectKnown(reopened, count)
        try reopened.close()
        // Without the files one scan makes them again, and the next commit writes them.
        try FileManager.default.removeItem(at: folder.derived)
        let scanned = try Ledger.open(folder.path, clock: { 0 })
        try await Self.expectKnown(scanned, count)
        try await scanned.record(Self.launches(count..<count + 1))
        #expect(folder.derivedNames(".daykeys") == ["keys-000000000001-000000131072.daykeys"])
        #expect(try scanned.verify().allSatisfy(\.isClean))
        try scanned.close()
    }

    /// A ledger that merges every run of more than one unit beside its work.
    private static func mergingBeside(_ folder: LedgerFolder) throws -> Ledger {
        var held = HeldBounds()
        held.keysOfCommitMax = LookupRun.alignment
        return try Ledger(
            store: try SQLiteEventStore(path: folder.path), path: folder.path, held: held,
            clock: { 0 })
    }

    @Test("Runs too large for a commit are put together beside the work, into the same file")
    func besideTheWork() async throws {
        let folder = try LedgerFolder()
        try await folder.create("dozzi") { 0 }.close()
        let ledger = try Self.mergingBeside(folder)
        let count = 8 * Self.keysPerFile + 100
        var start = 0
        while start < count {
            let end = min(start + 8_000, count)
            try await ledger.record(Self.launches(start..<end))
            start = end
        }
        ledger.writer.finishDerivedWriting()
        let whole = ["keys-000000000001-000000131072.daykeys"]
        #expect(folder.derivedNames(".daykeys") == whole)
        let path = folder.derived.appending(path: whole[0])
        let bytes = try Data(contentsOf: path)
        try await Self.expectKnown(ledger, count)
        try ledger.close()
        // Made from the events again, in parts, by a ledger that is closed before it has time to put them together.
        try FileManager.default.removeItem(at: folder.derived)
        let second = try Self.mergingBeside(folder)
        try await Self.expectKnown(second, count)
        try await second.record(Self.launches(count..<count + 1))
        try second.close()
        #expect(folder.derivedNames(".daykeys") == whole)
        let reopened = try Self.mergingBeside(folder)
        try await Self.expectKnown(reopened, count + 1)
        #expect(try reopened.verify().allSatisfy(\.isClean))
        try reopened.close()
        // The same as of one that puts them together within the commit.
        try FileManager.default.removeItem(at: folder.derived)
        let third = try Ledger.open(folder.path, clock: { 0 })
        try await Self.expectKnown(third, count + 1)
        try await third.record(Self.launches(count + 1..<count + 2))
        try third.close()
        #expect(try Data(contentsOf: path) == bytes)
    }

    @Test("What another process wrote and put together is taken over, not written once more")
    func takenOver() async throws {
        let folder = try LedgerFolder()
        try await folder.create("dozzi") { 0 }.close()
        let (first, second) = (try Self.mergingBeside(folder), try Self.mergingBeside(folder))
        // The second one has its keys, and hears of the others' at its next commit.
        try await second.record(Self.launches(0..<1))
        let count = 8 * Self.keysPerFile + 100
        for start in stride(from: 1, to: count, by: 8_000) {
            try await first.record(Self.launches(start..<min(start + 8_000, count)))
        }
        first.writer.finishDerivedWriting()
        let whole = ["keys-000000000001-000000131072.daykeys"]
        #expect(folder.derivedNames(".daykeys") == whole)
        let inode = try folder.inode(of: whole[0])
        try await second.record(Self.launches(count..<count + 1))
        #expect(folder.derivedNames(".daykeys") == whole)
        #expect(second.core.state.withLock { $0.keys?.runs.count } == 1)
        try await Self.expectKnown(second, count)
        second.writer.finishDerivedWriting()
        #expect(folder.derivedNames(".daykeys") == whole)
        #expect(try folder.inode(of: whole[0]) == inode)
        try first.close()
        try second.close()
    }

    @Test("A damaged, shortened or foreign file of keys costs a scan and never an answer")
    func damage() async throws {
        let folder = try LedgerFolder()
        let ledger = try await folder.create("dozzi") { 0 }
        let count = 2 * Self.keysPerFile + 10
        try await ledger.record(Self.launches(0..<count))
        try ledger.close()
        let names = folder.derivedNames(".daykeys")
        #expect(names.count == 2)
        let file = folder.derived.appending(path: names[0])
        let whole = try Data(contentsOf: file)
        var random = SplitMix64(seed: 11)
        for round in 0..<24 {
            var damaged = whole
            switch round {
            case 0: damaged = Data(whole.prefix(whole.count / 2))
            case 1: damaged = Data()
            case 2: damaged = try Data(contentsOf: folder.derived.appending(path: names[1]))
            default:
                // Damage is spread so that every section is met.
                let place = Int.random(in: 0..<whole.count, using: &random)
                damaged[place] ^= 0x10
            }
            try damaged.write(to: file)
            let reader = try Ledger.open(folder.path, clock: { 0 })
            try await Self.expectKnown(reader, count, "round \(round)")
            try reader.close()
        }
        let writer = try Ledger.open(folder.path, clock: { 0 })
        try await writer.record(Self.launches(count..<count + 1))
        try writer.close()
        let again = try Ledger.open(folder.path, clock: { 0 })
        try await Self.expectKnown(again, count)
        try again.close()
    }

    @Test("Two ledgers on one file come to the same files")
    func processes() async throws {
        let folder = try LedgerFolder()
        let first = try await folder.create("dozzi") { 0 }
        let second = try Ledger.open(folder.path, clock: { 0 })
        var start = 0
        for turn in 0..<10 {
            let ledger = turn % 2 == 0 ? first : second
            try await ledger.record(Self.launches(start..<start + 4_000))
            start += 4_000
        }
        #expect(folder.derivedNames(".daykeys").count == 2)
        try await Self.expectKnown(first, start)
        try await Self.expectKnown(second, start)
        try first.close()
        try second.close()
    }
}
