import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookStore
import Foundation
import Synchronization

extension Samples {
    private var workload: Workload { Workload(eventCount: numbers[0], subjectCount: numbers[1]) }

    func create() throws -> Measurement {
        try SQLiteEventStore.create(at: path, app: Workload.app).close()
        return Measurement()
    }

    func appendToStore() throws -> Measurement {
        let store = try SQLiteEventStore.create(at: path, app: Workload.app)
        var rows = RowWorkload(workload)
        var stopwatch = Stopwatch(total: numbers[0])
        for indices in batches(0..<numbers[0], numbers[2]) {
            let batch = rows.batch(indices, store.header.secret)
            try stopwatch.time(from: indices.lowerBound) {
                _ = try store.exclusively { try $0.append(batch) }
            }
        }
        return try finished(stopwatch, durability: store.durability) { try store.close() }
    }

    func appendToLedger() async throws -> Measurement {
        let workload = workload
        let ledger = try await createLedger(workload)
        var stopwatch = Stopwatch(total: numbers[0])
        var durability = "none"
        for indices in batches(0..<numbers[0], numbers[2]) {
            let drafts = indices.map(workload.draft)
            let start = ContinuousClock.now
            let receipt = try await ledger.record(drafts)
            stopwatch.add(from: indices.lowerBound, since: start)
            guard receipt.appended == drafts.count else {
                throw BenchmarkError("\(receipt.appended) of \(drafts.count) were appended")
            }
            durability = receipt.durability
        }
        return try closed(ledger, stopwatch, durability)
    }

    private func closed(
        _ ledger: Ledger, _ stopwatch: Stopwatch, _ durability: String
    ) throws -> Measurement {
        let result = try finished(stopwatch, durability: durability) { try ledger.close() }
        // Closing left a snapshot behind; samples that want one write it.
        try DerivedKind.snapshots.remove(of: path)
        try DerivedKind.segments.remove(of: path)
        return result
    }

    /// The drafts of fifty batches are made before the clock runs: those of a million events would not fit beside it.
    func appendBatches() async throws -> Measurement {
        let workload = workload
        let ledger = try await createLedger(workload)
        var stopwatch = Stopwatch(total: numbers[0])
        var durability = "none"
        for indices in batches(0..<numbers[0], 50 * numbers[2]) {
            let drafts = batches(indices, numbers[2]).map { $0.map(workload.draft) }
            let start = ContinuousClock.now
            let receipt = try await ledger.record(batches: drafts)
            stopwatch.add(from: indices.lowerBound, since: start)
            guard receipt.appended == indices.count else {
                throw BenchmarkError("\(receipt.appended) of \(indices.count) were appended")
            }
            durability = receipt.durability
        }
        return try closed(ledger, stopwatch, durability)
    }

    /// Each client has customers of its own, and waits for its receipt before it asks again.
    func consume() async throws -> Measurement {
        let workload = workload
        let ledger = try await createLedger(workload)
        let clients = numbers[2]
        let own = max(1, numbers[1] / clients)
        var stopwatch = Stopwatch(total: numbers[0])
        let start = ContinuousClock.now
        let durability = try await withThrowingTaskGroup(of: String.self) { group in
            for client in 0..<clients {
                group.addTask {
                    var durability = "none"
                    for index in stride(from: client, to: workload.eventCount, by: clients) {
                        let subject = workload.subject(of: index) % own * clients + client
                        durability = try await ledger.consume(
                            Workload.meter, by: workload.subjectName(subject),
                            ref: workload.reference(of: index), key: workload.key(of: index)
                        ).durability
                    }
                    return durability
                }
            }
            return try await group.reduce("FULL") { $1 == "FULL" ? $0 : $1 }
        }
        stopwatch.add(from: 0, since: start)
        return try finished(stopwatch, durability: durability) { try ledger.close() }
    }

    /// How long single batches take, without a snapshot or while one after the other is written.
    func latency() async throws -> Measurement {
        let (batch, count) = (numbers[2], numbers[3])
        let workload = Workload(
            eventCount: numbers[0] + batch * count, subjectCount: numbers[1])
        let now = workload.clock
        let ledger = try Ledger.open(path) { now }
        let isOver = Mutex(false)
        let written = Mutex(0)
        let writer =
            numbers[4] == 1
            ? Task.detached {
                while !isOver.withLock({ $0 }) {
                    try ledger.snapshot()
                    written.withLock { $0 += 1 }
                }
            } : nil
        var seconds: [Double] = []
        let begin = ContinuousClock.now
        for indices in batches(numbers[0]..<workload.eventCount, batch) {
            let drafts = indices.map(workload.draft)
            let start = ContinuousClock.now
            try await ledger.record(drafts)
            seconds.append(start.secondsSince)
        }
        var measurement = measured(since: begin, events: batch * count)
        isOver.withLock { $0 = true }
        try await writer?.value
        seconds.sort()
        measurement["median_ms"] = 1_000 * seconds[seconds.count / 2]
        measurement["p99_ms"] = 1_000 * seconds[min(seconds.count - 1, seconds.count * 99 / 100)]
        measurement["max_ms"] = 1_000 * (seconds.last ?? .nan)
        measurement["snapshots"] = Double(written.withLock { $0 })
        try ledger.close()
        return measurement
    }

    func importLines() async throws -> Measurement {
        let workload = Workload(eventCount: numbers[0], subjectCount: 1)
        let now = workload.clock
        let ledger = try Ledger.createEmpty(at: path, app: Workload.app) { now }
        let lines = try FileHandle(forReadingFrom: URL(fileURLWithPath: words[0]))
        let watch = MemoryWatch()
        let start = ContinuousClock.now
        let report = try await ledger.importLines {
            try lines.read(upToCount: 1 << 18).map { Array($0) }
        }
        var measurement = measured(since: start, events: report.appended)
        // The file begins with the catalog.
        guard report.appended == numbers[0] + 1 else {
            throw BenchmarkError("\(report.appended) of \(numbers[0]) lines were appended")
        }
        try ledger.close()
        // A ledger that is closed may write a snapshot.
        watch.note(in: &measurement)
        return measurement
    }

    private func finished(
        _ stopwatch: Stopwatch, durability: String, close: () throws -> Void
    ) throws -> Measurement {
        guard durability == "FULL" else {
            throw BenchmarkError("commits were \(durability), and only FULL may be compared")
        }
        var measurement = Measurement()
        stopwatch.note(in: &measurement)
        measurement.notePeakMemory()
        try close()
        try measurement.noteFile(path)
        try measurement.noteDerived(path)
        return measurement
    }
}
