import DaybookEvents
import DaybookFixtures
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

/// What a schema requires is what the validator requires: both come from one table, and this compares them.
@Suite("Schemas and the validator")
struct SchemaAgreementTests {
    private struct Sample {
        var schema: EventSchema
        var document: JSONObject
        /// Everything that is required, and of each set of alternatives the first.
        var data: JSONObject
    }

    private static func value(_ field: EventField) -> JSONValue {
        switch field.kind {
        case .currency: .string(field.name == "to" ? "USD" : "EUR")
        case .text, .document: .string("x1")
        case .integer, .amount, .money, .time: .integer(1)
        case .bool: true
        case .word(let words): .string(words[0].name)
        case .any: JSONValue.object(["x": 1])
        }
    }

    private static func samples() -> [Sample] {
        zip(Vocabulary.schemas, JSONSchema.documents()).map { schema, document in
            var data = JSONObject()
            let first = schema.alternatives.compactMap(\.first)
            for field in schema.fields where field.isRequired || first.contains(field.name) {
                data = set(value(field), field.path, data)
            }
            return Sample(
                schema: schema, document: document.document.object ?? JSONObject(), data: data)
        }
    }

    private static func set(
        _ value: JSONValue?, _ path: [String], _ object: JSONObject
    ) -> JSONObject {
        var object = object
        if path.count == 1 {
            object[path[0]] = value
        } else {
            let inner = set(value, Array(path.dropFirst()), object[path[0]]?.object ?? JSONObject())
            object[path[0]] = inner.isEmpty ? nil : .object(inner)
        }
        return object
    }

    /// Why the validator refuses the data; `nil`: it does not.
    private func refusal(_ data: JSONObject, _ schema: EventSchema) -> EventProblem? {
        do throws(EventProblem) {
            _ = try EventValidator.canonical(
                EventDraft(
                    type: EventTypeName(rawValue: schema.name), version: schema.version,
                    environment: .sandbox,
                    subject: "ada", occurredAt: 1,
                    source: EventSource(kind: "native", key: "k"), trust: .imported, data: data))
            return nil
        } catch {
            return error
        }
    }

    /// `required`, `anyOf` and `allOf` of JSON Schema, which is all that these schemas say of presence.
    private func accepts(_ data: JSONObject, _ schema: JSONObject) -> Bool {
        let required = schema["required"]?.array?.compactMap(\.text) ?? []
        guard required.allSatisfy({ data[$0] != nil }) else { return false }
        for (name, inner) in (schema["properties"]?.object?.members ?? []).map({
            ($0.name, $0.value)
        }) {
            guard let own = data[name]?.object, let inner = inner.object else { continue }
            guard accepts(own, inner) else { return false }
        }
        let any = schema["anyOf"]?.array?.compactMap(\.object) ?? []
        let all = schema["allOf"]?.array?.compactMap(\.object) ?? []
        return (any.isEmpty || any.contains { accepts(data, $0) })
            && all.allSatisfy { accepts(data, $0) }
    }

    private func data(of document: JSONObject) throws -> JSONObject {
        try #require(document["properties"]?.object?["data"]?.object)
    }

    @Test("What has everything required is accepted by both, without any one of it by neither")
    func required() throws {
        for sample in Self.samples() {
            let schema = try data(of: sample.document)
            #expect(accepts(sample.data, schema), "\(sample.schema.name)")
            #expect(refusal(sample.data, sample.schema) == nil, "\(sample.schema.name)")
            for field in sample.schema.fields where field.isRequired {
                let less = Self.set(nil, field.path, sample.data)
                #expect(!accepts(less, schema), "\(sample.schema.name) without \(field.name)")
                #expect(
                    refusal(less, sample.schema)?.code == .missingField,
                    "\(sample.schema.name) without \(field.name)")
            }
        }
    }

    @Test("Of alternatives any one is enough for both, and none is not")
    func alternatives() throws {
        var count = 0
        for sample in Self.samples() {
            let schema = try data(of: sample.document)
            for names in sample.schema.alternatives {
                var none = sample.data
                for name in names { none[name] = nil }
                #expect(!accepts(none, schema), "\(sample.schema.name)")
                #expect(
                    refusal(none, sample.schema)?.member == "data.\(names[0])",
                    "\(sample.schema.name)")
                for name in names {
                    var one = none
                    one[name] = Self.value(try #require(sample.schema.field(name)))
                    // A rule of its own: a grant of a meter says how much.
                    if name == "meter" { one["amount"] = 1 }
                    #expect(accepts(one, schema), "\(sample.schema.name) with \(name)")
                    #expect(
                        refusal(one, sample.schema) == nil, "\(sample.schema.name) with \(name)")
                    count += 1
                }
            }
        }
        #expect(count > 20)
    }

    @Test("An event of a lineage says which one: by the original transaction or by its own")
    func lineages() throws {
        let schema = try #require(
            Vocabulary.schema(named: "subscription.auto_renew_changed", version: 1))
        #expect(schema.alternatives == [["original_transaction_id", "transaction_id"]])
        #expect(refusal(["enabled": false], schema)?.code == .missingField)
        #expect(
            refusal(["enabled": false, "transaction_id": .null], schema)?.code == .missingField)
        let canonical = try EventValidator.canonical(
            EventDraft(
                type: EventTypeName(rawValue: schema.name), subject: nil, occurredAt: 1,
                source: EventSource(kind: "native", key: "k"), trust: .imported,
                data: ["enabled": false, "transaction_id": "7"]))
        #expect(EventRouter.stream(of: canonical).name == "apple:7")
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
                "| type | version | stream | required in `data` | optional | for the record | what it says |",
                "|---|---|---|---|---|---|---|",
            ]
            lines += schemas.map(row)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func row(_ schema: EventSchema) -> String {
        var required = schema.fields.filter(\.isRequired).map { "`\($0.name)`" }
        for names in schema.alternatives {
            required.append("one of " + names.map { "`\($0)`" }.joined(separator: ", "))
        }
        let either = schema.alternatives.flatMap(\.self)
        let optional = schema.fields.filter { !$0.isRequired && !either.contains($0.name) }
            .map { "`\($0.name)`" }
        let file = "../events/schema/\(schema.name).v\(schema.version).json"
        let cells = [
            "[`\(schema.name)`](\(file))", String(schema.version), stream(schema.routing),
            required.joined(separator: ", "), optional.joined(separator: ", "),
            recorded(schema).joined(separator: ", "), schema.meaning,
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    /// Fields that no answer about a customer reads: a fold reads slots alone, and not all of them. What stands in the
    /// ledger's own stream is read as a whole.
    private static func recorded(_ schema: EventSchema) -> [String] {
        guard schema.routing != .ledger else { return [] }
        return schema.fields.filter { field in
            field.slot == nil && !isUpcast(field, schema)
                || RecordFields.unfolded.contains(RecordFields.name(field, of: schema))
        }.map { "`\($0.name)`" }
    }

    /// Version 1 of `gauge.pinned` is read as version 2, whose `ref` is either.
    private static func isUpcast(_ field: EventField, _ schema: EventSchema) -> Bool {
        schema.type == .gaugePinned && schema.version == 1
    }

    private static func stream(_ routing: EventRouting) -> String {
        switch routing {
        case .customer: "customer"
        case .lineage: "lineage"
        case .purchase: "lineage; its own if consumable"
        case .transfer: "lineage; customer `from` if none is named"
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

        - **Required in the envelope**: `type`; `subject` where the stream is a customer's, and of a claim; \
        `source.key` from Purchases to Usage, save `gauge.pinned`. Elsewhere the digest of the event's bytes stands in \
        for a key that is absent, and `occurred_at` is required then: without both, two events would be one. `id` \
        stands in for `source.key` too. The same environment, `source.kind` and `source.key` are one event, for ever.
        - **Defaults**: `v` 1, `environment` production, `source.kind` native, `trust` imported, `occurred_at` the \
        ledger's clock, `data` empty.
        - **Stream**: *customer* is `subject`; *lineage* is the store's original transaction (`apple:2000000123`), \
        named by `original_transaction_id`, else by `transaction_id`: one of the two must be there, and `store` has no \
        colon; *ledger* is for catalogs and corrections. A consumable is a lineage by itself, named after its own \
        `transaction_id`, so that it counts once, no matter which customer posts it; `kind` says that it is one. What \
        follows it (a refund, a revocation) finds it without `kind` too, unless the store gives it another original \
        transaction. A lineage's owner is the customer that its events name first, with a verified `app_account_token` \
        before any other name; `purchase.claimed` only names.
        - **For the record**: these fields are kept, shown by `history` and `export`, and read by no answer about a customer.
        - **Bounds**: names have 1 to \(EventBounds.nameByteCountMax) bytes, those of the envelope without control \
        characters; an event has at most \(EventBounds.eventByteCountMax) bytes of canonical JSON, a catalog's \
        document aside (\(EventBounds.documentByteCountMax)), and \(JSONReader.depthMax) levels; other text has at \
        most \(EventBounds.freeTextScalarCountMax) characters (Unicode scalars); an amount lies within \
        ±\(EventBounds.amountMax); money is in thousandths of its currency; times are milliseconds since 1970 UTC.
        - Unknown types, fields and words are kept, shown and skipped by every fold; `record` and `import` refuse what \
        is probably a typing error unless that is allowed ([cli.md](cli.md)). Numbers that are no integers \
        are kept as their text.
        """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
}
