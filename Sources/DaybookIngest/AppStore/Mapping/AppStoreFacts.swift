import DaybookEvents

/// What a transaction says, in our words.
extension AppStoreTransaction {
    /// When it was charged, or announced where that was earlier (rule 1); `nil` where neither is a time of ours.
    var chargedAt: Int64? {
        [purchasedAt, signedAt].compactMap { $0.flatMap(EventBounds.timeOrNil) }.min()
    }

    /// Which transaction of which lineage.
    var names: JSONObject {
        var data = JSONObject()
        data["transaction_id"] = id.map(JSONValue.string)
        data["original_transaction_id"] = (originalID ?? id).map(JSONValue.string)
        return data
    }

    /// The same of what it is folded with: a consumable is a lineage by itself (rule 6).
    var lineageNames: JSONObject {
        var data = names
        if type == .known(.consumable) { data["original_transaction_id"] = data["transaction_id"] }
        return data
    }

    /// What was bought, when, by whom and for how much.
    var facts: JSONObject {
        var data = names
        data["product"] = productID.map(JSONValue.string)
        data["starts_at"] = purchasedAt.map(JSONValue.integer)
        data["quantity"] = quantity.map(JSONValue.integer)
        data["ownership"] = (ownership?.raw).map {
            .string(ownership?.known.map(\.word) ?? $0)
        }
        // A token that many clients send names no customer: a purchase with it belongs to the customer who claims it.
        if let token = appAccountToken, !PersonalData.namesNoCustomer(token) {
            data["app_account_token"] = .string(token)
        }
        if let price {
            // Apple states the price of the whole quantity; an event that of one (docs/rules.md#vocabulary).
            let (one, rest) = price.quotientAndRemainder(dividingBy: max(1, quantity ?? 1))
            data["price_milli"] = .integer(one)
            if rest != 0 { data["price_total_milli"] = .integer(price) }
        }
        data["currency"] = currency.map(JSONValue.string)
        data["offer"] = offer.map(JSONValue.object)
        data["storefront"] = storefront.flatMap(JSONValue.short)
        return data
    }

    /// A period of a subscription, and whether it renews.
    func period(_ renewal: AppStoreRenewal?) -> JSONObject {
        var data = facts
        data["group"] = groupID.map(JSONValue.string)
        data["expires_at"] = expiresAt.map(JSONValue.integer)
        data["auto_renew"] = (renewal?.autoRenewStatus).map { .bool($0.raw != 0) }
        data["plan"] = (billingPlan?.raw).map { .string($0.lowercased()) }
        data["transaction_reason"] = (reason?.raw).map(JSONValue.string)
        return data.withPrice
    }

    /// Something bought once.
    var purchase: JSONObject {
        var data = facts
        data["kind"] = kindWord.map(JSONValue.string)
        return data.withPrice
    }

    /// What was taken back, when and how much of it.
    var revocation: JSONObject {
        var data = names
        data["product"] = productID.map(JSONValue.string)
        // A refund whose date was left out happened when it was told.
        data["revoked_at"] = (revokedAt ?? signedAt).map(JSONValue.integer)
        if revocationWord == "full" || revocationWord == "prorated" {
            data["type"] = revocationWord.map(JSONValue.string)
        }
        data["pct_milli"] = revocationPercentage.map(JSONValue.integer)
        data["reason"] = revocationReason.map {
            .string($0.known == .appIssue ? "app_issue" : "other")
        }
        data["currency"] = currency.map(JSONValue.string)
        return data
    }

    /// The word of our list, or Apple's where the list has none.
    var revocationWord: String? {
        switch revocationType {
        case .known(.refundFull): "full"
        case .known(.refundProrated): "prorated"
        case .known(.familyRevoke): "family"
        case .unknown(let raw): raw
        // Before there was a type, a member of a family lost what another had taken back.
        case nil: ownership == .known(.familyShared) ? "family" : "full"
        }
    }

    var kindWord: String? {
        switch type {
        case .known(.consumable): "consumable"
        case .known(.nonConsumable): "non_consumable"
        case .known(.nonRenewing): "non_renewing"
        case .known(.autoRenewable): nil
        case .unknown(let raw): raw
        case nil: nil
        }
    }

    /// What our words leave out, as it came.
    var rest: JSONObject {
        members.kept(without: [
            "transactionId", "originalTransactionId", "productId", "purchaseDate", "expiresDate",
            "quantity", "inAppOwnershipType", "appAccountToken", "price", "currency", "storefront",
            "offerType", "offerDiscountType", "offerIdentifier", "offerPeriod", "revocationDate",
            "isUpgraded", "environment", "signedDate",
        ])
    }
}

extension AppStorePurchasePayload {
    /// The vocabulary has Apple's numbers and words as other spellings of its own.
    var offer: JSONObject? {
        var data = JSONObject()
        data["type"] = (offerType?.raw).map { .string(String($0)) }
        data["discount"] = (offerDiscount?.raw).map(JSONValue.string)
        data["id"] = offerID.flatMap(JSONValue.short)
        data["period"] = offerPeriod.flatMap(JSONValue.short)
        return data.members.isEmpty ? nil : data
    }
}

extension AppStoreOwnership {
    fileprivate var word: String { self == .familyShared ? "family_shared" : "purchased" }
}

extension JSONObject {
    /// With a price of nothing in no currency (ISO 4217: XXX) where the store tells none, as it did before 2024: our
    /// purchases have both (docs/events.md).
    fileprivate var withPrice: JSONObject {
        var data = self
        if data["price_milli"] == nil { data["price_milli"] = 0 }
        if data["currency"] == nil { data["currency"] = "XXX" }
        return data
    }

    /// The members that nothing else holds: without those named, without signed payloads (they are in the raw payload),
    /// and without what only proves a device.
    func kept(without names: Set<String>) -> JSONObject {
        JSONObject(
            members.filter { member in
                let isTold = names.contains(member.name) && !member.value.isLongText
                return !isTold && !member.name.hasPrefix("signed")
                    && !member.name.hasPrefix("deviceVerification")
            })
    }
}

extension JSONValue {
    /// A text that only describes; `nil` for one that no event may hold, which then stands in the signed payload alone.
    static func short(_ text: String) -> JSONValue? {
        text.utf8.count <= EventBounds.nameByteCountMax ? .string(text) : nil
    }

    fileprivate var isLongText: Bool {
        text.map { JSONValue.short($0) == nil } ?? false
    }
}
