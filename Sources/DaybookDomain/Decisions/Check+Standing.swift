import DaybookEvents

extension Check {
    /// Until when a decision stands while nothing new is recorded, of a customer who has nothing that begins or ends by
    /// itself: no purchase, grant, free period, override or reservation. Then time is told by the periods of meters and
    /// by catalogs that come into force.
    /// - Parameter decision: What was asked and decided now.
    /// - Returns: The first time at which it may be another one; `nil`: that is not said of this customer, or of what
    ///   was asked.
    package func standing(_ asked: CheckQuestion, _ decision: Decision) -> Int64? {
        // A window moves with every moment.
        guard asked.itemAt == nil, decision.usage?.kind != .window, context.isKnown,
            entitlements.sources.isEmpty, context.lineages.isEmpty,
            context.lineagesOfOthers.isEmpty, context.state.isPlain
        else { return nil }
        var until = context.catalogPeriodEnd(after: context.at)
        func note(_ time: Int64) { if time > context.at { until = min(until, time) } }
        for version in context.catalogs.versions { note(version.effectiveAt) }
        for reset in context.state.usage.resets { note(reset.effectiveAt) }
        for meter in catalog.meters where meter.kind == .counter {
            note(self.usage.period(of: meter, at: context.at).end)
        }
        return until > context.at ? until : nil
    }
}
