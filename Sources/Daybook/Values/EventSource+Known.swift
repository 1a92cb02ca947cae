import DaybookEvents

extension EventSource {
    /// The source kinds that this program itself gives, in the order of their bytes.
    package static let own = [
        "apple_asn_v2", "apple_jws", "ledger", "native", "revenuecat", "revenuecat_subscriber",
    ]
    /// The first parts of the names of lineages, in the order of their bytes.
    package static let stores = [
        "amazon", "apple", "google", "paddle", "promotional", "roku", "stripe",
    ]
    /// The source kind of corrections that a newer reading of kept payloads made.
    static let reinterpretation = "reinterpret"
}
