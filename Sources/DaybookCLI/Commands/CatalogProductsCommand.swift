import ArgumentParser
import Daybook
import DaybookDomain

struct CatalogProductsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "products", abstract: "List what the app sells, with names and prices.",
        discussion: """
            From the newest catalog, or with --known-at from the one that was then. Prices are for display; what was \
            paid is in the transactions. Of several prices with times, the one at --at is marked. --json also has each \
            product's list of features, what each paywall shows, and the catalog's metadata.

              daybook catalog products
              daybook catalog products --at 2027-01-01T00:00:00Z
              daybook catalog products --known-at @1
              daybook catalog products --locale nl-NL --json
            """)

    @Option(help: .value("locale", "The language of texts, such as nl-NL."))
    var locale: String?

    @Option(help: .value("time", "Mark the prices of this time. Default: now."))
    var at: String?

    @Option(help: .value("time", "Only what had been recorded by then."))
    var knownAt: String?

    @OptionGroup var basic: BasicOptions

    mutating func run() async throws {
        let known = try InstantText.knowledge(knownAt, "--known-at")
        let newest = try await basic.ledger.asking { try $0.catalogs(knownAt: known).newest }
        guard let catalog = newest?.catalog else {
            throw Failure(
                .badInput, "no_catalog",
                known == nil ? "the ledger has no catalog" : "the ledger had no catalog then")
        }
        let instant = try InstantText.read(at, "--at") ?? SystemClock.now()
        let language = locale ?? catalog.defaultLocale
        var table = Table()
        for product in catalog.products {
            let asked = product.price(at: instant)
            let prices = product.prices.map { price in
                let isMarked = price == asked && product.prices.count > 1
                return "\(price.name) \(Words.money(milli: price.amountMilli, price.currency))"
                    + price.times + (isMarked ? ", asked" : "")
            }
            table.add(
                .init(product.id, .bold),
                .init(product.displayName.flatMap { catalog.text($0, locale: language) } ?? ""),
                .init(product.kind.rawValue),
                .init(product.period.map { "every \($0.iso8601)" } ?? ""),
                .init(prices.joined(separator: "; ")))
        }
        let json = catalog.json(locale: language, at: instant)
        try basic.output.show(json) { table.text($0, indent: 0) }
    }
}

extension Price {
    /// ` from 2027-01-01T00:00:00Z`; empty where it has no times.
    fileprivate var times: String {
        (startsAt.map { " from \(Words.time($0))" } ?? "")
            + (endsAt.map { " until \(Words.time($0))" } ?? "")
    }
}
