/// Which sources may state what (rules 3, 10, 11 and 20; T24). Checked at append, on every path into the ledger.
enum TrustRules {
    static func check(_ draft: EventDraft, _ type: EventType) throws(EventProblem) {
        if type.isDebug, draft.environment == .production {
            throw EventProblem(
                .forbidden, "type",
                "\(draft.type) is refused in production from every source; use sandbox or test")
        }
        if draft.trust == .clientAsserted, !type.mayBeClientAsserted {
            throw EventProblem(
                .forbidden, "trust",
                "a client may not assert \(draft.type); it may tell of its own purchases, usage, profiles and screens. Let your server say it, as admin"
            )
        }
    }
}

extension EventType {
    /// Whether it is a debug event: a layer over the facts, for every environment but production (rule 10).
    public var isDebug: Bool {
        switch self {
        case .debugOverrideSet, .debugOverrideCleared, .clockAdvanced: true
        default: false
        }
    }

    /// Whether an app may have a name of its own for it: what apps themselves see happen. What a store established,
    /// what gives units or access and what joins IDs keep their names (rule 27).
    public var mayHaveAppName: Bool {
        switch self {
        case .consentGiven, .consentRescinded, .profileCreated, .profileDeleted, .profileRestored,
            .usageRecorded, .experimentExposed:
            true
        default: isOfScreens
        }
    }

    /// Whether it tells of screens and of what people did there: no answer about access, units or ownership depends on
    /// it, so a client that makes it up gains nothing.
    public var isOfScreens: Bool {
        switch self {
        case .accessDenied, .limitReached, .featureRestricted, .appLaunched, .onboardingStarted,
            .onboardingStepViewed, .onboardingStepCompleted, .onboardingSkipped,
            .onboardingCompleted, .milestoneReached, .paywallShown, .paywallDismissed,
            .checkoutStarted, .checkoutPending, .checkoutCompleted, .checkoutFailed,
            .checkoutCanceled, .featureViewed, .featureUsed, .surveyAnswered, .kpiRecorded:
            true
        default: false
        }
    }

    /// Whether an app may tell of it without a signature.
    ///
    /// Store facts of its own count as provisional (rule 11), usage only takes from its own quota, and profiles, gates
    /// and analytics give nothing. What gives units or access, gives units back, takes back what others said, or joins
    /// IDs, would let customers serve themselves.
    public var mayBeClientAsserted: Bool {
        switch self {
        case .correctionVoided, .correctionAmended, .grantIssued, .grantVoided, .usageReset,
            .usageReversed, .purchaseTransferred, .purchaseClaimed, .purchaseAssigned,
            .purchaseUnassigned,
            .subjectAliased, .subjectUnaliased, .subjectErased, .catalogPublished,
            .catalogRolledBack, .debugOverrideSet, .debugOverrideCleared, .clockAdvanced,
            .ledgerRestored, .reportFrozen, .rateRecorded, .ingestRejected:
            false
        default: true
        }
    }
}
