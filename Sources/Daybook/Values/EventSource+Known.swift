import DaybookEvents

extension EventSource {
    /// Who tells, where that is this program's own word for it. In the order of their bytes.
    package static let own = [
        "apple_asn_v2", "apple_jws", "ledger", "native", "revenuecat", "revenuecat_subscriber",
    ]
    /// First parts of lines' names. In the order of their bytes.
    package static let stores = [
        "amazon", "apple", "google", "paddle", "promotional", "roku", "stripe",
    ]
    /// Of corrections that a newer reading of kept payloads made.
    static let reinterpretation = "reinterpret"
}
