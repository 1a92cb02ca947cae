import DaybookDomain
import DaybookEvents
import DaybookTesting

/// The upgrade screen, the checkout, and everything that is bought once.
extension MonthAuthor {
    /// Shows the upgrade screen; one in ten begins to buy.
    mutating func shop(_ person: inout Resident, at time: Int64, context: String) {
        let paywall =
            catalog.paywalls.first { $0.context == context }
            ?? catalog.paywalls.first { $0.context == "default" } ?? catalog.paywalls.first
        let product = catalog.products.first { $0.id == generator.pick(paywall?.products ?? []) }
        let screen: JSONObject = [
            "paywall": .string(paywall?.context ?? "none"), "context": .string(context),
            "variant": .string(person.variant),
        ]
        tell(.paywallShown, person, at: time, screen)
        guard let product, chance(9), !owns(person, at: time) else {
            if chance(70) {
                tell(.paywallDismissed, person, at: time + number(2...60) * 1_000, screen)
            }
            return
        }
        // A store does not sell it twice; what is there is asked for another profile.
        if person.kept.contains(product.id) { return claim(person, at: time + 3_000) }
        checkOut(&person, product, at: time + number(3...40) * 1_000)
    }

    private func owns(_ person: Resident, at time: Int64) -> Bool {
        person.access.contains { $0.isOpen(at: time) && $0.profile == nil }
    }

    private mutating func checkOut(_ person: inout Resident, _ product: Product, at time: Int64) {
        let fields: JSONObject = [
            "product": .string(product.id), "attempt": .string("a\(generator.next())"),
            "variant": .string(person.variant),
        ]
        tell(.checkoutStarted, person, at: time, fields)
        let done = time + number(4...30) * 1_000
        switch number(0...99) {
        case 0..<12: tell(.checkoutCanceled, person, at: done, fields)
        case 12..<16:
            var failed = fields
            failed["error"] = "verification"
            tell(.checkoutFailed, person, at: done, failed)
        case 16..<19:  // Ask to buy: a parent decides, hours later.
            tell(.checkoutPending, person, at: done, fields)
            if chance(60) { buy(&person, product, at: done + number(1...30) * Self.hour) }
        default:
            tell(.checkoutCompleted, person, at: done, fields)
            buy(&person, product, at: done)
        }
    }

    mutating func haveBoughtBefore(_ person: inout Resident) {
        guard chance(16) else { return }
        let isOld = person.seenAt < Self.start - 300 * Self.day
        let products = catalog.products.filter { product in
            isOld || product.kind != .autoRenewable || product.period != CivilDuration(years: 1)
        }
        guard let product = generator.pick(products) else { return }
        let latest = min(Self.start - 1, person.seenAt + 30 * Self.day)
        buy(&person, product, at: number(person.seenAt + 1...max(person.seenAt + 1, latest)))
    }

    private mutating func buy(_ person: inout Resident, _ product: Product, at time: Int64) {
        guard time < Self.end else { return }
        let lineage = "2000\(String(1_000_000 + generator.next()))"
        let hasTrial = product.introOffer?.kind == .freeTrial && !person.hasSubscribed
        var sale = InventedSale(
            lineage: lineage, product: product, isNamed: !chance(4), start: time)
        sale.isTrial = hasTrial && chance(80)
        sale.priceMilli = generator.pick(product.prices)?.amountMilli ?? 990
        person.lineages.append(lineage)
        switch product.kind {
        case .autoRenewable: subscribe(&person, &sale)
        case .nonConsumable, .nonRenewing, .consumable: keep(&person, sale)
        }
    }

    /// Bought once and for ever, or until the money goes back.
    private mutating func keep(_ person: inout Resident, _ sale: InventedSale) {
        let kind: JSONValue =
            switch sale.product.kind {
            case .consumable: "consumable"
            case .nonRenewing: "non_renewing"
            default: "non_consumable"
            }
        var fields = sale.reference
        fields["product"] = .string(sale.product.id)
        fields["kind"] = kind
        fields["quantity"] = 1
        fields["price_milli"] = .integer(sale.priceMilli)
        fields["currency"] = .string(Self.currency(of: sale))
        fields["starts_at"] = .integer(sale.start)
        if chance(2) { fields["ownership"] = "family_shared" }
        notify(.purchaseCompleted, person, sale, at: sale.start, fields)
        if !sale.isNamed || chance(40) {
            state(person, sale, signedAt: sale.start + number(1...9) * 1_000)
        }
        var profile: String?
        let profiles = person.profiles.filter { $0.createdAt <= sale.start }
        if sale.product.scope == .profile, let served = generator.pick(profiles)?.name {
            profile = served
            let time = sale.start + number(5...60) * 1_000
            tell(
                .purchaseAssigned, person, at: time,
                ["transaction_id": .string(sale.transaction), "profile": .string(served)],
                source: "ledger", trust: .system)
        }
        person.access.append(
            Access(
                entitlements: sale.product.entitlements, profile: profile, from: sale.start,
                until: sale.end))
        person.latestSale = sale
        if sale.product.kind == .nonConsumable { person.kept.insert(sale.product.id) }
        if chance(5) { refund(&person, sale) }
    }

    /// The claim for a second profile is refused, which leaves evidence (OL-09).
    private mutating func claim(_ person: Resident, at time: Int64) {
        guard let sale = person.latestSale, sale.product.scope == .profile,
            let served = person.access.last?.profile,
            let other = person.profiles.first(where: { $0.name != served && $0.createdAt < time })
        else { return }
        tell(
            .assignmentConflict, person, at: time,
            [
                "transaction_id": .string(sale.transaction), "profile": .string(other.name),
                "assigned_profile": .string(served),
            ], source: "ledger", trust: .system)
    }

    // MARK: What the store says

    /// A notification of the store, signed a moment after the fact.
    @discardableResult
    mutating func notify(
        _ type: EventTypeName, _ person: Resident, _ sale: InventedSale, at time: Int64,
        _ fields: JSONObject
    ) -> String? {
        tell(
            type, person, at: time, fields, source: "apple_asn_v2", trust: .verified,
            signedAt: time + number(200...5_000), isNamed: sale.isNamed)
    }

    /// The transaction as the app posts it: signed by the store, named by the app.
    mutating func state(_ person: Resident, _ sale: InventedSale, signedAt: Int64) {
        guard signedAt < Self.end else { return }
        tell(
            .storeTransactionStated, person, at: sale.start, sale.statement, source: "apple_jws",
            key: "\(sale.transaction)@\(signedAt)", trust: .verified, signedAt: signedAt)
    }

    /// The customer presses "Restore": the store signs the same transaction anew, and it is no second purchase.
    mutating func restore(_ person: Resident, at time: Int64) {
        guard let sale = person.latestSale, sale.start < time,
            person.access.last.map({ $0.isOpen(at: time) }) ?? false
        else { return }
        state(person, sale, signedAt: time)
    }

    /// The money goes back; now and then the store takes the refund back.
    /// - Returns: Whether access stays lost.
    @discardableResult
    mutating func refund(_ person: inout Resident, _ sale: InventedSale) -> Bool {
        let time = sale.start + number(2...200) * Self.hour
        guard time < min(sale.end, Self.end) else { return false }
        if chance(50) {
            notify(.refundRequested, person, sale, at: time - Self.hour, sale.reference)
        }
        if chance(15) {
            notify(.refundDeclined, person, sale, at: time, sale.reference)
            return false
        }
        var fields = sale.reference
        fields["revoked_at"] = .integer(time)
        fields["type"] = chance(85) ? "full" : "prorated"
        if fields["type"] == "prorated" { fields["pct_milli"] = 40_000 }
        notify(.purchaseRefunded, person, sale, at: time, fields)
        if chance(25) {
            let reversedAt = time + number(4...120) * Self.hour
            notify(.purchaseRefundReversed, person, sale, at: reversedAt, sale.reference)
            return false
        }
        if let last = person.access.indices.last { person.access[last].until = time }
        return true
    }

    /// Another of the family takes the purchase over, as RevenueCat tells it.
    mutating func handOver(_ person: Resident, _ lineage: String) {
        let count = Int64(generator.customers.count / 2)
        let other = Int(number(0...count - 1)) * 2
        guard !isSandbox(person), generator.customers[other].environment == .production,
            other != person.anonymous
        else { return }
        let time = number(max(Self.start, person.seenAt)...Self.end - 1)
        tell(
            .purchaseTransferred, person, at: time,
            [
                "from": .string(generator.customers[person.id(at: time)].name),
                "to": .string(generator.customers[other].name), "rule": "restore",
                "original_transaction_id": .string(lineage),
            ], source: "revenuecat", trust: .imported)
    }
}
