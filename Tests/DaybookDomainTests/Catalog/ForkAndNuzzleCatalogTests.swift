import DaybookDomain
import Testing

@Suite("The catalog of Fork in the Road")
struct ForkCatalogTests {
    private let catalog: Catalog

    init() throws {
        catalog = try CatalogSamples.catalog(ofApp: "fork-in-the-road")
    }

    private func text(_ key: String?) -> String? {
        key.flatMap { catalog.text($0, locale: "en") }
    }

    @Test(
        "FR-08 Each of the twelve features is Premium only",
        arguments: [
            "unlimitedCollections", "unlimitedGroups", "tieredVoting", "fullHistory",
            "smsNotifications", "advancedFilters", "spotlightSiriWidgets", "adFree", "exportCSV",
            "groupAdminControls", "notesRatings", "customTags",
        ])
    func premium(_ name: String) throws {
        let feature = try #require(catalog.feature(named: name))
        #expect(!feature.isFree)
        #expect(feature.previewUses == 0)
        #expect(catalog.entitlement("premium")?.opens(name) == true)
        #expect(text(feature.descriptionText) != nil)
    }

    @Test("FR-07 FR-33 Search, random decisions and three channels are free")
    func free() {
        #expect(
            catalog.features.filter(\.isFree).map(\.name) == [
                "search", "personalDecision", "groupDecision", "history30d", "push", "email",
                "inApp", "ads",
            ])
    }

    @Test("FR-08 FR-09 The paywall's header and rows are the document's")
    func paywall() throws {
        let paywall = try #require(catalog.paywall(context: "usageLimitReached"))
        #expect(paywall == catalog.paywall(context: "featureRestricted"))
        #expect(paywall.slots.map(\.slot) == ["title", "subtitle", "restore"])
        #expect(
            paywall.slots.map { text($0.key) }
                == ["Upgrade to Premium", "Unlock unlimited features", "Restore Purchases"])
        let rows = paywall.benefits.map { [$0.icon, text($0.title), text($0.subtitle)] }
        #expect(
            rows == [
                ["infinity", "Unlimited Groups", "Free: 3 groups"],
                ["chart.bar", "Advanced Voting", "Tiered ranking system"],
                ["clock.arrow.circlepath", "Full History", "Free: 30 days only"],
                ["tag", "Custom Tags", "Organize your way"],
                ["arrow.down.doc", "Export Data", "Download your data"],
                ["speaker.slash", "Ad-Free", "No ads, ever"],
            ])
        #expect(catalog.metadata["termsURL"]?.hasPrefix("https://") == true)
        #expect(catalog.metadata["privacyURL"]?.hasPrefix("https://") == true)
    }

    @Test("FR-10 FR-11 Ads stand in two places and never at a decision or vote")
    func ads() throws {
        let search = try #require(catalog.ads.first { $0.name == "searchResults" })
        #expect(search.format == "banner")
        #expect(search.heightPoints == 50)
        #expect(search.hiddenBy == "adFree")
        let list = try #require(catalog.ads.first { $0.name == "collectionsList" })
        #expect(list.format == "native")
        #expect(list.everyNthItem == 5)
        #expect(list.unitTest != list.unitProduction)
        #expect(catalog.ads.filter { !$0.isEnabled }.map(\.name) == ["decision", "voting"])
    }

    @Test("FR-04 The history window rolls by the millisecond")
    func history() {
        #expect(catalog.meter(named: "history")?.windowMode == .rollingMilliseconds)
    }
}

@Suite("Nuzzle's catalog")
struct NuzzleCatalogTests {
    private let catalog: Catalog

    init() throws {
        catalog = try CatalogSamples.catalog(ofApp: "nuzzle")
    }

    @Test("NZ-01 Three cry insights are free, the other four features are not")
    func features() {
        #expect(catalog.feature(named: "cryInsights")?.meter == "cry_insights")
        let pro = catalog.entitlement("pro")?.features
        #expect(
            pro == [
                "smartPredictions", "cryInsights", "aiAssistant", "todaysInsight",
                "advancedAnalytics",
            ])
        #expect(
            catalog.features.filter(\.isFree).map(\.name)
                == ["unlimitedLogging", "multiCaregiverSync", "dashboard", "basicReminders"])
    }

    @Test("NZ-04 The five states are the document's, in the order that decides")
    func statuses() {
        #expect(
            catalog.statuses.map(\.status) == [
                "subscribed", "inGracePeriod", "inBillingRetryPeriod", "expired", "notSubscribed",
            ])
        #expect(
            catalog.statuses[2].condition == .state("pro", states: ["billing_retry"]))
        #expect(!catalog.policies.billingRetryAccess)
    }

    @Test("NZ-05 NZ-06 NZ-22 Only the yearly product has a trial, of seven days (T25)")
    func trial() {
        #expect(catalog.product("com.nestling.pro.monthly")?.introOffer == nil)
        #expect(
            catalog.product("com.nestling.pro.yearly")?.introOffer
                == IntroOffer(kind: .freeTrial, duration: CivilDuration(days: 7)))
        #expect(catalog.groups.map(\.name) == ["Nuzzle Pro"])
    }

    @Test("NZ-13 The funnel goes from the paywall over the trial to the first payment")
    func funnel() {
        #expect(
            catalog.funnel("paywall_to_paid")?.steps.map(\.event)
                == [.paywallShown, .subscriptionStarted, .subscriptionRenewed])
    }
}
