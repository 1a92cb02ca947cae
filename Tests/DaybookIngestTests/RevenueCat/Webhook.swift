import DaybookDomain
import DaybookEvents
import DaybookIngest
import Testing

/// Webhooks as RevenueCat posts them, made by hand.
enum Webhook {
    static let id = "8A6E9C1D-3B52-4F0E-9C77-0D5B1F2A3C4E"
    /// 2026-02-01T00:00:05Z: when it was made; what it tells of happened five seconds before.
    static let madeAt: Int64 = 1_769_904_005_000
    static let boughtAt: Int64 = 1_769_904_000_000
    static let endsAt: Int64 = 1_772_323_200_000

    /// What nearly every webhook has.
    static let common = #"""
        "id":"8A6E9C1D-3B52-4F0E-9C77-0D5B1F2A3C4E","event_timestamp_ms":1769904005000,
        "app_id":"app1a2b3c4d","app_user_id":"u_42","environment":"PRODUCTION"
        """#

    /// And what one about a subscription of the App Store has.
    static let subscription =
        common + #"""
            ,"original_app_user_id":"u_42","aliases":["u_42"],"product_id":"com.example.pro.monthly",
            "period_type":"NORMAL","purchased_at_ms":1769904000000,"expiration_at_ms":1772323200000,
            "entitlement_id":null,"entitlement_ids":["pro"],"presented_offering_id":"default",
            "transaction_id":"2000000900000002","original_transaction_id":"2000000900000001",
            "is_family_share":false,"country_code":"US","currency":"USD","price":4.99,
            "price_in_purchased_currency":4.99,"store":"APP_STORE","takehome_percentage":0.7,
            "tax_percentage":0.0,"commission_percentage":0.3,"offer_code":null
            """#

    static func payload(_ type: String, _ members: String = subscription) -> String {
        #"{"api_version":"1.0","event":{"type":"\#(type)",\#(members)}}"#
    }

    static func read(
        _ text: String, catalog: Catalog? = nil, environment: Environment = .production
    ) throws -> RevenueCatReading {
        try RevenueCatReader(catalog: catalog, environment: environment).read(Array(text.utf8))
    }

    static func read(type: String, _ members: String = subscription) throws -> RevenueCatReading {
        try read(payload(type, members))
    }

    /// The only event of a webhook.
    static func event(_ type: String, _ members: String = subscription) throws -> EventDraft {
        let reading = try read(type: type, members)
        try #require(reading.drafts.count == 1, "\(reading.drafts.map(\.type.rawValue))")
        return reading.drafts[0]
    }

    /// What is wrong with a payload.
    static func problem(_ text: String) throws -> LineProblem {
        try #require(throws: LineProblem.self) { try read(text) }
    }
}

extension EventDraft {
    /// The payload's members that no field of ours says.
    var payload: JSONObject? { data["revenuecat"]?.object?["event"]?.object }
    /// The data without what was kept of the payload.
    var fields: JSONObject {
        var data = data
        data["revenuecat"] = nil
        return data
    }
}
