package import DaybookEvents

/// What the euro and the dollar were worth in each other and in others, told with gaps, twice, late and corrected.
package enum RateHistory {
    private static let day: Int64 = 86_400_000

    /// Rates at random, in no order, each with the time at which it is recorded: the same seed gives the same ones.
    /// - Parameters:
    ///   - start: The first day, midnight UTC in milliseconds since 1970.
    ///   - count: How many days.
    package static func drafts(_ seed: UInt64, from start: Int64, days count: Int) -> [EventDraft] {
        var random = SplitMix64(seed: seed)
        var drafts: [EventDraft] = []
        var isSilent = false
        for number in 0..<count {
            let at = start + Int64(number) * day
            // A silence of more than a week leaves days without a rate.
            if Int.random(in: 0..<12, using: &random) == 0 { isSilent.toggle() }
            if isSilent { continue }
            for (from, to) in [("USD", "EUR"), ("EUR", "USD"), ("EUR", "JPY")]
            where Int.random(in: 0..<3, using: &random) > 0 {
                let nanos = Int64.random(in: 700_000_000..<1_400_000_000, using: &random)
                let key = "\(from)-\(to)-\(number)"
                var draft = rate(
                    from, to, nanos, at: at + Int64.random(in: 0..<day, using: &random), key: key)
                draft.recordedAt = at + day + Int64.random(in: 0..<20 * day, using: &random)
                drafts.append(draft)
                guard Int.random(in: 0..<8, using: &random) == 0 else { continue }
                var again = rate(
                    from, to, nanos + 12_345_678, at: at, key: "\(key)-again",
                    signedAt: at + Int64.random(in: 0..<2 * day, using: &random))
                again.recordedAt = (draft.recordedAt ?? at) + day
                drafts.append(again)
            }
        }
        return drafts
    }

    /// What a unit of a currency was worth in another one, in billionths.
    /// - Parameter signedAt: `nil`: when it happened.
    package static func rate(
        _ from: String, _ to: String, _ nanos: Int64, at instant: Int64, key: String,
        signedAt: Int64? = nil
    ) -> EventDraft {
        EventDraft(
            type: .rateRecorded, subject: nil, occurredAt: instant,
            source: EventSource(kind: "rates", key: key, signedAt: signedAt), trust: .imported,
            data: [
                "from": .string(from), "to": .string(to), "rate_nanos": .integer(nanos),
            ])
    }
}
