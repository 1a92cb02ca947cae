import DaybookEvents
import Testing

@Suite("Event codec")
struct EventCodecTests {
    static let lines = [
        #"{"data":{"amount":1,"meter":"stories","ref":"story-1"},"environment":"production","occurred_at":1767225600000,"source":{"key":"story-1","kind":"native"},"subject":"ada","trust":"imported","type":"usage.recorded","v":1}"#,
        #"{"data":{"currency":"USD","expires_at":1769904000000,"offer":{"discount":"free_trial","type":"introductory"},"original_transaction_id":"2000","price_milli":0,"product":"p","starts_at":1767225600000,"transaction_id":"2000"},"environment":"sandbox","occurred_at":1767225600000,"profile":"kid","source":{"key":"n-1","kind":"apple_asn_v2","signed_at":1767225600001},"subject":"ada","trust":"verified","type":"subscription.started","v":1}"#,
        #"{"data":{"odd":[1.50,null,{"deep":true}],"wait":null},"environment":"test","extra":{"kept":1e3},"occurred_at":1,"source":{"key":"k","kind":"native"},"subject":"ada","trust":"imported","type":"dream.dreamt","v":7}"#,
        #"{"data":{"profile":"rex"},"environment":"production","occurred_at":5,"source":{"key":"pin-1","kind":"native"},"subject":"ada","trust":"imported","type":"gauge.pinned","v":1}"#,
        #"{"data":{"discount":"?","offer":{"type":"9"},"original_transaction_id":"7","price_milli":-5,"product":"p","revoked_at":-62135596800000,"starts_at":3,"store":"google","transaction_id":"8"},"environment":"production","occurred_at":5,"source":{"key":"0f3c2a6e-7d51-4c9b-8f2e-1a2b3c4d5e6f","kind":"x","signed_at":5},"trust":"verified","type":"store.transaction_stated","v":1}"#,
    ]

    @Test(
        "Every canonical line survives parsing, the row, and writing, byte for byte",
        arguments: lines)
    func roundTrip(_ line: String) throws {
        let draft = try EventValidator.canonical(
            try EventJSON.draft(from: try JSONReader.read(Array(line.utf8))))
        var names = NameTable()
        let row = EventEncoder.row(draft, names: &names)
        let stream = EventRouter.stream(of: draft)
        let recorded = try EventDecoder.recorded(row, stream: stream, names: names)
        #expect(EventJSON.object(of: recorded.draft).canonicalBytes == Array(line.utf8))
    }

    @Test("What the envelope does not know is kept, beside members that are null or the ledger's")
    func extras() throws {
        let known = #""type":"usage.recorded","profile":null,"position":7,"version":3,"app":null"#
        for (more, names) in [
            ("", []), (#","x":1"#, ["x"]), (#","id":"i","note":null"#, ["id", "note"]),
        ] {
            let line = Array("{\(known)\(more)}".utf8)
            let draft = try EventJSON.draft(from: try JSONReader.read(line))
            #expect(draft.extras.members.map(\.name) == names)
        }
    }

    @Test(
        "Malformed JSON is refused with line and column",
        arguments: [
            (#"{"a":1"#, 1, 7), ("{\n \"a\": tru}", 2, 7), (#"{"a":1,"a":2}"#, 1, 8),
            (#"{"a":01}"#, 1, 6), (#"["\ud800"]"#, 1, 9), ("\"\u{1}\"", 1, 2),
            (#"{"a":1} x"#, 1, 9), ("", 1, 1),
        ])
    func malformed(_ text: String, _ line: Int, _ column: Int) {
        #expect {
            try JSONReader.read(Array(text.utf8))
        } throws: { error in
            let error = error as? JSONError
            return error?.line == line && error?.column == column
        }
    }

    @Test("Text that is not UTF-8, or too deep, is refused")
    func hostile() {
        #expect(throws: JSONError.self) { try JSONReader.read([0x22, 0xFF, 0x22]) }
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: JSONError.self) { try JSONReader.read(Array(deep.utf8)) }
    }

    @Test(
        "Bad events are refused with the member and a code",
        arguments: [
            (
                #"{"type":"usage.recorded","subject":"ada","data":{"meter":"m","amount":1}}"#,
                "missing_key"
            ),
            (
                #"{"type":"usage.recorded","subject":"ada","source":{"key":"k"},"data":{"meter":"m"}}"#,
                "missing_field"
            ),
            (
                #"{"type":"usage.recorded","source":{"key":"k"},"data":{"meter":"m","amount":1}}"#,
                "missing_subject"
            ),
            (
                #"{"type":"usage.recorded","subject":"ada","source":{"key":"k"},"data":{"meter":"m","amount":"1"}}"#,
                "wrong_type"
            ),
            (
                #"{"type":"usage.recorded","subject":"ada","source":{"key":"k"},"data":{"meter":"m","amount":1000000001}}"#,
                "out_of_bounds"
            ),
            (
                #"{"type":"usage.recorded","subject":"null","source":{"key":"k"},"data":{"meter":"m","amount":1}}"#,
                "junk_subject"
            ),
            (
                #"{"type":"usage.recorded","subject":"ada@b.c","source":{"key":"k"},"data":{"meter":"m","amount":1}}"#,
                "pii_forbidden"
            ),
            (
                #"{"type":"app.launched","subject":"ada","data":{"child_name":"Max"}}"#,
                "pii_forbidden"
            ),
            (
                #"{"type":"app.launched","subject":"ada","occurred_at":78788332800000000}"#,
                "out_of_bounds"
            ),
            (
                #"{"type":"app.launched","subject":"ada","environment":"moon"}"#,
                "unknown_environment"
            ),
            (#"{"type":"app.launched","subject":"ada","trust":"debug"}"#, "forbidden"),
            (#"{"type":"app.launched","subject":"ada","app":"other"}"#, "other_app"),
            (
                #"{"type":"subscription.auto_renew_changed","source":{"key":"k"},"data":{"enabled":true}}"#,
                "missing_field"
            ),
        ])
    func badEvents(_ line: String, _ code: String) throws {
        let json = try JSONReader.read(Array(line.utf8))
        #expect {
            _ = try EventValidator.canonical(try EventJSON.draft(from: json, app: "dozzi"))
        } throws: { error in
            (error as? EventProblem)?.code.rawValue == code
        }
    }

    @Test("DZ-41: free text of more than 256 characters is refused as personal")
    func freeText() throws {
        let text = String(repeating: "a", count: 257)
        let draft = EventDraft(
            type: .appLaunched, subject: "ada", occurredAt: 1,
            source: EventSource(kind: "native", key: "k"), trust: .imported,
            data: ["note": .string(text)])
        #expect(throws: EventProblem.self) { try EventValidator.canonical(draft) }
    }

    @Test("A version 1 pin has the slots of its version 2")
    func upcast() throws {
        var names = NameTable()
        func event(_ version: Int, _ data: JSONObject) throws -> Event {
            let draft = try EventValidator.canonical(
                EventDraft(
                    type: .gaugePinned, version: version, subject: "ada", occurredAt: 1,
                    source: EventSource(kind: "native", key: "k"), trust: .imported, data: data))
            return EventEncoder.row(draft, names: &names).event
        }
        #expect(try event(1, ["profile": "rex"]) == event(2, ["ref": "rex"]))
        #expect(try event(1, ["item": "list"]) == event(2, ["ref": "list"]))
    }

    @Test("A hot event fits into two cache lines")
    func size() { #expect(MemoryLayout<Event>.size <= 128) }
}
