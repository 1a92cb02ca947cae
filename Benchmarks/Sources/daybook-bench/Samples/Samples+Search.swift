import Daybook
import DaybookFixtures

extension Samples {
    /// Finds customers by what a use was for, and by how their ids begin, each in a random place.
    func find() throws -> Measurement {
        let (events, count) = (numbers[0], numbers[2])
        let workload = Workload(eventCount: events, subjectCount: numbers[1])
        let ledger = try Ledger.open(path, readOnly: true)
        let start = ContinuousClock.now
        func worst(_ question: (Int) throws -> Bool) throws -> [Double] {
            try (0..<count).map { turn in
                let index = turn * 7_919_999 % events
                let begin = ContinuousClock.now
                guard try question(index) else {
                    throw BenchmarkError("event \(index) is not found, and should be")
                }
                return begin.secondsSince
            }
        }
        let byID = try worst { index in
            let found = try ledger.customers(withID: workload.reference(of: index)).matches
            let subject = workload.subjectName(workload.subject(of: index))
            return found.map(\.customer?.id) == [subject]
        }
        let byPrefix = try worst { index in
            let subject = workload.subjectName(workload.subject(of: index))
            let page = try ledger.customers(prefix: subject, OverviewRequest(limit: 10))
            return page.rows.first?.id == subject
        }
        var measurement = measured(since: start, events: 2 * count)
        measurement["first_seconds"] = byID[0]
        measurement["id_seconds"] = Statistics.median(Array(byID.dropFirst()))
        measurement["id_worst_seconds"] = byID.dropFirst().max() ?? .nan
        measurement["prefix_seconds"] = Statistics.median(byPrefix)
        measurement["prefix_worst_seconds"] = byPrefix.max() ?? .nan
        try ledger.close()
        return measurement
    }
}
