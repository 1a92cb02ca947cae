/// From when on a subscription is billed on a day.
struct BillingDay: Sendable, Hashable {
    var from: Int64
    /// The day, as the time of its first bill.
    var anchor: Int64
}
