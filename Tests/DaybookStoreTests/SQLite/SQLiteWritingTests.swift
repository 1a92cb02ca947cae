import DaybookEvents
import DaybookStore
import DaybookTesting
import Foundation
import Testing

/// Durability, neighbours, locks and limits of the writer.
struct SQLiteWritingTests {
    @Test("An acknowledgement means FULL, read back from the live connection")
    func durability() throws {
        var bench = try Bench(eventCount: 0)
        #expect(bench.store.durability == "none")
        try bench.append(1)
        #expect(bench.store.durability == "FULL")
        let pragma = try bench.store.queryOnWriteConnection("PRAGMA synchronous")
        #expect(pragma == [["synchronous": "2"]])
        let automatic = try bench.store.queryOnWriteConnection("PRAGMA wal_autocheckpoint")
        #expect(automatic == [["wal_autocheckpoint": "0"]])
        #expect(
            try bench.store.queryOnWriteConnection("PRAGMA journal_mode") == [
                ["journal_mode": "wal"]
            ])
    }

    @Test("The durability is asked for, not remembered")
    func changedDurability() throws {
        var bench = try Bench()
        try bench.store.executeOnWriteConnection("PRAGMA synchronous = NORMAL")
        try bench.append(1)
        #expect(bench.store.durability == "NORMAL")
    }

    @Test("The store tells about its file and its library")
    func properties() throws {
        let bench = try Bench()
        let properties = bench.store.properties
        #expect(properties.first == StoreProperty(name: "path", value: bench.path))
        #expect(properties.contains(StoreProperty(name: "durability", value: "FULL")))
        #expect(properties.contains(StoreProperty(name: "page bytes", value: "4096")))
        #expect(properties.contains { $0.name == "SQLite version" })
    }

    @Test("Everything is there after closing and opening again, in one file")
    func reopening() throws {
        let bench = try Bench(eventCount: 50)
        let rows = try Bench.allRows(bench.store)
        try bench.store.close()
        let name = (bench.path as NSString).lastPathComponent
        #expect(try bench.folder.fileNames == [name, name + ".lock"])
        let again = try SQLiteEventStore(path: bench.path)
        #expect(try Bench.allRows(again) == rows)
        #expect(again.header == bench.store.header)
        try again.close()
    }

    @Test(
        "A ledger from which another program took the log is asked by a statement, and gets no index"
    )
    func withoutLog() throws {
        let bench = try Bench(eventCount: 5)
        try bench.store.close()
        // As "PRAGMA journal_mode = DELETE" leaves it.
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: bench.path))
        try file.seek(toOffset: 18)
        try file.write(contentsOf: Data([1, 1]))
        try file.close()
        let store = try SQLiteEventStore(path: bench.path)
        let before = try store.foreignChangeCounter()
        #expect(try store.foreignChangeCounter() == before)
        #expect(!store.looksIntoMemory)
        try store.close()
        let name = (bench.path as NSString).lastPathComponent
        #expect(try bench.folder.fileNames == [name, name + ".lock"])
    }

    @Test("A closed store says so")
    func closed() throws {
        let bench = try Bench()
        try bench.store.close()
        #expect(try code { _ = try bench.store.head() } == .closed)
        #expect(try code { try bench.store.exclusively { _ in } } == .closed)
        #expect(try code { _ = try bench.store.foreignChangeCounter() } == .closed)
    }

    @Test("A forgotten store leaves nothing behind that the next one cannot read")
    func forgotten() throws {
        let folder = try TemporaryFolder()
        let path = folder.newPath()
        do {
            var builder = BatchBuilder()
            let store = try SQLiteEventStore.create(at: path, app: "a")
            let rows = [builder.row(in: builder.stream("s"), key: "k")]
            try store.exclusively { try $0.append(builder.batch(rows, recordedAt: 1)) }
        }
        let again = try SQLiteEventStore(path: path)
        #expect(try again.head().position == 1)
        try again.close()
    }

    @Test("Two stores on one file see each other's events")
    func twoStores() throws {
        var bench = try Bench()
        let other = try SQLiteEventStore(path: bench.path)
        let before = try other.foreignChangeCounter()
        #expect(try other.foreignChangeCounter() == before)
        #expect(other.looksIntoMemory)
        try bench.append(2)
        #expect(try other.foreignChangeCounter() != before)
        #expect(try other.head().position == 5)
        try bench.append(4, through: other)
        #expect(try bench.store.head().position == 9)
        #expect(try Bench.allRows(bench.store) == Bench.allRows(other))
        #expect(try bench.store.findings() == [])
        try other.close()
        try bench.append(1)
        #expect(try bench.store.head().position == 10)
        try bench.store.close()
    }

    @Test("A commit into a file that loses its name meanwhile is not acknowledged")
    func renamedWithinACommit() throws {
        var bench = try Bench()
        let path = bench.path
        try bench.store.withinCommits { rename(path, path + ".moved") }
        let error = try failure { try bench.append(2) }
        #expect(error?.code == .replaced)
        #expect(error?.message.contains("2 events after position 3 went into a file") == true)
        // They were on the disk by then, and only there.
        rename(path + ".moved", path)
        let again = try SQLiteEventStore(path: path)
        #expect(try again.head().position == 5)
        try again.close()
    }

    @Test("A decision upon an old head is refused, and the other store's events stay")
    func staleHead() throws {
        var bench = try Bench()
        let other = try SQLiteEventStore(path: bench.path)
        let stale = bench.builder
        try bench.append(1, through: other)
        var late = stale
        let batch = late.batch([late.row(in: bench.stream, key: "late")], recordedAt: 9_000)
        let error = try failure { try bench.store.exclusively { try $0.append(batch) } }
        #expect(error?.code == .conflict)
        #expect(error?.message == "the head is at position 4, expected 3; read on and decide again")
        try other.close()
    }

    @Test("Eight stores on one file append at once, and every event is there exactly once")
    func manyStores() throws {
        let bench = try Bench(eventCount: 0)
        var builder = bench.builder
        try bench.store.exclusively { try $0.append(builder.batch([], recordedAt: 1)) }
        let template = builder
        DispatchQueue.concurrentPerform(iterations: 8) { writer in
            do {
                let store = try SQLiteEventStore(path: bench.path)
                for round in 0..<20 {
                    try store.exclusively { turn in
                        let head = try store.head()
                        var row = template.row(in: bench.stream, key: "\(writer) \(round)")
                        row.event.position = head.position + 1
                        row.streamVersion = head.position + 1
                        row.previous = head.position
                        row.recordedAt = head.recordedAt + 1
                        try turn.append(
                            AppendBatch(
                                expectedHead: head.position, nameCount: 1, names: [], streams: [],
                                rows: [row], documents: []))
                    }
                }
                try store.close()
            } catch {
                Issue.record(error)
            }
        }
        #expect(Set(try Bench.allRows(bench.store).map(\.key)).count == 160)
        #expect(try bench.store.findings() == [])
    }

    @Test("A writer that waits too long is told which process to look for")
    func busy() throws {
        let bench = try Bench()
        let other = try SQLiteEventStore(path: bench.path, readOnly: false, lockWaitSeconds: 0.05)
        try bench.store.exclusively { _ in
            let error = try failure { try other.exclusively { _ in } }
            #expect(error?.code == .busy)
            #expect(error?.message.contains("\(bench.path).lock") == true)
        }
        try other.exclusively { _ in }
        try other.close()
    }

    @Test("The lock survives the removal of its file")
    func removedLock() throws {
        var bench = try Bench()
        try FileManager.default.removeItem(atPath: bench.path + ".lock")
        try bench.append(1)
        let other = try SQLiteEventStore(path: bench.path, readOnly: false, lockWaitSeconds: 0.05)
        try bench.store.exclusively { _ in
            let refusal = try code { try other.exclusively { _ in } }
            #expect(refusal == .busy)
        }
        try other.close()
    }

    @Test("The right to append ends with the closure")
    func escapedWriter() throws {
        var bench = try Bench()
        var escaped: (any StoreWriter)?
        try bench.store.exclusively { escaped = $0 }
        let rows = [bench.builder.row(in: bench.stream, key: "late")]
        let batch = bench.builder.batch(rows, recordedAt: 9_000)
        #expect(try code { try escaped?.append(batch) } == .closed)
        #expect(try bench.store.head().position == 3)
    }

    @Test("Recorded time never goes back")
    func recordedTime() throws {
        var bench = try Bench()
        var builder = bench.builder
        let early = builder.batch([builder.row(in: bench.stream, key: "early")], recordedAt: 999)
        #expect(try code { try bench.store.exclusively { try $0.append(early) } } == .conflict)
        #expect(try bench.store.head().position == 3)
        try bench.append(1)
    }

    @Test("A full file refuses the batch as a whole, and goes on when there is space again")
    func fullFile() throws {
        var bench = try Bench()
        _ = try bench.store.limitPages(to: 40)
        var error: StoreError?
        var appended = 3
        for _ in 0..<100 where error == nil {
            error = try failure { try bench.append(10, padding: 1_000) }
            if error == nil { appended += 10 }
        }
        #expect(error?.code == .full)
        #expect(error?.message.contains("nothing was written") == true)
        #expect(try bench.store.head().position == Int64(appended))
        #expect(try bench.store.findings() == [])
        _ = try bench.store.limitPages(to: 1_000_000)
        try bench.append(10, padding: 1_000)
        #expect(try bench.store.head().position == Int64(appended + 10))
        #expect(try bench.store.findings() == [])
    }

    @Test(
        "The log is moved into the file when it exceeds its bound, and does not grow for ever"
    )
    func checkpoints() throws {
        var bench = try Bench(eventCount: 0)
        var greatest = 0
        for _ in 0..<60 {
            try bench.append(100, padding: 16_000)
            let attributes = try FileManager.default.attributesOfItem(atPath: bench.path + "-wal")
            greatest = max(greatest, (attributes[.size] as? Int) ?? 0)
        }
        #expect(greatest > 32 << 20)
        #expect(greatest < 48 << 20)
        #expect(try bench.store.head().position == 6_000)
        try bench.store.close()
    }
}
