import Daybook
import DaybookEvents
import DaybookStore
import Foundation

/// What is measured of Daybook, one process for each sample, so that none warms another's memory.
///
/// ```
/// create FILE                                 an empty ledger, whose tables raw.c copies
/// append-store FILE EVENTS SUBJECTS BATCH     rows through SQLiteEventStore.append
/// append-ledger FILE EVENTS SUBJECTS BATCH    typed reports through Ledger.record
/// consume FILE EVENTS SUBJECTS                single durable commits, one client
/// consume-many FILE EVENTS SUBJECTS CLIENTS   single uses by many clients at once
/// import FILE EVENTS SUBJECTS                 lines of JSON through Ledger.importLines
/// scan FILE                                   SQLiteEventStore.scan
/// replay FILE WORKERS                         Ledger.replay
/// snapshot FILE                               Ledger.snapshot
/// open FILE SUBJECTS                          open a ledger and answer once
/// check FILE SUBJECTS QUESTIONS               answers from memory
/// verify-bare - NOTIFICATIONS                 swift-crypto alone: the three signatures of each
/// verify-warm - NOTIFICATIONS                 AppStoreVerifier.verify, one verifier for all
/// verify-cold - NOTIFICATIONS                 AppStoreVerifier.verify, a new verifier for each
/// ```
struct Samples {
    let path: String
    let numbers: [Int]

    func run(_ name: String) async throws -> Measurement {
        switch (name, numbers.count) {
        case ("create", 0): try create()
        case ("append-store", 3): try appendToStore()
        case ("append-ledger", 3): try await appendToLedger()
        case ("consume", 2): try await consume()
        case ("consume-many", 3): try await consumeMany()
        case ("import", 2): try await importLines()
        case ("scan", 0): try scan()
        case ("replay", 1): try replay()
        case ("snapshot", 0): try snapshot()
        case ("open", 1): try open()
        case ("check", 2): try check()
        case ("verify-bare", 1): try VerificationSamples(count: numbers[0]).bare()
        case ("verify-warm", 1): try VerificationSamples(count: numbers[0]).warm()
        case ("verify-cold", 1): try VerificationSamples(count: numbers[0]).cold()
        default: throw BenchmarkError("there is no sample \(name) with \(numbers.count) numbers")
        }
    }

    private func create() throws -> Measurement {
        try SQLiteEventStore.create(at: path, app: Workload.app).close()
        return Measurement()
    }

    // MARK: Writing

    private var workload: Workload { Workload(eventCount: numbers[0], subjectCount: numbers[1]) }

    /// The batches of a workload, as ranges of its events.
    private func batches(_ count: Int, _ size: Int) -> [Range<Int>] {
        stride(from: 0, to: count, by: size).map { $0..<min($0 + size, count) }
    }

    private func appendToStore() throws -> Measurement {
        let store = try SQLiteEventStore.create(at: path, app: Workload.app)
        var rows = RowWorkload(workload)
        var stopwatch = Stopwatch(total: numbers[0])
        for indices in batches(numbers[0], numbers[2]) {
            let batch = rows.batch(indices)
            try stopwatch.time(from: indices.lowerBound) {
                try store.exclusively { try $0.append(batch) }
            }
        }
        return try finished(stopwatch, durability: store.durability) { try store.close() }
    }

    private func appendToLedger() async throws -> Measurement {
        let workload = workload
        let ledger = try await createLedger(workload)
        var stopwatch = Stopwatch(total: numbers[0])
        var durability = "none"
        for indices in batches(numbers[0], numbers[2]) {
            let drafts = indices.map(workload.draft)
            let start = ContinuousClock.now
            let receipt = try await ledger.record(drafts)
            stopwatch.add(from: indices.lowerBound, since: start)
            guard receipt.appended == drafts.count else {
                throw BenchmarkError("\(receipt.appended) of \(drafts.count) were appended")
            }
            durability = receipt.durability
        }
        let result = try finished(stopwatch, durability: durability) { try ledger.close() }
        // Closing left a snapshot behind; whoever wants one asks for it.
        try FileManager.default.removeItem(atPath: path + ".snapshots", ifThere: true)
        return result
    }

    private func consume() async throws -> Measurement {
        let workload = workload
        let ledger = try await createLedger(workload)
        var stopwatch = Stopwatch(total: numbers[0])
        var durability = "none"
        for index in 0..<numbers[0] {
            let subject = workload.subjectName(workload.subject(of: index))
            let (reference, key) = (workload.reference(of: index), workload.key(of: index))
            let start = ContinuousClock.now
            let receipt = try await ledger.consume(
                Workload.meter, by: subject, ref: reference, key: key)
            stopwatch.add(from: index, since: start)
            durability = receipt.durability
        }
        return try finished(stopwatch, durability: durability) { try ledger.close() }
    }

    private func consumeMany() async throws -> Measurement {
        let ledger = try await createLedger(workload)
        var stopwatch = Stopwatch(total: numbers[0])
        let durability = try await WritingSamples(ledger: ledger, workload: workload)
            .consume(clients: numbers[2], &stopwatch)
        return try finished(stopwatch, durability: durability) { try ledger.close() }
    }

    private func importLines() async throws -> Measurement {
        let ledger = try await createLedger(workload)
        var stopwatch = Stopwatch(total: numbers[0])
        let durability = try await WritingSamples(ledger: ledger, workload: workload)
            .importLines(&stopwatch)
        return try finished(stopwatch, durability: durability) { try ledger.close() }
    }

    private func createLedger(_ workload: Workload) async throws -> Ledger {
        let now = workload.clock
        return try await Ledger.create(at: path, catalog: Array(Workload.catalog.utf8)) { now }
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
        return measurement
    }

    // MARK: Reading

    private func scan() throws -> Measurement {
        let store = try SQLiteEventStore(path: path, readOnly: true)
        let end = try store.head().checkpoint
        var (count, sum) = (0, Int64(0))
        let start = ContinuousClock.now
        try store.scan(after: .start, through: end, chunkCount: 1_000) { events in
            for index in events.indices {
                sum &+= events[index].occurredAt &+ Int64(truncatingIfNeeded: events[index].key.low)
            }
            count += events.count
        }
        var measurement = measured(since: start, events: count)
        // Printed so that no compiler may leave the loop out; cut so that a double holds it.
        measurement["sum"] = Double(sum & 0xFFFF_FFFF)
        try store.close()
        return measurement
    }

    private func replay() throws -> Measurement {
        let ledger = try Ledger.open(path, readOnly: true)
        let start = ContinuousClock.now
        let report = try ledger.replay(workers: numbers[0])
        var measurement = measured(since: start, events: Int(report.events))
        guard report.agrees else { throw BenchmarkError("the replay differs from the ledger") }
        let digestStart = ContinuousClock.now
        _ = try ledger.digest()
        measurement["digest_seconds"] = digestStart.secondsSince
        return measurement
    }

    private func snapshot() throws -> Measurement {
        let ledger = try Ledger.open(path)
        let start = ContinuousClock.now
        let report = try ledger.snapshot()
        var measurement = measured(since: start, events: Int(report.position))
        measurement["file_bytes"] = Double(report.byteCount)
        try ledger.close()
        return measurement
    }

    private func open() throws -> Measurement {
        let subject = Workload(eventCount: 1, subjectCount: numbers[0]).subjectName(0)
        let start = ContinuousClock.now
        let ledger = try Ledger.open(path, readOnly: true)
        let decision = try ledger.check(Workload.meter, for: subject)
        let measurement = measured(since: start, events: 1)
        guard decision.allowed else { throw BenchmarkError("\(subject) may not, and should") }
        return measurement
    }

    private func check() throws -> Measurement {
        let workload = Workload(eventCount: numbers[1], subjectCount: numbers[0])
        let ledger = try Ledger.open(path, readOnly: true)
        let subjects = (0..<numbers[1]).map { workload.subjectName(workload.subject(of: $0)) }
        let start = ContinuousClock.now
        var allowed = 0
        for subject in subjects {
            if try ledger.check(Workload.meter, for: subject).allowed { allowed += 1 }
        }
        let measurement = measured(since: start, events: subjects.count)
        guard allowed == subjects.count else {
            throw BenchmarkError("\(subjects.count - allowed) may not, and should")
        }
        return measurement
    }

    private func measured(since start: ContinuousClock.Instant, events: Int) -> Measurement {
        var measurement = Measurement()
        measurement["seconds"] = start.secondsSince
        measurement["events"] = Double(events)
        measurement.notePeakMemory()
        return measurement
    }
}
