import DaybookEvents

/// What a notification is called here: a row of the table of docs/app-store.md.
struct AppStoreMeaning: Sendable {
    /// Which of a notification's times is the time at which it happened to the customer (rule 1).
    enum Moment: Sendable { case charge, revocation, notice }

    /// The type of our event.
    var type: EventTypeName
    var moment: Moment = .notice
    /// Whether the event states the whole transaction, so that no neutral one is needed beside it.
    var isTransaction = false
    /// Whether it states all that there is to a consumable.
    var statesConsumable = false
    /// Whether the event belongs to a customer's stream, not to a lineage's.
    var needsCustomer = false
    /// What the subtype says, in our words.
    var words = JSONObject()

    static func of(_ notification: AppStoreNotification) -> AppStoreMeaning {
        let type = notification.type.flatMap(\.known)
        let subtype = notification.subtype?.known
        var meaning = named(type, subtype)
        // A subtype that Apple adds may reverse the meaning: an unknown one is recorded, not interpreted.
        if notification.subtype != nil, subtype == nil { meaning = Self.unknown }
        if meaning.needsTransaction, notification.transaction == nil { meaning = Self.unknown }
        return meaning
    }

    static let unknown = AppStoreMeaning(type: EventTypeName(.ops, "unknown_notification"))

    /// Whether the event cannot be told without a transaction; without one it is told as unknown, and nothing is lost.
    private var needsTransaction: Bool { !type.isOf(.ops) && type != .consentRescinded }

    static func named(
        _ type: AppStoreNotificationType?, _ subtype: AppStoreNotificationSubtype?
    ) -> AppStoreMeaning {
        switch (type, subtype) {
        case (.subscribed, .resubscribe):
            transaction(.subscriptionStarted, ["reason": "resubscribe"])
        case (.subscribed, _): transaction(.subscriptionStarted, ["reason": "initial"])
        case (.didRenew, let subtype):
            transaction(
                .subscriptionRenewed, ["recovery": .bool(subtype == .billingRecovery)])
        case (.oneTimeCharge, _):
            AppStoreMeaning(
                type: .purchaseCompleted, moment: .charge, isTransaction: true,
                statesConsumable: true)
        case (.refund, _):
            AppStoreMeaning(type: .purchaseRefunded, moment: .revocation, statesConsumable: true)
        case (.revoke, _):
            AppStoreMeaning(
                type: .purchaseRevoked, moment: .revocation, statesConsumable: true,
                words: ["reason": "family"])
        case (.refundReversed, _):
            AppStoreMeaning(type: .purchaseRefundReversed, statesConsumable: true)
        case (.refundDeclined, _): AppStoreMeaning(type: .refundDeclined)
        case (.consumptionRequest, _): AppStoreMeaning(type: .refundRequested)
        case (.rescindConsent, _): AppStoreMeaning(type: .consentRescinded, needsCustomer: true)
        default: ofRenewal(type, subtype) ?? ofOperations(type)
        }
    }

    private static func transaction(_ type: EventTypeName, _ words: JSONObject) -> AppStoreMeaning {
        AppStoreMeaning(type: type, moment: .charge, isTransaction: true, words: words)
    }

    private static func ofRenewal(
        _ type: AppStoreNotificationType?, _ subtype: AppStoreNotificationSubtype?
    ) -> AppStoreMeaning? {
        switch (type, subtype) {
        case (.didFailToRenew, _): AppStoreMeaning(type: .subscriptionBillingFailed)
        case (.gracePeriodExpired, _): AppStoreMeaning(type: .subscriptionGraceExpired)
        case (.expired, let subtype):
            AppStoreMeaning(
                type: .subscriptionExpired, words: ["reason": .string(expiryReason(subtype))])
        case (.didChangeRenewalStatus, let subtype):
            AppStoreMeaning(
                type: .subscriptionAutoRenewChanged,
                words: ["enabled": .bool(subtype != .autoRenewDisabled), "cause": "unknown"])
        case (.didChangeRenewalPref, .upgrade), (.offerRedeemed, .upgrade): changed("now")
        case (.didChangeRenewalPref, .downgrade), (.offerRedeemed, .downgrade):
            changed("next_renewal")
        case (.didChangeRenewalPref, _): changed("reverted")
        case (.offerRedeemed, _):
            AppStoreMeaning(
                type: .subscriptionOfferRedeemed, words: ["effective": "next_renewal"])
        case (.priceIncrease, let subtype):
            AppStoreMeaning(
                type: .subscriptionPriceIncrease,
                words: ["status": subtype == .pending ? "pending" : "accepted"])
        case (.renewalExtended, _): AppStoreMeaning(type: .subscriptionExtended)
        default: nil
        }
    }

    private static func changed(_ effective: String) -> AppStoreMeaning {
        AppStoreMeaning(
            type: .subscriptionProductChanged, words: ["effective": .string(effective)])
    }

    private static func ofOperations(_ type: AppStoreNotificationType?) -> AppStoreMeaning {
        switch type {
        case .renewalExtension: AppStoreMeaning(type: EventTypeName(.ops, "extension_report"))
        case .externalPurchaseToken: AppStoreMeaning(type: EventTypeName(.ops, "external_token"))
        case .priceChange, .metadataUpdate, .migration:
            AppStoreMeaning(type: EventTypeName(.ops, "advanced_commerce"))
        case .test: AppStoreMeaning(type: EventTypeName(.ops, "test_received"))
        default: unknown
        }
    }

    private static func expiryReason(_ subtype: AppStoreNotificationSubtype?) -> String {
        switch subtype {
        case .voluntary: "voluntary"
        case .billingRetry: "billing_retry_ended"
        case .priceIncrease: "price_increase_declined"
        case .productNotForSale: "product_unavailable"
        default: "other"
        }
    }

    /// The event's data, without what only Apple has a name for.
    func data(_ notification: AppStoreNotification) -> JSONObject {
        guard let transaction = notification.transaction, !type.isOf(.ops) else {
            return words
        }
        let renewal = notification.renewal
        var data: JSONObject =
            switch type {
            case .subscriptionStarted, .subscriptionRenewed:
                transaction.period(renewal)
            case .purchaseCompleted: transaction.purchase
            case .purchaseRefunded, .purchaseRevoked: transaction.revocation
            default: transaction.names
            }
        switch type {
        case .purchaseRefunded, .purchaseRevoked,
            .purchaseRefundReversed, .refundDeclined:
            data["kind"] = transaction.kindWord.map(JSONValue.string)
        case .refundRequested:
            data["kind"] = transaction.kindWord.map(JSONValue.string)
            data["reason"] = (notification.data?.consumptionRequestReason?.raw).flatMap {
                JSONValue.short($0.lowercased())
            }
        case .subscriptionProductChanged: data = data.adding(change(transaction, renewal))
        case .subscriptionBillingFailed:
            data["grace_expires_at"] = (renewal?.graceExpiresAt).map(JSONValue.integer)
        case .subscriptionPriceIncrease:
            data["new_price_milli"] = (renewal?.renewalPrice).map(JSONValue.integer)
            data["currency"] = (renewal?.currency).map(JSONValue.string)
            data["effective_at"] = (renewal?.renewsAt).map(JSONValue.integer)
        case .subscriptionExtended:
            data["new_expires_at"] = (transaction.expiresAt ?? renewal?.renewsAt).map(
                JSONValue.integer)
        case .subscriptionOfferRedeemed:
            data["product"] = transaction.productID.map(JSONValue.string)
            data["offer"] = renewal.flatMap(\.offer).map(JSONValue.object)
        case .subscriptionExpired, .subscriptionAutoRenewChanged:
            data["product"] = transaction.productID.map(JSONValue.string)
        default: break
        }
        return data.adding(words)
    }

    /// From what to what: of a change that is made already only the new product is told.
    private func change(
        _ transaction: AppStoreTransaction, _ renewal: AppStoreRenewal?
    ) -> JSONObject {
        let isMade = words["effective"] == "now"
        var data = JSONObject()
        let next = isMade ? transaction.productID : renewal?.autoRenewProductID
        data["to"] = (next ?? transaction.productID).map(JSONValue.string)
        if !isMade { data["from"] = transaction.productID.map(JSONValue.string) }
        data["offer"] = renewal.flatMap(\.offer).map(JSONValue.object)
        return data
    }
}
