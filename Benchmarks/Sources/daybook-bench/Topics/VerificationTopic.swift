/// What a notification costs beside its bare signatures.
extension Benchmark {
    var notifications: Topic {
        let count = String(scale.notifications)
        let bare = "swift-crypto, the signatures alone"
        return Topic(
            "App Store notifications",
            note: """
                \(Self.count(scale.notifications)) notifications with a transaction and a renewal \
                in them, so three signatures on P-256 and the hashes of what they sign, all \
                different. Verified means format, certificates, signatures, app and environment, \
                and all members read.
                """,
            share: 0.05,
            ways: [
                .init(bare) { try programs.runOurs("verify-bare", "-", count) },
                .init("AppStoreVerifier, chain remembered") {
                    try programs.runOurs("verify-warm", "-", count)
                },
                .init("AppStoreVerifier, chain verified anew") {
                    try programs.runOurs("verify-cold", "-", count)
                },
            ],
            tables: [
                [.rate("notifications"), .range, .ratio(to: bare, "of swift-crypto alone")]
            ])
    }
}
