public import DaybookEvents

extension FunnelState {
    /// Takes one event of an aggregate, in canonical order; never fails.
    public mutating func evolve(_ event: Event) {
        guard Self.isTracked(event.type) else { return }
        let hasVariant =
            event.typeCode >= EventType.onboardingStarted.rawValue
            && event.typeCode <= EventType.checkoutCanceled.rawValue
            && event.type != .milestoneReached
        let isStep =
            event.type == .onboardingStepViewed || event.type == .onboardingStepCompleted
        let isPeriod = event.type == .subscriptionStarted || event.type == .subscriptionRenewed
        steps.append(
            Step(
                at: event.occurredAt, typeCode: event.typeCode, context: event.nameA,
                variant: event.type == .experimentExposed
                    ? event.nameB : hasVariant ? event.nameC : 0,
                profile: event.profile,
                duration: isStep ? event.money : Event.absent,
                isTrial: isPeriod && event.isTrial))
    }
}
