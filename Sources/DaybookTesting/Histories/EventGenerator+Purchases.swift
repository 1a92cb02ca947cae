import DaybookDomain
import DaybookEvents

/// What customers buy and what the store says of it.
extension EventGenerator {
    mutating func buy(_ index: Int) {
        guard let product = pick(catalog.products) else { return }
        switch product.kind {
        case .autoRenewable: subscribe(index, product)
        case .consumable: purchase(index, product, "consumable")
        case .nonConsumable: purchase(index, product, "non_consumable")
        case .nonRenewing: purchase(index, product, "non_renewing")
        }
    }

    private mutating func purchase(_ index: Int, _ product: Product, _ kind: String) {
        let time = moment(index)
        let transaction = "7\(next())"
        let reference: JSONObject = [
            "transaction_id": .string(transaction), "original_transaction_id": .string(transaction),
            "kind": .string(kind),
        ]
        var fields = reference
        fields["product"] = .string(chance(5) ? "com.example.unheard.of" : product.id)
        fields["quantity"] = .integer(kind == "consumable" ? number(1...3) : 1)
        fields["price_milli"] = .integer(product.prices.first?.amountMilli ?? 990)
        fields["currency"] = "USD"
        fields["starts_at"] = .integer(time)
        if chance(8) { fields["ownership"] = "family_shared" }
        if chance(10) { fields["app_account_token"] = .string(anyCustomer(index)) }
        customers[index].transactions.append(transaction)
        let trust: Trust = chance(15) ? .clientAsserted : chance(20) ? .imported : .verified
        let isNamed = chance(85)
        add(.purchaseCompleted, index, at: time, fields, trust: trust, isNamed: isNamed)
        if kind == "consumable" { post(index, fields, time) }
        if trust == .clientAsserted, chance(60) {
            let told = time + number(0...6) * Self.day
            add(
                .purchaseCompleted, index, at: told, fields, source: "apple_asn_v2",
                trust: chance(70) ? .verified : .clientAsserted)
        }
        if chance(25) {
            var taken = reference
            var early: Int64 = 0
            if kind == "consumable" {
                // Not every refund names the kind of its purchase, or comes after it.
                if chance(30) { taken["kind"] = nil }
                if chance(15) { early = number(1...9) * Self.day }
            }
            refund(index, taken, time - early + number(0...30) * Self.day, isNamed)
        }
        // Restored on another device: another transaction of the same lineage.
        if kind == "non_consumable", chance(10) {
            fields["transaction_id"] = .string("\(transaction)-\(next())")
            let again = time + number(1...20) * Self.day
            fields["starts_at"] = .integer(again)
            add(.purchaseCompleted, index, at: again, fields, trust: .verified)
        }
    }

    /// A refund, and now and then its reversal or an older statement that arrives later.
    private mutating func refund(
        _ index: Int, _ reference: JSONObject, _ time: Int64, _ isNamed: Bool
    ) {
        var fields = reference
        fields["revoked_at"] = .integer(time)
        if chance(20) {
            fields["reason"] = chance(50) ? "family" : "developer"
            add(
                .purchaseRevoked, index, at: time, fields, source: "apple_asn_v2",
                trust: .verified, isNamed: isNamed)
        } else {
            let isProrated = chance(30)
            fields["type"] = isProrated ? "prorated" : "full"
            if isProrated { fields["pct_milli"] = 40_000 }
            add(
                .purchaseRefunded, index, at: time, fields, source: "apple_asn_v2",
                trust: .verified, signedAt: time + number(0...3) * Self.day, isNamed: isNamed)
        }
        if chance(35) {
            let reversal = time + number(1...20) * Self.day
            add(
                .purchaseRefundReversed, index, at: reversal, reference,
                source: "apple_asn_v2", trust: .verified, isNamed: isNamed)
        }
    }

    private mutating func subscribe(_ index: Int, _ product: Product) {
        let lineage = "2000\(next())"
        var life = InventedSale(
            lineage: lineage, product: product, isNamed: chance(90), start: Self.start)
        life.trust = chance(10) ? .clientAsserted : chance(20) ? .imported : .verified
        life.isShared = chance(8)
        life.start = moment(index)
        life.isTrial = product.introOffer?.kind == .freeTrial && chance(60)
        life.end = life.periodEnd(from: life.start)
        customers[index].transactions.append(lineage)
        charge(index, life, .subscriptionStarted, ["reason": "initial"])
        for _ in 0..<Int.random(in: 0...5, using: &random) { goOn(index, &life) }
    }

    /// What the store notifies of.
    private mutating func notify(
        _ type: EventTypeName, _ index: Int, _ life: InventedSale, at time: Int64,
        _ fields: JSONObject, trust: Trust = .verified, signedAt: Int64? = nil
    ) {
        add(
            type, index, at: time, fields, source: "apple_asn_v2", trust: trust,
            signedAt: signedAt, isNamed: life.isNamed)
    }

    /// One charge.
    private mutating func charge(
        _ index: Int, _ life: InventedSale, _ type: EventTypeName, _ more: JSONObject
    ) {
        var fields = life.charge(more, currency: "USD")
        if chance(40) { fields["transaction_reason"] = reason(of: type) }
        if chance(8) { fields["app_account_token"] = .string(anyCustomer(index)) }
        if chance(20) { fields["auto_renew"] = .bool(chance(50)) }
        notify(type, index, life, at: life.start, fields, trust: life.trust)
        if chance(25) { restate(index, life) }
    }

    /// Who began it, told rightly most of the time.
    private mutating func reason(of type: EventTypeName) -> JSONValue {
        if chance(5) { return "GIFT" }
        return (type == .subscriptionStarted) != chance(15) ? "purchase" : "RENEWAL"
    }

    /// The whole transaction as a client or a notification states it, signed sooner or later.
    private mutating func restate(_ index: Int, _ life: InventedSale) {
        var fields = life.statement
        if chance(30) { fields["transaction_reason"] = chance(50) ? "PURCHASE" : "renewal" }
        if chance(15) {
            fields["revoked_at"] = .integer(life.start + number(0...9) * Self.day)
            fields["revocation_type"] = chance(70) ? "full" : "prorated"
        }
        add(
            .storeTransactionStated, index, at: life.start, fields, source: "apple_jws",
            trust: .verified, signedAt: max(0, life.start + number(-3...40) * Self.day),
            isNamed: life.isNamed)
    }

    private mutating func goOn(_ index: Int, _ life: inout InventedSale) {
        switch Int.random(in: 0..<11, using: &random) {
        case 0, 1, 2: renew(index, &life, at: life.end)
        case 3: renew(index, &life, at: life.end - number(1...23) * 3_600_000)  // E05.
        case 4: toggle(index, life)
        case 5: failBilling(index, &life)
        case 6: refund(index, life.reference, inside(life), life.isNamed)
        case 7: upgrade(index, &life)
        case 8: extend(index, &life)
        case 9: stateRenewal(index, life)
        default: lapse(index, &life)
        }
    }

    private mutating func inside(_ life: InventedSale) -> Int64 {
        number(life.start...max(life.start, life.end - 1))
    }

    /// The next transaction of a lineage, paid for.
    private mutating func begin(_ index: Int, _ life: inout InventedSale, at time: Int64) {
        life.begin(next(), at: time)
        customers[index].transactions.append(life.transaction)
    }

    private mutating func renew(
        _ index: Int, _ life: inout InventedSale, at time: Int64, _ more: JSONObject = JSONObject()
    ) {
        let previousEnd = life.end
        begin(index, &life, at: time)
        // An early charge ends a whole period after the previous end.
        if time < previousEnd {
            life.end = ZoneTable.utc.adding(
                life.product.period ?? CivilDuration(months: 1), to: previousEnd)
        }
        // Now and then the renewal never arrives (E07).
        guard !chance(8) else { return }
        charge(index, life, .subscriptionRenewed, more)
    }

    private mutating func toggle(_ index: Int, _ life: InventedSale) {
        let time = inside(life)
        var fields = life.reference
        for (enabled, wait) in [(false, Int64(0)), (true, number(0...3) * Self.day)] {
            fields["enabled"] = .bool(enabled)
            notify(
                .subscriptionAutoRenewChanged, index, life, at: time + wait, fields,
                signedAt: time + number(0...2) * 3_600_000)
            if chance(70) { return }
        }
    }

    private mutating func failBilling(_ index: Int, _ life: inout InventedSale) {
        var fields = life.reference
        let graceEnd = life.end + 16 * Self.day
        let hasGrace = chance(60)
        if hasGrace { fields["grace_expires_at"] = .integer(graceEnd) }
        let failedAt = chance(70) ? life.end : life.end - 3_600_000
        notify(.subscriptionBillingFailed, index, life, at: failedAt, fields)
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where hasGrace:  // E19: recovery inside grace keeps the billing date.
            renew(index, &life, at: life.end + number(1...10) * Self.day, ["recovery": true])
        case 1:  // E20.
            if hasGrace {
                notify(.subscriptionGraceExpired, index, life, at: graceEnd, life.reference)
            }
            renew(index, &life, at: life.end + number(20...50) * Self.day, ["recovery": true])
        case 2:
            expire(index, life, at: life.end + 60 * Self.day, "billing_retry_ended")
        default: break
        }
    }

    private mutating func expire(
        _ index: Int, _ life: InventedSale, at time: Int64, _ reason: String
    ) {
        var fields = life.reference
        fields["reason"] = .string(reason)
        if chance(30) { fields["ended_at"] = .integer(time) }
        notify(.subscriptionExpired, index, life, at: time, fields)
    }

    private mutating func upgrade(_ index: Int, _ life: inout InventedSale) {
        let old = life
        let others = catalog.products.filter {
            $0.kind == .autoRenewable && $0.group == old.product.group && $0.id != old.product.id
        }
        guard let product = pick(others) else { return renew(index, &life, at: life.end) }
        let isNow = chance(60)
        var fields = life.reference
        fields["from"] = .string(old.product.id)
        fields["to"] = .string(product.id)
        fields["effective"] = isNow ? "now" : "next_renewal"
        let time =
            chance(25) ? max(life.start, life.end - number(1...30) * 3_600_000) : inside(life)
        // Now and then the notification is lost.
        if !chance(20) {
            notify(
                .subscriptionProductChanged, index, life, at: time, fields,
                trust: chance(90) ? .verified : .clientAsserted)
        }
        life.product = product
        guard isNow else { return renew(index, &life, at: life.end) }
        begin(index, &life, at: time)
        let more: JSONObject = chance(50) ? ["transaction_reason": "purchase"] : JSONObject()
        charge(index, life, chance(70) ? .subscriptionRenewed : .subscriptionStarted, more)
        if chance(50) {
            var stated = old.reference
            stated["product"] = .string(old.product.id)
            stated["starts_at"] = .integer(old.start)
            stated["expires_at"] = .integer(old.end)
            stated["is_upgraded"] = true
            notify(.storeTransactionStated, index, life, at: time, stated, signedAt: time)
        }
    }

    private mutating func extend(_ index: Int, _ life: inout InventedSale) {
        let time = inside(life)
        life.end += number(1...14) * Self.day
        var fields = life.reference
        fields["new_expires_at"] = .integer(life.end)
        notify(.subscriptionExtended, index, life, at: time, fields)
    }

    private mutating func stateRenewal(_ index: Int, _ life: InventedSale) {
        let time = inside(life)
        var fields = life.reference
        fields["product"] = .string(life.product.id)
        fields["auto_renew"] = .bool(chance(70))
        if chance(30) { fields["in_billing_retry"] = true }
        if chance(20) { fields["grace_expires_at"] = .integer(life.end + 6 * Self.day) }
        if chance(50) { fields["continuous_since"] = .integer(life.start - 90 * Self.day) }
        add(
            .storeRenewalStated, index, at: time, fields, source: "apple_jws",
            trust: .verified, signedAt: max(0, time + number(-9...9) * Self.day),
            isNamed: life.isNamed)
    }

    /// Cancelled and gone, perhaps back after a while (E04, E29).
    private mutating func lapse(_ index: Int, _ life: inout InventedSale) {
        let offset = chance(80) ? 0 : -number(1...5) * Self.day
        expire(index, life, at: max(life.start, life.end + offset), "voluntary")
        guard chance(50) else { return }
        life.transaction = "\(life.lineage)-\(next())"
        life.start = life.end + number(0...40) * Self.day
        life.end = life.periodEnd(from: life.start)
        life.isTrial = false
        customers[index].transactions.append(life.transaction)
        charge(index, life, .subscriptionStarted, ["reason": "resubscribe"])
    }

    mutating func transfer(_ index: Int) {
        guard let other = pick(neighbours(of: index))?.name else { return }
        var fields: JSONObject = [
            "from": .string(customers[index].name), "to": .string(other), "rule": "restore",
        ]
        let lineages = customers[index].transactions.compactMap { $0.split(separator: "-").first }
        if chance(60), let lineage = pick(lineages) {
            fields["original_transaction_id"] = .string(String(lineage))
            // Support says how many credits are left, and says so of nothing else.
            if sellsCredits, chance(50) { fields["units"] = .integer(number(0...9)) }
        }
        add(.purchaseTransferred, index, at: moment(index), fields, source: "revenuecat")
    }
}
