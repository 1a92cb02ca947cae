import DaybookEvents
import DaybookStore
import DaybookTesting
import Foundation
import Testing

/// The store without unique indexes does what a store with them does.
struct SQLitePropertyTests {
    @Test("The SQLite store and a store with unique indexes agree on any history", arguments: 0..<8)
    func oracle(round: UInt64) throws {
        var random = SplitMix.seeded("store property, round \(round)", round)
        let folder = try TemporaryFolder()
        let path = folder.newPath()
        var store = try SQLiteEventStore.create(at: path, app: "dozzi")
        let oracle = UniqueIndexStore(app: "dozzi")
        var history = RandomHistory()
        for _ in 0..<60 {
            let batch = history.batch(&random)
            try expectRefusals(of: batch, store, oracle, &random)
            try store.exclusively { try $0.append(batch) }
            try oracle.exclusively { try $0.append(batch) }
            if Int.random(in: 0..<10, using: &random) == 0 {
                try store.close()
                store = try SQLiteEventStore(path: path)
            }
        }
        try expectAgreement(store, oracle, &random)
        let findings = try store.findings()
        #expect(findings == [])
        try store.close()
    }

    private func expectRefusals(
        of batch: AppendBatch, _ store: SQLiteEventStore, _ oracle: UniqueIndexStore,
        _ random: inout SplitMix
    ) throws {
        var wrong = batch
        switch Int.random(in: 0..<4, using: &random) {
        case 0: wrong.expectedHead += 1
        case 1: wrong.nameCount += 1
        case 2 where !wrong.rows.isEmpty: wrong.rows[wrong.rows.count - 1].event.position += 1
        default: return
        }
        for store in [store, oracle] as [any EventStore] {
            let head = try store.head()
            #expect(try code { try store.exclusively { try $0.append(wrong) } } == .conflict)
            #expect(try store.head() == head)
        }
    }

    private func expectAgreement(
        _ store: SQLiteEventStore, _ oracle: UniqueIndexStore, _ random: inout SplitMix
    ) throws {
        let rows = try Bench.allRows(oracle)
        #expect(try Bench.allRows(store) == rows)
        #expect(
            try store.names(after: 0).map { Array($0.utf8) }
                == oracle.names(after: 0).map { Array($0.utf8) })
        #expect(try store.streams(after: 0) == oracle.streams(after: 0))
        for _ in 0..<50 {
            let position = Int64.random(in: -1...Int64(rows.count + 1), using: &random)
            #expect(try store.stream(endingAt: position) == oracle.stream(endingAt: position))
            let instant = Int64.random(in: 0...9_000, using: &random)
            #expect(
                try store.position(recordedAtOrBefore: instant)
                    == oracle.position(recordedAtOrBefore: instant))
            let positions = (0..<5).map { _ in
                Int64.random(in: -1...Int64(rows.count + 1), using: &random)
            }
            #expect(try store.rows(at: positions) == oracle.rows(at: positions))
            let floor = Int64.random(in: -1...Int64(rows.count), using: &random)
            let chains = try store.chains(endingAt: positions, above: floor)
            let expected = try oracle.chains(endingAt: positions, above: floor)
            // Hot events have the slots of their types alone.
            #expect(
                chains.map { $0.events.map(\.position) }
                    == expected.map { $0.events.map(\.position) })
            #expect(chains.map(\.next) == expected.map(\.next))
        }
    }
}

/// Batches of random size, texts and numbers, with names and streams that come up on the way.
private struct RandomHistory {
    private var builder = BatchBuilder()
    private var recordedAt: Int64 = 0
    private var rowCount = 0

    mutating func batch(_ random: inout SplitMix) -> AppendBatch {
        recordedAt += Int64.random(in: 0...200, using: &random)
        var rows: [EventRow] = []
        for _ in 0..<Int.random(in: 0...30, using: &random) {
            let isNew = builder.streams.isEmpty || Int.random(in: 0..<5, using: &random) == 0
            let stream =
                isNew
                ? builder.stream(
                    // A name stands for one stream.
                    "\(text(&random)) \(builder.streams.count)",
                    Environment.allCases.randomElement(using: &random) ?? .production,
                    StreamKind.allCases.randomElement(using: &random) ?? .customer)
                : UInt32.random(in: 1...UInt32(builder.streams.count), using: &random)
            rows.append(row(in: stream, &random))
        }
        return builder.batch(rows, recordedAt: recordedAt)
    }

    private mutating func row(in stream: UInt32, _ random: inout SplitMix) -> EventRow {
        rowCount += 1
        let isPlain = Bool.random(using: &random)
        let key = isPlain ? "\(rowCount) " + text(&random) : uuid(&random)
        let reference = Bool.random(using: &random) ? text(&random) : nil
        var row = builder.row(in: stream, key: key, reference: reference)
        row.event.occurredAt = number(&random)
        row.event.signedAt = Bool.random(using: &random) ? row.event.occurredAt : number(&random)
        row.event.sequence = number(&random)
        row.event.amount = number(&random)
        row.event.money = number(&random)
        row.event.timeA = number(&random)
        row.event.timeB = number(&random)
        row.event.timeC = number(&random)
        row.event.nameA = builder.name(text(&random))
        let nameMax = UInt32(min(3, builder.names.count))
        row.event.nameB = UInt32.random(in: 0...nameMax, using: &random)
        row.event.customer = UInt32.random(in: 0...nameMax, using: &random)
        row.event.flags = UInt16.random(in: 0...3, using: &random)
        row.requestDigest = number(&random)
        row.rest = Bool.random(using: &random) ? "{\"d\":\"\(text(&random))\"}" : nil
        return row
    }

    private func number(_ random: inout SplitMix) -> Int64 {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: 0
        case 1: Event.absent
        case 2: Int64.max
        case 3: Int64.min + 1
        case 4: Int64.random(in: Int64.min...Int64.max, using: &random)
        default: Int64.random(in: -300...300, using: &random)
        }
    }

    private func uuid(_ random: inout SplitMix) -> String {
        UUIDText.format((random.next(), random.next()))
    }

    private func text(_ random: inout SplitMix) -> String {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return uuid(&random)
        case 1: return String(repeating: "é", count: Int.random(in: 0...128, using: &random))
        case 2: return "🐕\u{0}e\u{301}"
        default:
            let letters = Array("abcXYZ-_:'\"\\ 0")
            return String(
                (0..<Int.random(in: 0...40, using: &random)).map { _ in
                    letters.randomElement(using: &random) ?? "a"
                })
        }
    }
}
