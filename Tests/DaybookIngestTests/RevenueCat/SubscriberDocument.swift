import DaybookDomain
import DaybookEvents
import DaybookIngest
import Testing

/// Subscriber documents as RevenueCat's REST API answers them, made by hand.
enum SubscriberDocument {
    /// 2026-02-01T00:00:05.250Z.
    static let madeAt: Int64 = 1_769_904_005_250
    /// 2026-01-15T00:00:00Z and 2026-02-15T00:00:00Z.
    static let boughtAt: Int64 = 1_768_435_200_000
    static let endsAt: Int64 = 1_771_113_600_000
    /// 2025-12-01T00:00:00Z.
    static let firstSeenAt: Int64 = 1_764_547_200_000

    /// A month that runs, in its first period; members may say something else, and one of `nil` is left out.
    static func subscription(_ changes: [String: String?] = [:]) -> String {
        object(
            [
                "purchase_date": #""2026-01-15T00:00:00Z""#,
                "original_purchase_date": #""2026-01-15T00:00:01Z""#,
                "expires_date": #""2026-02-15T00:00:00Z""#, "store": #""app_store""#,
                "store_transaction_id": #""2000000900000001""#, "is_sandbox": "false",
                "ownership_type": #""PURCHASED""#, "period_type": #""normal""#,
                "price": #"{"amount":5.99,"currency":"USD"}"#, "unsubscribe_detected_at": "null",
                "billing_issues_detected_at": "null", "grace_period_expires_date": "null",
                "refunded_at": "null", "auto_resume_date": "null",
            ], changes)
    }

    /// Something that was bought once.
    static func once(_ changes: [String: String?] = [:]) -> String {
        object(
            [
                "id": #""a2e80e6a43""#, "purchase_date": #""2026-01-15T00:00:00Z""#,
                "original_purchase_date": #""2026-01-15T00:00:00Z""#, "store": #""app_store""#,
                "store_transaction_id": #""2000000900000009""#, "is_sandbox": "false",
            ], changes)
    }

    private static func object(_ base: [String: String], _ changes: [String: String?]) -> String {
        var members = base
        for (name, value) in changes { members[name] = value }
        return "{"
            + members.keys.sorted().map { "\"\($0)\":\(members[$0] ?? "null")" }
            .joined(separator: ",") + "}"
    }

    /// A whole document; each argument is what stands between the braces of its member.
    static func document(
        _ subscriptions: String = "", once: String = "", entitlements: String = "",
        customer: String = #""u_42""#, _ more: String = "", top: String = ""
    ) -> String {
        """
        {"request_date":"2026-02-01T00:00:05Z","request_date_ms":1769904005250\(top),
        "subscriber":{"original_app_user_id":\(customer),"first_seen":"2025-12-01T00:00:00Z",
        "last_seen":"2026-01-31T00:00:00Z","management_url":null,
        "subscriptions":{\(subscriptions)},"non_subscriptions":{\(once)},
        "entitlements":{\(entitlements)}\(more)}}
        """
    }

    static func monthly(_ changes: [String: String?] = [:]) -> String {
        document("\"pro.monthly\":" + subscription(changes))
    }

    static func read(
        _ text: String, catalog: Catalog? = nil, environment: Environment = .production,
        subject: String? = nil
    ) throws -> RevenueCatSubscriberReading {
        try RevenueCatSubscriberReader(
            catalog: catalog, environment: environment, subject: subject
        ).read(Array(text.utf8))
    }

    /// The events besides the customer's own and those that only take something back.
    static func told(_ text: String, catalog: Catalog? = nil) throws -> [EventDraft] {
        try read(text, catalog: catalog).events.filter {
            $0.type != .subjectCreated && !RevenueCatSubscriberReader.isRestatement($0)
        }
    }

    /// What is wrong with a document.
    static func problem(_ text: String) throws -> LineProblem {
        try #require(throws: LineProblem.self) { try read(text) }
    }
}
