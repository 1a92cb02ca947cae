import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting

/// The lineages and times that Nuzzle's tests speak of.
enum NuzzleFixture {
    static let yearly = LineageFixture("9000", product: "com.nestling.pro.yearly")
    static let monthly = LineageFixture("9100", product: "com.nestling.pro.monthly")
    static let day = LedgerFixture.day
    static let start = Fixtures.now
    static let trialEnd = Fixtures.now + 7 * day
    static let yearEnd = trialEnd + 365 * day
    static let pro = [
        "smartPredictions", "cryInsights", "aiAssistant", "todaysInsight", "advancedAnalytics",
    ]
    static let free = ["unlimitedLogging", "multiCaregiverSync", "dashboard", "basicReminders"]
    static let trialOffer: JSONObject = [
        "offer": ["type": "introductory", "discount": "free_trial", "period": "P7D"],
        "price_milli": 0,
    ]

    static func trial(_ lineage: LineageFixture = yearly) -> EventDraft {
        lineage.started("9001", from: start, until: trialEnd, trialOffer)
    }

    static func converted(_ lineage: LineageFixture = yearly) -> EventDraft {
        lineage.renewed(
            "9002", from: trialEnd, until: yearEnd, ["trial_conversion": true, "recovery": false])
    }

    static func month(_ transaction: String = "9101", from start: Int64 = start) -> EventDraft {
        monthly.started(transaction, from: start, until: start + 31 * day)
    }
}
