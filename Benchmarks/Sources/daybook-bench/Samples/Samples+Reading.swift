import Daybook
import DaybookAudit
import DaybookFixtures
import DaybookStore
import Foundation
import Synchronization

extension Samples {
    func scan() throws -> Measurement {
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
        measurement.note(sum: UInt64(bitPattern: sum))
        try store.close()
        return measurement
    }

    func replay() throws -> Measurement {
        guard let source = ReplaySource(rawValue: words[0]) else {
            throw BenchmarkError("a replay reads rows or segments, not \(words[0])")
        }
        let ledger = try Ledger.open(path, readOnly: true)
        let watch = MemoryWatch()
        let start = ContinuousClock.now
        let isComparing = numbers[1] == 1
        let report = try ledger.replay(
            workers: numbers[0], source: source, isComparing: isComparing)
        var measurement = measured(since: start, events: Int(report.events))
        watch.note(in: &measurement)
        guard report.agrees else { throw BenchmarkError("the replay differs from the ledger") }
        guard source == .rows || report.segmentEvents > 0 else {
            guard report.events < SegmentFolder.eventCountDefault else {
                throw BenchmarkError("there are no segments; write a snapshot first")
            }
            throw Skipped(reason: "the ledger is shorter than one segment")
        }
        return measurement
    }

    func snapshot() throws -> Measurement {
        let ledger = try Ledger.open(path)
        let start = ContinuousClock.now
        let report = try ledger.snapshot()
        var measurement = measured(since: start, events: Int(report.position))
        try ledger.close()
        try measurement.noteDerived(path)
        return measurement
    }

    func open() throws -> Measurement {
        let subject = Workload(eventCount: 1, subjectCount: numbers[0]).subjectName(0)
        let start = ContinuousClock.now
        let ledger = try Ledger.open(path, readOnly: true)
        let decision = try ledger.check(Workload.meter, for: subject)
        try ledger.close()
        let measurement = measured(since: start, events: 1)
        guard decision.allowed else { throw BenchmarkError("\(subject) may not, and should") }
        return measurement
    }

    /// - Parameter isAtHand: Whether every customer was asked about before.
    func check(isAtHand: Bool = false) throws -> Measurement {
        try ask(isAtHand: isAtHand) { ledger, subject in
            guard try ledger.check(Workload.meter, for: subject).allowed else {
                throw BenchmarkError("\(subject) may not, and should")
            }
        }
    }

    /// How long single answers take that need no event to be read, while nothing else happens or a writer does what it
    /// can.
    func checkLatency() async throws -> Measurement {
        let (events, asked, questions, batch) = (numbers[0], numbers[1], numbers[2], numbers[3])
        // More events than a writer comes to, so that none is after the clock.
        let workload = Workload(eventCount: events + 20_000_000, subjectCount: asked)
        let now = workload.clock
        let ledger = try Ledger.open(path) { now }
        let names = (0..<asked).map(workload.subjectName)
        for name in names { _ = try ledger.check(Workload.meter, for: name) }
        // The first commit reads where all keys stand; the writer that is measured goes on at once.
        if batch > 0 { try await ledger.record([workload.draft(events)]) }
        let isOver = Atomic(false)
        let writer = Task.detached {
            var next = events + 1
            while batch > 0, !isOver.load(ordering: .relaxed) {
                try await ledger.record((next..<next + batch).map(workload.draft))
                next += batch
            }
            return next - events - 1
        }
        // On a thread of its own: one of the pool's would be taken from the writer.
        let seconds = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "checks").async {
                continuation.resume(
                    with: Result {
                        try (0..<questions).map { index in
                            let name = names[workload.subject(of: index)]
                            let start = ContinuousClock.now
                            _ = try ledger.check(Workload.meter, for: name)
                            return start.secondsSince
                        }.sorted()
                    })
            }
        }
        isOver.store(true, ordering: .relaxed)
        var measurement = Measurement()
        measurement["recorded"] = Double(try await writer.value)
        measurement["events"] = Double(questions)
        measurement["seconds"] = seconds.reduce(0, +)
        for (name, share) in [("p50_us", 0.5), ("p99_us", 0.99), ("p99.9_us", 0.999)] {
            measurement[name] = 1_000_000 * seconds[Int(Double(questions - 1) * share)]
        }
        measurement["longest_ms"] = 1_000 * (seconds.last ?? 0)
        measurement.notePeakMemory()
        try ledger.close()
        return measurement
    }

    /// As known one event ago: the state in memory does not know that, so the events must tell.
    func refold() throws -> Measurement {
        let known = try Ledger.open(path, readOnly: true).head().position - 1
        let moment = Moment(knownAt: .position(known))
        return try ask { ledger, subject in
            let (decision, _) = try ledger.check(
                CheckQuestion(Workload.meter), for: subject, moment: moment)
            guard decision.allowed else { throw BenchmarkError("\(subject) may not, and should") }
        }
    }

    func history() throws -> Measurement {
        try ask { ledger, subject in
            guard try !ledger.history(of: subject).isEmpty else {
                throw BenchmarkError("\(subject) has no history, and should")
            }
        }
    }

    func status() throws -> Measurement {
        try ask { ledger, subject in
            guard try ledger.status(of: subject).status.isKnown else {
                throw BenchmarkError("\(subject) is not known, and should be")
            }
        }
    }

    func explain() throws -> Measurement {
        try ask { ledger, subject in
            let question = CheckQuestion(Workload.meter)
            guard try ledger.explain(question, for: subject).isKnown else {
                throw BenchmarkError("\(subject) is not known, and should be")
            }
        }
    }

    /// Asks about customers in random order.
    private func ask(
        isAtHand: Bool = false, _ question: (Ledger, String) throws -> Void
    ) throws -> Measurement {
        let workload = Workload(eventCount: numbers[1], subjectCount: numbers[0])
        let ledger = try Ledger.open(path, readOnly: true)
        let subjects = (0..<numbers[1]).map { workload.subjectName(workload.subject(of: $0)) }
        if isAtHand {
            for subject in 0..<numbers[0] { try question(ledger, workload.subjectName(subject)) }
        }
        let start = ContinuousClock.now
        for subject in subjects { try question(ledger, subject) }
        let measurement = measured(since: start, events: subjects.count)
        try ledger.close()
        return measurement
    }
}
