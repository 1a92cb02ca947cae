import DaybookDomain
import DaybookEvents

/// What stands in `subscriptions` and `non_subscriptions`.
extension RevenueCatSubscriberMapping {
    /// The period at hand, and how things stand with it.
    mutating func readSubscription(
        _ given: RevenueCatSubscriberPurchase
    ) throws(EventProblem) {
        var purchase = given
        if purchase.isPromotional { return try readPromotion(purchase) }
        guard let end = try purchase.moment("expires_date") else {
            throw purchase.fields.missing("expires_date", "a subscription of a store has an end")
        }
        var notes = JSONObject()
        var data = try charge(&purchase, &notes)
        data["expires_at"] = .integer(end)
        let period = try purchase.fields.text("period_type")?.lowercased()
        if period == "prepaid" { data["auto_renew"] = false }
        if period == "trial" {
            data["offer"] = ["type": "introductory", "discount": "free_trial"]
        } else if period == "intro" {
            data["offer"] = ["type": "introductory"]
        }
        if purchase.isFirst { data["reason"] = "initial" }
        noteLineage(purchase, &notes)
        if let first = purchase.firstBoughtAt, !purchase.isFirst {
            tell(
                .earlierPeriods, purchase.name,
                "\(purchase.name): bought first on \(RFC3339.format(first)), and the document has "
                    + "the period from \(RFC3339.format(purchase.startsAt)) alone")
        }
        let charged = draft(
            purchase.isFirst ? .subscriptionStarted : .subscriptionRenewed,
            at: purchase.startsAt, key: "period/\(purchase.keyPart)/\(purchase.statement)",
            isFact: true, data)
        let states = [
            try renewal(&purchase, end, isPrepaid: period == "prepaid"), try billing(&purchase),
            try refund(&purchase, kind: nil), try pause(&purchase, end),
        ]
        try add(purchase, [charged] + states.compactMap(\.self), notes: notes)
    }

    /// What every charge says.
    private func charge(
        _ purchase: inout RevenueCatSubscriberPurchase, _ notes: inout JSONObject
    ) throws(EventProblem) -> JSONObject {
        var data = purchase.lineage
        data["product"] = .string(purchase.product)
        data["starts_at"] = .integer(purchase.startsAt)
        switch try purchase.fields.peek("ownership_type")?.lowercased() {
        case "purchased": data["ownership"] = "purchased"
        case "family_shared": data["ownership"] = "family_shared"
        default: break
        }
        if data["ownership"] != nil { purchase.fields.take("ownership_type") }
        let money = try purchase.fields.price()
        if money?.isExact == false { notes["rounded"] = true }
        data["price_milli"] = .integer(money?.milli ?? 0)
        // A price that is not known is no price in any currency (ISO 4217: XXX), so it adds nothing to any sum.
        data["currency"] = .string(money?.currency ?? "XXX")
        return data
    }

    /// Where the original transaction is not known the lineage is named after the transaction, and marked.
    private mutating func noteLineage(
        _ purchase: RevenueCatSubscriberPurchase, _ notes: inout JSONObject
    ) {
        guard purchase.original == nil, !purchase.isFirst else { return }
        notes["original_transaction"] = "unknown"
        let lineage = "\(purchase.store ?? "apple"):\(purchase.transaction)"
        tell(
            .originalTransaction, purchase.name,
            "\(purchase.name): the document does not have the original transaction; the lineage is "
                + "\(lineage), and later events that name the original one are another lineage")
    }

    /// How things stand may be said, taken back and said again, so its key has the moment of the document. The
    /// ledger compares it with what it knows, and leaves out what is no news.
    private func standing(
        _ what: String, _ purchase: RevenueCatSubscriberPurchase, _ stated: String? = nil
    ) -> String {
        let told = stated.map { "\($0)/" } ?? ""
        return "\(what)/\(purchase.keyPart)/\(told)\(signedAt)"
    }

    /// Switched off when that was noticed; else on, which is news only where the ledger says off.
    private func renewal(
        _ purchase: inout RevenueCatSubscriberPurchase, _ end: Int64, isPrepaid: Bool
    ) throws(EventProblem) -> EventDraft? {
        var data = purchase.lineage
        data["product"] = .string(purchase.product)
        if let off = try purchase.moment("unsubscribe_detected_at") {
            data["enabled"] = false
            data["cause"] = "unknown"
            return draft(
                .subscriptionAutoRenewChanged, at: off,
                key: standing("renewal_off", purchase, "\(off)"), data)
        }
        guard !isPrepaid, end > signedAt else { return nil }
        data["enabled"] = true
        data["cause"] = "unknown"
        data["revenuecat"] = ["restates": true]
        return draft(
            .subscriptionAutoRenewChanged, at: signedAt,
            key: standing("renewal_on", purchase), data)
    }

    /// A failed charge before the period at hand was mended by it, and stays among what is kept.
    private func billing(
        _ purchase: inout RevenueCatSubscriberPurchase
    ) throws(EventProblem) -> EventDraft? {
        var read = purchase
        guard let failed = try read.moment("billing_issues_detected_at"),
            failed >= purchase.startsAt
        else { return nil }
        purchase = read
        var data = purchase.lineage
        let grace = try purchase.moment("grace_period_expires_date")
        data["grace_expires_at"] = grace.map(JSONValue.integer)
        let until = grace.map { "\($0)" } ?? "-"
        return draft(
            .subscriptionBillingFailed, at: failed,
            key: standing("billing", purchase, "\(failed)/\(until)"), data)
    }

    /// Money went back when that was noticed; else nothing is refunded, which is news only where the ledger says so.
    private func refund(
        _ purchase: inout RevenueCatSubscriberPurchase, kind: String?
    ) throws(EventProblem) -> EventDraft? {
        var data = purchase.lineage
        data["product"] = .string(purchase.product)
        if kind == "consumable" { data["kind"] = "consumable" }
        if let refunded = try purchase.moment("refunded_at") {
            data["revoked_at"] = .integer(refunded)
            return draft(
                .purchaseRefunded, at: refunded,
                key: standing("refund", purchase, "\(refunded)"), data)
        }
        // What is bought once says nothing of refunds.
        guard kind == nil else { return nil }
        data["revenuecat"] = ["restates": true]
        return draft(
            .purchaseRefundReversed, at: signedAt,
            key: standing("refund_reversed", purchase), data)
    }

    /// The pause begins with the end of what is paid for. When it was asked for is not in the document.
    private func pause(
        _ purchase: inout RevenueCatSubscriberPurchase, _ end: Int64
    ) throws(EventProblem) -> EventDraft? {
        guard let resume = try purchase.moment("auto_resume_date") else { return nil }
        var data = purchase.lineage
        data["pause_at"] = .integer(end)
        data["resume_at"] = .integer(resume)
        return draft(
            .subscriptionPauseScheduled, at: signedAt,
            key: "pause/\(purchase.keyPart)/\(end)/\(resume)", data)
    }

    // MARK: Bought once

    mutating func readOnce(_ given: RevenueCatSubscriberPurchase) throws(EventProblem) {
        var purchase = given
        if purchase.isPromotional { return try readPromotion(purchase) }
        var notes = JSONObject()
        var data = try charge(&purchase, &notes)
        let kind = kind(of: purchase, &notes)
        data["kind"] = .string(kind)
        if kind != "consumable" { noteLineage(purchase, &notes) }
        let bought = draft(
            .purchaseCompleted, at: purchase.startsAt,
            key: "purchase/\(purchase.keyPart)/\(purchase.statement)", isFact: true, data)
        let refunded = try refund(&purchase, kind: kind)
        try add(purchase, [bought, refunded].compactMap(\.self), notes: notes)
    }

    /// The catalog knows; without it what the document opens by the product tells.
    private mutating func kind(
        of purchase: RevenueCatSubscriberPurchase, _ notes: inout JSONObject
    ) -> String {
        if let known = catalog?.product(purchase.product) {
            return RevenueCatMapping.kind(of: known)
        }
        let kind = entitlements[purchase.name] == nil ? "consumable" : "non_consumable"
        notes["kind_guessed"] = true
        tell(
            .kind, purchase.name,
            "\(purchase.name): the document does not say what kind it is, and no catalog names it; "
                + "it was taken for \(kind)")
        return kind
    }

    // MARK: Promotions

    /// How RevenueCat names the lengths of promotions, longer words first.
    private static let lengths = [
        "three_month", "three_day", "two_month", "six_month", "two_week", "lifetime", "monthly",
        "weekly", "yearly", "annual", "daily",
    ]

    /// A grant of each entitlement that the document has by the promotion.
    private mutating func readPromotion(
        _ given: RevenueCatSubscriberPurchase
    ) throws(EventProblem) {
        var purchase = given
        var notes = JSONObject()
        let names = promoted(purchase, &notes)
        let end = try purchase.moment("expires_date")
        let refunded = try purchase.moment("refunded_at")
        var issued: [EventDraft] = []
        var voided: [EventDraft] = []
        for name in names {
            let id =
                names.count == 1
                ? purchase.transaction
                : EventSource.boundedKey("\(purchase.transaction)/\(name)")
            let key = "\(purchase.keyPart)/\(name)"
            var data: JSONObject = [
                "grant_id": .string(id), "entitlement": .string(name),
                "starts_at": .integer(purchase.startsAt), "reason": "promo",
            ]
            data["expires_at"] = end.map(JSONValue.integer)
            issued.append(
                draft(
                    .grantIssued, at: purchase.startsAt,
                    key: "grant/\(key)/\(end.map { "\($0)" } ?? "-")", data))
            var void: JSONObject = ["grant_id": .string(id)]
            if let refunded {
                void["voided_at"] = .integer(refunded)
                void["reason"] = "refunded"
                voided.append(
                    draft(
                        .grantVoided, at: refunded, key: "grant_voided/\(key)/\(refunded)", void))
            } else if let end, end <= signedAt {
                void["voided_at"] = .integer(end)
                void["reason"] = "ended"
                void["revenuecat"] = ["restates": true]
                voided.append(
                    draft(.grantVoided, at: end, key: "grant_ended/\(key)/\(end)", void))
            }
        }
        try add(purchase, issued + voided, notes: notes)
    }

    /// The document lists an entitlement by one purchase alone, so a promotion beside a better one is not named there.
    private mutating func promoted(
        _ purchase: RevenueCatSubscriberPurchase, _ notes: inout JSONObject
    ) -> [String] {
        if let names = entitlements[purchase.name] { return names }
        var rest = purchase.name[...]
        if rest.hasPrefix(RevenueCatSubscriberPurchase.promotionalPrefix) {
            rest = rest.dropFirst(RevenueCatSubscriberPurchase.promotionalPrefix.count)
            for length in Self.lengths where rest.hasSuffix("_\(length)") {
                let name = String(rest.dropLast(length.count + 1))
                guard !name.isEmpty else { break }
                notes["entitlement_guessed"] = true
                tell(
                    .promotion, purchase.name,
                    "\(purchase.name): the document lists no entitlement by it; the product's name "
                        + "says \(name)")
                return [name]
            }
        }
        tell(
            .promotion, purchase.name,
            "\(purchase.name): nothing says which entitlement this promotion gives; it was left out"
        )
        return []
    }
}
