import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import Testing

/// What a subscriber document cannot say, what is left out of it, and what is wrong with it.
@Suite("RevenueCat's subscriber documents: what is missing and what is wrong")
struct SubscriberGapTests {
    @Test("Of a document with both, each environment takes its own and tells of the rest")
    func environments() throws {
        let text = SubscriberDocument.document(
            "\"pro.monthly\":" + SubscriberDocument.subscription(),
            once:
                #""coins":[\#(SubscriberDocument.once(["is_sandbox": "true"]))]"#)
        let real = try SubscriberDocument.read(text)
        #expect(real.events.map(\.environment).allSatisfy { $0 == .production })
        #expect(real.events.count { $0.type == .purchaseCompleted } == 0)
        #expect(real.gaps.map(\.code) == [.otherEnvironment])
        #expect(
            real.gaps[0].sentence
                == "1 of its purchases is of sandbox and left out; --env sandbox takes what is of it"
        )
        let tried = try SubscriberDocument.read(text, environment: .sandbox)
        #expect(tried.events.map(\.type.rawValue) == ["subject.created", "purchase.completed"])
        #expect(tried.events.map(\.environment) == [.sandbox, .sandbox])
        // A customer who bought nothing in the sandbox does not exist there.
        let none = try SubscriberDocument.read(
            SubscriberDocument.monthly(), environment: .sandbox)
        #expect(none.drafts == [])
        #expect(none.gaps.map(\.code) == [.otherEnvironment])
    }

    @Test("A purchase that does not say whether it is of the sandbox enters neither, and is told")
    func unknownEnvironment() throws {
        for missing in ["null", nil] as [String?] {
            let text = SubscriberDocument.monthly(["is_sandbox": missing])
            let real = try SubscriberDocument.read(text)
            #expect(real.events.map(\.type.rawValue) == ["subject.created"])
            #expect(real.gaps.map(\.code) == [.unknownEnvironment])
            #expect(real.gaps[0].name == "pro.monthly")
            #expect(try SubscriberDocument.read(text, environment: .sandbox).drafts == [])
        }
    }

    @Test("Two ids of one's own are not joined, and a label that differs from --subject is refused")
    func labels() throws {
        let own = try SubscriberDocument.read(SubscriberDocument.document(), subject: "ada")
        #expect(own.subject == "ada")
        #expect(own.aliases == [])
        #expect(own.gaps.map(\.code) == [.otherID])
        let labelled = SubscriberDocument.document(top: #","app_user_id":"ada""#)
        #expect(try SubscriberDocument.read(labelled, subject: "ada").subject == "ada")
        let problem = try #require(throws: LineProblem.self) {
            try SubscriberDocument.read(labelled, subject: "bea")
        }
        #expect(problem.code == "forbidden")
        #expect(problem.member == "app_user_id")
    }

    @Test("An entitlement that no purchase explains, or that the catalog does not give, is listed")
    func entitlements() throws {
        let text = SubscriberDocument.document(
            "\"com.nestling.pro.monthly\":" + SubscriberDocument.subscription(),
            entitlements: #"""
                "pro":{"product_identifier":"com.nestling.pro.monthly"},
                "gold":{"product_identifier":"com.nestling.pro.monthly"},
                "old":{"product_identifier":"com.nestling.legacy"}
                """#)
        let reading = try SubscriberDocument.read(text, catalog: Fixtures.catalog("nuzzle"))
        #expect(
            reading.gaps.map { "\($0.code.rawValue) \($0.name ?? "")" } == [
                "unexplained_entitlement old", "entitlement_differs gold",
            ])
        #expect(reading.events.count { $0.type == .grantIssued } == 0)
        // Without a catalog nothing can be compared.
        #expect(
            try SubscriberDocument.read(text).gaps.map(\.code) == [.unexplainedEntitlement])
    }

    @Test("The requested ID is the customer, and the document's first ID is its alias")
    func names() throws {
        let anonymous = #""$RCAnonymousID:8069""#
        let alone = try SubscriberDocument.read(SubscriberDocument.document(customer: anonymous))
        #expect(alone.subject == "$RCAnonymousID:8069")
        #expect(alone.aliases == [])
        let beside = SubscriberDocument.document(
            customer: anonymous, top: #","app_user_id":"ada""#)
        for reading in [
            try SubscriberDocument.read(beside),
            try SubscriberDocument.read(
                SubscriberDocument.document(customer: anonymous), subject: "ada"),
        ] {
            #expect(reading.subject == "ada")
            #expect(reading.aliases.map(\.subject) == ["$RCAnonymousID:8069"])
            #expect(
                reading.aliases[0].data == [
                    "alias": "$RCAnonymousID:8069", "canonical": "ada", "rule": "revenuecat",
                ])
        }
        // An own id is shown before a made-up one, whichever was asked for.
        let other = try SubscriberDocument.read(
            SubscriberDocument.document(), subject: "$RCAnonymousID:8069")
        #expect(other.aliases[0].data["canonical"] == "u_42")
        // An address is no name: the document is taken in without it.
        let address = try SubscriberDocument.read(
            SubscriberDocument.document(customer: #""ann@example.com""#), subject: "ada")
        #expect(address.aliases == [])
        #expect(address.leftOut == ["subscriber.original_app_user_id"])
        #expect(address.leftOutCount == 1)
    }

    @Test("Attributes and addresses are left out and counted; what is unknown is kept")
    func personalData() throws {
        let text = SubscriberDocument.document(
            "\"pro.monthly\":"
                + SubscriberDocument.subscription([
                    "contact": #""ann@example.com""#, "colour": #""red""#,
                ]), once: "", entitlements: "",
            #"""
            ,"subscriber_attributes":{"$email":{"value":"ann@example.com"},"dog":{"value":"Rex"}},
            "new_member":{"a":1}
            """#)
        let reading = try SubscriberDocument.read(text)
        #expect(
            Set(reading.leftOut) == [
                "subscriber.subscriptions[\"pro.monthly\"].contact",
                "subscriber.subscriber_attributes",
            ])
        #expect(reading.leftOutCount == 3)
        let kept = try #require(reading.events[0].data["revenuecat"]?.object)
        #expect(kept["subscriber"]?.object?["new_member"] == ["a": 1])
        #expect(kept["subscriber"]?.object?["subscriber_attributes"] == nil)
        #expect(kept["left_out"]?.array?.count == 2)
        let purchase = reading.events[1].data["revenuecat"]?.object?["purchase"]?.object
        #expect(purchase?["colour"] == "red")
        #expect(purchase?["contact"] == nil)
        for draft in reading.drafts {
            let bytes = EventJSON.canonicalBytes(of: draft)
            #expect(!String(decoding: bytes, as: UTF8.self).contains("ann@"))
        }
    }

    @Test("What is too much for an event is left out of it, and the document is taken in")
    func large() throws {
        let many = (0..<5_000).map { "\"m\($0)\":12345" }.joined(separator: ",")
        let reading = try SubscriberDocument.read(
            SubscriberDocument.document("", once: "", entitlements: "", ",\"much\":{\(many)}"))
        #expect(reading.events[0].data["revenuecat"] == ["rest_left_out": true])
    }

    @Test("A time that is finer than milliseconds is cut, and it is told")
    func cut() throws {
        let reading = try SubscriberDocument.read(
            SubscriberDocument.monthly(["expires_date": #""2026-02-15T00:00:00.1239876+00:00""#]))
        #expect(
            reading.events[1].data["expires_at"] == .integer(SubscriberDocument.endsAt + 123))
        #expect(reading.gaps.map(\.code) == [.cutTime])
        #expect(reading.gaps[0].name == "subscriber.subscriptions[\"pro.monthly\"].expires_date")
    }

    @Test("What is no document is refused")
    func shapes() throws {
        for (text, code) in [
            ("", "bad_json"), ("{", "bad_json"), ("[]", "missing_field"), ("{}", "missing_field"),
            (#"{"subscriber":[]}"#, "missing_field"), (#"{"subscriber":{}}"#, "missing_field"),
            (#"{"request_date_ms":"soon","subscriber":{}}"#, "wrong_type"),
            (#"{"request_date_ms":-1,"subscriber":{}}"#, "out_of_bounds"),
            (#"{"request_date_ms":1769904005250,"subscriber":{}}"#, "missing_subject"),
            (
                #"{"request_date_ms":"1769904005250","subscriber":{"original_app_user_id":"u"}}"#,
                "missing_field"
            ),
        ] {
            let problem = try SubscriberDocument.problem(text)
            #expect(problem.code == code, "\(text)")
            #expect(problem.bytes == Array(text.utf8))
        }
        let huge = [UInt8](repeating: 0x20, count: RevenueCatSubscriberReader.byteCountMax + 1)
        let problem = #expect(throws: LineProblem.self) {
            try RevenueCatSubscriberReader().read(huge)
        }
        #expect(problem?.code == "too_large")
        #expect(problem?.reason == "the document has 1048577 bytes, more than 1048576")
    }

    @Test(
        "A member that is missing or of another type is named, with line and column",
        arguments: [
            ("purchase_date", "null", "missing_field"), ("purchase_date", "5", "wrong_type"),
            ("purchase_date", #""2026-01-15""#, "wrong_type"),
            ("expires_date", "null", "missing_field"), ("is_sandbox", #""no""#, "wrong_type"),
            ("price", "[]", "wrong_type"), ("store_transaction_id", "{}", "wrong_type"),
            ("refunded_at", "true", "wrong_type"),
            ("price", #"{"amount":"much","currency":"USD"}"#, "out_of_bounds"),
        ])
    func members(name: String, value: String, code: String) throws {
        let member = SubscriberDocument.subscription([name: value])
            .replacing("\"\(name)\":", with: "\n   \"\(name)\":")
        let problem = try SubscriberDocument.problem(
            SubscriberDocument.document("\"pro.monthly\":\(member)"))
        #expect(problem.code == code)
        let amount = code == "out_of_bounds" ? ".amount" : ""
        #expect(
            problem.member == "subscriber.subscriptions[\"pro.monthly\"].\(name)\(amount)")
        // The document has four lines before the subscriptions; the member begins one of its own.
        #expect(problem.line == 5)
        #expect(problem.column == (amount.isEmpty ? 4 : 13))
    }

    @Test("Of a list the product is named; an unknown customer is refused")
    func places() throws {
        let text = SubscriberDocument.document(
            once: "\n\"coins\":[\(SubscriberDocument.once(["purchase_date": "null"]))]")
        let problem = try SubscriberDocument.problem(text)
        #expect(problem.member == "subscriber.non_subscriptions[\"coins\"][0].purchase_date")
        #expect((problem.line, problem.column) == (5, 1))
        for (customer, code) in [
            (#""guest""#, "junk_subject"), (#""ann@example.com""#, "pii_forbidden"),
            ("null", "missing_subject"), ("[]", "wrong_type"),
        ] {
            let problem = try SubscriberDocument.problem(
                SubscriberDocument.document(customer: customer))
            #expect(problem.code == code)
            #expect(problem.member == "subscriber.original_app_user_id")
            #expect((problem.line, problem.column) == (2, 15))
        }
    }

    @Test("The lines of a payload are counted on from its first one in the file")
    func firstLine() {
        for (text, line, column) in [
            ("{\n \"subscriber\":[]}", 8, 2), ("{\n\n x", 9, 2),
        ] {
            let problem = #expect(throws: LineProblem.self) {
                try RevenueCatSubscriberReader().read(Array(text.utf8), firstLine: 7)
            }
            #expect(problem?.line == line)
            #expect(problem?.column == column)
        }
        let huge = [UInt8](repeating: 0x20, count: RevenueCatSubscriberReader.byteCountMax + 1)
        let problem = #expect(throws: LineProblem.self) {
            try RevenueCatSubscriberReader().read(huge, firstLine: 7)
        }
        #expect(problem?.line == 7)
    }
}
