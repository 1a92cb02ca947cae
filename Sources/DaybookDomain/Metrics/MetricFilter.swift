import DaybookEvents

/// Of whom and of what metrics are computed (docs/metrics.md#filters).
public struct MetricFilter: Sendable, Equatable {
    /// Ids of products with the store: only what was paid for these counts. Empty: all.
    public var products: [String] = []
    /// Customers, and lineages without one, of these countries: alpha-2 codes of ISO 3166-1. Empty: all.
    public var countries: [String] = []
    /// Customers who were first seen in it.
    public var cohort: CalendarPeriod?
    /// Customers who saw a variant of this experiment, with what they did from then on.
    public var experiment: String?
    /// The variant that they saw first; `nil`: any.
    public var variant: String?
    /// Customers for whom this version of the catalog is in force at the time of the question.
    public var catalogVersion: Int64?

    /// Makes a filter by which all customers and products count.
    public init() {}

    /// Whether it says who counts, so that what belongs to no customer does not.
    var isOfCustomers: Bool { cohort != nil || experiment != nil || catalogVersion != nil }
}

/// When a customer first saw a variant of an experiment.
public struct Exposure: Sendable, Equatable {
    /// Name of the variant that was seen first.
    public var variant: String
    /// When it was first seen, in milliseconds since 1970 UTC.
    public var at: Int64
    /// Whether another variant was seen later: the customer stays with the first.
    public var isCrossover: Bool
}

extension MetricSubject {
    /// The customer's first exposure up to the time of the question; `nil`: there was none.
    public func exposure(to experiment: String) -> Exposure? {
        var found: Exposure?
        for event in events where event.type == .experimentExposed {
            guard haveSameBytes(names[event.nameA], experiment) else { continue }
            let variant = names[event.nameB]
            guard let first = found else {
                found = Exposure(variant: variant, at: event.occurredAt, isCrossover: false)
                continue
            }
            if !haveSameBytes(first.variant, variant) { found?.isCrossover = true }
        }
        return found
    }

    /// The subject as far as a filter lets it count.
    /// - Parameters:
    ///   - firstSeen: The cohort's time, half-open.
    ///   - catalog: The version that is in force for the customer at the time of the question.
    /// - Returns: `nil`: it does not count at all.
    public func filtered(
        by filter: MetricFilter, firstSeen: Range<Int64>?, catalog: Int64?
    ) -> MetricSubject? {
        if filter.isOfCustomers, !isCustomer { return nil }
        if let firstSeen, !(firstSeenAt.map(firstSeen.contains) ?? false) { return nil }
        if let version = filter.catalogVersion, catalog != version { return nil }
        guard let experiment = filter.experiment else { return self }
        guard let exposure = exposure(to: experiment),
            filter.variant.map({ haveSameBytes($0, exposure.variant) }) ?? true
        else { return nil }
        return since(exposure.at)
    }

    /// The customer as if nothing had been before: what was done, paid and begun from then on, by a first sight then.
    public func since(_ instant: Int64) -> MetricSubject {
        var later = self
        later.events = events.filter { $0.occurredAt >= instant }
        later.payments = payments.filter { $0.at >= instant }
        later.spans = spans.filter { $0.start >= instant }
        later.firstSeenAt = instant
        later.beginsAt = instant
        return later
    }
}
