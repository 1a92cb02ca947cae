import ArgumentParser
import Daybook
import DaybookDomain
import DaybookEvents

struct CatalogProductsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "products", abstract: "List what the app sells, with names and prices.",
        discussion: """
            From the newest catalog. Prices are for display; what was paid is in the transactions. Of \
            several prices with times, the one at --at is marked. --json also has each \
            product's list of features, what each paywall shows, and the catalog's metadata.

              daybook catalog products
              daybook catalog products --at 2027-01-01T00:00:00Z
              daybook catalog products --locale nl-NL --json
            """)

    @Option(help: ArgumentHelp("The language of texts, such as nl-NL.", valueName: "locale"))
    var locale: String?

    @Option(
        help: ArgumentHelp("Mark the prices of this time. Default: now.", valueName: "time"))
    var at: String?

    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    mutating func run() async throws {
        let catalog = try await ledger.asking { try $0.catalogs().newest?.catalog }
        guard let catalog else {
            throw Failure(.badInput, "no_catalog", "the ledger has no catalog")
        }
        let instant = try InstantText.read(at, option: "--at") ?? SystemClock.now()
        let language = locale ?? catalog.defaultLocale
        let texts = { (key: String?) in key.flatMap { catalog.text($0, locale: language) } }
        let json: JSONObject = [
            "products": .array(catalog.products.map { .object($0.json(texts, at: instant)) }),
            "paywalls": .object(
                JSONObject(
                    catalog.paywalls.map {
                        .init(name: $0.context, value: .object($0.json(texts)))
                    })),
            "metadata": .object(
                JSONObject(
                    catalog.metadata.sorted { $0.key < $1.key }.map {
                        .init(name: $0.key, value: .string($0.value))
                    })),
        ]
        var table = Table()
        for product in catalog.products {
            let asked = product.price(at: instant)
            let prices = product.prices.map { price in
                let isMarked = price == asked && product.prices.count > 1
                return "\(price.name) \(Words.money(milli: price.amountMilli, price.currency))"
                    + price.times + (isMarked ? ", asked" : "")
            }
            table.add(
                .init(product.id, .bold), .init(texts(product.displayName) ?? ""),
                .init(product.kind.rawValue),
                .init(product.period.map { "every \($0.iso8601)" } ?? ""),
                .init(prices.joined(separator: "; ")))
        }
        try output.show(json) { table.text($0, indent: 0) }
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
            "prices": .object(
                JSONObject(
                    prices.map {
                        .init(
                            name: $0.name,
                            value: [
                                "amount_milli": .integer($0.amountMilli),
                                "currency": .string($0.currency),
                                "from": .time($0.startsAt), "until": .time($0.endsAt),
                            ])
                    })),
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

extension Price {
    /// ` from 2027-01-01T00:00:00Z`; empty where it has no times.
    fileprivate var times: String {
        (startsAt.map { " from \(Words.time($0))" } ?? "")
            + (endsAt.map { " until \(Words.time($0))" } ?? "")
    }
}

extension Paywall {
    /// What an upgrade screen shows, its texts in the language that was asked for.
    fileprivate func json(_ texts: (String?) -> String?) -> JSONObject {
        [
            "products": .texts(products),
            "slots": .object(
                JSONObject(
                    slots.map { .init(name: $0.slot, value: .string(texts($0.key) ?? $0.key)) })),
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
    var iso8601: String {
        let date = [(years, "Y"), (months, "M"), (days, "D")].filter { $0.0 != 0 }
            .map { "\($0.0)\($0.1)" }.joined()
        let time = milliseconds == 0 ? "" : "T\(milliseconds / 1_000)S"
        return date.isEmpty && time.isEmpty ? "P0D" : "P" + date + time
    }
}
