import DaybookDomain
import DaybookEvents

/// Reads one product of a configuration file.
struct StoreKitProductReading {
    let node: StoreKitNode
    let id: String

    private static let levels: ClosedRange<Int64> = 1...1_000

    /// - Parameter group: The group in which it stands; `nil` outside of groups.
    /// - Returns: `nil` for what cannot be a product of a catalog; why has been reported then.
    func product(group: String?) throws(EventProblem) -> StoreKitProduct? {
        guard let kind = try kind(group: group) else { return nil }
        var product = StoreKitProduct(id: id, kind: kind)
        product.price = try price()
        product.isFamilyShareable = try node.flag("familyShareable")
        product.referenceName = try node.text("referenceName")
        try readTexts(into: &product)
        if kind == .nonRenewing {
            // Never guessed: how long a customer paid for is a promise.
            product.isIncomplete = true
            node.omit(
                "the file does not say how long \(id) lasts; it stands in the catalog as a comment, add duration"
            )
        }
        if kind == .autoRenewable {
            guard try readSubscription(into: &product, group: group) else { return nil }
        }
        node.ignore("internalID", "subscriptionGroupID")
        node.finish()
        return product
    }

    private func kind(group: String?) throws(EventProblem) -> Product.Kind? {
        let type = try node.text("type")
        switch type {
        case "Consumable": return .consumable
        case "NonConsumable": return .nonConsumable
        case "NonRenewingSubscription": return .nonRenewing
        case "RecurringSubscription" where group != nil: return .autoRenewable
        case "RecurringSubscription": node.omit("\(id) renews but stands in no group")
        case nil: node.omit("\(id) does not say what it is")
        case let type?: node.omit("\(id) is a \(type), which no catalog knows")
        }
        return nil
    }

    private func price() throws(EventProblem) -> String? {
        guard let price = try node.decimal("displayPrice") else { return nil }
        if Self.isPrice(price) { return price }
        node.omit(
            "displayPrice", "\"\(price)\" is no decimal with a point and at most three places")
        return nil
    }

    /// As catalogs write it: digits, a point, at most three digits.
    private static func isPrice(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
        }
        guard isPlain, parts.count <= 2, parts.count == 1 || parts[1].utf8.count <= 3,
            let milli = DecimalText.thousandths(text)
        else { return false }
        return (0...EventBounds.moneyMilliMax).contains(milli)
    }

    private func readTexts(into product: inout StoreKitProduct) throws(EventProblem) {
        var locales: Set<String> = []
        for text in try node.nodes("localizations") {
            let locale = StoreKitSettings.languageTag(try text.text("locale") ?? "")
            let name = try text.text("displayName")
            let description = try text.text("description")
            guard name != nil || description != nil else { continue }
            guard Self.isLocale(locale) else {
                text.omit("\"\(locale)\" is no language tag")
                continue
            }
            guard locales.insert(locale).inserted else {
                text.omit("\(locale) stands here before")
                continue
            }
            if let name { product.names.append((locale, name)) }
            if let description { product.descriptions.append((locale, description)) }
            text.finish()
        }
    }

    /// As catalogs want it: parts of 2 to 8 letters or digits, the first of at most 3.
    private static func isLocale(_ tag: String) -> Bool {
        let parts = tag.split(separator: "-", omittingEmptySubsequences: false)
        return (parts.first?.utf8.count ?? 0) <= 3
            && parts.allSatisfy { part in
                (2...8).contains(part.utf8.count)
                    && part.utf8.allSatisfy { byte in
                        byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26
                    }
            }
    }

    // MARK: Subscriptions

    private func readSubscription(
        into product: inout StoreKitProduct, group: String?
    ) throws(EventProblem) -> Bool {
        product.group = group
        guard let period = try node.text("recurringSubscriptionPeriod"), Self.isDuration(period)
        else {
            node.omit("\(id) does not say how often it renews, or not as a duration such as P1M")
            return false
        }
        product.period = period
        if let level = try node.integer("groupNumber") {
            if Self.levels.contains(level) {
                product.level = level
            } else {
                node.omit("groupNumber", "levels are 1 to 1000")
            }
        }
        try readIntroOffers(into: &product)
        try listPlans(product)
        for (member, what) in [
            ("adHocOffers", "promotional offer"), ("codeOffers", "offer code"),
            ("winbackOffers", "win-back offer"),
        ] {
            for offer in try node.nodes(member) {
                let id = try offer.text("offerID")
                let name = try offer.text("referenceName") ?? id ?? "unnamed"
                offer.omit(
                    "the \(what) \(name) of \(product.id): offers are kept in the store, transactions tell who used one"
                )
            }
        }
        return true
    }

    private static func isDuration(_ text: String) -> Bool {
        guard let duration = CivilDuration(iso8601: text) else { return false }
        return duration != CivilDuration()
    }

    /// Format 5.0 writes the offer a second time into a list, which may have more.
    private func readIntroOffers(into product: inout StoreKitProduct) throws(EventProblem) {
        let first = try node.node("introductoryOffer")
        let listed = try node.nodes("introductoryOffers")
        if let offer = first ?? listed.first { product.introOffer = try introOffer(offer) }
        let known = try first?.text("internalID")
        for offer in listed.dropFirst(first == nil ? 1 : 0) {
            if let known, try offer.text("internalID") == known { continue }
            offer.omit("\(id) has more than one introductory offer; a catalog has one")
        }
    }

    private func introOffer(
        _ offer: StoreKitNode
    ) throws(EventProblem) -> (kind: IntroOffer.Kind, duration: String)? {
        let mode = try offer.text("paymentMode")
        let kinds: [String: IntroOffer.Kind] = [
            "free": .freeTrial, "payAsYouGo": .payAsYouGo, "payUpFront": .payUpFront,
        ]
        let count = try offer.integer("numberOfPeriods") ?? 1
        guard let kind = kinds[mode ?? ""], let period = try offer.text("subscriptionPeriod"),
            let duration = Self.duration(period, times: count)
        else {
            offer.omit(
                "the introductory offer of \(id) has no payment mode or length that is known")
            return nil
        }
        offer.ignore("internalID")
        offer.omit(
            "displayPrice",
            kind == .freeTrial
                ? "a free offer has no price" : "an introductory offer has no price in a catalog")
        if try offer.text("billingPlanType") != "BILLED_UPFRONT" {
            offer.omit("billingPlanType", "a catalog has no billing plans")
        }
        offer.finish()
        return (kind, duration)
    }

    /// `P1M` three times is `P3M`; a duration of several units stands once only.
    private static func duration(_ text: String, times count: Int64) -> String? {
        guard isDuration(text), (1...1_000).contains(count) else { return nil }
        if count == 1 { return text }
        let unit = text.suffix(1)
        guard let number = Int64(text.dropFirst().dropLast()) else { return nil }
        let product = "P\(number * count)\(unit)"
        return isDuration(product) ? product : nil
    }

    /// Format 5.0: how a year may be paid. What is paid up front at the product's own price is the product itself.
    private func listPlans(_ product: StoreKitProduct) throws(EventProblem) {
        for plan in try node.nodes("billingPlans") {
            let type = try plan.text("billingPlanType") ?? "unnamed"
            let price = try plan.decimal("displayPrice")
            if type == "BILLED_UPFRONT", price == nil || price == product.price { continue }
            let sum = try plan.decimal("commitmentDisplayPrice")
            plan.omit(
                "the billing plan \(type) of \(id) at \(price ?? "no price")"
                    + (sum.map { ", \($0) in all" } ?? "") + ": a catalog has no billing plans")
        }
    }
}
