import DaybookDomain
import DaybookEvents
import DaybookTesting

/// The life of a subscription, until the month or the customer's patience is over.
extension MonthAuthor {
    mutating func subscribe(_ person: inout Resident, _ sale: inout InventedSale) {
        sale.end = sale.periodEnd(from: sale.start)
        person.hasSubscribed = true
        if catalog.policies.clientAssertedHours > 0, chance(30) {
            // The app believes first; the store's word follows, or, one time in ten, never.
            charge(person, sale, .subscriptionStarted, trust: .clientAsserted)
            if chance(10) { return }
        }
        charge(person, sale, .subscriptionStarted, ["reason": "initial"])
        if !sale.isNamed || chance(40) {
            state(person, sale, signedAt: sale.start + number(1...9) * 1_000)
        }
        var isAlive = enjoy(&person, sale)
        while isAlive, sale.end < Self.end { isAlive = goOn(&person, &sale) }
    }

    static func currency(of sale: InventedSale) -> String {
        sale.product.prices.first?.currency ?? "USD"
    }

    private mutating func charge(
        _ person: Resident, _ sale: InventedSale, _ type: EventTypeName,
        _ more: JSONObject = JSONObject(), at time: Int64? = nil, trust: Trust = .verified
    ) {
        var fields = sale.charge(more, currency: Self.currency(of: sale))
        if sale.isTrial {
            fields["offer"] = [
                "type": "introductory", "discount": "free_trial", "period": "P7D",
            ]
        }
        if trust == .verified {
            notify(type, person, sale, at: time ?? sale.start, fields)
        } else {
            tell(
                type, person, at: sale.start, fields, key: "client/\(sale.transaction)",
                trust: trust)
        }
    }

    /// Counts on the period that was paid for; some ask for the money back.
    /// - Returns: Whether the subscription goes on.
    private mutating func enjoy(_ person: inout Resident, _ sale: InventedSale) -> Bool {
        person.access.append(
            Access(
                entitlements: sale.product.entitlements, profile: nil, from: sale.start,
                until: sale.end))
        person.latestSale = sale
        if chance(10) {
            var fields = sale.reference
            fields["product"] = .string(sale.product.id)
            fields["auto_renew"] = true
            fields["renewal_at"] = .integer(sale.end)
            notify(.storeRenewalStated, person, sale, at: inside(sale), fields)
        }
        guard !sale.isTrial, chance(4) else { return true }
        return !refund(&person, sale)
    }

    private mutating func inside(_ sale: InventedSale) -> Int64 {
        number(sale.start...max(sale.start, sale.end - 1))
    }

    /// What happens towards the end of a period.
    /// - Returns: Whether the subscription goes on.
    private mutating func goOn(_ person: inout Resident, _ sale: inout InventedSale) -> Bool {
        let cancelPercent: Int64 = sale.isTrial ? 38 : 9
        switch number(0...99) {
        case 0..<cancelPercent: return cancel(&person, &sale)
        case cancelPercent..<cancelPercent + 12: return failToPay(&person, &sale)
        case 60..<65: return change(&person, &sale)
        case 65..<68: return extend(&person, &sale)
        case 68..<78 where sale.product.prices.count > 1:
            return raisePrice(&person, &sale)
        default: return renew(&person, &sale)
        }
    }

    private mutating func renew(
        _ person: inout Resident, _ sale: inout InventedSale, at time: Int64? = nil,
        endsFrom anchor: Int64? = nil, _ more: JSONObject = JSONObject()
    ) -> Bool {
        let wasTrial = sale.isTrial
        sale.begin(generator.next(), at: time ?? sale.end, endsFrom: anchor)
        var fields = more
        if wasTrial { fields["trial_conversion"] = true }
        // The store charges up to a day early and dates the charge by its own clock.
        let early = time == nil ? number(0...24) * Self.hour : 0
        charge(person, sale, .subscriptionRenewed, fields, at: sale.start - early)
        return enjoy(&person, sale)
    }

    private mutating func cancel(_ person: inout Resident, _ sale: inout InventedSale) -> Bool {
        let time = inside(sale)
        var fields = sale.reference
        fields["enabled"] = false
        notify(.subscriptionAutoRenewChanged, person, sale, at: time, fields)
        if chance(15) {
            fields["enabled"] = true
            let again = number(time...max(time, sale.end - 1))
            notify(.subscriptionAutoRenewChanged, person, sale, at: again + 1, fields)
            return renew(&person, &sale)
        }
        expire(person, sale, "voluntary", at: sale.end)
        guard chance(12) else { return false }
        sale.begin(generator.next(), at: sale.end + number(1...20) * Self.day)
        guard sale.start < Self.end else { return false }
        charge(person, sale, .subscriptionStarted, ["reason": "resubscribe"])
        return enjoy(&person, sale)
    }

    private mutating func expire(
        _ person: Resident, _ sale: InventedSale, _ reason: String, at time: Int64
    ) {
        var fields = sale.reference
        fields["reason"] = .string(reason)
        notify(.subscriptionExpired, person, sale, at: time, fields)
    }

    /// Grace, recovery in it or after it, or the end.
    private mutating func failToPay(_ person: inout Resident, _ sale: inout InventedSale) -> Bool {
        let due = sale.end
        let graceEnd = due + 16 * Self.day
        let hasGrace = chance(70)
        var fields = sale.reference
        if hasGrace { fields["grace_expires_at"] = .integer(graceEnd) }
        notify(.subscriptionBillingFailed, person, sale, at: due, fields)
        if hasGrace {
            person.access.append(
                Access(
                    entitlements: sale.product.entitlements, profile: nil, from: due,
                    until: graceEnd))
            if chance(60) {
                let time = due + number(1...15 * 24 - 1) * Self.hour
                guard time < Self.end else { return false }
                return renew(&person, &sale, at: time, endsFrom: due, ["recovery": true])
            }
            notify(.subscriptionGraceExpired, person, sale, at: graceEnd, sale.reference)
        }
        if chance(40) {
            let time = (hasGrace ? graceEnd : due) + number(1...20) * Self.day
            guard time < Self.end else { return false }
            return renew(&person, &sale, at: time, ["recovery": true])
        }
        expire(person, sale, "billing_retry_ended", at: due + 60 * Self.day)
        return false
    }

    /// Another product of the group, at once or from the next period on.
    private mutating func change(_ person: inout Resident, _ sale: inout InventedSale) -> Bool {
        let old = sale
        let others = catalog.products.filter {
            $0.kind == .autoRenewable && $0.group == old.product.group && $0.id != old.product.id
        }
        guard let product = generator.pick(others) else { return renew(&person, &sale) }
        let isNow = chance(40)
        let time = inside(old)
        var fields = old.reference
        fields["from"] = .string(old.product.id)
        fields["to"] = .string(product.id)
        fields["effective"] = isNow ? "now" : "next_renewal"
        notify(.subscriptionProductChanged, person, old, at: time, fields)
        sale.product = product
        sale.priceMilli = product.prices.last?.amountMilli ?? old.priceMilli
        if isNow, let last = person.access.indices.last { person.access[last].until = time }
        return isNow ? renew(&person, &sale, at: time) : renew(&person, &sale)
    }

    /// The store makes good for an outage.
    private mutating func extend(_ person: inout Resident, _ sale: inout InventedSale) -> Bool {
        let time = inside(sale)
        let days = number(1...14)
        sale.end += days * Self.day
        var fields = sale.reference
        fields["new_expires_at"] = .integer(sale.end)
        fields["days"] = .integer(days)
        notify(.subscriptionExtended, person, sale, at: time, fields)
        if let last = person.access.indices.last { person.access[last].until = sale.end }
        return true
    }

    /// A customer who does not agree to a higher price loses the subscription at the renewal.
    private mutating func raisePrice(_ person: inout Resident, _ sale: inout InventedSale) -> Bool {
        let price = sale.product.prices.map(\.amountMilli).max() ?? sale.priceMilli
        guard price > sale.priceMilli else { return renew(&person, &sale) }
        let time = inside(sale)
        var fields = sale.reference
        fields["status"] = "pending"
        fields["new_price_milli"] = .integer(price)
        fields["effective_at"] = .integer(sale.end)
        fields["currency"] = .string(Self.currency(of: sale))
        notify(.subscriptionPriceIncrease, person, sale, at: time, fields)
        guard chance(70) else {
            expire(person, sale, "price_increase", at: sale.end)
            return false
        }
        fields["status"] = "accepted"
        notify(
            .subscriptionPriceIncrease, person, sale, at: min(time + Self.hour, sale.end), fields)
        sale.priceMilli = price
        return renew(&person, &sale)
    }
}
