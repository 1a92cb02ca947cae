public import DaybookEvents

extension FunnelState {
    /// Takes one event of an aggregate, in canonical order; never fails.
    /// - Parameter type: The event's, which its caller knows.
    public mutating func evolve(_ event: Event, as type: EventType) {
        guard Self.isTracked(type) else { return }
        var step = Step(
            at: event.occurredAt, typeCode: event.typeCode, context: event.nameA, variant: 0,
            profile: event.profile, duration: Event.absent, isTrial: false)
        switch type {
        case .subscriptionStarted, .subscriptionRenewed: step.isTrial = event.isTrial
        case .experimentExposed: step.variant = event.nameB
        case .onboardingStepViewed, .onboardingStepCompleted:
            step.variant = event.nameC
            step.duration = event.money
        case .onboardingStarted, .onboardingSkipped, .onboardingCompleted, .paywallShown,
            .paywallDismissed, .checkoutStarted, .checkoutPending, .checkoutCompleted,
            .checkoutFailed, .checkoutCanceled:
            step.variant = event.nameC
        default: break
        }
        steps.append(step)
    }
}
