import DaybookEvents
import DaybookIngest
import Testing

@Suite("Lines of JSON")
struct NDJSONReaderTests {
    static func read(_ lines: String...) -> (events: [ReadEvent], problems: [LineProblem]) {
        var reader = NDJSONReader(app: nil)
        return reader.read(Array(lines.joined(separator: "\n").utf8))
    }

    /// Of type `type`, with so many bytes of list items in its data.
    static func long(_ type: String, _ byteCount: Int) -> String {
        let list = Array(repeating: "\"0123456\"", count: byteCount / 10).joined(separator: ",")
        return
            #"{"type":"\#(type)","subject":"ada","id":"k","data":{"list":[\#(list)],"about":"catalog.published"}}"#
    }

    @Test("Only the document of a catalog may be long, not a line that speaks of one")
    func longLines() {
        #expect(Self.read(Self.long("app.launched", 60_000)).events.count == 1)
        let refused = Self.read(
            Self.long("app.launched", 70_000), Self.long("app.launched", 3_000_000),
            Self.long("catalog.published", 70_000),
            String(repeating: " ", count: EventBounds.lineByteCountMax) + "{}")
        #expect(refused.events.isEmpty)
        #expect(refused.problems.map(\.line) == [1, 2, 3, 4])
        #expect(
            refused.problems.map(\.code) == [
                "too_large", "too_large", "missing_field", "too_large",
            ])

        let text = String(repeating: "# \\\"a line\\\" é\\n", count: 60_000)
        let catalog = """
            {"type":"catalog.published","id":"c","data":{"version":1,"effective_at":0,\
            "applies_to":"all","document_sha256":"00","document":"\(text)"}}
            """
        #expect(Self.read(catalog).events.count == 1)
        #expect(
            Self.read(catalog.replacing("catalog.published", with: "app.launched")).events.isEmpty)
    }

    @Test("An app's own name stays as sent, and makes no object of data that are none")
    func aliasedData() {
        for data in ["5", "[]", #""x""#, "true"] {
            let found = Self.read(
                #"{"type":"appLaunched","subject":"ada","id":"a","data":\#(data)}"#)
            #expect(found.problems.map(\.code) == ["wrong_type"])
        }
        for data in ["{}", "null", #"{"session":"s"}"#] {
            let found = Self.read(
                #"{"type":"appLaunched","subject":"ada","id":"a","data":\#(data)}"#)
            #expect(found.events.map(\.draft.type.rawValue) == ["appLaunched"])
        }
        #expect(Self.read(#"{"type":"appLaunched","subject":"ada","id":"a"}"#).problems.isEmpty)
    }
}
