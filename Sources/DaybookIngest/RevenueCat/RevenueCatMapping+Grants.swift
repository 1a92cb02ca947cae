import DaybookEvents

/// What RevenueCat gives by itself: promotions, access while a store is out of order, virtual currency.
extension RevenueCatMapping {
    /// A day, the longest that access is given while a store cannot be asked.
    private static let temporaryMilliseconds: Int64 = 86_400_000

    func isPromotional() throws(EventProblem) -> Bool {
        try fields.peek("store") == "PROMOTIONAL"
    }

    /// One grant for each entitlement, called after the promotion's transaction, so that its end finds it.
    mutating func promoted() throws(EventProblem) -> [EventDraft] {
        let grants = try promotions()
        let start = try fields.time("purchased_at_ms") ?? signedAt
        let end = try fields.time("expiration_at_ms")
        return grants.enumerated().map { index, grant in
            var data: JSONObject = [
                "grant_id": .string(grant.id), "entitlement": .string(grant.entitlement),
                "starts_at": .integer(start), "reason": "promo",
            ]
            data["expires_at"] = end.map(JSONValue.integer)
            return self.draft(
                .grantIssued, at: min(start, signedAt), suffix: Self.suffix(index, grant), data)
        }
    }

    mutating func promotionVoided(at end: Int64) throws(EventProblem) -> [EventDraft] {
        let member = fields.has("expiration_reason") ? "expiration_reason" : "cancel_reason"
        let reason = try fields.peek(member)?.lowercased()
        return try promotions().enumerated().map { index, grant in
            var data: JSONObject = [
                "grant_id": .string(grant.id), "voided_at": .integer(end),
            ]
            data["reason"] = reason.map(JSONValue.string)
            return self.draft(.grantVoided, at: signedAt, suffix: Self.suffix(index, grant), data)
        }
    }

    private typealias Promotion = (id: String, entitlement: String)

    private static func suffix(_ index: Int, _ grant: Promotion) -> String {
        index == 0 ? "" : "#entitlement/\(grant.entitlement)"
    }

    private mutating func promotions() throws(EventProblem) -> [Promotion] {
        let entitlements = try neededEntitlements("a promotion says which entitlement it gives")
        let transaction = try lineage()
        let id = transaction["original_transaction_id"] ?? transaction["transaction_id"]
        let name = id?.text ?? ""
        guard entitlements.count > 1 else { return [(name, entitlements[0])] }
        return entitlements.map { (EventSource.boundedKey("\(name)/\($0)"), $0) }
    }

    /// Ends by itself; the purchase that it stands in for replaces it or never comes.
    mutating func grantedForNow() throws(EventProblem) -> [EventDraft] {
        let entitlements = try neededEntitlements("a grant says which entitlement it gives")
        let start = min(try fields.time("purchased_at_ms") ?? signedAt, signedAt)
        let latest = start + Self.temporaryMilliseconds
        let asked = try fields.time("expiration_at_ms")
        // A later end than a day is not given, so it stays where it was told.
        let end = max(start, min(asked ?? latest, latest))
        if let asked, asked != end { notes["expiration_at_ms"] = .integer(asked) }
        return entitlements.enumerated().map { index, entitlement in
            draft(
                .grantIssued, at: start,
                suffix: index == 0 ? "" : "#entitlement/\(entitlement)",
                [
                    "grant_id": .string(EventSource.boundedKey("\(id)/\(entitlement)")),
                    "entitlement": .string(entitlement), "starts_at": .integer(start),
                    "expires_at": .integer(end), "reason": "compensation",
                ])
        }
    }

    // MARK: Virtual currency

    /// What is added is a grant of the meter with the currency's code, what is taken is usage of it.
    mutating func currencyMoved() throws(EventProblem) -> [EventDraft] {
        let movement = try fields.text("virtual_currency_transaction_id") ?? id
        let isBought = try fields.peek("source") == "in_app_purchase"
        var events: [EventDraft] = []
        for (index, adjustment) in (fields.event["adjustments"]?.array ?? []).enumerated() {
            let place = "event.adjustments[\(index)]"
            guard let object = adjustment.object, let amount = object["amount"]?.integer,
                let code = object["currency"]?.object?["code"]?.text, !code.isEmpty
            else {
                throw EventProblem(
                    .wrongType, place,
                    "an adjustment has an amount in whole units and a currency with a code")
            }
            guard amount != 0 else { continue }
            let ref = EventSource.boundedKey("\(movement)/\(code)")
            let suffix = events.isEmpty ? "" : "#\(index)/\(code)"
            guard amount > 0 else {
                // The least number has no counterpart; its magnitude is out of every bound.
                let taken = amount == .min ? Int64.max : -amount
                events.append(
                    draft(
                        .usageRecorded, at: signedAt, suffix: suffix,
                        [
                            "meter": .string(code), "amount": .integer(taken),
                            "ref": .string(ref),
                        ]))
                continue
            }
            events.append(
                draft(
                    .grantIssued, at: signedAt, suffix: suffix,
                    [
                        "grant_id": .string(ref), "meter": .string(code),
                        "amount": .integer(amount), "starts_at": .integer(signedAt),
                        "reason": isBought ? "consumable" : "support",
                    ]))
        }
        return events.isEmpty ? [unknown()] : events
    }
}
