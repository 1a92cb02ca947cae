import DaybookEvents

extension CatalogReading {
    func products(_ fields: CatalogFields) -> [Product] {
        named("products", of: fields, as: .product) { id, fields -> Product? in
            fields.require("kind", "Say what is sold, for example `kind: autoRenewable`.")
            guard let kind: Product.Kind = fields.choice("kind") else {
                // Without a kind the rest cannot be judged, but its references can.
                _ = product(id, .consumable, fields)
                return nil
            }
            checkFields(of: kind, fields)
            return product(id, kind, fields)
        }
    }

    private func product(_ id: String, _ kind: Product.Kind, _ fields: CatalogFields) -> Product {
        var product = Product(id: id, kind: kind)
        product.scope = fields.choice("scope") ?? .subject
        product.profileKind = fields.text("profileKind")
        product.group = fields.reference("group", .group)
        product.level = Int(fields.whole("level", 1...1_000) ?? 1)
        product.period = fields.duration("period")
        product.duration = fields.duration("duration")
        product.extendsCurrent = fields.flag("extendsCurrent") ?? true
        product.prices = prices(fields)
        product.introOffer = introOffer(fields)
        product.familyShareable = fields.flag("familyShareable") ?? false
        product.entitlements = fields.references("entitlements", .entitlement)
        product.credits = credits(fields)
        product.referenceName = fields.prose("referenceName") ?? id
        product.displayName = fields.reference("displayName", .copyKey)
        product.displayDescription = fields.reference("displayDescription", .copyKey)
        product.displayPrice = fields.reference("displayPrice", .copyKey)
        product.featureList = fields.references("featureList", .copyKey)
        return product
    }

    private func checkFields(of kind: Product.Kind, _ fields: CatalogFields) {
        let subscription = ["group", "level", "period", "introOffer"]
        switch kind {
        case .autoRenewable:
            fields.require("group", "A subscription belongs to a group: `group: Premium`.")
            fields.require("period", "A subscription renews: `period: P1M`.")
            fields.refuse(
                ["duration", "extendsCurrent", "credits"], because: "a subscription renews")
        case .nonRenewing:
            fields.require("duration", "It ends after a time: `duration: P30D`.")
            fields.refuse(subscription + ["credits"], because: "the product does not renew")
        case .consumable:
            fields.refuse(
                subscription + ["duration", "extendsCurrent"],
                because: "a consumable is used up, not held for a time")
        case .nonConsumable:
            fields.refuse(
                subscription + ["duration", "extendsCurrent", "credits"],
                because: "a non-consumable is held for ever")
        }
        if fields.text("scope") == Product.Scope.profile.rawValue {
            fields.require("profileKind", "Say which profiles it serves: `profileKind: puppy`.")
        } else {
            fields.refuse(["profileKind"], because: "the product serves the customer")
        }
    }

    /// Prices by name: `regular: 2.99 USD`, or a map of `amount` and `currency`, perhaps with `from` and `until`.
    private func prices(_ fields: CatalogFields) -> [Price] {
        fields.map("prices").compactMap { entry in
            let place = entry.value.place
            switch entry.value.content {
            case .scalar(let text, _):
                let words = text.split(separator: " ")
                guard words.count == 2 else {
                    report("`\(text)` is no price.", "Write it as `2.99 USD`.", at: place)
                    return nil
                }
                return price(
                    entry.key, amount: String(words[0]), amountPlace: place,
                    currency: String(words[1]), currencyPlace: place)
            case .null:
                report(
                    "`\(entry.key)` has no price.", "Write it as `2.99 USD`.",
                    at: entry.place)
                return nil
            default:
                let inner = CatalogFields(entry.value, self)
                inner.require("amount", "Write it as `amount: 2.99`.")
                inner.require("currency", "Write it as `currency: USD`.")
                defer { inner.finish() }
                let (start, end) = (inner.instant("from"), inner.instant("until"))
                if let start, let end, end <= start {
                    inner.report(
                        "The price `\(entry.key)` ends before it begins.",
                        "Write a time after `from`.", at: "until")
                }
                guard let amount = inner.text("amount"), let currency = inner.text("currency")
                else { return nil }
                var price = price(
                    entry.key, amount: amount, amountPlace: inner.place(of: "amount"),
                    currency: currency, currencyPlace: inner.place(of: "currency"))
                price?.startsAt = start
                price?.endsAt = end
                return price
            }
        }
    }

    private func price(
        _ name: String, amount: String, amountPlace: CatalogPlace, currency: String,
        currencyPlace: CatalogPlace
    ) -> Price? {
        let isCurrency = CurrencyCode.isValid(currency)
        if !isCurrency {
            report(
                "`\(currency)` is no currency.",
                "Write the three capital letters of ISO 4217, such as USD or EUR.",
                at: currencyPlace)
        }
        guard let milli = CatalogDecimal.scaled(amount, fractionDigits: 3) else {
            report(
                "`\(amount)` is no amount.",
                "Write digits with a point and at most three decimals, such as 2.99.",
                at: amountPlace)
            return nil
        }
        return isCurrency ? Price(name: name, amountMilli: milli, currency: currency) : nil
    }

    private func introOffer(_ fields: CatalogFields) -> IntroOffer? {
        guard let node = fields.node("introOffer") else { return nil }
        let inner = CatalogFields(node, self)
        inner.require("kind", "Write `kind: freeTrial`, `payAsYouGo` or `payUpFront`.")
        inner.require("duration", "Write how long it lasts: `duration: P7D`.")
        let kind: IntroOffer.Kind? = inner.choice("kind")
        let duration = inner.duration("duration")
        inner.finish()
        guard let kind, let duration else { return nil }
        return IntroOffer(kind: kind, duration: duration)
    }

    private func credits(_ fields: CatalogFields) -> Credits? {
        guard let node = fields.node("credits") else { return nil }
        let inner = CatalogFields(node, self)
        inner.require("meter", "Name the counter that is filled: `meter: stories`.")
        inner.require("amount", "Say what one unit is worth: `amount: 10`.")
        let meter = inner.reference("meter", .meter)
        let amount = inner.whole("amount", 1...1_000_000_000)
        inner.finish()
        guard let meter, let amount else { return nil }
        creditedMeters.append((meter, inner.place(of: "meter")))
        return Credits(meter: meter, amount: amount)
    }
}
