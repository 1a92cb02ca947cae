public import DaybookDomain
public import DaybookEvents

/// The apps' own event names on the way in and out (rule 27). An analytics name never becomes a store fact.
public enum EventAliases {
    struct Alias {
        let app: String
        let type: String
        /// Members of `data` that the name implies.
        let implied: [(name: String, value: JSONValue)]
        /// Members that the app calls otherwise: theirs, ours.
        let renamed: [(theirs: String, ours: String)]

        init(
            _ app: String, _ type: String, implied: [(String, JSONValue)] = [],
            renamed: [(String, String)] = []
        ) {
            self.app = app
            self.type = type
            self.implied = implied.map { (name: $0.0, value: $0.1) }
            self.renamed = renamed.map { (theirs: $0.0, ours: $0.1) }
        }
    }

    static let table: [Alias] = [
        Alias("paywallShown", "paywall.shown"), Alias("paywall_viewed", "paywall.shown"),
        Alias("paywallDismissed", "paywall.dismissed"),
        Alias("purchaseStarted", "checkout.started", renamed: [("productId", "product")]),
        Alias("purchaseCompleted", "checkout.completed", renamed: [("productId", "product")]),
        Alias("subscriptionPurchased", "checkout.completed", renamed: [("productId", "product")]),
        Alias("subscription_purchased", "checkout.completed", renamed: [("productId", "product")]),
        Alias("purchaseFailed", "checkout.failed", renamed: [("productId", "product")]),
        Alias(
            "storyCreatedFree", "usage.recorded", implied: [("meter", "stories"), ("amount", 1)],
            renamed: [("storyId", "ref")]),
        Alias(
            "storyCreatedPremium", "usage.recorded",
            implied: [("meter", "stories"), ("amount", 1), ("covered_by", "unlimited")],
            renamed: [("storyId", "ref")]),
        Alias("onboardingStarted", "onboarding.started"),
        Alias("onboardingCompleted", "onboarding.completed"),
        Alias("firstStoryGenerated", "milestone.reached", implied: [("name", "first_story")]),
        Alias("premiumFeatureViewed", "feature.viewed"),
        Alias("usageLimitReached", "limit.reached", implied: [("meter", "stories")]),
        Alias("featureRestricted", "feature.restricted"), Alias("appLaunched", "app.launched"),
    ]

    private static let byName: [String: Alias] = Dictionary(
        table.map { ($0.app, $0) }, uniquingKeysWith: { first, _ in first })

    /// Every name of an app's own that has one of ours.
    package static var names: Set<String> { Set(byName.keys) }

    /// The event under our name; anything else comes back as it is, data that are no object too: `EventJSON.draft`
    /// refuses them.
    public static func canonical(_ json: JSONValue) -> JSONValue {
        guard var object = json.object, let alias = byName[object["type"]?.text ?? ""] else {
            return json
        }
        // A line that an export derived from store facts comes back as itself, and is skipped like them.
        if object["derived_from"] != nil { return json }
        object["type"] = .string(alias.type)
        var data: JSONObject
        switch object["data"] {
        case nil, .null: data = JSONObject()
        case .object(let given): data = given
        default: return .object(object)
        }
        for (theirs, ours) in alias.renamed {
            if let value = data[theirs], data[ours] == nil {
                data[ours] = value
                data[theirs] = nil
            }
        }
        for (name, value) in alias.implied where data[name] == nil { data[name] = value }
        object["data"] = .object(data)
        return .object(object)
    }

    /// The names of each app's own documents: what one app calls `purchaseCompleted`, another calls
    /// `subscriptionPurchased`.
    private static let documented: [String: Set<String>] = [
        "dozzi": [
            "paywallShown", "paywallDismissed", "purchaseStarted", "purchaseCompleted",
            "purchaseFailed", "storyCreatedFree", "storyCreatedPremium", "appLaunched",
        ],
        "magical-stories": [
            "onboardingStarted", "onboardingCompleted", "firstStoryGenerated",
            "premiumFeatureViewed", "paywallShown", "subscriptionPurchased", "usageLimitReached",
            "featureRestricted",
        ],
        "nuzzle": ["paywall_viewed"],
    ]

    /// What an app's documents call the milestones of a subscription, which are derived from store facts on the way
    /// out (NZ-13).
    private static let derived: [String: [SubscriptionMilestone.Kind: String]] = [
        "nuzzle": [
            .purchased: "subscription_purchased", .trialStarted: "subscription_trial_started",
            .activated: "subscription_activated", .renewed: "subscription_renewed",
            .canceled: "subscription_cancelled",
        ]
    ]

    /// The names that an app has for the milestones of a subscription; empty where it has none.
    public static func milestoneNames(app: String) -> [SubscriptionMilestone.Kind: String] {
        derived[app] ?? [:]
    }

    /// The name that an app has for one of our types; `nil` where it has none.
    public static func appName(of type: String, data: JSONObject, app: String) -> String? {
        guard let own = documented[app] else { return nil }
        if type == "usage.recorded" {
            guard data["meter"]?.text == "stories", own.contains("storyCreatedFree") else {
                return nil
            }
            return data["covered_by"] == nil ? "storyCreatedFree" : "storyCreatedPremium"
        }
        let alias = table.first { candidate in
            candidate.type == type && own.contains(candidate.app)
                && candidate.implied.allSatisfy { data[$0.name] == $0.value }
        }
        return alias?.app
    }
}
