import DaybookEvents
import DaybookTesting
import Foundation
import Testing

/// What people and other programs read about the vocabulary; `RECORD_GOLDEN=1` writes it anew, CI never does.
@Suite("Documents of the vocabulary")
struct EventDocumentTests {
    private static let isRecording = ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1"

    @Test("docs/events.md is the table of the vocabulary")
    func table() throws {
        let file = Fixtures.root.appending(path: "docs/events.md")
        let text = EventTable.markdown
        if Self.isRecording { try text.write(to: file, atomically: true, encoding: .utf8) }
        #expect(
            try String(contentsOf: file, encoding: .utf8) == text, "RECORD_GOLDEN=1 writes it anew")
    }

    @Test("Every type stands in exactly one group of the table")
    func groups() {
        for type in EventType.allCases where type != .unknown {
            let groups = EventTable.groups.filter { $0.codes.contains(type.rawValue) }
            #expect(groups.count == 1, "\(type) stands in \(groups.map(\.title))")
        }
    }

    @Test("events/schema holds the schema of every type and version, and nothing else")
    func schemas() throws {
        let folder = Fixtures.root.appending(path: "events/schema")
        let documents = JSONSchema.documents().map { (file: "\($0.name).json", value: $0.document) }
        if Self.isRecording {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for document in documents {
                try Foundation.Data(document.value.canonicalBytes + [0x0A]).write(
                    to: folder.appending(path: document.file), options: .atomic)
            }
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.sorted() == documents.map(\.file).sorted())
        for document in documents {
            let bytes = try Foundation.Data(contentsOf: folder.appending(path: document.file))
            #expect(
                Array(bytes) == document.value.canonicalBytes + [0x0A],
                "\(document.file): RECORD_GOLDEN=1 writes it anew")
        }
    }
}

/// The vocabulary as a page for people.
private enum EventTable {
    struct Group {
        var title: String
        /// The numbers of its types.
        var codes: ClosedRange<UInt16>
    }

    static let groups = [
        Group(title: "Customers and profiles", codes: 1...19),
        Group(title: "Purchases", codes: 20...39),
        Group(title: "Subscriptions and what a store states", codes: 40...59),
        Group(title: "Grants", codes: 60...69),
        Group(title: "Usage", codes: 70...79),
        Group(title: "Evidence of limits and refusals", codes: 80...89),
        Group(title: "Catalogs", codes: 90...99),
        Group(title: "Analytics", codes: 100...129),
        Group(title: "Corrections", codes: 130...139),
        Group(title: "Debugging", codes: 140...149),
        Group(title: "Ingest", codes: 150...159),
    ]

    static var markdown: String {
        var lines = introduction
        for group in groups {
            let schemas = Vocabulary.schemas.filter { group.codes.contains($0.type.rawValue) }
            guard !schemas.isEmpty else { continue }
            lines += ["", "## \(group.title)", ""]
            lines += [
                "| type | version | stream | required in `data` | optional | what it says |",
                "|---|---|---|---|---|---|",
            ]
            lines += schemas.map(row)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func row(_ schema: EventSchema) -> String {
        var required = schema.fields.filter(\.isRequired).map { "`\($0.name)`" }
        if !schema.oneOf.isEmpty {
            required.append("one of " + schema.oneOf.map { "`\($0)`" }.joined(separator: ", "))
        }
        let optional = schema.fields.filter { !$0.isRequired && !schema.oneOf.contains($0.name) }
            .map { "`\($0.name)`" }
        let file = "../events/schema/\(schema.name).v\(schema.version).json"
        let cells = [
            "[`\(schema.name)`](\(file))", String(schema.version), stream(schema.routing),
            required.joined(separator: ", "), optional.joined(separator: ", "), schema.meaning,
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private static func stream(_ routing: EventRouting) -> String {
        switch routing {
        case .customer: "customer"
        case .line: "line"
        case .purchase: "line; customer if consumable"
        case .transfer: "line; customer `from` if none is named"
        case .ledger: "ledger"
        }
    }

    private static let introduction = """
        # Events

        <!-- Written by EventDocumentTests from the vocabulary: change that, then run it with RECORD_GOLDEN=1. -->

        Everything that can happen, \(Vocabulary.schemas.count) schemas of \(Vocabulary.names.count) types. \
        Each links its JSON Schema. What they mean to a customer is the catalog's business: [catalog.md](catalog.md).

        ```json
        {"type":"usage.recorded","v":1,"environment":"production","subject":"ada","occurred_at":1767225600000,\
        "source":{"kind":"native","key":"story-1"},"trust":"imported","data":{"meter":"stories","amount":1,"ref":"story-1"}}
        ```

        - **Required in the envelope**: `type`; `subject` where the stream is a customer's; `source.key` from Purchases \
        to Usage, save `gauge.pinned`. Elsewhere the digest of the event's bytes stands in for a key that is absent, and \
        `occurred_at` is required then: without both, two events would be one. `id` stands in for `source.key` too. \
        The same environment, `source.kind` and `source.key` are one event, for ever.
        - **Defaults**: `v` 1, `environment` production, `source.kind` native, `trust` imported, `occurred_at` the \
        ledger's clock, `data` empty.
        - **Stream**: *customer* is `subject`; *line* is the store's original transaction (`apple:2000000123`), named by \
        `original_transaction_id`, else by `transaction_id`: one of the two must be there, and `store` has no colon; \
        *ledger* is for catalogs and corrections. A consumable stays with its buyer, and whatever follows it (a refund, \
        a revocation) must say `kind` too: without it a line is meant, which a consumable is not, so the event takes \
        nothing back. That is right for subscriptions, which have no `kind`.
        - **Bounds**: names have 1 to \(EventBounds.nameByteCountMax) bytes, those of the envelope without control \
        characters; an event has at most \(EventBounds.eventByteCountMax) bytes of canonical JSON, a catalog's document \
        aside (\(EventBounds.documentByteCountMax)), and \(JSONReader.depthMax) levels; other text has at most \
        \(EventBounds.freeTextScalarCountMax) characters (Unicode scalars); an amount lies within ±\(EventBounds.amountMax); money is in thousandths \
        of its currency; times are milliseconds since 1970 UTC.
        - Unknown types, fields and words are kept, shown and skipped by every fold. Numbers that are no integers \
        are kept as their text.
        """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
}
