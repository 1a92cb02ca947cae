import DaybookEvents
import DaybookStore
import DaybookTesting
import Testing

/// The name of a history depends on what it holds alone: not on how it was cut into commits, nor on which store or
/// connection hashed it. The seed is printed; `DAYBOOK_SEED` repeats a run.
struct HistoryPropertyTests {
    /// Rows of five streams with texts of all kinds, in batches of random sizes.
    private static func rows(
        _ count: Int, _ builder: inout BatchBuilder, _ random: inout SplitMix
    ) -> [EventRow] {
        let streams = (0..<5).map { builder.stream("customer \($0)") }
        return (0..<count).map { number in
            var row = builder.row(
                in: streams[Int.random(in: 0..<5, using: &random)],
                key: number % 3 == 0
                    ? "key \(number)" : "0b8f6a8e-4f57-4f0c-9d5d-\(100_000_000_000 + number)",
                reference: number % 2 == 0 ? nil : "ref \(number)")
            row.event.occurredAt += Int64(number)
            row.event.signedAt = row.event.occurredAt
            row.event.amount = number % 4 == 0 ? Event.absent : Int64(number)
            row.event.money = number % 5 == 0 ? Int64(-number) : Event.absent
            row.rest = number % 7 == 0 ? "{\"d\":{\"n\":\(number)}}" : nil
            return row
        }
    }

    @Test("However rows are cut into commits, and whatever hashes them, the history has one name")
    func cuts() throws {
        var random = SplitMix.seeded("names of histories")
        let count = 700
        var names: Set<HistoryHash> = []
        for round in 0..<3 {
            let folder = try TemporaryFolder()
            let store = try SQLiteEventStore.create(at: folder.newPath(), app: "dozzi")
            let other = try SQLiteEventStore(path: store.path)
            var builder = BatchBuilder()
            var content = random
            let rows = Self.rows(count, &builder, &content)
            var start = 0
            while start < count {
                let end = min(
                    count, start + Int.random(in: 1...(round == 0 ? 7 : 300), using: &random))
                // Some batches come with digests, some go through another connection.
                let batch = builder.batch(
                    Array(rows[start..<end]), recordedAt: 1_000,
                    secret: Bool.random(using: &random) ? store.header.secret : nil)
                let writer = Bool.random(using: &random) ? store : other
                let point = try writer.exclusively { try $0.append(batch) }
                #expect(try store.end().history == point)
                #expect(try other.confirms(point))
                start = end
            }
            #expect(try store.prove() == store.end().history)
            #expect(try store.findings() == [])
            names.insert(try store.end().history.hash)
            // Another ledger has another secret and another id, so another name.
            #expect(names.count == round + 1)
            try other.close()
            try store.close()
        }
    }

    @Test("A row, a name, a stream, a block, a mark or the end that was changed is found")
    func changes() throws {
        var random = SplitMix.seeded("changed histories")
        let folder = try TemporaryFolder()
        for change in [
            "UPDATE events SET amount = 5 WHERE position = 100",
            "UPDATE events SET recorded_at = 999 WHERE position = 1",
            "UPDATE events SET key = 'another' WHERE position = 699",
            "UPDATE names SET text = 'mallory' WHERE id = 1",
            "UPDATE streams SET kind = 1 WHERE id = 2",
            "UPDATE history_blocks SET hash = zeroblob(32) WHERE id = 1",
            "UPDATE history_head SET hash = zeroblob(32)",
            "DELETE FROM events WHERE position = 700",
            "DELETE FROM events WHERE position = 300",
        ] {
            let store = try SQLiteEventStore.create(at: folder.newPath(), app: "dozzi")
            var builder = BatchBuilder()
            let rows = Self.rows(700, &builder, &random)
            let batch = builder.batch(rows, recordedAt: 1_000)
            try store.exclusively { try $0.append(batch) }
            try store.executeOnWriteConnection(
                """
                DROP TRIGGER events_no_update; DROP TRIGGER events_no_delete; DROP TRIGGER names_no_update; \
                DROP TRIGGER streams_no_update; DROP TRIGGER history_blocks_no_update; \(change)
                """)
            #expect(try code { try store.prove() } == .damaged, "\(change)")
            try store.close()
        }
    }
}
