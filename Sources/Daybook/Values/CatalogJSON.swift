package import DaybookDomain
package import DaybookEvents

/// The shapes of catalogs: published versions, what is sold and shown, mistakes, and publications.
extension CatalogHistory {
    package var json: JSONObject {
        [
            "versions": .objects(versions.map(\.json)), "newest": .orNull(newest?.version),
        ]
    }
}

extension CatalogVersion {
    package var json: JSONObject {
        [
            "version": .integer(version), "effective_at": .integer(effectiveAt),
            "applies_to": .string(scope.name), "position": .integer(position),
            "document_sha256": .string(documentDigest), "app": .string(catalog.app),
            "title": .string(catalog.title), "counts": .object(catalog.counts),
        ]
    }

    /// With what was published, which is UTF-8.
    package func json(with document: [UInt8]) -> JSONObject {
        json.adding(["document": .string(String(decoding: document, as: UTF8.self))])
    }
}

extension CatalogDifference {
    package var json: JSONObject {
        [
            "from": .object(from.json), "to": .object(to.json),
            "changes": .objects(changes.map(\.json)),
        ]
    }
}

extension CatalogScope {
    /// As answers and commands name it: `new`, `next-period`, `cohort:20`.
    package var name: String {
        switch self {
        case .all, .nextPeriod: kind.word.replacing("_", with: "-")
        case .newSubjects: "new"
        case .cohort(let percent): "\(kind.word):\(percent)"
        }
    }
}

extension Catalog {
    package var counts: JSONObject {
        [
            "products": .count(self.products.count),
            "entitlements": .count(self.entitlements.count),
            "features": .count(self.features.count), "meters": .count(self.meters.count),
            "paywalls": .count(self.paywalls.count), "funnels": .count(self.funnels.count),
            "texts": .count(self.copy.count),
        ]
    }

    /// What the app sells and shows.
    /// - Parameters:
    ///   - locale: The language of texts.
    ///   - instant: The time that decides which price is a product's `price`.
    package func json(locale: String, at instant: Int64) -> JSONObject {
        let texts = { (key: String?) in key.flatMap { text($0, locale: locale) } }
        return [
            "products": .array(self.products.map { .object($0.json(texts, at: instant)) }),
            "paywalls": .members(of: self.paywalls) { ($0.context, .object($0.json(texts))) },
            "metadata": .members(of: self.metadata) { ($0.key, .string($0.value)) },
        ]
    }
}

extension Product {
    fileprivate func json(_ texts: (String?) -> String?, at instant: Int64) -> JSONObject {
        [
            "id": .string(id), "kind": .string(kind.rawValue), "scope": .string(scope.rawValue),
            "group": .orNull(group), "level": .integer(Int64(level)),
            "period": .orNull(period?.iso8601), "duration": .orNull(duration?.iso8601),
            "name": .orNull(texts(displayName)), "description": .orNull(texts(displayDescription)),
            "display_price": .orNull(texts(displayPrice)),
            "price": .orNull(price(at: instant)?.name),
            "prices": .members(of: prices) {
                (
                    $0.name,
                    [
                        "amount_milli": .integer($0.amountMilli), "currency": .string($0.currency),
                        "from": .time($0.startsAt), "until": .time($0.endsAt),
                    ]
                )
            },
            "intro_offer": introOffer.map {
                [
                    "kind": .string($0.kind.rawValue),
                    "duration": .string($0.duration.iso8601),
                ]
            } ?? .null,
            "family_shareable": .bool(familyShareable), "entitlements": .texts(entitlements),
            "features": .texts(featureList.map { texts($0) ?? $0 }),
        ]
    }
}

extension Paywall {
    /// What an upgrade screen shows, its texts in the language that was asked for.
    fileprivate func json(_ texts: (String?) -> String?) -> JSONObject {
        [
            "products": .texts(products),
            "slots": .members(of: slots) { ($0.slot, .string(texts($0.key) ?? $0.key)) },
            "benefits": .array(
                benefits.map { benefit in
                    [
                        "icon": .orNull(benefit.icon), "title": .orNull(texts(benefit.title)),
                        "subtitle": .orNull(texts(benefit.subtitle)),
                    ]
                }),
        ]
    }
}

extension CivilDuration {
    /// `P1M`, `P7D`, `PT10M`: as catalogs write it, without empty parts.
    package var iso8601: String {
        let date = [(years, "Y"), (months, "M"), (days, "D")].filter { $0.0 != 0 }
            .map { "\($0.0)\($0.1)" }.joined()
        let time = milliseconds == 0 ? "" : "T\(milliseconds / 1_000)S"
        return date.isEmpty && time.isEmpty ? "P0D" : "P" + date + time
    }
}

extension CatalogProblem {
    package var json: JSONObject {
        [
            "line": .integer(Int64(line)), "column": .integer(Int64(column)),
            "path": .string(path), "sentence": .string(sentence), "remedy": .string(remedy),
        ]
    }
}

extension PublicationDryRun {
    package var json: JSONObject {
        [
            "published": false, "version": .integer(version), "effective_at": .integer(effectiveAt),
            "applies_to": .string(scope.name), "in_force_already": .bool(isInForceAlready),
            "superseded_at": .orNull(supersededAt), "moments": .array(moments.map { .integer($0) }),
            "customers": .count(customers), "changed_customers": .count(changedCustomers),
            "changed_answers": .count(changedAnswers), "position": .integer(position),
        ]
    }
}

extension Receipt {
    /// The shape of a publication's receipt.
    /// - Parameters:
    ///   - version: Of the catalog that rules with it.
    ///   - found: What had been counted before; `nil`: it was not.
    package func json(publishing version: Int64, after found: PublicationDryRun?) -> JSONObject {
        var object = json
        object["allowed"] = nil
        object["done_before"] = nil
        object["version"] = .integer(version)
        object["published"] = .bool(!positions.isEmpty)
        object["changed_answers"] = .orNull(found.map { Int64($0.changedAnswers) })
        object["changed_customers"] = .orNull(found.map { Int64($0.changedCustomers) })
        return object
    }
}
