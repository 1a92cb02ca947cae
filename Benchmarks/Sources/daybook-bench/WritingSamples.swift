import Daybook
import DaybookEvents

/// What is measured of writers that do not come one by one.
struct WritingSamples {
    let ledger: Ledger
    let workload: Workload

    /// Single uses by some clients at once, who share commits as they come.
    func consume(clients: Int, _ stopwatch: inout Stopwatch) async throws -> String {
        let (ledger, workload) = (ledger, workload)
        let start = ContinuousClock.now
        let durabilities = try await withThrowingTaskGroup(of: String.self) { group in
            for client in 0..<clients {
                group.addTask {
                    var durability = "none"
                    for index in stride(from: client, to: workload.eventCount, by: clients) {
                        durability = try await ledger.consume(
                            Workload.meter, by: workload.subjectName(workload.subject(of: index)),
                            ref: workload.reference(of: index), key: workload.key(of: index)
                        ).durability
                    }
                    return durability
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        stopwatch.add(from: 0, since: start)
        return durabilities.subtracting(["none"]).sorted().joined(separator: " and ")
    }

    /// Every event as a line of JSON, read from memory in pieces of a quarter of a megabyte.
    func importLines(_ stopwatch: inout Stopwatch) async throws -> String {
        var pieces: [[UInt8]] = [[]]
        for index in 0..<workload.eventCount {
            let line = EventJSON.canonicalBytes(of: workload.draft(index))
            if pieces[pieces.count - 1].count > 1 << 18 { pieces.append([]) }
            pieces[pieces.count - 1] += line
            pieces[pieces.count - 1].append(0x0A)
        }
        var next = pieces.makeIterator()
        let start = ContinuousClock.now
        let report = try await ledger.importLines({ next.next() })
        stopwatch.add(from: 0, since: start)
        guard report.appended == workload.eventCount else {
            throw BenchmarkError("\(report.appended) of \(workload.eventCount) were appended")
        }
        // The first one again, which is there: its receipt says what the others are worth.
        return try await ledger.record([workload.draft(0)]).durability
    }
}
