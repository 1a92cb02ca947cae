import DaybookEvents

/// One time at which a counter begins anew.
public struct MeterReset: Sendable, Equatable {
    /// What makes it begin anew.
    public enum Trigger: String, Sendable {
        /// A period ends.
        case scheduled
        /// A recorded `usage.reset` asks for it.
        case manual
        /// A plan began, and the catalog wants it (E61).
        case planChange = "plan_change"
        /// A subscription is billed from there on.
        case billing
    }

    /// Where it stands, seen from the asked time.
    public enum State: String, Sendable {
        case past
        /// Past, and what `tick` writes about it is not written yet.
        case due
        case toCome = "to_come"
    }

    /// When the count begins anew, in milliseconds since 1970 UTC.
    public var at: Int64
    /// Of several at one time the first of manual, plan change, billing and scheduled.
    public var trigger: Trigger
    /// Past, due or to come at the case's time.
    public var state: State
    /// The period that contains it.
    public var period: MeterPeriod
    /// `nil`: the meter has no periods.
    public var periodName: String?
}

/// Tells when a counter began anew and will, from what is known at the asked time: later purchases and resets move
/// what is to come.
public struct ResetCalendar {
    private let context: CustomerCase
    private let usage: UsageAnswer
    private let check: Check

    /// Reads the resets of one customer.
    /// - Parameter check: Of the same case.
    public init(_ context: CustomerCase, _ check: Check) {
        self.context = context
        self.check = check
        usage = check.usage
    }

    /// - Parameters:
    ///   - meter: A counter.
    ///   - range: Ascending times.
    ///   - limit: At most so many, above 0.
    /// - Returns: Ascending; `isMore` where further ones follow in the range.
    /// - Complexity: O(*n* · *r*) in what is returned and the resets that were decided.
    public func resets(
        of meter: Meter, in range: Range<Int64>, limit: Int
    ) -> (resets: [MeterReset], isMore: Bool) {
        let ids = context.names.ids(of: meter)
        let timeline = usage.timeline(of: meter)
        let decided = usage.resets(meter, ids)
        let dueAt = ScheduledResets(context, check).due(meter, at: context.at)?.occurredAt
        var found: [MeterReset] = []
        var next = range.lowerBound
        while next < range.upperBound {
            let period = timeline.period(at: next)
            let stretch = decided.segment(of: period, at: next)
            // What never began does not begin anew.
            if stretch.start >= range.lowerBound, stretch.start > Int64.min {
                if found.count == limit { return (found, true) }
                found.append(
                    MeterReset(
                        at: stretch.start, trigger: trigger(of: stretch.start, meter, ids),
                        state: stretch.start > context.at
                            ? .toCome : stretch.start == dueAt ? .due : .past,
                        period: period, periodName: timeline.name(of: period)))
            }
            next = stretch.end
        }
        return (found, false)
    }

    private func trigger(
        of instant: Int64, _ meter: Meter, _ ids: [NameID]
    ) -> MeterReset.Trigger {
        let isDecided = context.state.usage.resets.contains {
            !$0.isScheduled && $0.effectiveAt == instant && ids.contains($0.meter)
        }
        if isDecided { return .manual }
        if usage.planResets(meter).contains(instant) { return .planChange }
        let isBilled =
            meter.period.anchor == .billing
            && usage.entitlements.billingDays.contains { $0.from == instant }
        return isBilled ? .billing : .scheduled
    }
}
