public import DaybookEvents

extension MetricSubject {
    /// The first time after that of the question at which the subject may contribute something else, although nothing
    /// new is recorded, apart from the times that its events name; `Int64.max`: none.
    ///
    /// A bound: perhaps nothing changes then, but nothing does before.
    /// - Complexity: O(*n*) in the payments, and in the ages of what is counted by renewals.
    public func nextChange(_ buckets: MetricBuckets) -> Int64 {
        var next = Int64.max
        func note(_ time: Int64) {
            if time > at { next = min(next, time) }
        }
        for span in spans {
            note(span.start)
            note(span.end)
            note(span.naturalEnd)
            note(span.naturalEnd.addingSaturated(Metric.retry))
        }
        for payment in transactions {
            note(payment.at)
            if let refund = payment.refund { note(refund.at) }
        }
        for (served, _) in servedRanges(buckets.zone) {
            note(served.lowerBound)
            note(served.upperBound)
        }
        for stretch in paidStretches() {
            forEachRenewal(of: stretch, buckets) { _, _, due, _ in note(due) }
        }
        return next
    }
}

extension Event {
    /// The first time after another one that the event names; `Int64.max`: none.
    public func nextTime(after instant: Int64) -> Int64 {
        var next = Int64.max
        for time in [occurredAt, timeA, timeB, timeC] where time > instant {
            next = min(next, time)
        }
        return next
    }
}
