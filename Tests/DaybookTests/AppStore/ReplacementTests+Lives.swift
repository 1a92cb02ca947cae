import DaybookIngest

/// The lives, and what they are expected to give.
extension ReplacementTests {
    @Sendable private static func trial(_ transaction: inout SandboxTransaction) {
        transaction.offerType = .introductory
        transaction.offerDiscount = .freeTrial
    }

    @Sendable private static func shared(
        _ transaction: inout SandboxTransaction, _ renewal: inout SandboxRenewal
    ) {
        transaction.ownership = .familyShared
    }

    static let lives: [Life] = [
        Life(
            testDescription: "upgrade",
            notices: [
                Notice(.subscribed, .initialBuy, "1", "basic", 0, 30, .purchase),
                Notice(.didChangeRenewalPref, .upgrade, "2", "pro", 10, 40, .purchase),
                Notice(.expired, .voluntary, "2", "pro", 10, 40, .purchase, signed: 40),
            ],
            expected: [
                "basic 0-10, pro 10-40", "pro 10-40", "basic 0-10, pro 10-40",
                "basic 0-10, pro 10-40",
            ]),
        Life(
            testDescription: "upgrade from a year, which ends long before the year",
            notices: [
                Notice(.subscribed, .initialBuy, "1", "year", 0, 365, .purchase),
                Notice(.didChangeRenewalPref, .upgrade, "2", "pro", 100, 130, .purchase),
                Notice(.didRenew, nil, "3", "pro", 130, 160, .renewal),
                Notice(.expired, .voluntary, "3", "pro", 130, 160, .renewal, signed: 160),
            ],
            expected: [
                "year 0-100, pro 100-160", "pro 100-160",
                // No notification tells of the second transaction, and a renewal replaces nothing.
                "year 0-365, pro 365-365", "year 0-100, pro 100-160", "year 0-100, pro 100-160",
            ]),
        Life(
            testDescription: "crossgrade",
            notices: [
                Notice(.subscribed, .initialBuy, "1", "basic", 0, 30, .purchase),
                Notice(.didChangeRenewalPref, .upgrade, "2", "other", 10, 40, .purchase),
                Notice(.didRenew, nil, "3", "other", 40, 70, .renewal),
            ],
            expected: [
                "basic 0-10, other 10-70", "other 10-70", "basic 0-30, other 40-70",
                "basic 0-10, other 10-40",
            ]),
        Life(
            testDescription: "downgrade, charged early",
            notices: [
                Notice(.subscribed, .initialBuy, "1", "pro", 0, 30, .purchase),
                Notice(.didChangeRenewalPref, .downgrade, "1", "pro", 0, 30, .purchase, signed: 12),
                Notice(.didRenew, nil, "2", "basic", 29.5, 60, .renewal),
            ],
            expected: [
                "pro 0-30, basic 30-60", "pro 0-30, basic 30-60", "pro 0-30, basic 30-60",
                "pro 0-30",
            ]),
        Life(
            testDescription: "downgrade, charged days early",
            notices: [
                Notice(.subscribed, .initialBuy, "1", "pro", 0, 30, .purchase),
                Notice(.didRenew, nil, "2", "basic", 26, 60, .renewal),
            ],
            expected: ["pro 0-30, basic 30-60", "basic 26-60", "pro 0-30"]),
        Life(
            testDescription: "early renewal",
            notices: [
                Notice(.subscribed, .initialBuy, "1", "basic", 0, 30, .purchase),
                Notice(.didRenew, nil, "2", "basic", 29.75, 60, .renewal),
                Notice(.didRenew, nil, "3", "basic", 59.5, 90, .renewal),
            ],
            expected: [
                "basic 0-90", "basic 29.75-90", "basic 0-30, basic 59.5-90", "basic 0-60",
            ]),
        Life(
            testDescription: "resubscription",
            notices: [
                Notice(.subscribed, .initialBuy, "1", "basic", 0, 30, .purchase),
                Notice(.expired, .voluntary, "1", "basic", 0, 30, .purchase, signed: 30),
                Notice(.subscribed, .resubscribe, "2", "pro", 45, 75, .purchase),
            ],
            expected: [
                "basic 0-30, pro 45-75", "basic 0-30, pro 45-75", "basic 0-30, pro 45-75",
                "basic 0-30",
            ]),
        Life(
            testDescription: "resubscription to another product before the end",
            notices: [
                Notice(.subscribed, .initialBuy, "1", "basic", 0, 30, .purchase),
                Notice(
                    .didChangeRenewalStatus, .autoRenewDisabled, "1", "basic", 0, 30, .purchase,
                    signed: 5),
                Notice(.subscribed, .resubscribe, "2", "pro", 29.75, 59.75, .purchase),
            ],
            expected: [
                "basic 0-29.75, pro 29.75-59.75", "basic 0-29.75, pro 29.75-59.75",
                "basic 0-29.75, pro 29.75-59.75", "basic 0-30",
            ]),
        Life(
            testDescription: "trial beside purchase",
            notices: [
                Notice(.subscribed, .initialBuy, "1", "pro", 0, 14, .purchase) {
                    trial(&$0); _ = $1
                },
                Notice(.didChangeRenewalPref, .upgrade, "2", "basic", 5, 35, .purchase),
                Notice(.expired, .voluntary, "2", "basic", 5, 35, .purchase, signed: 35),
            ],
            expected: [
                "pro 0-14, basic 5-35", "basic 5-35", "pro 0-14, basic 5-35",
                "pro 0-14, basic 5-35",
            ]),
        Life(
            testDescription: "trial that is said to be upgraded",
            notices: [
                Notice(.subscribed, .initialBuy, "1", "pro", 0, 14, .purchase) {
                    trial(&$0); _ = $1
                },
                Notice(.didChangeRenewalPref, .upgrade, "2", "basic", 5, 35, .purchase),
                Notice(
                    .didChangeRenewalStatus, .autoRenewDisabled, "1", "pro", 0, 14, .purchase,
                    signed: 6
                ) { transaction, _ in
                    trial(&transaction)
                    transaction.isUpgraded = true
                },
            ],
            expected: [
                "pro 0-5, basic 5-35", "pro 0-5, basic 5-35",
                // No notification says what replaced it: it keeps its end.
                "pro 0-14", "pro 0-14, basic 5-35",
            ]),
        Life(
            testDescription: "family, both shared",
            notices: [
                Notice(.subscribed, .initialBuy, "1", "basic", 0, 30, .purchase, shared),
                Notice(.didChangeRenewalPref, .upgrade, "2", "pro", 10, 40, .purchase, shared),
                Notice(.didRenew, nil, "3", "pro", 40, 70, .renewal, shared),
            ],
            expected: [
                "basic 0-10, pro 10-70", "pro 10-70", "basic 0-30, pro 40-70",
                "basic 0-10, pro 10-40",
            ]),
        Life(
            testDescription: "family, and an own purchase beside it",
            notices: [
                Notice(.subscribed, .initialBuy, "1", "basic", 0, 30, .purchase, shared),
                Notice(.subscribed, .initialBuy, "2", "pro", 10, 40, .purchase),
            ],
            expected: ["basic 0-30, pro 10-40", "pro 10-40", "basic 0-30"]),
        Life(
            testDescription: "refund of the replacing one",
            notices: [
                Notice(.subscribed, .initialBuy, "1", "basic", 0, 30, .purchase),
                Notice(.didChangeRenewalPref, .upgrade, "2", "pro", 10, 40, .purchase),
                Notice(.refund, nil, "2", "pro", 10, 40, .purchase, signed: 16) { transaction, _ in
                    transaction.revokedAt = instant(15)
                    transaction.revocationType = .refundFull
                    transaction.revocationReason = .other
                },
            ],
            expected: [
                "basic 0-10, pro 10-15", "pro 10-15", "basic 0-10, pro 10-15",
                "basic 0-10, pro 10-40",
            ]),
        Life(
            testDescription: "billing recovery",
            notices: [
                Notice(.subscribed, .initialBuy, "1", "basic", 0, 30, .purchase),
                Notice(
                    .didFailToRenew, .gracePeriod, "1", "basic", 0, 30, .purchase, signed: 30
                ) { _, renewal in
                    renewal.isInBillingRetry = true
                    renewal.graceExpiresAt = instant(46)
                },
                Notice(.didRenew, .billingRecovery, "2", "basic", 38, 60, .renewal),
            ],
            expected: ["basic 0-60", "basic 0-60", "basic 0-30, basic 38-60", "basic 0-46"]),
        Life(
            testDescription: "a reason that no notification states, two days before the end",
            notices: [
                Notice(.subscribed, .initialBuy, "1", "basic", 0, 30, nil),
                Notice(.didChangeRenewalPref, .upgrade, "2", "pro", 28, 58, nil),
                Notice(.expired, .voluntary, "2", "pro", 28, 58, nil, signed: 58),
            ],
            expected: [
                "basic 0-28, pro 28-58", "pro 28-58", "basic 0-28, pro 28-58",
                "basic 0-28, pro 28-58",
            ]),
        Life(
            testDescription: "a reason that no notification states, hours before the end",
            notices: [
                Notice(.subscribed, .initialBuy, "1", "basic", 0, 30, nil),
                Notice(.didChangeRenewalPref, .upgrade, "2", "pro", 29.5, 59.5, nil),
                Notice(.expired, .voluntary, "2", "pro", 29.5, 59.5, nil, signed: 59.5),
            ],
            expected: [
                "basic 0-29.5, pro 29.5-59.5", "pro 29.5-59.5",
                // Without the change it looks like a renewal that was charged early.
                "basic 0-30, pro 30-59.5", "basic 0-29.5, pro 29.5-59.5",
            ]),
    ]
}
