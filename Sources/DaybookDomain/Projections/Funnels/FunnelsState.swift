public import DaybookEvents

/// The events that a funnel can name, in canonical order, in as few bytes as possible.
///
/// Funnels depend on range, window and breakdown, so nothing can be counted in advance (rule 26). Kept are the
/// types in `FunnelState.isTracked`, whatever the catalog names today: a new funnel then needs no refold.
public struct FunnelState: Sendable, Equatable {
    /// One for each event of a tracked type.
    public var steps: [Step] = []

    /// The state before any event.
    public init() {}

    /// What a funnel needs to know of one event. The largest members come first: so it takes 32 bytes.
    public struct Step: Sendable, Equatable {
        /// When it happened, in milliseconds since 1970 UTC.
        public var at: Int64
        /// Milliseconds that a step took, or `Event.absent`.
        public var duration: Int64
        /// Paywall context, onboarding step, milestone, feature, product, experiment.
        public var context: NameID
        /// Variant, or 0.
        public var variant: NameID
        /// The profile that the event is about, or 0.
        public var profile: NameID
        /// The number of its type: `EventType.rawValue`.
        public var typeCode: UInt16
        /// Whether a subscription started or renewed as a free trial.
        public var isTrial: Bool

        package init(
            at: Int64, typeCode: UInt16, context: NameID, variant: NameID, profile: NameID,
            duration: Int64, isTrial: Bool
        ) {
            self.at = at
            self.typeCode = typeCode
            self.context = context
            self.variant = variant
            self.profile = profile
            self.duration = duration
            self.isTrial = isTrial
        }
    }

    /// Whether events of this type are kept for funnels.
    public static func isTracked(_ type: EventType) -> Bool {
        switch type.rawValue {
        case EventType.appLaunched.rawValue...EventType.surveyAnswered.rawValue: true
        default:
            switch type {
            case .accessDenied, .limitReached, .featureRestricted, .usageRecorded, .profileCreated,
                .subscriptionStarted, .subscriptionRenewed, .purchaseCompleted, .purchaseAssigned,
                .subjectCreated:
                true
            default: false
            }
        }
    }
}
