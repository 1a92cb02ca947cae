extension CatalogReading {
    /// Entitlements by name: a list of features, or a map with `features`.
    func entitlements(_ fields: CatalogFields) -> [Entitlement] {
        fields.map("entitlements").map { entry in
            define(entry.key, as: .entitlement, at: entry.place)
            let opened: [(text: String, place: CatalogPlace)]
            if case .list = entry.value.content {
                opened = entry.value.texts(self)
            } else {
                let inner = CatalogFields(entry.value, self)
                opened = inner.texts("features")
                inner.finish()
            }
            for (feature, place) in opened where feature != "*" {
                use(feature, as: .feature, at: place)
            }
            return Entitlement(name: entry.key, features: opened.map(\.text))
        }
    }

    func features(_ fields: CatalogFields) -> [Feature] {
        let features = named("features", of: fields, as: .feature) { name, fields -> Feature? in
            var feature = Feature(name: name)
            if name == "*" {
                report(
                    "A feature cannot be called `*`.",
                    "It means every feature in an entitlement; choose a name.",
                    at: fields.place)
            }
            feature.aliases = aliases(of: name, fields)
            feature.isFree = fields.flag("isFree") ?? false
            feature.scope = fields.choice("scope") ?? .subject
            feature.enforcement = fields.choice("enforcement") ?? .hard
            feature.meter = fields.reference("meter", .meter)
            feature.previewUses = fields.whole("previewUses") ?? 0
            feature.recordsDenials = fields.flag("recordsDenials") ?? false
            feature.displayName = fields.reference("displayName", .copyKey)
            feature.lockedText = fields.reference("lockedText", .copyKey)
            feature.descriptionText = fields.reference("descriptionText", .copyKey)
            if feature.isFree {
                fields.refuse(
                    ["meter", "previewUses", "lockedText", "recordsDenials"],
                    because: "the feature is free for all customers")
            }
            return feature
        }
        defineAliases(as: .feature)
        return features
    }

    func aliases(of name: String, _ fields: CatalogFields) -> [String] {
        let found = fields.texts("aliases")
        pendingAliases += found.map { (alias: $0.text, name: name, place: $0.place) }
        return found.map(\.text)
    }

    /// Aliases are defined when all names of their kind are known, so that any order finds a clash.
    func defineAliases(as kind: CatalogNameKind) {
        for (alias, name, place) in pendingAliases {
            define(alias: alias, of: name, as: kind, at: place)
        }
        pendingAliases = []
    }

    func freePeriods(_ fields: CatalogFields) -> [FreePeriod] {
        named("freePeriods", of: fields, as: .freePeriod) { name, fields -> FreePeriod? in
            fields.require("profileKind", "Say which profiles it is for: `profileKind: puppy`.")
            fields.require("duration", "Say how long it is: `duration: P21D`.")
            let kind = fields.text("profileKind")
            let duration = fields.duration("duration")
            let features = fields.references("features", .feature)
            let activeText = fields.reference("activeText", .copyKey)
            let expiredTitle = fields.reference("expiredTitle", .copyKey)
            let expiredText = fields.reference("expiredText", .copyKey)
            guard let kind, let duration else { return nil }
            var period = FreePeriod(
                name: name, profileKind: kind, duration: duration, features: features)
            period.activeText = activeText
            period.expiredTitle = expiredTitle
            period.expiredText = expiredText
            return period
        }
    }
}
