import DaybookDomain
import DaybookEvents

/// Charges: subscriptions and what is bought once.
extension RevenueCatMapping {
    mutating func started() throws(EventProblem) -> EventDraft {
        var data = try period()
        // A lineage that goes on is taken up again; RevenueCat's pages disagree on whether that is a renewal.
        let isFirst =
            data["original_transaction_id"] == nil
            || data["original_transaction_id"] == data["transaction_id"]
        data["reason"] = isFirst ? "initial" : "resubscribe"
        return draft(.subscriptionStarted, at: try chargedAt(data), data)
    }

    /// Also where a customer who had lapsed came back: whether there was a gap is known to the ledger, not to the
    /// webhook, and follows from the facts.
    mutating func renewed() throws(EventProblem) -> EventDraft {
        var data = try period()
        data["trial_conversion"] = try fields.flag("is_trial_conversion").map(JSONValue.bool)
        return draft(.subscriptionRenewed, at: try chargedAt(data), data)
    }

    /// A charge happened when the store says, or when it was told if that was earlier (rule 1).
    private func chargedAt(_ data: JSONObject) throws(EventProblem) -> Int64 {
        min(data["starts_at"]?.integer ?? signedAt, signedAt)
    }

    private mutating func period() throws(EventProblem) -> JSONObject {
        var data = try purchase()
        let end = try fields.requiredTime("expiration_at_ms", "a subscription has an end")
        data["expires_at"] = .integer(end)
        return data
    }

    /// What every charge says.
    private mutating func purchase() throws(EventProblem) -> JSONObject {
        var data = try lineage(needsTransaction: true)
        data["product"] = .string(
            try fields.required("product_id", "a purchase names its product"))
        let start = try fields.requiredTime("purchased_at_ms", "a purchase has a time")
        data["starts_at"] = .integer(start)
        if let isShared = try fields.flag("is_family_share") {
            data["ownership"] = isShared ? "family_shared" : "purchased"
        }
        data["offer"] = try offer().map(JSONValue.object)
        let money = try fields.money()
        if money?.isExact == false { notes["rounded"] = true }
        data["price_milli"] = .integer(money?.milli ?? 0)
        // A price that is not known is no price in any currency (ISO 4217: XXX), so it adds nothing to any sum.
        data["currency"] = .string(money?.currency ?? "XXX")
        return data
    }

    /// The lineage and the transaction.
    mutating func lineage(needsTransaction: Bool = false) throws(EventProblem) -> JSONObject {
        var data = JSONObject()
        data["transaction_id"] = try fields.text("transaction_id").map(JSONValue.string)
        data["original_transaction_id"] = try fields.text("original_transaction_id")
            .map(JSONValue.string)
        if data["transaction_id"] == nil,
            needsTransaction || data["original_transaction_id"] == nil
        {
            throw fields.missing("transaction_id", "\(name) is about a transaction of a store")
        }
        data["store"] = try fields.peek("store").map { .string(Self.store($0)) }
        return data
    }

    /// The first part of a lineage's name: what Apple tells itself and what RevenueCat tells of it are one lineage.
    static func store(_ name: String) -> String {
        switch name.uppercased() {
        case "APP_STORE", "MAC_APP_STORE": "apple"
        case "PLAY_STORE": "google"
        default: name.lowercased().replacing(":", with: "_")
        }
    }

    /// `TRIAL` is free, `INTRO` is paid in a way that is not told; a code outranks both, for it is no introductory
    /// offer (T27).
    private mutating func offer() throws(EventProblem) -> JSONObject? {
        let code = try fields.text("offer_code")
        let period = try fields.peek("period_type")
        var offer = JSONObject()
        if period == "TRIAL" || period == "INTRO" { offer["type"] = "introductory" }
        if period == "TRIAL" { offer["discount"] = "free_trial" }
        if let code {
            offer["type"] = "offer_code"
            offer["id"] = .string(code)
        }
        return offer.isEmpty ? nil : offer
    }

    // MARK: Bought once

    mutating func boughtOnce() throws(EventProblem) -> [EventDraft] {
        if try isPromotional() { return try promoted() }
        var data = try purchase()
        data["kind"] = .string(try purchaseKind())
        return [draft(.purchaseCompleted, at: try chargedAt(data), data)]
    }

    /// The catalog knows; without it what the webhook opens and how long tells.
    private mutating func purchaseKind() throws(EventProblem) -> String {
        if let product = try fields.peek("product_id"), let known = catalog?.product(product) {
            return Self.kind(of: known)
        }
        notes["kind_guessed"] = true
        if fields.has("expiration_at_ms") { return "non_renewing" }
        return try entitlements().isEmpty ? "consumable" : "non_consumable"
    }

    /// What a product is that was bought once.
    static func kind(of product: Product) -> String {
        switch product.kind {
        case .consumable: "consumable"
        case .nonConsumable: "non_consumable"
        case .nonRenewing: "non_renewing"
        // Prepaid, at the store that sells it so.
        case .autoRenewable: "non_renewing"
        }
    }

    func entitlements() throws(EventProblem) -> [String] {
        let names = try fields.texts("entitlement_ids")
        if !names.isEmpty { return names }
        return try fields.peek("entitlement_id").map { [$0] } ?? []
    }

    func neededEntitlements(_ why: String) throws(EventProblem) -> [String] {
        let names = try entitlements()
        if names.isEmpty { throw fields.missing("entitlement_ids", why) }
        return names
    }

    // MARK: Refunds

    /// RevenueCat says of which transaction money went back, not when or how much of it: all of it, when it told.
    mutating func refunded() throws(EventProblem) -> EventDraft {
        var data = try withdrawn()
        data["revoked_at"] = .integer(signedAt)
        if let money = try fields.money() {
            if !money.isExact { notes["rounded"] = true }
            data["amount_milli"] = .integer(abs(money.milli))
            data["currency"] = .string(money.currency)
        }
        return draft(.purchaseRefunded, at: signedAt, data)
    }

    mutating func refundReversed() throws(EventProblem) -> EventDraft {
        draft(.purchaseRefundReversed, at: signedAt, try withdrawn())
    }

    /// A consumable's stream is named after its own transaction, so what follows its purchase says that it is one.
    private mutating func withdrawn() throws(EventProblem) -> JSONObject {
        var data = try lineage(needsTransaction: true)
        let kind = try purchaseKind()
        if kind == "consumable" {
            data["kind"] = "consumable"
        } else {
            notes["kind_guessed"] = nil
        }
        data["product"] = try fields.text("product_id").map(JSONValue.string)
        return data
    }
}
