import Daybook
import DaybookDomain
import DaybookFixtures
import DaybookIngest
import DaybookTesting
import Testing

/// Nuzzle's Pro, a month of it, as a subscriber document of RevenueCat tells it.
enum SubscriberMonth {
    /// Nuzzle's month from 2026-01-01 to 2026-02-01, in its first period.
    static func month(_ changes: [String: String] = [:]) -> String {
        var members = [
            "purchase_date": #""2026-01-01T00:00:00Z""#,
            "original_purchase_date": #""2026-01-01T00:00:01Z""#,
            "expires_date": #""2026-02-01T00:00:00Z""#, "store": #""app_store""#,
            "store_transaction_id": #""9100""#, "is_sandbox": "false",
            "ownership_type": #""PURCHASED""#, "period_type": #""normal""#,
            "unsubscribe_detected_at": "null", "billing_issues_detected_at": "null",
            "grace_period_expires_date": "null", "refunded_at": "null",
        ]
        members.merge(changes) { $1 }
        return "{"
            + members.keys.sorted().map { "\"\($0)\":\(members[$0] ?? "null")" }
            .joined(separator: ",") + "}"
    }

    /// What is bought.
    static let product = "com.nestling.pro.monthly"

    /// - Parameter hours: After noon of 2026-01-15, when the document was made.
    static func document(
        _ subscriptions: String, once: String = "", of subject: String = "ada", hours: Int64 = 0
    ) -> [UInt8] {
        Array(
            """
            {"request_date_ms":\(Fixtures.now + hours * LedgerFixture.hour),"subscriber":{
            "original_app_user_id":"\(subject)","first_seen":"2025-12-01T00:00:00Z",
            "last_seen":"2026-01-15T00:00:0\(hours % 10)Z","entitlements":{},
            "subscriptions":{\(subscriptions)},"non_subscriptions":{\(once)}}}
            """.utf8)
    }

    /// A document of nothing but the month.
    static func monthly(_ changes: [String: String] = [:], hours: Int64 = 0) -> [UInt8] {
        document("\"\(product)\":\(month(changes))", hours: hours)
    }

    /// Pro as a promotion that ends at a time of RFC 3339.
    static func promotion(until end: String, hours: Int64) -> [UInt8] {
        let month = month([
            "store": #""promotional""#, "period_type": #""promotional""#,
            "expires_date": "\"\(end)\"", "store_transaction_id": #""a42db3af""#,
        ])
        return document("\"rc_promo_pro_monthly\":\(month)", hours: hours)
    }
}

extension LedgerFixture {
    /// Takes in documents one after the other; none may be refused.
    /// - Returns: Of the last one.
    @discardableResult
    func take(
        _ payloads: [UInt8]..., sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> IngestReceipt {
        var last = IngestReceipt()
        for payload in payloads {
            last = try await ledger.ingestRevenueCatSubscriber(payload)
            #expect(last.refused == [], sourceLocation: sourceLocation)
        }
        return last
    }

    /// State, access and renewal of Pro.
    func pro(at time: Int64? = nil) throws -> String {
        let answer = try #require(try entitlement("pro", at: time))
        return "\(answer.state.rawValue) \(answer.isActive ? "on" : "off") "
            + (answer.willRenew ? "renews" : "ends")
    }
}
