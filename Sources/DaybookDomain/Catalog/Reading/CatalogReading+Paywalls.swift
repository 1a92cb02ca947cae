extension CatalogReading {
    func paywalls(_ fields: CatalogFields) -> [Paywall] {
        named("paywalls", of: fields, as: .paywall) { context, fields -> Paywall? in
            var paywall = Paywall(context: context)
            paywall.products = fields.references("products", .product)
            paywall.slots = fields.map("slots").compactMap { entry in
                slot(entry, mustBeKey: true)
            }
            paywall.benefits = fields.list("benefits").compactMap { node in
                let inner = CatalogFields(node, self)
                inner.require("title", "Name the copy key of the row: `title: benefit.voices`.")
                let icon = inner.text("icon")
                let title = inner.reference("title", .copyKey)
                let subtitle = inner.reference("subtitle", .copyKey)
                inner.finish()
                guard let title else { return nil }
                var benefit = PaywallBenefit(title: title)
                benefit.icon = icon
                benefit.subtitle = subtitle
                return benefit
            }
            return paywall
        }
    }

    /// A named text. Where literals are allowed too, a value that is a copy key counts as its use.
    private func slot(_ entry: CatalogNode.Entry, mustBeKey: Bool) -> CopySlot? {
        guard let key = entry.value.text(self) else { return nil }
        if mustBeKey || definitions[.copyKey]?[key] != nil {
            use(key, as: .copyKey, at: entry.value.place)
        }
        return CopySlot(slot: entry.key, key: key)
    }

    func ads(_ fields: CatalogFields) -> [AdPlacement] {
        enum Format: String, CaseIterable { case banner, native }
        return named("ads", of: fields) { name, fields -> AdPlacement? in
            fields.require("format", "Write `format: banner` or `format: native`.")
            let format: Format? = fields.choice("format")
            var ad = AdPlacement(
                name: name, isEnabled: fields.flag("isEnabled") ?? true,
                format: format?.rawValue ?? "")
            if format == .banner {
                fields.refuse(["everyNthItem"], because: "a banner does not repeat")
            }
            ad.heightPoints = fields.whole("heightPoints", 1...10_000).map { Int($0) }
            ad.everyNthItem = fields.whole("everyNthItem", 1...10_000).map { Int($0) }
            ad.hiddenBy = fields.reference("hiddenBy", .feature)
            ad.unitTest = fields.text("unitTest")
            ad.unitProduction = fields.text("unitProduction")
            return ad
        }
    }

    func statuses(_ fields: CatalogFields) -> [StatusRule] {
        var endsAt: String?
        var rules: [StatusRule] = []
        for node in fields.list("statuses") {
            let inner = CatalogFields(node, self)
            inner.require("status", "Write the app's word: `status: free`.")
            inner.require("when", "Say when it holds, or `when: otherwise`.")
            if let endsAt {
                report(
                    "No customer gets this far: `\(endsAt)` holds otherwise.",
                    "Move `when: otherwise` to the end.", at: inner.place)
            }
            let status = inner.text("status")
            let condition = condition(inner)
            let text = inner.reference("text", .copyKey)
            let meter = inner.reference("meter", .meter)
            let attributes = inner.map("attributes").compactMap { entry in
                slot(entry, mustBeKey: false)
            }
            inner.finish()
            guard let status, let condition else { continue }
            var rule = StatusRule(status: status, condition: condition)
            rule.text = text
            rule.meter = meter
            rule.attributes = attributes
            if condition == .otherwise { endsAt = status }
            rules.append(rule)
        }
        if fields.has("statuses"), endsAt == nil {
            fields.report(
                "The last status has a condition, so some customers have no status.",
                "End the list with a status that says `when: otherwise`.", at: "statuses")
        }
        return rules
    }
}
