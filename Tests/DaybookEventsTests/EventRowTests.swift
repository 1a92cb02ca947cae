import DaybookEvents
import Testing

@Suite("Rows")
struct EventRowTests {
    static func draft(
        _ type: String = "usage.recorded", data: JSONObject = ["meter": "m", "amount": 1],
        extras: JSONObject = [:]
    ) -> EventDraft {
        EventDraft(
            type: EventTypeName(rawValue: type), subject: "ada", profile: "rex", occurredAt: 5,
            source: EventSource(kind: "native", key: "k"), trust: .imported, data: data,
            extras: extras)
    }

    static func recorded(_ draft: EventDraft) throws -> RecordedEvent {
        let canonical = try EventValidator.canonical(draft)
        var names = NameTable()
        let row = EventEncoder.row(canonical, names: &names)
        return try EventDecoder.recorded(
            row, stream: EventRouter.stream(of: canonical), names: names)
    }

    static func nested(_ levels: Int) -> JSONValue {
        (0..<levels).reduce(JSONValue.integer(7)) { value, _ in ["in": value] }
    }

    @Test(
        "The sender's members keep their names, whatever the row calls its own parts and marks",
        arguments: [
            #""nobody":true"#, #""signed":"by hand""#, #""nobody":1,"signed":true"#,
            #""d":{"a":1},"e":2,"m":{"signed":true}"#,
        ])
    func sendersMembers(_ members: String) throws {
        // All four names at once: of these two the envelope itself has members.
        for envelope in ["", #","profile":"rex","sequence":0"#, #","sequence":7"#] {
            let line = """
                {"data":{"amount":1,"meter":"m"},"environment":"test","occurred_at":5,\
                "source":{"key":"k","kind":"native","signed_at":5},"subject":"ada","trust":"imported",\
                "type":"usage.recorded","v":1,\(members)\(envelope)}
                """
            let draft = try EventJSON.draft(from: try JSONReader.read(Array(line.utf8)))
            let recorded = try Self.recorded(draft).draft
            #expect(recorded == draft)
            #expect(EventJSON.canonicalBytes(of: recorded) == EventJSON.canonicalBytes(of: draft))
            #expect(EventJSON.object(of: recorded)["signed"] == draft.extras["signed"])
        }
    }

    @Test("The row's own four marks come back, beside members of the same names in the data")
    func marks() throws {
        var draft = Self.draft(
            "profile.created",
            data: [
                "profile": "rex", "kind": "puppy", "signed": 1, "nobody": 2, "sequence": 3,
            ], extras: ["signed": true, "nobody": true])
        draft.profile = "another"
        draft.sequence = 0
        draft.source.signedAt = draft.occurredAt
        #expect(try Self.recorded(draft).draft == draft)

        var orphan = Self.draft(
            "store.transaction_stated",
            data: [
                "product": "p", "transaction_id": "1", "original_transaction_id": "1",
                "starts_at": 1, "app_account_token": "ada",
            ], extras: ["nobody": false])
        orphan.subject = nil
        #expect(try Self.recorded(orphan).draft == orphan)
    }

    @Test("A catalog is the same for all environments, and its event says so")
    func environment() throws {
        var draft = Self.draft(
            "catalog.rolled_back", data: ["to_version": 1, "effective_at": 1])
        draft.environment = .sandbox
        let canonical = try EventValidator.canonical(draft)
        #expect(canonical.environment == .production)
        #expect(try Self.recorded(draft).draft == canonical)
    }

    @Test("Data and extras nested to the limit come back; one level more is refused")
    func depth() throws {
        let limit = JSONReader.depthMax
        let deepest = Self.draft(
            data: ["meter": "m", "amount": 1, "deep": Self.nested(limit - 2)],
            extras: ["deep": Self.nested(limit - 1), "other": 1])
        let line = EventJSON.canonicalBytes(of: deepest)
        #expect(try EventJSON.draft(from: try JSONReader.read(line)) == deepest)
        #expect(try Self.recorded(deepest).draft == deepest)
        for draft in [
            Self.draft(data: ["meter": "m", "amount": 1, "deep": Self.nested(limit - 1)]),
            Self.draft(extras: ["deep": Self.nested(limit)]),
        ] {
            #expect(throws: JSONError.self) {
                try JSONReader.read(EventJSON.canonicalBytes(of: draft))
            }
            #expect(throws: EventProblem.self) { try EventValidator.canonical(draft) }
        }
    }

    @Test(
        "A row whose JSON part is damaged says so, with what can still be read",
        arguments: [
            #"{"e":{"a":1}"#, #"{"d":[]}"#, #"{"x":{}}"#, "7", #"{"m":{"signed":"x"}}"#, "",
        ])
    func damage(_ rest: String) throws {
        var names = NameTable()
        var row = EventEncoder.row(try EventValidator.canonical(Self.draft()), names: &names)
        #expect(EventDecoder.damage(of: row) == nil)
        row.rest = rest
        row.event.position = 9
        #expect(EventDecoder.damage(of: row) != nil)
        #expect {
            try EventDecoder.recorded(
                row, stream: StreamName(.production, .customer, "ada"), names: names)
        } throws: { error in
            let damage = error as? RowDamage
            return damage?.position == 9 && damage?.readable.draft.subject == "ada"
                && damage?.readable.draft.data["amount"] == 1
        }
    }

    @Test("A type or version that only a newer build knows is told of, not shown without its data")
    func newerBuild() throws {
        var names = NameTable()
        let row = EventEncoder.row(try EventValidator.canonical(Self.draft()), names: &names)
        let stream = StreamName(.production, .customer, "ada")
        var newer = row
        newer.event.typeCode = 250
        #expect(EventDecoder.damage(of: newer) != nil)
        #expect(throws: RowDamage.self) {
            try EventDecoder.recorded(newer, stream: stream, names: names)
        }
        newer = row
        newer.schemaVersion = 99
        #expect(throws: RowDamage.self) {
            try EventDecoder.recorded(newer, stream: stream, names: names)
        }
    }
}

/// What a second version of a type does to the rows of the first.
@Suite("Versions of a type")
struct SchemaVersionTests {
    private static let first = EventSchema(
        .surveyAnswered, "survey.answered", "A survey was answered.",
        [
            EventField("survey", .text, .nameA, required: true),
            EventField("score", .integer, .amount, required: true),
        ])
    private static func second(_ fields: EventField...) -> EventSchema {
        EventSchema(
            .surveyAnswered, "survey.answered", version: 2, "A survey was answered.", fields)
    }

    @Test("Rows of the first version keep their data and their slots under the second")
    func olderRows() throws {
        let draft = EventRowTests.draft(
            "survey.answered", data: ["survey": "sean-ellis", "score": 3, "note": "kept"])
        let table = SchemaTable([
            Self.first,
            Self.second(
                EventField("survey", .text, .nameA, required: true),
                EventField("score", .integer, .amount, required: true),
                EventField("channel", .text, .nameB)),
        ])
        #expect(table.conflicts().isEmpty)
        for writer in [SchemaTable([Self.first]), table] {
            var names = NameTable()
            let row = EventEncoder.row(draft, names: &names, table: writer)
            let recorded = try EventDecoder.recorded(
                row, stream: StreamName(.production, .customer, "ada"), names: names, table: table)
            #expect(recorded.draft == draft)
            #expect(names[row.event.nameA] == "sean-ellis")
            #expect(row.event.amount == 3)
        }
    }

    @Test("A second version may not give a slot, a word or a stream another meaning")
    func conflicts() {
        func problems(_ fields: EventField...) -> [String] {
            SchemaTable([
                Self.first,
                EventSchema(.surveyAnswered, "survey.answered", version: 2, "", fields),
            ]).conflicts()
        }
        #expect(problems(EventField("survey", .text, .nameA)).isEmpty)
        #expect(problems(EventField("survey", .text, .nameB)).count == 1)
        #expect(problems(EventField("score", .text, .amount)).count == 1)
        #expect(problems(EventField("channel", .text, .nameA)).count == 1)
        func words(_ names: String...) -> EventField {
            EventField("w", .word(names.map { EventWord($0) }), .flags(shift: 0, width: 3))
        }
        func versions(_ old: EventField, _ new: EventField) -> [String] {
            SchemaTable([
                EventSchema(.surveyAnswered, "survey.answered", "", [old]),
                EventSchema(.surveyAnswered, "survey.answered", version: 2, "", [new]),
            ]).conflicts()
        }
        #expect(versions(words("a", "b"), words("a", "b", "c")).isEmpty)
        #expect(versions(words("a", "b"), words("b", "a")).count == 1)
        let overlapping = EventField("x", .bool, .flags(shift: 2, width: 2))
        #expect(versions(words("a"), overlapping).count == 1)
        let moved = SchemaTable([
            Self.first,
            EventSchema(.surveyAnswered, "survey.answered", version: 2, routing: .lineage, ""),
        ])
        #expect(moved.conflicts().count == 1)
        let shared = EventField("y", .text, .nameA)
        #expect(
            SchemaTable([EventSchema(.surveyAnswered, "s", "", Self.first.fields + [shared])])
                .conflicts().count == 1)
    }

    @Test("The vocabulary keeps to it")
    func vocabulary() { #expect(Vocabulary.table.conflicts() == []) }

    @Test(
        "A version 1 pin is upcast into slots that its own version does not use, and read back as it came"
    )
    func pin() throws {
        let pin = EventRowTests.draft("gauge.pinned", data: ["item": "list", "profile": "rex"])
        var names = NameTable()
        let row = EventEncoder.row(try EventValidator.canonical(pin), names: &names)
        #expect(row.event.reference == Reference("rex"))
        #expect(try EventRowTests.recorded(pin).draft == pin)
    }
}
