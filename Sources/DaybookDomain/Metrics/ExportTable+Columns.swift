import DaybookEvents

extension ExportTable {
    static var transactionColumns: [Cell<MetricSubject.TransactionRow>] {
        [
            Cell("transaction", .text, true, "The store's id.") { .string($0.id) },
            Cell("lineage", .text, true, "The store and its original transaction.") {
                .string($0.lineage.name)
            },
            Cell("store", .text, true, "") { .string($0.store) },
            Cell("product", .text, true, "The product's id with the store.") {
                .string($0.productID)
            },
            Cell("kind", .text, false, "Of the product, as the newest catalog has it.") {
                .orNull($0.payment.product?.kind.rawValue)
            },
            Cell("purchased_at", .time, true, "When it was paid for, and begins.") {
                time($0.payment.at)
            },
            Cell("expires_at", .time, false, "When it ends, as the store states it.") {
                time($0.payment.fact.expiresAt)
            },
            Cell("quantity", .integer, true, "") { .integer(max(1, $0.payment.fact.quantity)) },
            Cell("amount_milli", .integer, true, "Price times quantity, in thousandths.") {
                .integer($0.payment.amount)
            },
            Cell("currency", .text, true, "ISO 4217; XXX where none was told.") {
                .string($0.payment.currency)
            },
            Cell("is_free", .flag, true, "Whether nothing was asked for it.") {
                .bool($0.payment.isFree)
            },
            Cell("is_trial", .flag, true, "Whether it is a free trial.") {
                .bool($0.payment.fact.isTrial)
            },
            Cell("is_begun", .flag, true, "Whether the customer began it, and not the store.") {
                .bool($0.payment.isBegun)
            },
            Cell("refunded_at", .time, false, "When money went back.") {
                time($0.payment.refund?.at)
            },
            Cell("refunded_milli", .integer, true, "How much went back, in thousandths.") {
                .integer($0.payment.refund?.amount ?? 0)
            },
        ]
    }

    static var periodColumns: [Cell<MetricSubject.PeriodRow>] {
        [
            Cell("lineage", .text, true, "The store and its original transaction.") {
                .string($0.lineage)
            },
            Cell("transaction", .text, true, "By which it serves.") { .string($0.transaction) },
            Cell("product", .text, true, "The product's id with the store.") {
                .string($0.product)
            },
            Cell("starts_at", .time, true, "") { time($0.span.start) },
            Cell(
                "ends_at", .time, false,
                "Exclusive: grace, a refund and an upgrade are taken into account."
            ) { time($0.span.end) },
            Cell("paid_until", .time, false, "The end that was paid for.") {
                time($0.span.naturalEnd)
            },
            Cell("is_free", .flag, true, "A trial, or another offer that costs nothing.") {
                .bool($0.span.isFree)
            },
            Cell("is_trial", .flag, true, "") { .bool($0.span.isTrial) },
            Cell("amount_milli", .integer, true, "What was paid for it, in thousandths.") {
                .integer($0.payment.amount)
            },
            Cell("currency", .text, true, "ISO 4217; XXX where none was told.") {
                .string($0.payment.currency)
            },
        ]
    }

    static var customerColumns: [Cell<MetricSubject>] {
        [
            Cell("first_seen_at", .time, true, "The first sight, or the first event.") {
                time($0.firstSeenAt)
            },
            Cell("last_event_at", .time, false, "The newest event of the customer's own.") {
                time($0.lastEventAt)
            },
            Cell("first_paid_at", .time, false, "") { time($0.firstPaidAt) },
            Cell("paid_transactions", .integer, true, "") {
                .integer(Int64($0.payments.count(where: \.isPaid)))
            },
            Cell("lineages", .integer, true, "Purchases that are, or were, the customer's.") {
                .integer(Int64($0.lineages.count))
            },
        ]
    }

    /// The names and meanings of
    /// https://www.revenuecat.com/docs/integrations/scheduled-data-exports/data-export-version-6; columns of which the
    /// ledger knows nothing (country, attributes, offerings) are left out.
    static var revenueCatColumns: [Cell<MetricSubject.TransactionRow>] {
        [
            Cell("rc_original_app_user_id", .text, false, "") { .orNull($0.context.customer) },
            Cell("rc_last_seen_app_user_id_alias", .text, false, "") {
                .orNull($0.context.customer)
            },
            Cell("product_identifier", .text, true, "") { .string($0.productID) },
            Cell("product_duration", .text, false, "ISO 8601.") {
                .orNull($0.payment.product?.period.flatMap(PeriodLength.init)?.iso8601)
            },
            Cell("start_time", .time, true, "") { time($0.payment.at) },
            Cell("end_time", .time, false, "") { time($0.payment.fact.expiresAt) },
            Cell("grace_period_end_time", .time, false, "") { row in
                row.span.map { $0.end > $0.naturalEnd ? time($0.end) : .null } ?? .null
            },
            Cell("effective_end_time", .time, false, "") { row in
                time(row.span?.end ?? row.payment.fact.expiresAt)
            },
            Cell("store", .text, true, "") { row in
                .string(revenueCatStores[row.store] ?? row.store)
            },
            Cell("is_auto_renewable", .flag, true, "") {
                .bool($0.payment.product?.kind == .autoRenewable)
            },
            Cell("is_trial_period", .flag, true, "") { .bool($0.payment.fact.isTrial) },
            Cell("is_in_intro_offer_period", .flag, true, "") {
                .bool($0.payment.fact.offerType == 1 && !$0.payment.fact.isTrial)
            },
            Cell("is_sandbox", .flag, true, "") { .bool($0.context.environment != .production) },
            Cell("store_transaction_id", .text, true, "") { .string($0.id) },
            Cell("original_store_transaction_id", .text, true, "") { .string($0.original) },
            Cell("refunded_at", .time, false, "") { time($0.payment.refund?.at) },
            Cell("purchased_currency", .text, true, "") { .string($0.payment.currency) },
            Cell("price_in_purchased_currency", .text, true, "What is left of it after refunds.") {
                .string(decimal($0.payment.amount - ($0.payment.refund?.amount ?? 0)))
            },
            Cell("purchase_price_in_purchased_currency", .text, true, "") {
                .string(decimal($0.payment.amount))
            },
            Cell("renewal_number", .integer, true, "") { .integer(Int64($0.number)) },
            Cell("is_trial_conversion", .flag, true, "") {
                .bool($0.former?.fact.isTrial == true && $0.payment.isPaid)
            },
            Cell("first_seen_time", .time, false, "") { time($0.subject.firstSeenAt) },
        ]
    }

    private static let revenueCatStores = [
        "apple": "app_store", "google": "play_store", "mac": "mac_app_store",
    ]

    /// Thousandths as a decimal number, exactly.
    private static func decimal(_ milli: Int64) -> String {
        let rest = String(milli.magnitude % 1_000)
        let zeros = String(repeating: "0", count: 3 - rest.count)
        return "\(milli < 0 ? "-" : "")\(milli.magnitude / 1_000).\(zeros)\(rest)"
    }
}
