import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import Testing

/// Aliases, transfers, what RevenueCat gives, and what must not be kept.
@Suite("RevenueCat: customers, grants and personal data")
struct WebhookCustomerTests {
    @Test("The other names of a customer are aliases of the one that is not made up")
    func aliases() throws {
        let anonymous = "$RCAnonymousID:8069238d6049ce87cc529853916d624c"
        let members = Webhook.subscription
            .replacing(
                #""aliases":["u_42"]"#, with: #""aliases":["\#(anonymous)","u_42","old-42"]"#
            )
            .replacing(#""original_app_user_id":"u_42""#, with: #""original_app_user_id":"first""#)
        for (name, subject) in [("u_42", "u_42"), (anonymous, anonymous)] {
            let text = Webhook.payload(
                "RENEWAL",
                members.replacing(#""app_user_id":"u_42""#, with: #""app_user_id":"\#(name)""#))
            let reading = try Webhook.read(text)
            #expect(reading.events.map(\.subject) == [subject])
            let shown = name == anonymous ? "first" : "u_42"
            let others = [anonymous, "first", "old-42", "u_42"].filter { $0 != shown }
            #expect(reading.aliases.map { $0.data["alias"]?.text } == others)
            for alias in reading.aliases {
                #expect(alias.type == .subjectAliased)
                #expect(alias.data["canonical"] == .string(shown))
                #expect(alias.source.key == "\(Webhook.id)#alias/\(alias.subject ?? "")")
            }
            #expect(reading.events[0].payload?["aliases"] == nil)
        }
    }

    @Test("Guests and addresses become no customer's alias, and are told to be left out")
    func junkAliases() throws {
        let members = Webhook.subscription
            .replacing(#"["u_42"]"#, with: #"["guest","ann@example.com","u_43"]"#)
        let reading = try Webhook.read(type: "RENEWAL", members)
        #expect(reading.aliases.map { $0.data["alias"]?.text } == ["u_43"])
        #expect(reading.leftOut == ["event.aliases[1]", "event.aliases[0]"])
        #expect(!reading.drafts.contains { $0.data.canonicalBytes.has("ann@") })
    }

    @Test("A webhook of aliases alone is aliases, with the payload on the first")
    func aliasWebhook() throws {
        let members = Webhook.common + #","aliases":["a-1","u_42"],"original_app_user_id":"a-1""#
        let reading = try Webhook.read(type: "SUBSCRIBER_ALIAS", members)
        #expect(reading.events.isEmpty)
        #expect(reading.drafts.map(\.type.rawValue) == ["subject.aliased"])
        #expect(reading.drafts[0].payload?["app_id"] == "app1a2b3c4d")
    }

    private static let transfer =
        #""id":"T-1","event_timestamp_ms":1769904005000,"app_id":"app","store":"APP_STORE","#

    @Test(
        "A transfer moves everything from each name of one side to the other, without a customer of its own"
    )
    func transfer() throws {
        let names =
            #""transferred_from":["$RCAnonymousID:1","u_1"],"transferred_to":["$RCAnonymousID:2","u_2"]"#
        let reading = try Webhook.read(type: "TRANSFER", Self.transfer + names)
        #expect(reading.aliases.isEmpty)
        #expect(
            reading.drafts.map(\.type.rawValue) == ["purchase.transferred", "purchase.transferred"])
        #expect(reading.drafts.map { $0.data["from"]?.text } == ["$RCAnonymousID:1", "u_1"])
        #expect(reading.drafts.allSatisfy { $0.data["to"] == "u_2" })
        #expect(reading.drafts.allSatisfy { $0.data["original_transaction_id"] == nil })
        #expect(reading.drafts.map(\.source.key) == ["T-1", "T-1#from/u_1"])
        #expect(reading.drafts.allSatisfy { $0.environment == .production })
        #expect(
            EventRouter.stream(of: reading.drafts[1])
                == StreamName(.production, .customer, "u_1"))
        let sandbox = try Webhook.read(
            Webhook.payload("TRANSFER", Self.transfer + names), environment: .sandbox)
        #expect(sandbox.drafts.allSatisfy { $0.environment == .sandbox })
    }

    @Test("A transfer that names no side, or the same one twice, is refused")
    func badTransfers() throws {
        for names in [
            #""transferred_to":["b"]"#, #""transferred_from":["a"],"transferred_to":[]"#,
            #""transferred_from":["a"],"transferred_to":["a"]"#,
            #""transferred_from":"a","transferred_to":["b"]"#,
            #""transferred_from":["guest"],"transferred_to":["b"]"#,
        ] {
            let text = Webhook.payload("TRANSFER", Self.transfer + names)
            #expect(try Webhook.problem(text).member?.hasPrefix("event.transferred_") == true)
        }
    }

    @Test("A promotion is a grant, and its end voids it by the same name")
    func promotion() throws {
        let members = Webhook.subscription
            .replacing("APP_STORE", with: "PROMOTIONAL")
            .replacing("2000000900000002", with: "rc_promo_7").replacing(
                "2000000900000001", with: "rc_promo_7")
        let event = try Webhook.event("NON_RENEWING_PURCHASE", members)
        #expect(event.type == .grantIssued)
        #expect(
            event.fields
                == [
                    "grant_id": "rc_promo_7", "entitlement": "pro", "reason": "promo",
                    "starts_at": .integer(Webhook.boughtAt), "expires_at": .integer(Webhook.endsAt),
                ])
        let ended = try Webhook.event(
            "CANCELLATION", members + #","cancel_reason":"DEVELOPER_INITIATED""#)
        #expect(ended.type == .grantVoided)
        #expect(
            ended.fields
                == [
                    "grant_id": "rc_promo_7", "voided_at": .integer(Webhook.madeAt),
                    "reason": "developer_initiated",
                ])
        #expect(try Webhook.event("EXPIRATION", members).type == .grantVoided)
        let two = try Webhook.read(
            type: "NON_RENEWING_PURCHASE",
            members.replacing(#"["pro"]"#, with: #"["pro","plus"]"#))
        #expect(
            two.events.map { $0.data["grant_id"]?.text } == ["rc_promo_7/pro", "rc_promo_7/plus"])
        #expect(two.events.map(\.source.key) == [Webhook.id, "\(Webhook.id)#entitlement/plus"])
    }

    @Test(
        "Virtual currency that comes is a grant, and what goes is usage, of the meter by its code")
    func currency() throws {
        let members = #"""
            "id":"V-1","event_timestamp_ms":1769904005000,"app_user_id":"u_42",
            "purchase_environment":"SANDBOX","source":"in_app_purchase","product_id":"coins",
            "virtual_currency_transaction_id":"vatx9","adjustments":[
            {"amount":100,"currency":{"code":"COIN","name":"Coins","description":"For hats"}},
            {"amount":0,"currency":{"code":"NIL"}},{"amount":-30,"currency":{"code":"GEM"}}]
            """#
        let reading = try Webhook.read(type: "VIRTUAL_CURRENCY_TRANSACTION", members)
        #expect(reading.events.map(\.type.rawValue) == ["grant.issued", "usage.recorded"])
        #expect(reading.events.map(\.environment) == [.sandbox, .sandbox])
        #expect(reading.events.map(\.source.key) == ["V-1", "V-1#2/GEM"])
        #expect(
            reading.events[0].fields
                == [
                    "grant_id": "vatx9/COIN", "meter": "COIN", "amount": 100,
                    "starts_at": .integer(Webhook.madeAt), "reason": "consumable",
                ])
        #expect(
            reading.events[1].fields == ["meter": "GEM", "amount": 30, "ref": "vatx9/GEM"])
        for bad in ["1.5", "\"5\"", "-9223372036854775808"] {
            let text = Webhook.payload(
                "VIRTUAL_CURRENCY_TRANSACTION", members.replacing("-30", with: bad))
            #expect(throws: LineProblem.self) { try Webhook.read(text) }
        }
    }

    @Test(
        "Attributes and whatever else names people is dropped, counted and told; the rest is kept")
    func personalData() throws {
        let long = String(repeating: "x", count: 257)
        let members =
            Webhook.subscription + #"""
                ,"subscriber_attributes":{"$email":{"value":"ann@example.com","updated_at_ms":1},
                "$displayName":{"value":"Ann","updated_at_ms":1}},"renewal_number":3,
                "metadata":{"email":"ann@example.com","note":"write to ann@example.com","tier":"gold"},
                "essay":"\#(long)","brand_new":{"deep":[1,2.50,null]}
                """#
        let reading = try Webhook.read(type: "RENEWAL", members)
        let event = try #require(reading.events.first)
        #expect(!event.data.canonicalBytes.has("Ann"))
        #expect(!event.data.canonicalBytes.has("ann@"))
        #expect(!event.data.canonicalBytes.has("xxx"))
        #expect(
            Set(reading.leftOut) == [
                "event.subscriber_attributes", "event.metadata.email", "event.metadata.note",
                "event.essay",
            ])
        #expect(reading.leftOutCount == 5)
        #expect(event.data["revenuecat"]?.object?["left_out"]?.array?.count == 4)
        #expect(event.data["revenuecat"]?.object?["api_version"] == "1.0")
        #expect(event.payload?["metadata"] == ["tier": "gold"])
        #expect(event.payload?["renewal_number"] == 3)
        #expect(event.payload?["brand_new"] == ["deep": [1, .number("2.50"), .null]])
        #expect(event.payload?["presented_offering_id"] == "default")
    }

    @Test("A retry is the same request, and another webhook another one")
    func retries() async throws {
        let ledger = try await Fixtures.ledger("nuzzle")
        let text = Webhook.payload(
            "RENEWAL",
            Webhook.subscription.replacing(
                #"["u_42"]"#, with: #"["u_42","anonymous-7"]"#))
        let first = try Webhook.read(text)
        let spaced = try Webhook.read(text.replacing(#","product_id""#, with: "\n ,\"product_id\""))
        #expect(first == spaced)
        #expect(Set(first.drafts.map(\.source.key)).count == first.drafts.count)
        let receipt = try await ledger.record(first.drafts)
        #expect(receipt.appended == 2)
        let again = try await ledger.record(spaced.drafts)
        #expect(again.appended == 0)
        #expect(again.duplicates == 2)
    }
}

extension [UInt8] {
    fileprivate func has(_ text: String) -> Bool {
        String(decoding: self, as: UTF8.self).contains(text)
    }
}
