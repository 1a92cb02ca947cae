import DaybookEvents
import Testing

@Suite("JSON")
struct JSONTests {
    /// One letter in two byte sequences that Swift takes for equal text.
    static let composed = "caf\u{E9}"
    static let decomposed = "cafe\u{301}"

    @Test("Values, drafts and sources are equal only when their bytes are")
    func equality() {
        let (one, other) = (Self.composed, Self.decomposed)
        #expect(one == other, "Swift's own comparison is the trap")
        #expect(JSONValue.string(one) != .string(other))
        #expect(JSONValue.array([.string(one)]) != [.string(other)])
        #expect(JSONObject([.init(name: one, value: 1)]) != [other: 1])
        #expect(JSONValue.object(["a": .string(one)]) != ["a": .string(other)])
        #expect(EventSource(kind: one, key: "k") != EventSource(kind: other, key: "k"))
        #expect(EventSource(kind: "x", key: one) != EventSource(kind: "x", key: other))
        func draft(_ change: (inout EventDraft) -> Void) -> EventDraft {
            var draft = EventDraft(
                type: EventTypeName(rawValue: "t"), subject: "s", profile: "p", occurredAt: 1,
                source: EventSource(kind: "native", key: "k"), trust: .imported, data: [:])
            change(&draft)
            return draft
        }
        let changes: [(inout EventDraft, String) -> Void] = [
            { $0.type = EventTypeName(rawValue: $1) }, { $0.subject = $1 }, { $0.profile = $1 },
            { $0.source.key = $1 },
            { $0.data = ["x": .string($1)] }, { $0.extras = [$1: 1] },
        ]
        for change in changes {
            #expect(draft { change(&$0, one) } == draft { change(&$0, one) })
            #expect(draft { change(&$0, one) } != draft { change(&$0, other) })
        }
        #expect(draft { $0.subject = nil } != draft { $0.subject = "s" })
    }

    @Test("Two names with other bytes stand beside one another and are told apart")
    func names() throws {
        let text = "{\"\(Self.composed)\":1,\"\(Self.decomposed)\":2}"
        var object = try #require(try JSONReader.read(Array(text.utf8)).object)
        #expect(object[Self.composed] == 1)
        #expect(object[Self.decomposed] == 2)
        object[Self.composed] = nil
        #expect(object.members.count == 1)
        #expect(object[Self.decomposed] == 2)
    }

    @Test(
        "A name that stands twice is refused at its second place",
        arguments: [
            (#"{"a":1,"a":2}"#, 8), (#"{"b":1,"a":2,"b":3}"#, 14),
            (#"{"c":1,"b":2,"a":3,"b":4,"c":5}"#, 20), (#"{"a":1,"a":2,"a":3}"#, 8),
            (#"{"x":{"b":1,"a":1,"a":1}}"#, 19), (#"{"\u0061":1,"a":2}"#, 13),
            (#"{ "a" : {"b":[{"c":"}"}]} , "b" : "\"" ,  "a" :2}"#, 43),
        ])
    func duplicates(_ text: String, _ column: Int) {
        #expect {
            try JSONReader.read(Array(text.utf8))
        } throws: {
            ($0 as? JSONError)?.column == column
        }
    }

    @Test("A hundred thousand members in falling order are read at once")
    func manyMembers() throws {
        let names = (0..<100_000).map { "m\(999_999 - $0)" }
        let text = "{" + names.map { "\"\($0)\":1" }.joined(separator: ",") + "}"
        // A comparison with every member before took more than a minute.
        let duration = try ContinuousClock().measure {
            let object = try #require(try JSONReader.read(Array(text.utf8)).object)
            #expect(object.members.map(\.name) == names.reversed())
        }
        #expect(duration < .seconds(10))
    }

    @Test(
        "A byte that no text may hold is told at its place, wherever it stands", arguments: 0...20)
    func badBytes(_ count: Int) {
        for place in 0..<count {
            for bad: UInt8 in [0x00, 0x0A, 0x1F, 0x80, 0xC0, 0xFF] {
                var text = [UInt8](repeating: UInt8(ascii: "a"), count: count)
                text[place] = bad
                // Of a text that is no UTF-8 its beginning is told.
                let column = bad < 0x20 ? place + 2 : 2
                #expect {
                    try JSONReader.read([0x22] + text + [0x22])
                } throws: {
                    ($0 as? JSONError)?.column == column
                }
            }
        }
        #expect {
            try JSONReader.read([0x22] + [UInt8](repeating: UInt8(ascii: "a"), count: count))
        } throws: {
            ($0 as? JSONError)?.column == count + 2
        }
    }

    @Test("A member is found among few and among many", arguments: 0...40)
    func members(_ count: Int) {
        let names = (0..<count).map { "member \(100 + $0)" }
        let object = JSONObject(
            names.enumerated().map { .init(name: $1, value: .integer(Int64($0))) })
        for (index, name) in names.enumerated() { #expect(object[name] == .integer(Int64(index))) }
        for name in ["", "member 1", "member 99", "member 140", "z"] {
            #expect(object[name] == nil)
        }
    }

    @Test(
        "A number is an integer where it fits, and else keeps its text",
        arguments: [
            "0", "7", "-7", "10", "9223372036854775807", "-9223372036854775808",
            "9223372036854775808", "-9223372036854775809", "9999999999999999999",
            "92233720368547758070", "18446744073709551617", "-0", "-0.5", "1.0", "1e3",
        ])
    func numbers(_ text: String) throws {
        let expected =
            text == "-0"
            ? JSONValue.number(text) : Int64(text).map { .integer($0) } ?? .number(text)
        #expect(try JSONReader.read(Array(text.utf8)) == expected)
        #expect(try JSONReader.read(Array("[\(text)]".utf8)) == .array([expected]))
    }

    @Test("What was nested to the limit is read, one level more is not")
    func depth() throws {
        func nested(_ levels: Int) -> [UInt8] {
            Array(
                (String(repeating: "[", count: levels) + String(repeating: "]", count: levels)).utf8
            )
        }
        _ = try JSONReader.read(nested(JSONReader.depthMax + 1))
        #expect(throws: JSONError.self) { try JSONReader.read(nested(JSONReader.depthMax + 2)) }
        _ = try JSONReader.read(nested(JSONReader.depthMax + 3), depthMax: JSONReader.depthMax + 2)
    }

    @Test(
        "Text is written with the shortest escapes, wherever they stand in it",
        arguments: [
            ("", #""""#), ("plain", #""plain""#), ("\"", #""\"""#), ("a\"b\\c", #""a\"b\\c""#),
            ("\n\r\t\u{8}\u{C}", #""\n\r\t\b\f""#), ("\u{0}\u{1F}", #""\u0000\u001f""#),
            ("ends with \n", #""ends with \n""#), ("\u{7F}é🐕", "\"\u{7F}é🐕\""),
        ])
    func escapes(_ text: String, _ written: String) throws {
        let bytes = JSONValue.string(text).canonicalBytes
        #expect(bytes == Array(written.utf8))
        #expect(try JSONReader.read(bytes) == .string(text))
    }
}
