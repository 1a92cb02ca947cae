import DaybookEvents

/// The test store that a configuration file describes.
struct StoreKitSettings {
    /// A language tag such as `en-US`.
    let locale: String
    /// ISO 3166 of three letters.
    let storefront: String
    let currency: String

    /// What Xcode takes where the file says nothing.
    private static let defaults = (locale: "en_US", storefront: "USA")

    init(_ file: StoreKitNode) throws(EventProblem) {
        let settings = try file.node("settings")
        locale = Self.languageTag(try settings?.text("_locale") ?? Self.defaults.locale)
        let storefront = try settings?.text("_storefront") ?? Self.defaults.storefront
        self.storefront = storefront
        currency = Self.currencies[storefront] ?? "USD"
        if Self.currencies[storefront] == nil, let settings {
            settings.omit(
                "_storefront",
                "the currency of the storefront \(storefront) is not known here; prices are written in USD, correct them where they are not"
            )
        }
        settings?.finish("it steers Xcode's test store and says nothing of the app")
    }

    /// `en_US` is `en-US`, `zh_Hans_CN` is `zh-Hans-CN`.
    static func languageTag(_ locale: String) -> String { locale.replacing("_", with: "-") }

    /// In which currency the App Store of a country sells, where it is that of the country or dollars for certain.
    private static let currencies: [String: String] = {
        var table: [String: String] = [
            "USA": "USD", "CAN": "CAD", "MEX": "MXN", "BRA": "BRL", "CHL": "CLP", "COL": "COP",
            "PER": "PEN", "GBR": "GBP", "CHE": "CHF", "NOR": "NOK", "SWE": "SEK", "DNK": "DKK",
            "CZE": "CZK", "HUN": "HUF", "POL": "PLN", "ROU": "RON", "TUR": "TRY", "RUS": "RUB",
            "KAZ": "KZT", "ISR": "ILS", "SAU": "SAR", "ARE": "AED", "QAT": "QAR", "EGY": "EGP",
            "ZAF": "ZAR", "NGA": "NGN", "TZA": "TZS", "IND": "INR", "PAK": "PKR", "CHN": "CNY",
            "HKG": "HKD", "TWN": "TWD", "JPN": "JPY", "KOR": "KRW", "THA": "THB", "VNM": "VND",
            "MYS": "MYR", "SGP": "SGD", "IDN": "IDR", "PHL": "PHP", "AUS": "AUD", "NZL": "NZD",
        ]
        for country in [
            "AUT", "BEL", "HRV", "CYP", "EST", "FIN", "FRA", "DEU", "GRC", "IRL", "ITA", "LVA",
            "LTU", "LUX", "MLT", "NLD", "PRT", "SVK", "SVN", "ESP",
        ] {
            table[country] = "EUR"
        }
        return table
    }()
}
