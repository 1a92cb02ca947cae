import Daybook
import DaybookDomain
import DaybookEvents

/// What the app sells and says, from the newest catalog.
extension RouteTable {
    private static let readers: Set<Scope> = Set(Scope.allCases)

    static let catalogRoutes: [Route] = [
        Route(
            .get, "/v1/{app}/products", "products",
            "List what the app sells, with names, prices, paywalls and the app's own texts.",
            for: readers, products),
        Route(
            .get, "/v1/{app}/paywalls/{context}", "paywall",
            "Show what one paywall says.", for: readers, paywall),
        Route(
            .get, "/v1/{app}/catalogs", "catalogs", "List the published catalogs.",
            for: [.support, .analyst, .admin], catalogs),
        Route(
            .get, "/v1/{app}/catalogs/{version}", "catalog",
            "Show a published catalog: its document, as it was published. Version: a number, or newest.",
            for: [.support, .analyst, .admin], catalog),
        Route(
            .get, "/v1/{app}/catalogs/{version}/difference", "catalogDifference",
            "Show what a published catalog says otherwise than an earlier one: \"from\".",
            for: [.support, .analyst, .admin], catalogDifference),
    ]

    @Sendable
    private static func products(_ call: inout RouteCall) throws -> Answer {
        let locale = try call.fields.text("locale")
        let moment = try call.fields.moment()
        let json = try call.asking { ledger in
            let catalog = try newest(of: ledger, knownAt: moment.knownAt)
            return catalog.json(
                locale: locale ?? catalog.defaultLocale, at: moment.at ?? SystemClock.now())
        }
        return .tagged(json, ifNoneMatch: call.headers[.ifNoneMatch])
    }

    @Sendable
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
        return .tagged(paywall, ifNoneMatch: call.headers[.ifNoneMatch])
    }

    @Sendable
    private static func catalogs(_ call: inout RouteCall) throws -> Answer {
        let knownAt = try call.fields.knowledge("known_at")
        return .tagged(
            try call.asking { try $0.catalogs(knownAt: knownAt) }.json,
            ifNoneMatch: call.headers[.ifNoneMatch])
    }

    @Sendable
    private static func catalog(_ call: inout RouteCall) throws -> Answer {
        let version = call.part("version")
        let knownAt = try call.fields.knowledge("known_at")
        let json = try call.asking { ledger in
            guard version == "newest" || knownAt == nil else {
                throw Problem(
                    .unprocessableContent, "version_alone",
                    "a version is what was published, always; leave out \"known_at\"")
            }
            let newest = try ledger.catalogs(knownAt: knownAt).newest?.version
            guard let number = version == "newest" ? newest : Int64(version) else {
                throw Problem.notFound(
                    "unknown_version", "\(ShownText.escaped(version)) is no version of a catalog")
            }
            do {
                let (published, document) = try ledger.catalogDocument(version: number)
                return published.json(with: document)
            } catch LedgerError.badInput(let problems)
                where problems.first?.code == "unknown_version"
            {
                throw Problem.notFound("unknown_version", problems[0].reason)
            }
        }
        return .tagged(json, ifNoneMatch: call.headers[.ifNoneMatch])
    }

    @Sendable
    private static func catalogDifference(_ call: inout RouteCall) throws -> Answer {
        let version = call.part("version")
        guard let from = try call.fields.integer("from") else {
            throw RequestFields.missing("from")
        }
        let json = try call.asking { ledger in
            let newest = try ledger.catalogs().newest?.version
            guard let to = version == "newest" ? newest : Int64(version) else {
                throw Problem.notFound(
                    "unknown_version", "\(ShownText.escaped(version)) is no version of a catalog")
            }
            return try ledger.catalogDifference(from: from, to: to).json
        }
        return .tagged(json, ifNoneMatch: call.headers[.ifNoneMatch])
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
