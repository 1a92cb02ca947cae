import DaybookDomain
import DaybookEvents

/// Turns Xcode's StoreKit configuration files (formats 1.0 to 5.0) into catalogs.
///
/// ```
/// {"version": {"major", "minor"}, "identifier", "settings": {"_locale", "_storefront", …},
///  "products": [PRODUCT…], "nonRenewingSubscriptions": [PRODUCT…],
///  "subscriptionGroups": [{"id", "name", "localizations", "subscriptions": [PRODUCT…]}…], …}
/// PRODUCT: {"productID", "type", "displayPrice", "familyShareable", "referenceName",
///           "localizations": [{"locale", "displayName", "description"}…],
///           of subscriptions "groupNumber", "recurringSubscriptionPeriod", "introductoryOffer", …}
/// ```
/// Prices are decimals in text and stay so; they never pass through floating point. The file says neither what a
/// product opens nor in which currency it is sold: the first is for people to add, the second is that of the
/// storefront that the file tests with.
public enum StoreKitConfigurationReader {
    /// A larger file is refused unread.
    public static let byteCountMax = 1 << 22
    /// The newest format whose members are all known; what a newer one adds is listed as not carried over.
    static let newestMajor: Int64 = 5

    /// Reads one file.
    /// - Parameter app: The name of the catalog's app, which the file does not say.
    /// - Throws: The first thing that is wrong, with line, column, member and reason.
    public static func read(_ bytes: [UInt8], app: String) throws(LineProblem) -> StoreKitImport {
        guard bytes.count <= byteCountMax else {
            throw LineProblem(
                line: 1, column: 1, code: EventProblem.Code.tooLarge.rawValue,
                reason: "the file has \(bytes.count) bytes, more than \(byteCountMax)", bytes: [])
        }
        let text = NDJSONReader.withoutByteOrderMark(bytes)
        let json = try LineProblem.json(text, kept: [])
        do throws(EventProblem) {
            return try imported(json, app: app)
        } catch {
            throw LineProblem(payload: text, firstLine: 1, error)
        }
    }

    private static func imported(
        _ json: JSONValue, app: String
    ) throws(EventProblem) -> StoreKitImport {
        guard let object = json.object else {
            throw EventProblem(
                .wrongType, "version",
                "a StoreKit configuration is an object, not \(json.kindName)")
        }
        let report = StoreKitNode.Report()
        let file = StoreKitNode(object, path: "", report: report)
        let format = try version(file)
        let settings = try StoreKitSettings(file)
        let products = try StoreKitProducts(file, settings)
        file.ignore("identifier")
        file.omit("appPolicies", "policies and licences are no part of a catalog")
        file.omit(
            "subscriptionOffersKeyPair",
            "a key that signs offers in tests; a catalog is published and holds no secrets")
        file.finish()
        let catalog = StoreKitCatalogText(app: app, settings: settings, products: products).text
        try check(catalog)
        return StoreKitImport(
            format: format, catalog: catalog, productCount: products.products.count,
            notCarried: report.omissions)
    }

    private static func version(_ file: StoreKitNode) throws(EventProblem) -> String {
        guard let version = try file.node("version"), let major = try version.integer("major")
        else {
            throw EventProblem(
                .missingField, "version",
                "a StoreKit configuration says its version; is this one, as Xcode saved it?")
        }
        guard major >= 1 else {
            throw EventProblem(.outOfBounds, "version.major", "there is no format \(major)")
        }
        let minor = try version.integer("minor") ?? 0
        if major > newestMajor {
            version.omit(
                "format \(major).\(minor) is newer than \(newestMajor).0; look whether all that matters is there"
            )
        }
        version.finish()
        return "\(major).\(minor)"
    }

    /// Whatever stands in the file, what comes out is a catalog.
    private static func check(_ catalog: String) throws(EventProblem) {
        do throws(CatalogProblems) {
            _ = try CatalogReader.read(Array(catalog.utf8))
        } catch {
            let first = error.problems[0]
            throw EventProblem(
                .forbidden, first.path.isEmpty ? "products" : first.path,
                "cannot be said in a catalog: \(first.sentence) \(first.remedy)")
        }
    }
}
