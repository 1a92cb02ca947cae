import DaybookDomain
import Testing

@Suite("The catalog of Magical Stories")
struct MagicalStoriesCatalogTests {
    private let catalog: Catalog

    init() throws {
        catalog = try CatalogSamples.catalog(ofApp: "magical-stories")
    }

    private func text(_ key: String?, _ arguments: [String: String] = [:]) -> String? {
        key.flatMap { catalog.text($0, locale: "en", arguments: arguments) }
    }

    @Test(
        "MS-24 to MS-31 A locked feature says the document's words",
        arguments: [
            ("unlimitedStoryGeneration", "Create unlimited magical stories"),
            ("growthPathCollections", "Access developmental story collections"),
            ("multipleChildProfiles", "Add profiles for all your children"),
            ("advancedIllustrations", "Get premium visual consistency"),
            ("priorityGeneration", "Skip the wait with priority generation"),
            ("offlineReading", "Read stories without internet"),
            ("parentalAnalytics", "Track your child's reading progress"),
            ("customThemes", "Create custom story themes"),
        ])
    func locked(_ name: String, _ expected: String) throws {
        let feature = try #require(catalog.feature(named: name))
        #expect(text(feature.lockedText) == expected)
        #expect(feature.recordsDenials)
        #expect(catalog.entitlement("premium")?.opens(name) == true)
    }

    @Test(
        "MS-32 to MS-36 A free feature says the document's words",
        arguments: [
            ("basicStoryGeneration", "Generate 3 stories per month"),
            ("storyLibrary", "Access your story library"),
            ("basicReading", "Read stories with standard features"),
            ("singleChildProfile", "One child profile"),
            ("basicSettings", "Basic parental controls"),
        ])
    func free(_ name: String, _ expected: String) throws {
        let feature = try #require(catalog.feature(named: name))
        #expect(text(feature.descriptionText) == expected)
        #expect(feature.isFree || feature.meter == "stories")
    }

    @Test(
        "MS-37 Older names resolve to the canonical feature (T15)",
        arguments: [
            ("growthCollections", "growthPathCollections"),
            ("unlimitedGeneration", "unlimitedStoryGeneration"),
            ("unlimitedStories", "unlimitedStoryGeneration"),
            ("multipleProfiles", "multipleChildProfiles"),
            ("advancedAnalytics", "parentalAnalytics"),
        ])
    func alias(_ alias: String, _ name: String) {
        #expect(catalog.feature(named: alias)?.name == name)
    }

    @Test("MS-01 MS-02 The stories meter says the document's words")
    func stories() throws {
        let meter = try #require(catalog.meter(named: "stories"))
        #expect(text(meter.statusText, ["used": "0", "limit": "3"]) == "Stories this month: 0/3")
        #expect(text(meter.limitReachedTitle) == "You've used all your free stories this month!")
        #expect(
            text(meter.limitReachedText) == "Upgrade to Premium for unlimited magical adventures")
        let paywall = try #require(catalog.paywall(context: meter.paywallContext ?? ""))
        let shown = Dictionary(uniqueKeysWithValues: paywall.slots.map { ($0.slot, text($0.key)) })
        #expect(shown["cta"] == "Upgrade to Premium")
        #expect(shown["dismiss"] == "Maybe Later")
    }

    @Test("MS-21 MS-22 A refused collection or child names the restricted feature")
    func contexts() {
        #expect(
            catalog.meter(named: "child_profiles")?.paywallContext
                == "featureRestricted(multipleChildProfiles)")
        #expect(catalog.meter(named: "child_profiles")?.countsProfiles == "child")
        #expect(catalog.meter(named: "collections")?.requires == "growthPathCollections")
        #expect(
            catalog.paywall(context: "featureRestricted(offlineReading)")?.context
                == "featureRestricted")
    }

    @Test("MS-38 There is a paywall for each of the document's contexts")
    func paywalls() {
        #expect(
            catalog.paywalls.map(\.context)
                == ["usageLimitReached", "featureRestricted", "onboarding", "settings"])
        #expect(catalog.paywalls.allSatisfy { $0.products.count == 2 })
    }

    @Test("MS-13 MS-14 Prices and status words are the document's")
    func statuses() {
        let monthly = catalog.product("com.magicalstories.premium.monthly")
        let yearly = catalog.product("com.magicalstories.premium.yearly")
        #expect(text(monthly?.displayPrice) == "$8.99/month")
        #expect(text(yearly?.displayPrice) == "$89.99/year")
        #expect(
            Set(catalog.statuses.map(\.status))
                == ["free", "premiumMonthly", "premiumYearly", "expired"])
    }

    @Test("MS-39 Both products list the six features")
    func featureList() {
        for product in catalog.products {
            #expect(
                product.featureList.map { text($0) } == [
                    "Unlimited story generation", "Growth Path Collections",
                    "Advanced illustration features", "Multiple child profiles",
                    "Parental controls & analytics", "Priority generation speed",
                ])
        }
    }

    @Test("MS-40 Both products offer seven free days (T17)")
    func trial() {
        let offer = IntroOffer(kind: .freeTrial, duration: CivilDuration(days: 7))
        #expect(catalog.products.map(\.introOffer) == [offer, offer])
    }

    @Test("MS-43 The onboarding funnel has every step in order")
    func onboarding() {
        let steps = catalog.funnel("onboarding")?.steps ?? []
        #expect(
            steps.compactMap(\.context) == [
                "welcome", "aiPowered", "personalized", "developmental", "illustrations",
                "childInfo",
                "theme", "character", "generating", "completed", "results", "premiumPreview",
                "trialOffer",
            ])
        #expect(steps.first?.event == .onboardingStarted)
        #expect(steps.last?.event == .onboardingCompleted)
    }

    @Test("MS-49 MS-51 MS-52 MS-53 The targets are the document's")
    func kpis() {
        let targets = Dictionary(
            uniqueKeysWithValues: catalog.kpis.map { ($0.name, $0.targetMilli) })
        #expect(targets["onboardingToSubscription"] == 150)
        #expect(targets["trialToPaid"] == 600)
        #expect(targets["monthlyChurn"] == 50)
        #expect(targets["onboardingCompletion"] == 800)
        #expect(
            catalog.funnel("onboarding_to_subscription")?.windowMilliseconds == 2_592_000_000)
    }

    @Test("MS-66 Titles, teasers, trust and buttons of the onboarding are the document's")
    func onboardingCopy() throws {
        let paywall = try #require(catalog.paywall(context: "onboarding"))
        let slots = paywall.slots.compactMap { text($0.key) }
        for expected in [
            "Welcome to Magical Stories", "AI-Powered Storytelling", "Personalized for Your Child",
            "Growth Path Collections", "Beautiful Illustrations", "secure payment",
            "cancel anytime",
            "Continue to App", "Unlock More Features", "Create Growth Collection",
            "7-day free trial",
        ] {
            #expect(slots.contains(expected))
        }
        #expect(
            paywall.benefits.compactMap { text($0.subtitle) } == [
                "Help your child develop emotional intelligence with themed story sets",
                "Create as many magical adventures as your imagination allows",
                "Perfect for families with multiple children",
                "Priority generation and premium illustrations",
            ])
        #expect(catalog.metadata["termsURL"] != nil)
        #expect(catalog.metadata["privacyURL"] != nil)
    }

    @Test("MS-63 Subscriptions are managed at Apple's page")
    func management() {
        #expect(catalog.policies.managementURL == "https://apps.apple.com/account/subscriptions")
    }
}
