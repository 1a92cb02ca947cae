import DaybookDomain
import DaybookEvents

/// What is told of a subscription without a charge. A notice without a date of its own happened when it was made
/// (rule 1).
extension RevenueCatMapping {
    mutating func canceled() throws(EventProblem) -> [EventDraft] {
        if try isPromotional() { return try promotionVoided(at: signedAt) }
        switch try fields.peek("cancel_reason") {
        case "CUSTOMER_SUPPORT": return [try refunded()]
        case "BILLING_ERROR": return [try billingErrorNoted()]
        case "PRICE_INCREASE": return [try autoRenew(false, cause: "price_increase")]
        case "UNSUBSCRIBE": return [try autoRenew(false, cause: "user")]
        default: return [try autoRenew(false, cause: "unknown")]
        }
    }

    mutating func autoRenew(_ isOn: Bool, cause: String) throws(EventProblem) -> EventDraft {
        var data = try lineage()
        data["enabled"] = .bool(isOn)
        data["cause"] = .string(cause)
        data["product"] = try fields.text("product_id").map(JSONValue.string)
        return draft(.subscriptionAutoRenewChanged, at: signedAt, data)
    }

    mutating func billingFailed() throws(EventProblem) -> EventDraft {
        var data = try lineage()
        data["grace_expires_at"] = try fields.time("grace_period_expiration_at_ms")
            .map(JSONValue.integer)
        return draft(.subscriptionBillingFailed, at: signedAt, data)
    }

    /// RevenueCat tells a failed charge twice, and only BILLING_ISSUE says until when there is grace. As a second
    /// `subscription.billing_failed` this one would say that there is none, and of two that were made in one moment
    /// the later one counts: a customer in grace would be shut out. So it is kept, and speaks only where it knows.
    private mutating func billingErrorNoted() throws(EventProblem) -> EventDraft {
        if fields.event["grace_period_expiration_at_ms"] != nil { return try billingFailed() }
        return draft(EventTypeName(.ops, "billing_error_noted"), at: signedAt, try lineage())
    }

    /// `ended_at` shortens the named transaction where it ends before its time (rule 32), as after a refund or with a
    /// pause, and is information else.
    mutating func expired() throws(EventProblem) -> [EventDraft] {
        let told = try fields.time("expiration_at_ms")
        let end = min(told ?? signedAt, signedAt)
        // What is over now does not end later.
        if let told, told != end { notes["expiration_at_ms"] = .integer(told) }
        if try isPromotional() { return try promotionVoided(at: end) }
        var data = try lineage()
        data["ended_at"] = .integer(end)
        data["reason"] = .string(Self.reason(try fields.peek("expiration_reason")))
        data["product"] = try fields.text("product_id").map(JSONValue.string)
        return [draft(.subscriptionExpired, at: signedAt, data)]
    }

    /// The word that Apple's notification of the same end gives (docs/app-store.md).
    private static func reason(_ word: String?) -> String {
        switch word {
        case "UNSUBSCRIBE": "voluntary"
        case "BILLING_ERROR": "billing_retry_ended"
        case "PRICE_INCREASE": "price_increase_declined"
        case "CUSTOMER_SUPPORT": "refunded"
        case "SUBSCRIPTION_PAUSED": "paused"
        case "DEVELOPER_INITIATED": "developer"
        default: "other"
        }
    }

    /// The dates in it are those of the old product, and are kept as they are.
    mutating func productChanged() throws(EventProblem) -> EventDraft {
        var data = try lineage()
        let from = try fields.required("product_id", "a change has a product before it")
        let to = try fields.required("new_product_id", "a change has a product after it")
        data["from"] = .string(from)
        data["to"] = .string(to)
        data["effective"] = isUpgrade(from: from, to: to) ? "now" : "next_renewal"
        return draft(.subscriptionProductChanged, at: signedAt, data)
    }

    /// The store's own rule: a higher level, or the same for as long, is given at once, anything else at the next
    /// renewal. Products that no catalog ranks change at the next renewal, for RevenueCat promises no more.
    private func isUpgrade(from: String, to: String) -> Bool {
        guard let old = catalog?.product(from), let new = catalog?.product(to),
            old.group != nil, old.group == new.group
        else { return false }
        return new.level < old.level || new.level == old.level && new.period == old.period
    }

    mutating func extended() throws(EventProblem) -> EventDraft {
        var data = try lineage()
        let end = try fields.requiredTime("expiration_at_ms", "an extension has a new end")
        data["new_expires_at"] = .integer(end)
        return draft(.subscriptionExtended, at: signedAt, data)
    }

    /// The pause begins with the end of what is paid for; nothing is taken away before EXPIRATION says so.
    mutating func pauseScheduled() throws(EventProblem) -> EventDraft {
        var data = try lineage()
        data["pause_at"] = try fields.time("expiration_at_ms").map(JSONValue.integer)
        data["resume_at"] = try fields.time("auto_resume_at_ms").map(JSONValue.integer)
        return draft(.subscriptionPauseScheduled, at: signedAt, data)
    }

    // MARK: Customers

    /// All lineages that `from` owns go to `to` (rule 7). Each side is one customer under all names of that customer.
    mutating func transferred() throws(EventProblem) -> [EventDraft] {
        let from = try customers("transferred_from")
        let to = try customers("transferred_to")
        let own = to.filter { !Self.isAnonymous($0) }.sorted(by: precedesInBytes)
        let receiver = own.first ?? to[0]
        let givers = from.filter { !haveSameBytes($0, receiver) }
        try EventProblem.require(
            !givers.isEmpty, .outOfBounds, "event.transferred_to",
            "nothing goes from a customer to the same one")
        return givers.enumerated().map { index, giver in
            draft(
                .purchaseTransferred, at: signedAt,
                suffix: index == 0 ? "" : "#from/\(giver)", subject: giver,
                ["from": .string(giver), "to": .string(receiver)])
        }
    }

    private func customers(_ member: String) throws(EventProblem) -> [String] {
        let names = try fields.texts(member)
        guard !names.isEmpty else {
            throw fields.missing(
                member, "a transfer names the former owner and the new one")
        }
        for (index, name) in names.enumerated() {
            try PersonalData.checkCustomer(name, "event.\(member)[\(index)]")
        }
        return names
    }

    mutating func enrolled() throws(EventProblem) -> EventDraft {
        let data: JSONObject = [
            "experiment": .string(
                try fields.required("experiment_id", "an enrollment names its experiment")),
            "variant": .string(
                try fields.required("experiment_variant", "an enrollment names its variant")),
        ]
        var enrolledAt = signedAt
        for member in ["enrolled_at_ms", "experiment_enrolled_at_ms"] {
            if let time = try fields.time(member) { enrolledAt = time }
        }
        return draft(.experimentExposed, at: min(enrolledAt, signedAt), data)
    }
}
