import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import Foundation

/// What the program can do.
struct LedgerSamples: Sendable {
    /// With the catalog's event two ranges that are sealed, and nothing behind them.
    private static let eventCount = 32_767
    private static let customerCount = 400
    private static let batchCount = 500
    private static let clientCount = 64

    let path: String
    let numbers: [Int]

    private var workload: Workload {
        Workload(eventCount: Self.eventCount, subjectCount: Self.customerCount)
    }

    /// - Returns: How many pieces of work were done.
    func run(_ name: String) async throws -> Int {
        switch (name, numbers.count) {
        case ("make", 0): try await make()
        case ("check", 1): try check(numbers[0])
        case ("check-first", 1): try checkFirst(numbers[0])
        case ("check-again", 1): try await checkAgain(numbers[0])
        case ("history", 1): try history(numbers[0])
        case ("consume", 1): try await consume(numbers[0])
        case ("consume-together", 1): try await consumeTogether(numbers[0])
        case ("consume-following", 1): try await consumeFollowing(numbers[0])
        case ("record", 1): try await record(numbers[0])
        case ("replay-rows", 1): try replay(.rows, numbers[0])
        case ("replay-segments", 1): try replay(.segments, numbers[0])
        case ("fold", 3):
            try fold(FoldWorkload(events: numbers[0], subjects: numbers[1]), numbers[2])
        case ("fold-month", 2): try fold(FoldWorkload(people: numbers[0]), numbers[1])
        default: throw StoreError(.failed, "there is no sample \(name) with these numbers")
        }
    }

    private func make() async throws -> Int {
        let ledger = try await create(path)
        for start in stride(from: 0, to: Self.eventCount, by: Self.batchCount) {
            let end = min(start + Self.batchCount, Self.eventCount)
            try await ledger.record((start..<end).map(workload.draft))
        }
        try ledger.snapshot()
        try ledger.close()
        return Self.eventCount
    }

    /// A new ledger in the place of one that may be there.
    private func create(_ path: String) async throws -> Ledger {
        for suffix in ["", "-wal", "-shm", ".lock", ".snapshots"]
        where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.removeItem(atPath: path + suffix)
        }
        let now = workload.clock
        return try await Ledger.create(at: path, catalog: Array(Workload.catalog.utf8)) { now }
    }

    private func check(_ count: Int) throws -> Int {
        let ledger = try Ledger.open(path, readOnly: true)
        let names = (0..<Self.customerCount).map(workload.subjectName)
        for name in names { _ = try ledger.check(Workload.meter, for: name) }
        for index in 0..<count {
            let name = names[workload.subject(of: index)]
            guard try ledger.check(Workload.meter, for: name).allowed else {
                throw StoreError(.failed, "\(name) may not, and should")
            }
        }
        return count
    }

    private func checkFirst(_ count: Int) throws -> Int {
        let ledger = try Ledger.open(path, readOnly: true)
        for customer in 0..<min(count, Self.customerCount) {
            let name = workload.subjectName(customer)
            guard try ledger.check(Workload.meter, for: name).allowed else {
                throw StoreError(.failed, "\(name) may not, and should")
            }
        }
        return min(count, Self.customerCount)
    }

    /// As an app asks after each use. What is recorded and what is asked first is the same for every count.
    private func checkAgain(_ count: Int) async throws -> Int {
        let ledger = try await create(path + ".new")
        var pieces = 0
        for start in stride(from: 0, through: 4 * Self.batchCount, by: Self.batchCount) {
            let indices = start..<start + Self.batchCount
            try await ledger.record(indices.map(workload.draft))
            let asked =
                start == 0
                ? Array(0..<Self.customerCount)
                : Array(Set(indices.map(workload.subject)).sorted().prefix(count))
            for customer in asked {
                let name = workload.subjectName(customer)
                guard try ledger.check(Workload.meter, for: name).allowed else {
                    throw StoreError(.failed, "\(name) may not, and should")
                }
            }
            if start > 0 { pieces += asked.count }
        }
        return pieces
    }

    private func history(_ count: Int) throws -> Int {
        let ledger = try Ledger.open(path, readOnly: true)
        for index in 0..<count {
            let name = workload.subjectName(index % Self.customerCount)
            guard try ledger.history(of: name).count > 10 else {
                throw StoreError(.failed, "\(name) has no history, and should")
            }
        }
        return count
    }

    private func consume(_ count: Int) async throws -> Int {
        let ledger = try await create(path + ".new")
        for index in 0..<count {
            try await ledger.consume(
                Workload.meter, by: workload.subjectName(workload.subject(of: index)),
                ref: workload.reference(of: index), key: workload.key(of: index))
        }
        return count
    }

    private func consumeTogether(_ count: Int) async throws -> Int {
        let ledger = try await create(path + ".new")
        for start in stride(from: 0, to: count * Self.clientCount, by: Self.clientCount) {
            let requests = uses(start..<start + Self.clientCount)
            for answer in ledger.writer.performTogether(requests) { _ = try answer.get() }
        }
        return count * Self.clientCount
    }

    /// Each group but the first is decided while the one before is written.
    private func consumeFollowing(_ count: Int) async throws -> Int {
        let ledger = try await create(path + ".new")
        let requests = uses(0..<count * Self.clientCount)
        let answers = ledger.writer.performTogether(requests, inGroupsOf: Self.clientCount)
        for answer in answers { _ = try answer.get() }
        return requests.count
    }

    private func uses(_ indices: Range<Int>) -> [CommandRequest] {
        indices.map { index in
            CommandRequest(
                .consume(meter: Workload.meter, amount: 1, ref: workload.reference(of: index)),
                subject: workload.subjectName(workload.subject(of: index)),
                key: workload.key(of: index))
        }
    }

    private func record(_ count: Int) async throws -> Int {
        let ledger = try await create(path + ".new")
        for start in stride(from: 0, to: count * Self.batchCount, by: Self.batchCount) {
            try await ledger.record((start..<start + Self.batchCount).map(workload.draft))
        }
        return count * Self.batchCount
    }

    private func replay(_ source: ReplaySource, _ count: Int) throws -> Int {
        let ledger = try Ledger.open(path, readOnly: true)
        for _ in 0..<count {
            let report = try ledger.replay(workers: 1, source: source, isComparing: false)
            guard source == .rows || report.segmentEvents == report.events else {
                throw StoreError(.failed, "not all events are in segments")
            }
        }
        return count * Self.eventCount
    }

    private func fold(_ workload: FoldWorkload, _ count: Int) throws -> Int {
        for _ in 0..<count { _ = try workload.fold() }
        return count * workload.eventCount
    }
}
