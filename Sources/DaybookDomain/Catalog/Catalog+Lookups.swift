import DaybookEvents

extension Catalog {
    /// The product with this store id.
    /// - Complexity: O(*n*) in the number of products, as for every lookup here; a catalog has tens
    ///   of them.
    public func product(_ id: String) -> Product? {
        self.products.firstInPlace { $0.id == id }
    }

    /// Why a family member's share of a purchase of this product gives nothing; `nil`: it gives.
    ///
    /// Sharing is the store's to switch on (`familyShareable`); whether the share of a product that is sold per profile
    /// may serve one of the member's own profiles is the app's (`familyServesOneProfile`, OL-26).
    func familyRefusal(of product: Product) -> FamilyRefusal? {
        if !product.familyShareable { return .notShareable }
        return product.scope == .profile && !self.policies.familyServesOneProfile
            ? .servesNoProfile : nil
    }

    /// The entitlement of this name.
    public func entitlement(_ name: String) -> Entitlement? {
        self.entitlements.firstInPlace { $0.name == name }
    }

    /// The feature that has this name or, where none has, this alias.
    public func feature(named name: String) -> Feature? {
        self.features.firstInPlace { $0.name == name }
            ?? self.features.firstInPlace { $0.aliases.contains(name) }
    }

    /// The meter that has this name or, where none has, this alias.
    ///
    /// A feature with preview uses brings the counter `preview.<feature>` along, which no document
    /// lists.
    public func meter(named name: String) -> Meter? {
        let named =
            self.meters.firstInPlace { $0.name == name }
            ?? self.meters.firstInPlace { $0.aliases.contains(name) }
        if let named { return named }
        guard name.hasPrefix(CatalogStructure.previewPrefix) else { return nil }
        let feature = feature(named: String(name.dropFirst(CatalogStructure.previewPrefix.count)))
        guard let feature, feature.previewUses > 0 else { return nil }
        var meter = Meter(
            name: CatalogStructure.previewPrefix + feature.name, kind: .counter)
        meter.limit = feature.previewUses
        return meter
    }

    /// The meter of this name, or the one that counts the feature of this name.
    public func meter(counting name: String) -> Meter? {
        meter(named: name) ?? feature(named: name)?.meter.flatMap { meter(named: $0) }
    }

    /// The free period of this name.
    public func freePeriod(_ name: String) -> FreePeriod? {
        self.freePeriods.firstInPlace { $0.name == name }
    }

    /// What an upgrade screen shows in a context.
    ///
    /// `featureRestricted(x)` without a paywall of its own shows the one of `featureRestricted`,
    /// and every context without one shows the one named `default`.
    public func paywall(context: String) -> Paywall? {
        for candidate in Self.paywallFallbacks(context) {
            if let paywall = self.paywalls.first(where: { $0.context == candidate }) {
                return paywall
            }
        }
        return nil
    }

    /// The context itself, the context without its parentheses, `default`.
    static func paywallFallbacks(_ context: String) -> [String] {
        let general = context.prefix { $0 != "(" }
        return [context, String(general), "default"]
    }

    /// The funnel of this name.
    public func funnel(_ name: String) -> Funnel? {
        self.funnels.first { $0.name == name }
    }

    /// A text of the copy with its placeholders filled.
    ///
    /// The locale falls back from `nl-NL` to `nl`, then to the default locale and its language.
    /// Placeholders without an argument, and [brackets], stay as they stand.
    /// - Returns: `nil` when the key is unknown or has none of these locales.
    public func text(
        _ key: String, locale: String, arguments: [String: String] = [:]
    ) -> String? {
        guard let texts = self.copy[key] else { return nil }
        for candidate in Self.fallbacks(of: locale) + Self.fallbacks(of: self.defaultLocale) {
            if let text = texts[candidate] { return CopyTemplate.fill(text, arguments) }
        }
        return nil
    }

    /// A text that also reads well for one thing: "1 story remaining" instead of "1 stories
    /// remaining".
    ///
    /// For a count of 1 the key `<key>.one` is used where the locale has it; in every other case
    /// this is the plain text (DZ-02, T5).
    public func pluralSafeText(
        _ key: String, locale: String, count: Int64, arguments: [String: String] = [:]
    ) -> String? {
        if count == 1, let singular = self.copy["\(key).one"] {
            // A singular in another language than the plural would be worse than a clumsy plural.
            for candidate in Self.fallbacks(of: locale) + Self.fallbacks(of: self.defaultLocale) {
                if let text = singular[candidate] { return CopyTemplate.fill(text, arguments) }
                if self.copy[key]?[candidate] != nil { break }
            }
        }
        return text(key, locale: locale, arguments: arguments)
    }

    /// `zh-Hans-CN`, `zh-Hans`, `zh`.
    private static func fallbacks(of locale: String) -> [String] {
        var candidates = [locale]
        var rest = locale[...]
        while let hyphen = rest.lastIndex(of: "-") {
            rest = rest[..<hyphen]
            candidates.append(String(rest))
        }
        return candidates
    }
}

extension Array {
    /// The first element that fits. Unlike `first(where:)` it copies no other one: the parts of a catalog have many
    /// members.
    fileprivate func firstInPlace(where fits: (borrowing Element) -> Bool) -> Element? {
        for index in indices where fits(self[index]) { return self[index] }
        return nil
    }
}

extension Entitlement {
    /// Whether the entitlement opens a feature, by name or by `*`.
    public func opens(_ feature: String) -> Bool {
        features.contains { $0 == feature || $0 == "*" }
    }
}

extension NameTable {
    /// The numbers of a meter's name and aliases, as far as any event has them.
    func ids(of meter: Meter) -> [NameID] {
        var ids: [NameID] = []
        ids.reserveCapacity(1 + meter.aliases.count)
        if let id = id(of: meter.name) { ids.append(id) }
        for alias in meter.aliases {
            if let id = id(of: alias) { ids.append(id) }
        }
        return ids
    }
}
