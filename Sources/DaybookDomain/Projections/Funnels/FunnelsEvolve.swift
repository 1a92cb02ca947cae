public import DaybookEvents

extension FunnelState {
    /// Takes one event of an aggregate, in canonical order; never fails.
    /// - Parameter type: The event's, which its caller knows.
    public mutating func evolve(_ event: Event, as type: EventType) {
        guard Self.isTracked(type) else { return }
        let hasVariant =
            event.typeCode >= EventType.onboardingStarted.rawValue
            && event.typeCode <= EventType.checkoutCanceled.rawValue
            && event.typeCode != EventType.milestoneReached.rawValue
        let isStep = type == .onboardingStepViewed || type == .onboardingStepCompleted
        let isPeriod = type == .subscriptionStarted || type == .subscriptionRenewed
        steps.append(
            Step(
                at: event.occurredAt, typeCode: event.typeCode, context: event.nameA,
                variant: type == .experimentExposed
                    ? event.nameB : hasVariant ? event.nameC : 0,
                profile: event.profile,
                duration: isStep ? event.money : Event.absent,
                isTrial: isPeriod && event.isTrial))
    }
}
