import Daybook
import DaybookDomain

/// What is sold and what it opens, as the newest catalog that was known has it, and the versions before it.
struct CatalogPage {
    let call: PageCall

    func page(_ ledger: Ledger) throws -> Frame.Page {
        var page = Frame.Page(title: "Catalog", template: "catalog", section: .catalog)
        let history = try ledger.catalogs(knownAt: call.moment.knownAt)
        let first = history.versions.map(\.position).min()
        page.model["versions"] = history.versions.reversed().map { version -> Model in
            var model: Model = [
                "version": version.version, "scope": version.scope.kind.rawValue,
                "position": version.position, "always": version.position == first,
                "changes": version.position == first
                    ? ""
                    : call.link(call.address("/catalog/\(version.version)/changes")),
                "digest": String(version.documentDigest.prefix(12)),
                "href": call.event(version.position),
            ]
            if let time = PageTime.model(version.effectiveAt) { model["effective"] = time }
            return model
        }
        page.model["what_if"] = call.link(call.address("/catalog/what-if"))
        guard let newest = history.newest else {
            page.model["none"] = true
            return page
        }
        let catalog = newest.catalog
        let locale = catalog.defaultLocale
        let now = call.moment.at ?? call.now
        page.model["version"] = newest.version
        page.model["products"] = catalog.products.map { product -> Model in
            [
                "id": product.id, "kind": Words.spaced(product.kind.rawValue),
                "name": product.displayName.flatMap { catalog.text($0, locale: locale) }
                    ?? product.referenceName,
                "price": product.price(at: now).map {
                    Words.money(milli: $0.amountMilli, $0.currency)
                } ?? "",
                "entitlements": product.entitlements.joined(separator: ", "),
            ]
        }
        page.model["entitlements"] = catalog.entitlements.map { entitlement -> Model in
            [
                "name": entitlement.name,
                "features": entitlement.features == ["*"]
                    ? "every feature" : entitlement.features.joined(separator: ", "),
            ]
        }
        page.model.merge(Self.parts(catalog, locale)) { _, new in new }
        return page
    }

    private static func parts(_ catalog: Catalog, _ locale: String) -> Model {
        var model = Model()
        model["features"] = catalog.features.map { feature -> Model in
            [
                "name": feature.name, "free": feature.isFree,
                "meter": feature.meter ?? "", "aliases": feature.aliases.joined(separator: ", "),
                "locked": feature.lockedText.flatMap { catalog.text($0, locale: locale) } ?? "",
            ]
        }
        model["meters"] = catalog.meters.map { meter -> Model in
            [
                "name": meter.name, "kind": meter.kind.rawValue,
                "limit": meter.limit.map { Words.grouped($0) } ?? "unlimited",
                "with": meter.limitsWith.map {
                    "\($0.entitlement): \($0.limit.map { Words.grouped($0) } ?? "unlimited")"
                }.joined(separator: ", "),
            ]
        }
        model["paywalls"] = catalog.paywalls.map { paywall -> Model in
            [
                "context": paywall.context,
                "slots": paywall.slots.map { slot -> Model in
                    [
                        "slot": slot.slot,
                        "text": catalog.text(slot.key, locale: locale) ?? slot.key,
                    ]
                },
                "products": paywall.products.joined(separator: ", "),
            ]
        }
        model["kpis"] = catalog.kpis.map { target -> Model in
            [
                "name": target.name, "metric": target.metric,
                "target": MetricWords.target(
                    target, Metric.named(target.metric)?.shape ?? .average),
            ]
        }
        return model
    }
}
