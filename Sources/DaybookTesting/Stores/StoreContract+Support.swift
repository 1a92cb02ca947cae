import DaybookEvents
import DaybookStore
import Dispatch
import Synchronization

/// What the clauses share.
extension StoreContract {
    func expect<Value: Equatable>(_ actual: Value, _ expected: Value, _ subject: String) throws {
        guard actual != expected else { return }
        throw Violation(
            description: "\(subject): expected \(brief(expected)), got \(brief(actual))")
    }

    /// Compares text byte by byte: Swift's own comparison takes two spellings of "é" for one.
    func expectSame(_ actual: EventRow, _ expected: EventRow) throws {
        let subject = "position \(expected.event.position)"
        try expect(actual, expected, subject)
        try expect(
            Array(actual.key.utf8), Array(expected.key.utf8), "the key's bytes at \(subject)")
        try expect(
            actual.reference.map { Array($0.utf8) }, expected.reference.map { Array($0.utf8) },
            "the ref's bytes at \(subject)")
        try expect(
            actual.rest.map { Array($0.utf8) }, expected.rest.map { Array($0.utf8) },
            "the rest's bytes at \(subject)")
    }

    func expectConflict(_ store: any EventStore, _ batch: AppendBatch, _ reason: String) throws {
        do {
            try append(batch, to: store)
        } catch let error as StoreError where error.code == .conflict {
            return
        }
        throw Violation(description: "\(reason): expected a conflict, and it was appended")
    }

    func append(_ batch: AppendBatch, to store: any EventStore) throws {
        try store.exclusively { try $0.append(batch) }
    }

    func allRows(_ store: any EventStore, _ chunkCount: Int) throws -> [EventRow] {
        var rows: [EventRow] = []
        try store.scanRows(
            after: .start, through: Checkpoint(position: Int64.max), chunkCount: chunkCount
        ) { chunk in
            try expectChunk(chunk.count, chunkCount)
            rows += chunk
        }
        return rows
    }

    func allEvents(_ store: any EventStore, _ chunkCount: Int) throws -> [Event] {
        try events(store, 0, Int64.max, chunkCount)
    }

    func positions(
        _ store: any EventStore, _ start: Int64, _ end: Int64, _ chunkCount: Int
    ) throws -> [Int64] {
        try events(store, start, end, chunkCount).map(\.position)
    }

    private func events(
        _ store: any EventStore, _ start: Int64, _ end: Int64, _ chunkCount: Int
    ) throws -> [Event] {
        var events: [Event] = []
        try store.scan(
            after: Checkpoint(position: start), through: Checkpoint(position: end),
            chunkCount: chunkCount
        ) { chunk in
            try expectChunk(chunk.count, chunkCount)
            for index in chunk.indices { events.append(chunk[index].withoutUnusedSlots) }
        }
        return events
    }

    private func expectChunk(_ count: Int, _ bound: Int) throws {
        guard count >= 1, count <= bound else {
            throw Violation(description: "a chunk has \(count) events, expected 1 to \(bound)")
        }
    }

    /// Forty events of three streams in batches of 1 to 7, two of the batches recorded at the same
    /// time.
    func appendMany(_ store: any EventStore) throws -> [AppendBatch] {
        var builder = BatchBuilder()
        let streams = ["s1", "s2", "s3"].map { builder.stream($0) }
        var batches: [AppendBatch] = []
        for (index, count) in [1, 7, 2, 7, 5, 7, 6, 5].enumerated() {
            let rows = (0..<count).map { number in
                builder.row(
                    in: streams[(index * 5 + number * number) % 3],
                    key: "batch \(index) row \(number)")
            }
            let recordedAt = 1_000 + Int64(index == 4 ? 3 : index) * 10
            batches.append(builder.batch(rows, recordedAt: recordedAt))
        }
        for batch in batches { try append(batch, to: store) }
        return batches
    }

    func withStore(_ body: (any EventStore) throws -> Void) throws {
        let store = try makeEmptyStore()
        do {
            try body(store)
        } catch {
            // The first failure is the one to report; closing may fail because of it.
            try? store.close()
            throw error
        }
        try store.close()
    }

    /// Each writer reads the head under the lock, as a ledger does, and appends after it.
    func runWriters(
        _ store: any EventStore, _ writerCount: Int, batchCount: Int, rowCount: Int
    ) throws {
        var builder = BatchBuilder()
        let streams = (0..<writerCount).map { builder.stream("writer \($0)") }
        try append(builder.batch([], recordedAt: 1), to: store)
        let template = builder
        let failures = Mutex<[any Error]>([])
        DispatchQueue.concurrentPerform(iterations: writerCount) { writer in
            do {
                var (last, version) = (Int64(0), Int64(0))
                for _ in 0..<batchCount {
                    try store.exclusively { turn in
                        let head = try store.head()
                        let rows = (1...rowCount).map { offset in
                            version += 1
                            var row = template.row(
                                in: streams[writer], key: "\(writer) \(version)")
                            row.event.position = head.position + Int64(offset)
                            row.streamVersion = version
                            row.previous = last
                            row.recordedAt = head.recordedAt + 1
                            last = row.event.position
                            return row
                        }
                        try turn.append(
                            AppendBatch(
                                expectedHead: head.position, nameCount: template.names.count,
                                names: [], streams: [], rows: rows, documents: []))
                    }
                }
            } catch {
                failures.withLock { $0.append(error) }
            }
        }
        if let first = failures.withLock({ $0.first }) { throw first }
        try expectWhole(store, writerCount * batchCount, rowCount: rowCount)
        try expect(try store.findings(), [], "the findings")
    }

    private func expectWhole(_ store: any EventStore, _ batchCount: Int, rowCount: Int) throws {
        let rows = try allRows(store, 1_000)
        try expect(rows.count, batchCount * rowCount, "the number of rows")
        for batch in 0..<batchCount {
            let part = rows[(batch * rowCount)..<((batch + 1) * rowCount)]
            try expect(
                Set(part.map(\.event.stream)).count, 1, "the number of writers in batch \(batch)")
            try expect(
                Set(part.map(\.recordedAt)).count, 1, "the number of times in batch \(batch)")
        }
    }

    private func brief<Value>(_ value: Value) -> String {
        let text = "\(value)"
        return text.utf8.count <= 600 ? text : text.prefix(600) + "…"
    }
}
