import Daybook
import DaybookEvents
import DaybookFixtures

extension Samples {
    /// One question about all customers, by month over the whole time, with a ledger that was just opened.
    func metrics() throws -> Measurement {
        let ledger = try Ledger.open(path, readOnly: true)
        let events = Int(try ledger.head().position)
        let watch = MemoryWatch()
        let start = ContinuousClock.now
        let report = try ledger.metrics(request)
        var measurement = measured(since: start, events: events)
        watch.note(in: &measurement)
        measurement.note(sum: UInt64(report.subjectCount))
        try ledger.close()
        return measurement
    }

    /// Revenue and customers by day, and how far customers came from the paywall to a payment.
    func metricsOfMonth() throws -> Measurement {
        let ledger = try Ledger.open(path, readOnly: true)
        let events = Int(try ledger.head().position)
        var request = MetricsRequest(["net_revenue", "active_customers"])
        request.period = CalendarPeriod("2026-03")
        request.resolution = .day
        let start = ContinuousClock.now
        let report = try ledger.metrics(request)
        let funnel = try ledger.funnel(FunnelRequest("paywall_to_paid"))
        let measurement = measured(since: start, events: events)
        guard report.series.contains(where: { !$0.values.isEmpty }), funnel.entered > 0 else {
            throw BenchmarkError("the month has no revenue, or no funnel")
        }
        try ledger.close()
        return measurement
    }

    /// The same question three times: first, then with nothing new, and after some new events.
    func metricsAgain() async throws -> Measurement {
        let (events, subjects, count) = (numbers[0], numbers[1], numbers[2])
        let workload = Workload(eventCount: events + count, subjectCount: subjects)
        let now = workload.clock
        let ledger = try Ledger.open(path) { now }
        func seconds() throws -> Double {
            let start = ContinuousClock.now
            _ = try ledger.metrics(request)
            return start.secondsSince
        }
        let start = ContinuousClock.now
        let first = try seconds()
        let again = try seconds()
        // A ledger that an earlier round went on with has other events already.
        let begun = Int(try ledger.head().position)
        let drafts = (begun..<begun + count).map { index in
            var draft = workload.draft(index)
            draft.occurredAt = now - 1
            return draft
        }
        try await ledger.record(drafts)
        let tail = try seconds()
        var measurement = measured(since: start, events: begun)
        measurement["first_seconds"] = first
        measurement["again_ms"] = 1_000 * again
        measurement["tail_ms"] = 1_000 * tail
        try ledger.close()
        return measurement
    }

    /// `all`, or names with commas between them.
    private var request: MetricsRequest {
        var request = MetricsRequest(
            words[0] == "all" ? [] : words[0].split(separator: ",").map(String.init))
        request.from = Workload.firstInstant
        return request
    }
}
