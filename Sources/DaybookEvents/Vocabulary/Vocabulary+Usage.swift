extension Vocabulary {
    private static let meter = EventField("meter", .text, .nameA, required: true)
    private static let reservation = EventField(
        "reservation_id", .text, .reference, required: true)

    static let usage: [EventSchema] = [
        EventSchema(
            .usageRecorded, "usage.recorded", "Units were used.",
            [
                meter,
                EventField(
                    "amount", .amount, .amount, required: true,
                    "at least 1 on counters; +1 or -1 on gauges"),
                EventField("ref", .text, .reference, "what was made; counts once"),
                EventField("covered_by", .text, .nameB, "an unlimited source; burns no quota"),
            ]),
        EventSchema(
            .usageReserved, "usage.reserved", "Units were set aside.",
            [
                reservation, meter,
                EventField("amount", .amount, .amount, required: true, in: EventBounds.positive),
                EventField("expires_at", .time, .timeA, required: true, "exclusive"),
                EventField("ref", .text), EventField("covered_by", .text, .nameB),
            ]),
        EventSchema(
            .usageCommitted, "usage.committed", "A reservation became usage.",
            [reservation, EventField("amount", .amount, .amount, in: EventBounds.positive)]),
        EventSchema(
            .usageReleased, "usage.released", "A reservation was given back.",
            [reservation, EventField("reason", .text)]),
        EventSchema(
            .usageReversed, "usage.reversed", "Usage was taken back.",
            [
                EventField(
                    "target", .text, .reference, required: true,
                    "key or ref of the usage, or its reservation; its period gets the units back"),
                EventField(
                    "meter", .text, .nameA,
                    "of which meter; without it, of the first one that has the target"),
                EventField("reason", .text),
            ]),
        EventSchema(
            .usageReset, "usage.reset", "A counter begins anew.",
            [
                meter, EventField("period_start", .time, .timeA, required: true),
                EventField("effective_at", .time, .timeB, required: true),
                EventField(
                    "retain_anchor", .bool, .flags(shift: 3, width: 2),
                    "false: later periods are counted from the reset; true where absent"),
                EventField(
                    "preserve_overage", .bool, .flags(shift: 5, width: 2),
                    "true: what was used beyond the limit counts as used after the reset"),
                EventField(
                    "trigger", .word(["scheduled", "manual", "plan_change"]),
                    .flags(shift: 0, width: 3)),
                EventField("period", .text),
            ]),
        EventSchema(
            .gaugePinned, "gauge.pinned", "Over the limit, this one stays writable.",
            oneOf: ["profile", "item"],
            [EventField("profile", .text), EventField("item", .text)]),
        EventSchema(
            .gaugePinned, "gauge.pinned", version: 2, routing: .customer,
            "Over the limit, this one stays writable.",
            [
                EventField("meter", .text, .nameA),
                EventField("ref", .text, .reference, required: true, "a profile or an item"),
            ]),
    ]

    private static func step(_ fields: EventField...) -> [EventField] {
        [
            EventField("flow", .text, .nameB),
            EventField("step", .text, .nameA), EventField("index", .integer, .amount),
            EventField("duration_ms", .integer, .money), EventField("variant", .text, .nameC),
        ] + fields
    }

    private static func checkout(_ fields: EventField...) -> [EventField] {
        [
            EventField("product", .text, .nameA), EventField("error", .text, .nameB),
            EventField("attempt", .text, .reference), EventField("variant", .text, .nameC),
        ] + fields
    }

    static let analytics: [EventSchema] = [
        EventSchema(
            .appLaunched, "app.launched", "The app was opened.",
            [EventField("session", .text), EventField("version", .text)]),
        EventSchema(.onboardingStarted, "onboarding.started", "Onboarding began.", step()),
        EventSchema(.onboardingStepViewed, "onboarding.step_viewed", "A step was seen.", step()),
        EventSchema(
            .onboardingStepCompleted, "onboarding.step_completed", "A step was finished.", step()),
        EventSchema(.onboardingSkipped, "onboarding.skipped", "Onboarding was skipped.", step()),
        EventSchema(
            .onboardingCompleted, "onboarding.completed", "Onboarding was finished.", step()),
        EventSchema(
            .milestoneReached, "milestone.reached", "A milestone was reached.",
            [EventField("name", .text, .nameA, required: true)]),
        EventSchema(
            .paywallShown, "paywall.shown", "An upgrade screen was shown.",
            [
                EventField("paywall", .text), EventField("context", .text, .nameA),
                EventField("feature", .text, .nameB), EventField("variant", .text, .nameC),
            ]),
        EventSchema(
            .paywallDismissed, "paywall.dismissed", "An upgrade screen was left.",
            [
                EventField("paywall", .text), EventField("context", .text, .nameA),
                EventField("feature", .text, .nameB), EventField("variant", .text, .nameC),
                EventField("dwell_ms", .integer, .money), EventField("action", .text),
            ]),
        EventSchema(.checkoutStarted, "checkout.started", "A purchase was begun.", checkout()),
        EventSchema(
            .checkoutPending, "checkout.pending", "A purchase waits for approval.", checkout()),
        EventSchema(
            .checkoutCompleted, "checkout.completed",
            "The app says that a purchase went through; no store fact.", checkout()),
        EventSchema(.checkoutFailed, "checkout.failed", "A purchase failed.", checkout()),
        EventSchema(
            .checkoutCanceled, "checkout.canceled", "The customer turned back.", checkout()),
        EventSchema(
            .featureViewed, "feature.viewed", "A feature was looked at.",
            [EventField("feature", .text, .nameA, required: true)]),
        EventSchema(
            .featureUsed, "feature.used", "A feature was used.",
            [EventField("feature", .text, .nameA, required: true)]),
        EventSchema(
            .experimentExposed, "experiment.exposed", "A variant was shown.",
            [
                EventField("experiment", .text, .nameA, required: true),
                EventField("variant", .text, .nameB, required: true),
            ]),
        EventSchema(
            .surveyAnswered, "survey.answered", "A survey was answered.",
            [
                EventField("survey", .text, .nameA, required: true),
                EventField("score", .integer, .amount, required: true),
            ]),
        EventSchema(
            .kpiRecorded, "kpi.recorded", "A number that somebody else measured.",
            [
                EventField("name", .text, .nameA, required: true),
                EventField("value", .any, nil, required: true),
            ]),
    ]
}
