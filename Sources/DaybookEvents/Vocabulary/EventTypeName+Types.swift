/// The names of known types, for making drafts and for comparing.
extension EventTypeName {
    /// `subject.created`: a customer was first seen.
    public static let subjectCreated = EventTypeName(.subjectCreated)
    /// `subject.tz_changed`: the time zone of a customer changed, from the next period on (rule 14).
    public static let subjectTimeZoneChanged = EventTypeName(.subjectTimeZoneChanged)
    /// `subject.aliased`: two ids belong to one customer, for all times (rule 7).
    public static let subjectAliased = EventTypeName(.subjectAliased)
    /// `subject.unaliased`: an alias is taken back (rule 7).
    public static let subjectUnaliased = EventTypeName(.subjectUnaliased)
    /// `subject.erased`: a customer asked to be forgotten; no fold reads it.
    public static let subjectErased = EventTypeName(.subjectErased)
    /// `consent.rescinded`: a guardian withdrew consent.
    public static let consentRescinded = EventTypeName(.consentRescinded)
    /// `profile.created`: a profile of a customer began, such as a child or a dog.
    public static let profileCreated = EventTypeName(.profileCreated)
    /// `profile.deleted`: a profile ended.
    public static let profileDeleted = EventTypeName(.profileDeleted)
    /// `profile.restored`: a profile came back.
    public static let profileRestored = EventTypeName(.profileRestored)
    /// `consent.given`: a guardian gave consent, perhaps again.
    public static let consentGiven = EventTypeName(.consentGiven)

    /// `purchase.completed`: a consumable, non-consumable or non-renewing product was bought.
    public static let purchaseCompleted = EventTypeName(.purchaseCompleted)
    /// `purchase.assigned`: a purchase serves one profile.
    public static let purchaseAssigned = EventTypeName(.purchaseAssigned)
    /// `purchase.unassigned`: a purchase serves no profile any more.
    public static let purchaseUnassigned = EventTypeName(.purchaseUnassigned)
    /// `purchase.refunded`: the store gave money back, wholly or in part.
    public static let purchaseRefunded = EventTypeName(.purchaseRefunded)
    /// `purchase.refund_reversed`: a refund was taken back.
    public static let purchaseRefundReversed = EventTypeName(.purchaseRefundReversed)
    /// `purchase.revoked`: the access that a purchase gave was withdrawn.
    public static let purchaseRevoked = EventTypeName(.purchaseRevoked)
    /// `purchase.transferred`: a lineage, or everything of a customer, goes to another customer (rule 7).
    public static let purchaseTransferred = EventTypeName(.purchaseTransferred)
    /// `refund.requested`: a customer asked for a refund.
    public static let refundRequested = EventTypeName(.refundRequested)
    /// `refund.declined`: the store refused a refund.
    public static let refundDeclined = EventTypeName(.refundDeclined)
    /// `purchase.claimed`: a customer posted or restored a purchase (rule 7).
    public static let purchaseClaimed = EventTypeName(.purchaseClaimed)

    /// `subscription.started`: a subscription began, for the first time or anew.
    public static let subscriptionStarted = EventTypeName(.subscriptionStarted)
    /// `subscription.renewed`: a subscription renewed.
    public static let subscriptionRenewed = EventTypeName(.subscriptionRenewed)
    /// `subscription.auto_renew_changed`: renewal was switched on or off.
    public static let subscriptionAutoRenewChanged = EventTypeName(.subscriptionAutoRenewChanged)
    /// `subscription.product_changed`: another product of the group was chosen, or the choice was undone.
    public static let subscriptionProductChanged = EventTypeName(.subscriptionProductChanged)
    /// `subscription.offer_redeemed`: an offer was redeemed.
    public static let subscriptionOfferRedeemed = EventTypeName(.subscriptionOfferRedeemed)
    /// `subscription.billing_failed`: a renewal could not be charged; says when grace ends, if there is any.
    public static let subscriptionBillingFailed = EventTypeName(.subscriptionBillingFailed)
    /// `subscription.grace_expired`: grace ended.
    public static let subscriptionGraceExpired = EventTypeName(.subscriptionGraceExpired)
    /// `subscription.price_increase`: a higher price is pending, accepted or declined.
    public static let subscriptionPriceIncrease = EventTypeName(.subscriptionPriceIncrease)
    /// `subscription.extended`: the end of a period moved later.
    public static let subscriptionExtended = EventTypeName(.subscriptionExtended)
    /// `subscription.pause_scheduled`: a pause was asked for.
    public static let subscriptionPauseScheduled = EventTypeName(.subscriptionPauseScheduled)
    /// `subscription.paused`: a pause began.
    public static let subscriptionPaused = EventTypeName(.subscriptionPaused)
    /// `subscription.resumed`: a pause ended.
    public static let subscriptionResumed = EventTypeName(.subscriptionResumed)
    /// `subscription.expired`: the store says that a subscription ended, perhaps early (rule 32).
    public static let subscriptionExpired = EventTypeName(.subscriptionExpired)
    /// `store.transaction_stated`: all that the store says of one transaction (rule 3).
    public static let storeTransactionStated = EventTypeName(.storeTransactionStated)
    /// `store.renewal_stated`: all that the store says of the next renewal (rule 3).
    public static let storeRenewalStated = EventTypeName(.storeRenewalStated)

    /// `grant.issued`: an entitlement, a feature or units of a meter were given.
    public static let grantIssued = EventTypeName(.grantIssued)
    /// `grant.voided`: a grant was withdrawn.
    public static let grantVoided = EventTypeName(.grantVoided)

    /// `usage.recorded`: units of a counter were used, or one thing of a gauge came or went.
    public static let usageRecorded = EventTypeName(.usageRecorded)
    /// `usage.reserved`: units were set aside until a commit, a release or an end (rule 12).
    public static let usageReserved = EventTypeName(.usageReserved)
    /// `usage.committed`: a reservation became usage.
    public static let usageCommitted = EventTypeName(.usageCommitted)
    /// `usage.released`: a reservation was given back.
    public static let usageReleased = EventTypeName(.usageReleased)
    /// `usage.reversed`: usage was taken back.
    public static let usageReversed = EventTypeName(.usageReversed)
    /// `usage.reset`: a counter begins anew; a scheduled one is evidence (rule 14).
    public static let usageReset = EventTypeName(.usageReset)
    /// `gauge.pinned`: a profile or item stays writable while its gauge is over the limit.
    public static let gaugePinned = EventTypeName(.gaugePinned)

    /// `access.denied`: a request was refused; evidence (rule 21).
    public static let accessDenied = EventTypeName(.accessDenied)
    /// `limit.reached`: the last unit of a meter was taken; evidence (rule 21).
    public static let limitReached = EventTypeName(.limitReached)
    /// `feature.restricted`: a locked feature was asked for; evidence (rule 21).
    public static let featureRestricted = EventTypeName(.featureRestricted)
    /// `assignment.conflict`: a purchase was claimed for a second profile; evidence (rule 21).
    public static let assignmentConflict = EventTypeName(.assignmentConflict)

    /// `catalog.published`: a catalog was published, with the time from which it is in force (rule 8).
    public static let catalogPublished = EventTypeName(.catalogPublished)
    /// `catalog.rolled_back`: an older catalog is in force again.
    public static let catalogRolledBack = EventTypeName(.catalogRolledBack)
    /// `ledger.restored`: the ledger goes on from a backup, in a new epoch.
    public static let ledgerRestored = EventTypeName(.ledgerRestored)
    /// `report.frozen`: metrics as they were known at a position, kept for ever.
    public static let reportFrozen = EventTypeName(.reportFrozen)
    /// `rate.recorded`: what one currency was worth in another on one day (UTC).
    public static let rateRecorded = EventTypeName(.rateRecorded)

    /// `app.launched`: the app was opened.
    public static let appLaunched = EventTypeName(.appLaunched)
    /// `onboarding.started`: onboarding began.
    public static let onboardingStarted = EventTypeName(.onboardingStarted)
    /// `onboarding.step_viewed`: a step of onboarding was seen.
    public static let onboardingStepViewed = EventTypeName(.onboardingStepViewed)
    /// `onboarding.step_completed`: a step of onboarding was finished.
    public static let onboardingStepCompleted = EventTypeName(.onboardingStepCompleted)
    /// `onboarding.skipped`: onboarding was skipped.
    public static let onboardingSkipped = EventTypeName(.onboardingSkipped)
    /// `onboarding.completed`: onboarding was finished.
    public static let onboardingCompleted = EventTypeName(.onboardingCompleted)
    /// `milestone.reached`: a milestone that the app names was reached.
    public static let milestoneReached = EventTypeName(.milestoneReached)
    /// `paywall.shown`: an upgrade screen was shown.
    public static let paywallShown = EventTypeName(.paywallShown)
    /// `paywall.dismissed`: an upgrade screen was left.
    public static let paywallDismissed = EventTypeName(.paywallDismissed)
    /// `checkout.started`: a purchase was begun in the app.
    public static let checkoutStarted = EventTypeName(.checkoutStarted)
    /// `checkout.pending`: a purchase waits for approval.
    public static let checkoutPending = EventTypeName(.checkoutPending)
    /// `checkout.completed`: the app says that a purchase went through; no store fact (rule 27).
    public static let checkoutCompleted = EventTypeName(.checkoutCompleted)
    /// `checkout.failed`: a purchase failed in the app.
    public static let checkoutFailed = EventTypeName(.checkoutFailed)
    /// `checkout.canceled`: the customer turned back from a purchase.
    public static let checkoutCanceled = EventTypeName(.checkoutCanceled)
    /// `feature.viewed`: a feature was looked at.
    public static let featureViewed = EventTypeName(.featureViewed)
    /// `feature.used`: a feature was used.
    public static let featureUsed = EventTypeName(.featureUsed)
    /// `experiment.exposed`: a variant of an experiment was shown.
    public static let experimentExposed = EventTypeName(.experimentExposed)
    /// `survey.answered`: a survey was answered, with a score.
    public static let surveyAnswered = EventTypeName(.surveyAnswered)
    /// `kpi.recorded`: a number that was measured elsewhere.
    public static let kpiRecorded = EventTypeName(.kpiRecorded)

    /// `correction.voided`: an event is folded as if it were absent (rule 20).
    public static let correctionVoided = EventTypeName(.correctionVoided)
    /// `correction.amended`: fields of an event are replaced (rule 20).
    public static let correctionAmended = EventTypeName(.correctionAmended)

    /// `debug.override_set`: a debug override begins (rule 10).
    public static let debugOverrideSet = EventTypeName(.debugOverrideSet)
    /// `debug.override_cleared`: debug overrides end, all or those of one kind (rule 10).
    public static let debugOverrideCleared = EventTypeName(.debugOverrideCleared)
    /// `clock.advanced`: a test clock moved; no fold reads it.
    public static let clockAdvanced = EventTypeName(.clockAdvanced)

    /// `ingest.rejected`: a payload could not be read or verified.
    public static let ingestRejected = EventTypeName(.ingestRejected)
}
