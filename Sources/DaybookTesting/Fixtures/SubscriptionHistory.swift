package import DaybookEvents

/// Subscriptions of Nuzzle over some months: trials, renewals, refunds, charges that fail, and breaks.
package enum SubscriptionHistory {
    private static let day: Int64 = 86_400_000
    private static let start = EventGenerator.start

    /// Histories of subscriptions at random: the same seed gives the same one.
    package static func drafts(_ seed: UInt64, customers: Int = 40) -> [EventDraft] {
        var random = SplitMix64(seed: seed)
        var drafts: [EventDraft] = []
        for number in 0..<customers {
            let name = "s\(number)"
            let isYearly = Int.random(in: 0..<4, using: &random) == 0
            let lineage = LineageFixture(
                name, product: "com.nestling.pro.\(isYearly ? "yearly" : "monthly")",
                subject: number % 9 == 0 ? nil : "c\(number)")
            var at = start + Int64.random(in: 0..<40, using: &random) * day
            for period in 0..<Int.random(in: 1...4, using: &random) {
                let end = at + (isYearly ? 365 : 30) * day
                let id = period == 0 ? name : "\(name)-\(period)"
                let isTrial = period == 0 && Bool.random(using: &random)
                // Some move, and of some no store tells where they are.
                let storefront = ["DEU", "USA", nil][(number + period / 2) % 3]
                let prices: [Int64] = [5_990, 3_990, 39_990]
                let milli = prices.randomElement(using: &random) ?? 5_990
                drafts.append(
                    period == 0
                        ? lineage.started(
                            id, from: at, until: end, price(milli, trial: isTrial, in: storefront))
                        : lineage.renewed(id, from: at, until: end, price(milli, in: storefront)))
                switch Int.random(in: 0..<6, using: &random) {
                case 0:
                    drafts.append(
                        lineage.refunded(
                            id, at: at + Int64.random(in: 1..<40, using: &random) * day))
                case 1:
                    // A store tries before the end: whether it will go through is not known then.
                    drafts.append(
                        lineage.billingFailed(at: end - day / 24, graceUntil: end + 16 * day))
                case 2: drafts.append(lineage.autoRenew(false, at: at + day))
                default: break
                }
                at = end + (Bool.random(using: &random) ? 0 : 20 * day)
            }
            drafts.append(
                .reported(
                    .appLaunched, at: at, key: "l\(number)",
                    subject: "c\(number)"))
        }
        return drafts
    }

    private static func price(
        _ milli: Int64, trial isTrial: Bool = false, in storefront: String?
    ) -> JSONObject {
        var data: JSONObject = ["price_milli": .integer(milli), "currency": "USD"]
        if let storefront { data["storefront"] = .string(storefront) }
        if isTrial {
            data["offer"] = ["type": "introductory", "discount": "free_trial"]
        }
        return data
    }
}
