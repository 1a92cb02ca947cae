import DaybookEvents
import DaybookIngest
import Testing

/// What is wrong with a payload is said with its place.
@Suite("RevenueCat: malformed payloads")
struct WebhookMalformedTests {
    @Test("What is no JSON object with an event is refused")
    func shapes() throws {
        for (text, code) in [
            ("", "bad_json"), ("{", "bad_json"), ("[]", "missing_field"), ("{}", "missing_field"),
            (#"{"event":[]}"#, "missing_field"), (#"{"event":{}} x"#, "bad_json"),
            (#"{"event":{"id":"a","id":"b"}}"#, "bad_json"),
        ] {
            let problem = try Webhook.problem(text)
            #expect(problem.code == code, "\(text)")
            #expect(problem.bytes == Array(text.utf8))
        }
    }

    @Test(
        "A member that is missing or of another type is named, with line and column",
        arguments: [
            ("id", "null", "missing_key"), ("type", "null", "missing_field"),
            ("event_timestamp_ms", "null", "missing_field"),
            ("event_timestamp_ms", "\"soon\"", "wrong_type"),
            ("event_timestamp_ms", "-5", "out_of_bounds"),
            ("event_timestamp_ms", "9223372036854775807", "out_of_bounds"),
            ("environment", "\"STAGING\"", "unknown_environment"),
            ("app_user_id", "null", "missing_subject"),
            ("app_user_id", "\"guest\"", "junk_subject"),
            ("app_user_id", "\"ann@example.com\"", "pii_forbidden"),
            ("app_user_id", "{}", "wrong_type"), ("product_id", "null", "missing_field"),
            ("product_id", "[]", "wrong_type"), ("purchased_at_ms", "null", "missing_field"),
            ("purchased_at_ms", "true", "wrong_type"),
            ("expiration_at_ms", "null", "missing_field"),
            ("transaction_id", "null", "missing_field"),
            ("is_family_share", "\"no\"", "wrong_type"),
            ("aliases", "\"u_42\"", "wrong_type"), ("aliases", "[{}]", "wrong_type"),
        ])
    func members(name: String, value: String, code: String) throws {
        var event: [String] = []
        let fields = [
            "id": "\"a\"", "type": "\"RENEWAL\"", "event_timestamp_ms": "1769904005000",
            "environment": "\"PRODUCTION\"", "app_user_id": "\"u_42\"", "product_id": "\"p\"",
            "purchased_at_ms": "1769904000000", "expiration_at_ms": "1772323200000",
            "transaction_id": "\"1\"", "is_family_share": "false", "aliases": "[]",
        ]
        for field in fields.keys.sorted() {
            event.append("\"\(field)\": \(field == name ? value : fields[field] ?? "")")
        }
        let text = "{\n  \"event\": {\n    " + event.joined(separator: ",\n    ") + "\n  }\n}"
        let problem = try Webhook.problem(text)
        #expect(problem.code == code)
        #expect(problem.member == "event.\(name)")
        let line = (fields.keys.sorted().firstIndex(of: name) ?? 0) + 3
        #expect(problem.line == line)
        #expect(problem.column == 5)
    }

    @Test("Ids may be numbers, times decimals, and the end of the world is out of bounds")
    func leniency() throws {
        let members = Webhook.subscription
            .replacing(#""2000000900000002""#, with: "2000000900000002")
            .replacing("1769904000000", with: "1769904000000.9")
        let event = try Webhook.event("RENEWAL", members)
        #expect(event.data["transaction_id"] == "2000000900000002")
        #expect(event.data["starts_at"] == 1_769_904_000_000)
        #expect(event.payload?["purchased_at_ms"] == .number("1769904000000.9"))
        let early = Webhook.subscription.replacing("1769904000000", with: "-9223372036854775808")
        for type in ["RENEWAL", "TEMPORARY_ENTITLEMENT_GRANT"] {
            let problem = try Webhook.problem(Webhook.payload(type, early))
            #expect(problem.code == "out_of_bounds")
        }
    }

    @Test("A payload without an end, and an event larger than one may be, are refused")
    func sizes() throws {
        let huge = [UInt8](repeating: 0x20, count: RevenueCatReader.byteCountMax + 1)
        let problem = #expect(throws: LineProblem.self) { try RevenueCatReader().read(huge) }
        #expect(problem?.code == "too_large")
        #expect(problem?.reason == "the payload has 1048577 bytes, more than 1048576")
        let many = (0..<20_000).map { "\"m\($0)\":1" }.joined(separator: ",")
        let text = Webhook.payload("RENEWAL", Webhook.subscription + ",\(many)")
        #expect(try Webhook.problem(text).code == "too_large")
    }

    @Test("The lines of a payload are counted on from its first one in the file")
    func firstLine() {
        for (text, line, column) in [
            ("{\n \"event\":[]}", 8, 2), ("{\n\n x", 9, 2),
        ] {
            let problem = #expect(throws: LineProblem.self) {
                try RevenueCatReader().read(Array(text.utf8), firstLine: 7)
            }
            #expect(problem?.line == line)
            #expect(problem?.column == column)
        }
        let huge = [UInt8](repeating: 0x20, count: RevenueCatReader.byteCountMax + 1)
        let problem = #expect(throws: LineProblem.self) {
            try RevenueCatReader().read(huge, firstLine: 7)
        }
        #expect(problem?.line == 7)
    }
}
