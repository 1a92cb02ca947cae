public import DaybookEvents

/// Fields of the vocabulary that no answer about a customer reads: docs/events.md says so, and a test compares this
/// list with what folds do.
public enum RecordFields {
    /// Fields with a place in the folded event that no folded state holds: for metrics, and for people.
    public static let unfolded: Set<String> = [
        "purchase.refunded.v1 amount_milli", "purchase.refunded.v1 currency",
        "purchase.refunded.v1 product", "purchase.refund_reversed.v1 product",
        "purchase.revoked.v1 reason", "purchase.revoked.v1 product",
        "purchase.claimed.v1 product", "subscription.started.v1 reason",
        "subscription.renewed.v1 recovery", "subscription.renewed.v1 trial_conversion",
        "subscription.auto_renew_changed.v1 product", "subscription.offer_redeemed.v1 product",
        "subscription.offer_redeemed.v1 offer.type",
        "subscription.offer_redeemed.v1 offer.discount",
        "subscription.billing_failed.v1 retry_until",
        "subscription.price_increase.v1 new_price_milli",
        "subscription.price_increase.v1 effective_at", "subscription.price_increase.v1 currency",
        "subscription.expired.v1 product", "store.renewal_stated.v1 product",
        "store.renewal_stated.v1 renewal_at", "usage.reset.v1 period_start",
        "access.denied.v1 reason_code", "assignment.conflict.v1 transaction_id",
        "assignment.conflict.v1 profile", "onboarding.started.v1 flow",
        "onboarding.started.v1 index", "onboarding.started.v1 duration_ms",
        "onboarding.step_viewed.v1 flow", "onboarding.step_viewed.v1 index",
        "onboarding.step_completed.v1 flow", "onboarding.step_completed.v1 index",
        "onboarding.skipped.v1 flow", "onboarding.skipped.v1 index",
        "onboarding.skipped.v1 duration_ms", "onboarding.completed.v1 flow",
        "onboarding.completed.v1 index", "onboarding.completed.v1 duration_ms",
        "paywall.shown.v1 feature", "paywall.dismissed.v1 feature",
        "paywall.dismissed.v1 dwell_ms", "checkout.started.v1 error",
        "checkout.started.v1 attempt", "checkout.pending.v1 error", "checkout.pending.v1 attempt",
        "checkout.completed.v1 error", "checkout.completed.v1 attempt", "checkout.failed.v1 error",
        "checkout.failed.v1 attempt", "checkout.canceled.v1 error",
        "checkout.canceled.v1 attempt", "survey.answered.v1 score", "kpi.recorded.v1 name",
    ]

    /// Fields that no folded state holds and that something else reads.
    public static let readElsewhere: Set<String> = Set(
        [
            "purchase.completed", "subscription.started", "subscription.renewed",
            "store.transaction_stated",
        ].flatMap { ["\($0).v1 price_milli", "\($0).v1 currency"] }
            // A what-if reads money from events; the stream of a consumable is named after `kind`, and a lineage after
            // the transaction where no original one is told.
            + [
                "purchase.refunded", "purchase.refund_reversed", "purchase.revoked",
                "refund.requested", "refund.declined",
            ].map { "\($0).v1 kind" }
            + [
                "refund.requested", "refund.declined", "purchase.claimed",
                "subscription.auto_renew_changed", "subscription.product_changed",
                "subscription.offer_redeemed", "subscription.billing_failed",
                "subscription.grace_expired", "subscription.price_increase",
                "subscription.pause_scheduled", "subscription.paused", "subscription.resumed",
                "store.renewal_stated",
            ].map { "\($0).v1 transaction_id" })

    /// `usage.reset.v1 period_start`.
    public static func name(_ field: EventField, of schema: EventSchema) -> String {
        "\(schema.name).v\(schema.version) \(field.name)"
    }
}
