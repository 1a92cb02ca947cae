extension Vocabulary {
    private static let lineage = EventField(
        "original_transaction_id", .text, .stream, "the lineage; defaults to transaction_id")
    private static let store = EventField("store", .text, .stream, "apple unless said otherwise")
    private static let transaction = EventField("transaction_id", .text, .reference)
    private static let requiredTransaction = EventField(
        "transaction_id", .text, .reference, required: true)
    /// For the record: what was bought together is found again, and no answer depends on it. Any JSON, because events
    /// had members of this name, numbers among them, before the vocabulary did, and stay what they are.
    private static let order = EventField(
        "order_id", .any, nil,
        "the order that the transaction belongs to, where a shop sells several products at once")
    private static let ownership = EventField(
        "ownership",
        .word([
            EventWord("purchased", "PURCHASED"), EventWord("family_shared", "FAMILY_SHARED"),
        ]), .flags(shift: 0, width: 2))
    private static let offer = [
        EventField(
            "offer.type",
            .word([
                EventWord("introductory", "1", "intro"), EventWord("promotional", "2", "promo"),
                EventWord("offer_code", "3", "code"), EventWord("win_back", "4", "winback"),
            ]), .flags(shift: 2, width: 3)),
        EventField(
            "offer.discount",
            .word([
                EventWord("free_trial", "FREE_TRIAL"),
                EventWord("pay_as_you_go", "PAY_AS_YOU_GO"),
                EventWord("pay_up_front", "PAY_UP_FRONT"), EventWord("one_time", "ONE_TIME"),
            ]), .flags(shift: 5, width: 3)),
        EventField("offer.id", .text), EventField("offer.period", .text),
    ]
    private static let quantity = EventField(
        "quantity", .amount, .amount, in: EventBounds.positive)
    private static let autoRenew = EventField("auto_renew", .bool, .flags(shift: 8, width: 2))
    /// Apple's `transactionReason`; where it is left out, the other facts tell who began a period.
    private static func transactionReason(_ slot: EventSlot) -> EventField {
        EventField(
            "transaction_reason",
            .word([EventWord("purchase", "PURCHASE"), EventWord("renewal", "RENEWAL")]), slot,
            required: false,
            "purchase: the customer began it, at once; renewal: the store did, after what ran before"
        )
    }
    private static let price = [
        EventField("price_milli", .money, .money, required: true),
        EventField("currency", .text, .nameC, required: true),
    ]
    private static let token = EventField(
        "app_account_token", .text, .nameB,
        "the customer id that the app gave the store; it outranks a named customer")

    private static let purchaseKinds = EventFieldKind.word([
        EventWord("consumable", "Consumable"), EventWord("non_consumable", "Non-Consumable"),
        EventWord("non_renewing", "Non-Renewing Subscription"),
    ])
    private static let kindSlot = EventSlot.flags(shift: 10, width: 3)
    /// What follows a consumable should say so where the store gives it another original transaction: its stream is
    /// named after the transaction itself, and the stream is a function of the event alone.
    private static let purchaseKind = EventField(
        "kind", purchaseKinds, kindSlot,
        "a consumable's stream is its own transaction, any other's the original one")

    static let purchases: [EventSchema] = [
        EventSchema(
            .purchaseCompleted, "purchase.completed", routing: .purchase,
            "Something was bought once.",
            [
                EventField("product", .text, .nameA, required: true),
                EventField("kind", purchaseKinds, kindSlot, required: true),
                requiredTransaction, lineage, store,
                quantity, ownership, token,
                EventField("starts_at", .time, .timeA, "purchase date"),
                EventField("storefront", .text), order,
            ] + price + offer),
        EventSchema(
            .purchaseAssigned, "purchase.assigned", "A purchase serves one profile.",
            [
                requiredTransaction,
                EventField("profile", .text, .profile, required: true),
            ]),
        EventSchema(
            .purchaseUnassigned, "purchase.unassigned", "A purchase serves no profile any more.",
            [requiredTransaction, EventField("profile", .text, .profile)]),
        EventSchema(
            .purchaseRefunded, "purchase.refunded", routing: .purchase,
            "The store gave money back.",
            [
                requiredTransaction, lineage, store,
                EventField("revoked_at", .time, .timeC, required: true),
                EventField(
                    "type",
                    .word([
                        EventWord("full", "REFUND_FULL"),
                        EventWord("prorated", "REFUND_PRORATED"),
                    ]), .flags(shift: 0, width: 2)),
                EventField("pct_milli", .integer, .amount, in: 0...100_000, "100 % is 100000"),
                EventField("reason", .text), EventField("amount_milli", .money, .money),
                EventField("currency", .text, .nameC),
                EventField("product", .text, .nameA), purchaseKind, order,
            ]),
        EventSchema(
            .purchaseRefundReversed, "purchase.refund_reversed", routing: .purchase,
            "A refund was taken back.",
            [
                requiredTransaction, lineage, store, EventField("product", .text, .nameA),
                purchaseKind, order,
            ]),
        EventSchema(
            .purchaseRevoked, "purchase.revoked", routing: .purchase, "Access was withdrawn.",
            [
                requiredTransaction, lineage, store,
                EventField("revoked_at", .time, .timeC, required: true),
                EventField("reason", .text, .nameB, "family or developer"),
                EventField("product", .text, .nameA), purchaseKind, order,
            ]),
        EventSchema(
            .purchaseTransferred, "purchase.transferred", routing: .transfer,
            "A purchase changed hands.",
            [
                lineage, store,
                EventField("from", .text, .nameA, required: true),
                EventField("to", .text, .nameB, required: true),
                EventField(
                    "units", .amount, .amount, in: EventBounds.notNegative,
                    "of a consumable: the credits that were left and moved"),
                EventField("rule", .text), EventField("reversible_until", .time),
            ]),
        EventSchema(
            .refundRequested, "refund.requested", routing: .purchase,
            "A customer asked for a refund.",
            [
                requiredTransaction, lineage, store, EventField("reason", .text), purchaseKind,
                order,
            ]),
        EventSchema(
            .refundDeclined, "refund.declined", routing: .purchase, "The store refused a refund.",
            [requiredTransaction, lineage, store, purchaseKind, order]),
        EventSchema(
            .purchaseClaimed, "purchase.claimed", routing: .lineage,
            "A customer handed over what a store signed, as theirs.",
            [transaction, lineage, store, EventField("product", .text, .nameA)]),
    ]

    private static let period =
        [
            EventField("product", .text, .nameA, required: true),
            EventField("group", .text), requiredTransaction, lineage, store,
            EventField("starts_at", .time, .timeA, required: true),
            EventField("expires_at", .time, .timeB, required: true), ownership, autoRenew, token,
            EventField("plan", .text), EventField("storefront", .text), order,
        ] + price + offer

    /// What is told of a lineage, with the transaction that it came with, where the source names one.
    private static func told(
        _ type: EventType, _ name: String, _ meaning: String, _ fields: [EventField] = []
    ) -> EventSchema {
        EventSchema(
            type, name, routing: .lineage, meaning, [lineage, store, transaction] + fields)
    }

    static let subscriptions: [EventSchema] = [
        EventSchema(
            .subscriptionStarted, "subscription.started", routing: .lineage,
            "A subscription began.",
            period + [
                EventField(
                    "reason", .word(["initial", "resubscribe"]), .flags(shift: 10, width: 2)),
                transactionReason(.flags(shift: 12, width: 2)),
            ]),
        EventSchema(
            .subscriptionRenewed, "subscription.renewed", routing: .lineage,
            "A subscription renewed.",
            period + [
                EventField("recovery", .bool, .flags(shift: 10, width: 2)),
                EventField("trial_conversion", .bool, .flags(shift: 13, width: 2)),
                // Of the flags no two neighbours are left.
                transactionReason(.amount),
            ]),
        told(
            .subscriptionAutoRenewChanged, "subscription.auto_renew_changed",
            "Renewal was switched on or off.",
            [
                EventField("enabled", .bool, .flags(shift: 8, width: 2), required: true),
                EventField("cause", .text), EventField("product", .text, .nameA),
            ]),
        told(
            .subscriptionProductChanged, "subscription.product_changed",
            "Another product of the group was chosen.",
            [
                EventField(
                    "from", .text, .nameA,
                    "left out where the store does not say; then whatever else ran was replaced"),
                EventField("to", .text, .nameB, required: true),
                EventField(
                    "effective", .word(["now", "next_renewal", "reverted"]),
                    .flags(shift: 0, width: 3), required: true), EventField("offer", .any),
            ]),
        told(
            .subscriptionOfferRedeemed, "subscription.offer_redeemed", "An offer was redeemed.",
            [EventField("product", .text, .nameA), EventField("effective", .text)] + offer),
        told(
            .subscriptionBillingFailed, "subscription.billing_failed",
            "A renewal could not be charged.",
            [
                EventField("grace_expires_at", .time, .timeA, "null: no grace"),
                EventField("retry_until", .time, .timeB),
            ]),
        told(.subscriptionGraceExpired, "subscription.grace_expired", "Grace ended."),
        told(
            .subscriptionPriceIncrease, "subscription.price_increase", "The price goes up.",
            [
                EventField(
                    "status", .word(["pending", "accepted", "declined"]),
                    .flags(shift: 0, width: 3), required: true),
                EventField("new_price_milli", .money, .money),
                EventField("effective_at", .time, .timeA), EventField("currency", .text, .nameC),
            ]),
        told(
            .subscriptionExtended, "subscription.extended", "The end moved later.",
            [
                EventField("new_expires_at", .time, .timeB, required: true),
                EventField("days", .integer), EventField("reason_code", .integer),
            ]),
        told(
            .subscriptionPauseScheduled, "subscription.pause_scheduled", "A pause was asked for.",
            [EventField("pause_at", .time), EventField("resume_at", .time)]),
        told(.subscriptionPaused, "subscription.paused", "A pause began."),
        told(.subscriptionResumed, "subscription.resumed", "A pause ended."),
        told(
            .subscriptionExpired, "subscription.expired", "The store says that it ended.",
            [
                EventField("reason", .text, .nameB, required: true),
                EventField("ended_at", .time, .timeB), EventField("product", .text, .nameA),
            ]),
        EventSchema(
            .storeTransactionStated, "store.transaction_stated", routing: .lineage,
            "What the store says of one transaction, whole.",
            [
                EventField("product", .text, .nameA, required: true), requiredTransaction, lineage,
                store, EventField("starts_at", .time, .timeA, required: true),
                EventField("expires_at", .time, .timeB),
                EventField("revoked_at", .time, .timeC),
                quantity, ownership, token,
                EventField("is_upgraded", .bool, .flags(shift: 8, width: 2)),
                EventField(
                    "revocation_type",
                    .word([
                        EventWord("full", "REFUND_FULL"),
                        EventWord("prorated", "REFUND_PRORATED"),
                        EventWord("family", "FAMILY_REVOKE"),
                    ]), .flags(shift: 10, width: 3)),
                transactionReason(.flags(shift: 13, width: 2)),
                EventField("price_milli", .money, .money),
                EventField("currency", .text, .nameC),
            ] + offer),
        EventSchema(
            .storeRenewalStated, "store.renewal_stated", routing: .lineage,
            "What the store says of the next renewal, whole.",
            [
                EventField("product", .text, .nameA), lineage, store, transaction,
                EventField("auto_renew_product", .text, .nameB),
                EventField("auto_renew", .bool, .flags(shift: 8, width: 2), required: true),
                EventField("in_billing_retry", .bool, .flags(shift: 0, width: 2)),
                EventField("grace_expires_at", .time, .timeA),
                EventField("renewal_at", .time, .timeB),
                EventField("continuous_since", .time, .timeC),
                EventField("expiration_intent", .integer),
                EventField("price_increase_status", .integer),
            ]),
    ]

    /// How often the units of a grant may come again: lengths as ISO 8601 writes them, or the period of the meter.
    public static let recurrences = [
        "P1D", "P1W", "P2W", "P4W", "P1M", "P2M", "P3M", "P6M", "P1Y", "period",
    ]

    /// How often the units of a grant come again, by its place in `recurrences` from 1 on; `nil`: once.
    public static func recurrence(_ place: UInt8) -> String? {
        let index = Int(place) - 1
        return recurrences.indices.contains(index) ? recurrences[index] : nil
    }

    static let grants: [EventSchema] = [
        EventSchema(
            .grantIssued, "grant.issued", "Access or units were given.",
            oneOf: ["entitlement", "feature", "meter"],
            [
                EventField("grant_id", .text, .reference, required: true),
                EventField("entitlement", .text, .nameA), EventField("feature", .text, .nameB),
                EventField("meter", .text, .nameC),
                EventField("amount", .amount, .amount, in: EventBounds.notNegative),
                EventField("unlimited", .bool, .flags(shift: 0, width: 2)),
                EventField("starts_at", .time, .timeA, required: true),
                EventField("expires_at", .time, .timeB),
                EventField(
                    "priority", .integer, .flags(shift: 2, width: 9),
                    "0 to 255, lower burns first; 100 where absent"),
                EventField(
                    "every", .word(recurrences.map { EventWord($0) }),
                    .flags(shift: 11, width: 5),
                    "of units: they come again, counted from starts_at, or with the meter's period"),
                EventField("rollover.max", .amount, .money, in: EventBounds.notNegative),
                EventField("rollover.min", .amount, .timeC, in: EventBounds.notNegative),
                EventField("reason", .text), EventField("actor", .text),
            ]),
        EventSchema(
            .grantVoided, "grant.voided", "A grant was withdrawn.",
            [
                EventField("grant_id", .text, .reference, required: true),
                EventField("voided_at", .time, .timeA, required: true),
                EventField("reason", .text),
            ]),
    ]
}
