import DaybookEvents
import DaybookStore
import DaybookTesting
import Foundation
import Testing

struct TempBench {
    @Test(.enabled(if: ProcessInfo.processInfo.environment["TEMPBENCH"] != nil)) func bench() throws
    {
        let folder = try TemporaryFolder()
        let path = folder.newPath()
        let store = try SQLiteEventStore.create(at: path, app: "x")
        var builder = BatchBuilder()
        var random = SplitMix(state: 7)
        let streams = (0..<20_000).map { builder.stream("customer \($0)") }
        let clock = ContinuousClock()
        var appendTime = Duration.zero
        for _ in 0..<300 {
            let rows = (0..<1_000).map { _ in
                var row = builder.row(
                    in: streams[Int(random.next() % 20_000)],
                    key: UUIDText.format((random.next(), random.next())),
                    reference: "story \(random.next() % 1000)")
                row.event.party = UInt32(row.event.stream)
                row.event.nameA = 3
                row.event.source = 5
                row.event.amount = 1
                return row
            }
            let batch = builder.batch(rows, recordedAt: 1_000)
            appendTime += try clock.measure { try store.exclusively { try $0.append(batch) } }
        }
        print(
            "append",
            300_000
                / (Double(appendTime.components.attoseconds) / 1e18
                    + Double(appendTime.components.seconds)))
        var small = Duration.zero
        for index in 0..<500 {
            let batch = builder.batch(
                [builder.row(in: streams[3], key: "single \(index)")], recordedAt: 1_000)
            small += try clock.measure { try store.exclusively { try $0.append(batch) } }
        }
        print("one row commit", small / 500)
        _ = try store.names(after: 0)
        _ = try store.streams(after: 0)
        for _ in 0..<7 {
            var sum: Int64 = 0
            let time = try clock.measure {
                try store.scan(
                    after: .start, through: try store.head().checkpoint, chunkCount: 1_000
                ) { events in
                    for index in events.indices { sum &+= events[index].occurredAt }
                }
            }
            print(
                "scan",
                300_500
                    / (Double(time.components.attoseconds) / 1e18 + Double(time.components.seconds)),
                sum & 1)
        }
        let rowTime = try clock.measure {
            for position in 1...20_000 { _ = try store.rows(at: [Int64(position)]) }
        }
        print("rows(at:)", rowTime / 20_000)
        let findingTime = try clock.measure { _ = try store.findings() }
        print("findings", findingTime)
        try store.close()
    }
    @Test(.enabled(if: ProcessInfo.processInfo.environment["TEMPBENCH"] != nil)) func lookup()
        throws
    {
        let folder = try TemporaryFolder()
        var random = SplitMix(state: 7)
        let count: Int64 = 16_384 * 64
        var hashes: [UInt64] = []
        let entries = (1...count).map { position in
            hashes.append(random.next())
            return (hash: hashes[hashes.count - 1], position: position)
        }
        let run = LookupRun(1...count, entries: entries)
        let file = try LookupFolder(path: folder.path, ledger: 1).write(run, anchor: 1)
        let clock = ContinuousClock()
        hashes.shuffle()
        for run in [run, file] {
            for _ in 0..<3 {
                var found = 0
                let time = try clock.measure {
                    for hash in hashes.prefix(200_000) {
                        found += try run.positions(of: hash).count
                    }
                }
                let miss = try clock.measure {
                    for hash in hashes.prefix(200_000) {
                        found += try run.positions(of: hash ^ 0x5555_0000_5555).count
                    }
                }
                print(
                    "lookup", run.path == nil ? "memory" : "file", "found", time / 200_000,
                    "unknown", miss / 200_000, found)
            }
        }
    }
}
