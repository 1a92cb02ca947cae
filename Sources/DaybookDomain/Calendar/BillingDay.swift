/// The day on which a subscription is billed, and the time from which that day counts.
struct BillingDay: Sendable, Hashable {
    var from: Int64
    /// The day, as the time of its first bill.
    var anchor: Int64
}
