import DaybookEvents

/// Finds what a catalog may contain but is probably a mistake.
struct CatalogWarnings {
    /// Placeholders that answers fill; names in [brackets] are the client's own and left alone.
    static let placeholders = ["remaining", "used", "limit", "days", "expires", "price"]

    let catalog: Catalog
    let reading: CatalogReading

    private(set) var found: [CatalogProblem] = []

    /// All warnings, in document order.
    mutating func all() -> [CatalogProblem] {
        products()
        entitlements()
        features()
        meters()
        funnels()
        experiments()
        copy()
        return CatalogProblems(found).problems
    }

    private mutating func warn(
        _ sentence: String, _ remedy: String, _ kind: CatalogNameKind, _ name: String
    ) {
        warn(sentence, remedy, at: reading.definitions[kind]?[name])
    }

    private mutating func warn(_ sentence: String, _ remedy: String, at place: CatalogPlace?) {
        found.append(CatalogProblem(at: place ?? .start, sentence: sentence, remedy: remedy))
    }

    private mutating func products() {
        for product in catalog.products {
            if product.entitlements.isEmpty, product.credits == nil {
                warn(
                    "The product `\(product.id)` grants nothing.",
                    "Give it `entitlements` or `credits`.", .product, product.id)
            }
            if canBeBoughtOnlyOnce(product) {
                warn(
                    "The store sells `\(product.id)` once per customer, but it serves one "
                        + "profile: a second profile cannot be bought for.",
                    "Add another product id for the next profile, or make it a consumable.",
                    .product, product.id)
            }
            if product.introOffer?.kind == .freeTrial, let word = forbiddenTrialWord {
                warn(
                    "The product `\(product.id)` has a free trial, but the word `\(word)` is "
                        + "forbidden in this app's copy.",
                    "Drop the offer or the word; stores print `free trial` themselves.",
                    .product, product.id)
            }
        }
    }

    /// Stores do not charge twice for a non-consumable (T1).
    private func canBeBoughtOnlyOnce(_ product: Product) -> Bool {
        guard product.kind == .nonConsumable, product.scope == .profile else { return false }
        return !catalog.products.contains { other in
            other.id != product.id && other.scope == .profile
                && other.profileKind == product.profileKind
        }
    }

    private var forbiddenTrialWord: String? {
        reading.forbiddenWords.first { word in
            let folded = word.lowercased()
            return folded.contains("trial") || folded.contains("proef")
        }
    }

    private mutating func entitlements() {
        let sold = Set(catalog.products.flatMap(\.entitlements))
        for entitlement in catalog.entitlements where !sold.contains(entitlement.name) {
            warn(
                "No product sells the entitlement `\(entitlement.name)`.",
                "Add it to a product's `entitlements`, or keep it for grants only.",
                .entitlement, entitlement.name)
        }
    }

    private mutating func features() {
        let periods = Set(catalog.freePeriods.flatMap(\.features))
        for feature in catalog.features
        where !feature.isFree && feature.meter == nil && !periods.contains(feature.name)
            && !catalog.entitlements.contains(where: { $0.opens(feature.name) })
        {
            warn(
                "Nothing opens the feature `\(feature.name)`: it is not free, and no entitlement, "
                    + "meter or free period names it.",
                "Set `isFree: true`, or add it to an entitlement.", .feature, feature.name)
        }
    }

    /// A feature that an entitlement opens is open without counting, whatever number `limitsWith` gives.
    private mutating func meters() {
        for meter in catalog.meters {
            let features = catalog.features.filter { $0.meter == meter.name }
            for rule in meter.limitsWith {
                guard let limit = rule.limit,
                    let entitlement = catalog.entitlement(rule.entitlement),
                    let feature = features.first(where: { entitlement.opens($0.name) })
                else { continue }
                warn(
                    "The entitlement `\(entitlement.name)` opens `\(feature.name)`, which makes "
                        + "`\(meter.name)` unlimited: its limit of \(limit) never counts.",
                    "Take the feature out of the entitlement, or write `unlimited`.", .meter,
                    meter.name)
            }
        }
    }

    /// A step that names an event which the funnels' projection does not keep is never reached (rule 26).
    private mutating func funnels() {
        let types = EventType.allCases.filter { $0 != .unknown }
        for (name, place) in reading.funnelEvents {
            guard let type = types.first(where: { Vocabulary.name(of: $0) == name }),
                !FunnelState.isTracked(type)
            else { continue }
            warn(
                "Funnels do not keep `\(name)`: this step is never reached.",
                "Name an analytics type such as `paywall.shown`, or one of "
                    + types.filter { FunnelState.isTracked($0) && !Self.isAnalytics($0) }
                    .map { "`\(Vocabulary.name(of: $0))`" }.joined(separator: ", ") + ".",
                at: place)
        }
    }

    /// Variants of an experiment that the catalog does not share out come from elsewhere, or the name is a mistake.
    private mutating func experiments() {
        let names = catalog.experiments.map(\.name)
        guard !names.isEmpty else { return }
        for (name, place) in reading.funnelExperiments where !names.contains(name) {
            warn(
                "The catalog shares out no variants of the experiment `\(name)`.",
                NearestName.of(name, among: names).map { "Did you mean `\($0)`?" }
                    ?? "Add it to `experiments`, or let the app record its own exposures.",
                at: place)
        }
    }

    private static func isAnalytics(_ type: EventType) -> Bool {
        (EventType.appLaunched.rawValue...EventType.surveyAnswered.rawValue)
            .contains(type.rawValue)
    }

    private mutating func copy() {
        let used = reading.names(of: .copyKey).union(catalog.metadata.values)
        for (key, texts) in catalog.copy.sorted(by: { $0.key < $1.key }) {
            let isPlural = key.hasSuffix(".one") && used.contains(String(key.dropLast(4)))
            if !used.contains(key), !isPlural {
                warn(
                    "Nothing uses the copy key `\(key)`.",
                    "Use it in a paywall slot, a status or a feature, or remove it.",
                    .copyKey, key)
            }
            if texts[catalog.defaultLocale] == nil {
                warn(
                    "The copy key `\(key)` has no text in the default locale "
                        + "`\(catalog.defaultLocale)`.",
                    "Add it, or customers of other locales see nothing.", .copyKey, key)
            }
            for (locale, text) in texts.sorted(by: { $0.key < $1.key }) {
                warnOfPlaceholders(text, at: reading.copyPlaces[key]?[locale])
            }
        }
    }

    private mutating func warnOfPlaceholders(_ text: String, at place: CatalogPlace?) {
        for name in CopyTemplate.placeholders(in: text) where !Self.placeholders.contains(name) {
            let near = NearestName.of(name, among: Self.placeholders)
            warn(
                "Nothing fills the placeholder `{\(name)}`.",
                near.map { "Did you mean `{\($0)}`?" }
                    ?? "Use \(Self.placeholders.map { "{\($0)}" }.joined(separator: ", ")), "
                    + "or [brackets] for what the client fills.", at: place)
        }
    }
}
