import DaybookEvents

/// What a notification is called here: a row of the table of docs/app-store.md.
struct AppStoreMeaning: Sendable {
    /// Which of a notification's times is the time at which it happened to the customer (rule 1).
    enum Moment: Sendable { case charge, revocation, notice }

    /// The type of our event.
    var type: String
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

    static let unknown = AppStoreMeaning(type: "ops.unknown_notification")

    /// Whether the event cannot be told without a transaction; without one it is told as unknown, and nothing is lost.
    private var needsTransaction: Bool { !type.hasPrefix("ops.") && type != "consent.rescinded" }

    static func named(
        _ type: AppStoreNotificationType?, _ subtype: AppStoreNotificationSubtype?
    ) -> AppStoreMeaning {
        switch (type, subtype) {
        case (.subscribed, .resubscribe):
            transaction("subscription.started", ["reason": "resubscribe"])
        case (.subscribed, _): transaction("subscription.started", ["reason": "initial"])
        case (.didRenew, let subtype):
            transaction(
                "subscription.renewed", ["recovery": .bool(subtype == .billingRecovery)])
        case (.oneTimeCharge, _):
            AppStoreMeaning(
                type: "purchase.completed", moment: .charge, isTransaction: true,
                statesConsumable: true)
        case (.refund, _):
            AppStoreMeaning(type: "purchase.refunded", moment: .revocation, statesConsumable: true)
        case (.revoke, _):
            AppStoreMeaning(
                type: "purchase.revoked", moment: .revocation, statesConsumable: true,
                words: ["reason": "family"])
        case (.refundReversed, _):
            AppStoreMeaning(type: "purchase.refund_reversed", statesConsumable: true)
        case (.refundDeclined, _): AppStoreMeaning(type: "refund.declined")
        case (.consumptionRequest, _): AppStoreMeaning(type: "refund.requested")
        case (.rescindConsent, _): AppStoreMeaning(type: "consent.rescinded", needsCustomer: true)
        default: ofRenewal(type, subtype) ?? ofOperations(type)
        }
    }

    private static func transaction(_ type: String, _ words: JSONObject) -> AppStoreMeaning {
        AppStoreMeaning(type: type, moment: .charge, isTransaction: true, words: words)
    }

    private static func ofRenewal(
        _ type: AppStoreNotificationType?, _ subtype: AppStoreNotificationSubtype?
    ) -> AppStoreMeaning? {
        switch (type, subtype) {
        case (.didFailToRenew, _): AppStoreMeaning(type: "subscription.billing_failed")
        case (.gracePeriodExpired, _): AppStoreMeaning(type: "subscription.grace_expired")
        case (.expired, let subtype):
            AppStoreMeaning(
                type: "subscription.expired", words: ["reason": .string(expiryReason(subtype))])
        case (.didChangeRenewalStatus, let subtype):
            AppStoreMeaning(
                type: "subscription.auto_renew_changed",
                words: ["enabled": .bool(subtype != .autoRenewDisabled), "cause": "unknown"])
        case (.didChangeRenewalPref, .upgrade), (.offerRedeemed, .upgrade): changed("now")
        case (.didChangeRenewalPref, .downgrade), (.offerRedeemed, .downgrade):
            changed("next_renewal")
        case (.didChangeRenewalPref, _): changed("reverted")
        case (.offerRedeemed, _):
            AppStoreMeaning(
                type: "subscription.offer_redeemed", words: ["effective": "next_renewal"])
        case (.priceIncrease, let subtype):
            AppStoreMeaning(
                type: "subscription.price_increase",
                words: ["status": subtype == .pending ? "pending" : "accepted"])
        case (.renewalExtended, _): AppStoreMeaning(type: "subscription.extended")
        default: nil
        }
    }

    private static func changed(_ effective: String) -> AppStoreMeaning {
        AppStoreMeaning(
            type: "subscription.product_changed", words: ["effective": .string(effective)])
    }

    private static func ofOperations(_ type: AppStoreNotificationType?) -> AppStoreMeaning {
        switch type {
        case .renewalExtension: AppStoreMeaning(type: "ops.extension_report")
        case .externalPurchaseToken: AppStoreMeaning(type: "ops.external_token")
        case .priceChange, .metadataUpdate, .migration:
            AppStoreMeaning(type: "ops.advanced_commerce")
        case .test: AppStoreMeaning(type: "ops.test_received")
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
        guard let transaction = notification.transaction, !type.hasPrefix("ops.") else {
            return words
        }
        let renewal = notification.renewal
        var data: JSONObject =
            switch type {
            case "subscription.started", "subscription.renewed":
                transaction.period(renewal)
            case "purchase.completed": transaction.purchase
            case "purchase.refunded", "purchase.revoked": transaction.revocation
            default: transaction.names
            }
        switch type {
        case "purchase.refunded", "purchase.revoked",
            "purchase.refund_reversed", "refund.declined":
            data["kind"] = transaction.kindWord.map(JSONValue.string)
        case "refund.requested":
            data["kind"] = transaction.kindWord.map(JSONValue.string)
            data["reason"] = (notification.data?.consumptionRequestReason?.raw).flatMap {
                JSONValue.short($0.lowercased())
            }
        case "subscription.product_changed": data.merge(change(transaction, renewal))
        case "subscription.billing_failed":
            data["grace_expires_at"] = (renewal?.graceExpiresAt).map(JSONValue.integer)
        case "subscription.price_increase":
            data["new_price_milli"] = (renewal?.renewalPrice).map(JSONValue.integer)
            data["currency"] = (renewal?.currency).map(JSONValue.string)
            data["effective_at"] = (renewal?.renewsAt).map(JSONValue.integer)
        case "subscription.extended":
            data["new_expires_at"] = (transaction.expiresAt ?? renewal?.renewsAt).map(
                JSONValue.integer)
        case "subscription.offer_redeemed":
            data["product"] = transaction.productID.map(JSONValue.string)
            data["offer"] = renewal.flatMap(\.offer).map(JSONValue.object)
        case "subscription.expired", "subscription.auto_renew_changed":
            data["product"] = transaction.productID.map(JSONValue.string)
        default: break
        }
        data.merge(words)
        return data
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

extension JSONObject {
    /// Takes the other's members in, which win.
    fileprivate mutating func merge(_ other: JSONObject) {
        for member in other.members { self[member.name] = member.value }
    }
}
