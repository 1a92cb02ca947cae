import Daybook
import DaybookDomain
import DaybookEvents

/// What the app sells and says, from the newest catalog.
extension RouteTable {
    static let catalogRoutes: [Route] = [
        Route(
            .get, "/v1/{app}/products", "products",
            "List what the app sells, with names, prices, paywalls and the app's own texts.",
            for: Set(Scope.allCases), products),
        Route(
            .get, "/v1/{app}/paywalls/{context}", "paywall",
            "Show what one paywall says.", for: Set(Scope.allCases), paywall),
        Route(
            .get, "/v1/{app}/catalogs", "catalogs", "List the published catalogs.",
            for: readers, catalogs),
        Route(
            .get, "/v1/{app}/catalogs/{version}", "catalog",
            "Show a published catalog: its document, as it was published. Version: a number, or newest.",
            for: readers, catalog),
        Route(
            .get, "/v1/{app}/catalogs/{version}/difference", "catalogDifference",
            "Show what a published catalog says otherwise than an earlier one: \"from\".",
            for: readers, catalogDifference),
    ]

    private static func products(_ call: inout RouteCall) throws -> Answer {
        let locale = try call.fields.text("locale")
        let moment = try call.fields.moment()
        let json = try call.asking { ledger in
            let catalog = try newest(of: ledger, knownAt: moment.knownAt)
            return catalog.json(
                locale: locale ?? catalog.defaultLocale, at: moment.at ?? SystemClock.now())
        }
        return call.tagged(json)
    }

    private static func paywall(_ call: inout RouteCall) throws -> Answer {
        let context = call.part("context")
        let locale = try call.fields.text("locale")
        let moment = try call.fields.moment()
        let paywall = try call.asking { ledger in
            let catalog = try newest(of: ledger, knownAt: moment.knownAt)
            let json = catalog.json(
                locale: locale ?? catalog.defaultLocale, at: moment.at ?? SystemClock.now())
            // A context without a paywall of its own has the more general one, as where a check names it.
            return catalog.paywall(context: context).flatMap {
                json["paywalls"]?.object?[$0.context]?.object
            }
        }
        guard let paywall else {
            throw Problem.notFound(
                "unknown_paywall", "the catalog has no paywall \(ShownText.escaped(context))")
        }
        return call.tagged(paywall)
    }

    private static func catalogs(_ call: inout RouteCall) throws -> Answer {
        let knownAt = try call.fields.knowledge("known_at")
        return call.tagged(try call.asking { try $0.catalogs(knownAt: knownAt) }.json)
    }

    private static func catalog(_ call: inout RouteCall) throws -> Answer {
        let version = call.part("version")
        let knownAt = try call.fields.knowledge("known_at")
        let json = try call.asking { ledger in
            try Problem.require(
                version == "newest" || knownAt == nil, "version_alone",
                "a version is what was published, always; leave out \"known_at\"")
            let number = try number(of: version, ledger, knownAt: knownAt)
            do {
                let (published, document) = try ledger.catalogDocument(version: number)
                return published.json(with: document)
            } catch LedgerError.badInput(let problems)
                where problems.first?.code == "unknown_version"
            {
                throw Problem.notFound("unknown_version", problems[0].reason)
            }
        }
        return call.tagged(json)
    }

    private static func catalogDifference(_ call: inout RouteCall) throws -> Answer {
        let version = call.part("version")
        let from = try RequestFields.needed("from", try call.fields.integer("from"))
        let json = try call.asking { ledger in
            try ledger.catalogDifference(from: from, to: try number(of: version, ledger)).json
        }
        return call.tagged(json)
    }

    /// - Parameter version: A number, or "newest".
    private static func number(
        of version: String, _ ledger: Ledger, knownAt: Moment.Knowledge? = nil
    ) throws -> Int64 {
        let newest = try ledger.catalogs(knownAt: knownAt).newest?.version
        guard let number = version == "newest" ? newest : Int64(version) else {
            throw Problem.notFound(
                "unknown_version", "\(ShownText.escaped(version)) is no version of a catalog")
        }
        return number
    }

    static func newest(
        of ledger: Ledger, knownAt: Moment.Knowledge? = nil
    ) throws -> Catalog {
        guard let catalog = try ledger.catalogs(knownAt: knownAt).newest?.catalog else {
            throw Problem.notFound(
                "no_catalog",
                knownAt == nil ? "the ledger has no catalog" : "the ledger had no catalog then")
        }
        return catalog
    }
}
