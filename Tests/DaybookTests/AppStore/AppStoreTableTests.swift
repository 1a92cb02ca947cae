import Daybook
import DaybookDomain
import DaybookEvents
import DaybookIngest
import Testing

/// The table of docs/app-store.md, row by row: what a notification is called here, and the state before and after it.
@Suite("App Store: what each notification does")
struct AppStoreTableTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var type: AppStoreNotificationType
        var subtype: AppStoreNotificationSubtype?
        /// What it is called here.
        var called: String
        /// The state at the moment it was signed, without it and with it; later ones in days after that.
        var states: [Int64: String]
        var before = "active+~"
        var change: @Sendable (inout SandboxTransaction, inout SandboxRenewal) -> Void = { _, _ in }
        var hasTransaction = true

        var testDescription: String { "\(type.rawValue) \(subtype?.rawValue ?? "")" }
    }

    static let now = AppStoreBench.now
    static let day = AppStoreBench.day

    private static func next(
        _ transaction: inout SandboxTransaction, from start: Int64, to end: Int64,
        _ product: String = AppStoreBench.monthly
    ) {
        transaction = AppStoreBench.period("1002", product, from: start, to: end, signedAt: now)
    }

    static let rows: [Row] = [
        Row(
            type: .subscribed, subtype: .resubscribe, called: "subscription.started",
            states: [0: "active+~", 25: "active+~"],
            change: {
                next(&$0, from: now, to: now + 30 * day); _ = $1
            }),
        Row(
            type: .didRenew, called: "subscription.renewed",
            states: [0: "active+~", 25: "active+~", 51: "expired"],
            change: { transaction, _ in
                // Signed before its own purchase date, as Apple does.
                next(
                    &transaction, from: AppStoreBench.expires,
                    to: AppStoreBench.expires + 30 * day)
            }),
        Row(
            type: .didRenew, subtype: .billingRecovery, called: "subscription.renewed",
            states: [25: "active+~"],
            change: { transaction, _ in
                next(
                    &transaction, from: AppStoreBench.expires,
                    to: AppStoreBench.expires + 30 * day)
            }),
        Row(
            type: .didFailToRenew, subtype: .gracePeriod, called: "subscription.billing_failed",
            states: [21: "grace+~", 37: "billing_retry~"],
            change: {
                $1.isInBillingRetry = true
                $1.graceExpiresAt = AppStoreBench.expires + 16 * day
                _ = $0
            }),
        Row(
            type: .didFailToRenew, called: "subscription.billing_failed",
            states: [0: "active+~", 21: "billing_retry~"],
            change: { _, renewal in renewal.isInBillingRetry = true }),
        Row(
            type: .gracePeriodExpired, called: "subscription.grace_expired",
            states: [21: "billing_retry~"],
            change: { _, renewal in renewal.isInBillingRetry = true }),
        Row(
            type: .expired, subtype: .voluntary, called: "subscription.expired",
            states: [21: "expired"],
            change: { _, renewal in renewal.willRenew = false }),
        Row(
            type: .expired, subtype: .billingRetry, called: "subscription.expired",
            states: [21: "expired"], change: { _, renewal in renewal.willRenew = false }),
        Row(
            type: .expired, subtype: .priceIncrease, called: "subscription.expired",
            states: [21: "expired"], change: { _, renewal in renewal.willRenew = false }),
        Row(
            type: .expired, subtype: .productNotForSale, called: "subscription.expired",
            states: [21: "expired"], change: { _, renewal in renewal.willRenew = false }),
        Row(
            type: .expired, called: "subscription.expired", states: [21: "expired"],
            change: { _, renewal in renewal.willRenew = false }),
        Row(
            type: .didChangeRenewalStatus, subtype: .autoRenewDisabled,
            called: "subscription.auto_renew_changed",
            states: [0: "active_canceling+", 21: "expired"],
            change: { _, renewal in renewal.willRenew = false }),
        Row(
            type: .didChangeRenewalStatus, subtype: .autoRenewEnabled,
            called: "subscription.auto_renew_changed", states: [0: "active+~"]),
        Row(
            type: .didChangeRenewalPref, subtype: .upgrade,
            called: "subscription.product_changed", states: [0: "active+~", 100: "active+~"],
            change: { transaction, _ in
                next(&transaction, from: now, to: now + 365 * day, AppStoreBench.yearly)
            }),
        Row(
            type: .didChangeRenewalPref, subtype: .downgrade,
            called: "subscription.product_changed", states: [0: "active+~"],
            change: { _, renewal in renewal.autoRenewProductID = AppStoreBench.yearly }),
        Row(
            type: .didChangeRenewalPref, called: "subscription.product_changed",
            states: [0: "active+~"]),
        Row(
            type: .offerRedeemed, called: "subscription.offer_redeemed", states: [0: "active+~"]),
        Row(
            type: .offerRedeemed, subtype: .upgrade, called: "subscription.product_changed",
            states: [100: "active+~"],
            change: { transaction, _ in
                next(&transaction, from: now, to: now + 365 * day, AppStoreBench.yearly)
            }),
        Row(
            type: .offerRedeemed, subtype: .downgrade, called: "subscription.product_changed",
            states: [0: "active+~"],
            change: { _, renewal in renewal.autoRenewProductID = AppStoreBench.yearly }),
        Row(
            type: .priceIncrease, subtype: .pending, called: "subscription.price_increase",
            states: [0: "active+~"]),
        Row(
            type: .priceIncrease, subtype: .accepted, called: "subscription.price_increase",
            states: [0: "active+~"]),
        Row(
            type: .refund, called: "purchase.refunded", states: [-1: "active+~", 0: "refunded~"],
            change: { transaction, _ in
                transaction.revokedAt = now
                transaction.revocationReason = .appIssue
                transaction.revocationType = .refundFull
                transaction.revocationPercentage = 100_000
            }),
        Row(type: .refundDeclined, called: "refund.declined", states: [0: "active+~"]),
        Row(type: .refundReversed, called: "purchase.refund_reversed", states: [0: "active+~"]),
        Row(
            type: .revoke, called: "purchase.revoked", states: [-1: "active+~", 0: "revoked"],
            change: { transaction, _ in
                transaction.revokedAt = now
                transaction.revocationType = .familyRevoke
            }),
        Row(type: .consumptionRequest, called: "refund.requested", states: [0: "active+~"]),
        Row(
            type: .renewalExtended, called: "subscription.extended",
            states: [21: "active+~", 31: "expired"],
            change: { transaction, renewal in
                transaction.expiresAt = AppStoreBench.expires + 10 * day
                renewal.renewsAt = AppStoreBench.expires + 10 * day
            }),
        Row(
            type: .renewalExtension, subtype: .summary, called: "ops.extension_report",
            states: [0: "active+~"], hasTransaction: false),
        Row(
            type: .priceChange, called: "ops.advanced_commerce", states: [0: "active+~"]),
        Row(type: .metadataUpdate, called: "ops.advanced_commerce", states: [0: "active+~"]),
        Row(type: .migration, called: "ops.advanced_commerce", states: [0: "active+~"]),
        Row(
            type: .test, called: "ops.test_received", states: [0: "active+~"],
            hasTransaction: false),
    ]

    private static func notification(_ row: Row) -> SandboxNotification {
        var transaction = AppStoreBench.period(signedAt: now)
        var renewal = AppStoreBench.renewal(signedAt: now)
        row.change(&transaction, &renewal)
        return AppStoreBench.notification(
            row.type, row.subtype, row.hasTransaction ? transaction : nil,
            row.hasTransaction ? renewal : nil, signedAt: now)
    }

    @Test("Each row has its name, and the states before and after", arguments: rows)
    func row(row: Row) async throws {
        let bench = try await AppStoreBench()
        try await bench.take(AppStoreBench.purchase)
        let head = try bench.fixture.ledger.head().position
        #expect(try bench.premium(at: Self.now) == row.before)
        let receipt = try await bench.take(Self.notification(row))
        #expect(receipt.refused == [])
        let types = try bench.types(after: head)
        #expect(types.contains(row.called), "\(types)")
        for (days, state) in row.states.sorted(by: { $0.key < $1.key }) {
            let found = try bench.premium(at: Self.now + days * Self.day)
            #expect(found == state, "after \(days) days")
        }
        #expect(try bench.fixture.ledger.deadLetters().isEmpty)
    }

    @Test(
        "In any order and any number the same notifications give the same digest", arguments: rows)
    func anyOrder(row: Row) async throws {
        let (first, second) = (AppStoreBench.purchase, Self.notification(row))
        var digests: Set<String> = []
        for order in [[first, second], [second, first], [second, first, second, first]] {
            let bench = try await AppStoreBench()
            for notification in order { try await bench.take(notification) }
            digests.insert("\(try bench.fixture.ledger.digest())")
        }
        #expect(digests.count == 1)
    }

    @Test("The table has every type that Apple sends, but those that name no purchase")
    func complete() {
        let told = Set(Self.rows.map(\.type))
        let others: Set<AppStoreNotificationType> = [
            .oneTimeCharge, .externalPurchaseToken, .rescindConsent,
        ]
        #expect(told.union(others) == Set(AppStoreNotificationType.allCases))
    }
}
