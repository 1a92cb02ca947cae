import DaybookDomain
import DaybookEvents
import DaybookFixtures
import Testing

/// Every field of every event type is used by an answer, or docs/events.md says that it is kept for the record only.
@Suite("What fields are used for")
struct FieldUseTests {
    private static func value(_ field: EventField, _ choice: Int) -> JSONValue {
        switch field.kind {
        case .currency: .string(["EUR", "USD", "JPY"][choice % 3])
        case .text, .document: .string("text-\(choice)")
        case .integer, .amount, .money: .integer(Int64(2 + choice))
        case .time: .integer(1_767_225_600_000 + Int64(choice) * 1_000)
        case .bool: .bool(choice == 1)
        case .word(let words): .string(words[choice % words.count].name)
        case .any: JSONValue.object(["x": .integer(Int64(choice))])
        }
    }

    private static func draft(
        _ schema: EventSchema, _ changed: EventField?, without: Bool = false
    ) -> EventDraft {
        var data = JSONObject()
        for field in schema.fields {
            if field.name == changed?.name, without { continue }
            data.set(value(field, field.name == changed?.name ? 1 : 0), at: field.path)
        }
        data["original_transaction_id"] = data["original_transaction_id"] == nil ? nil : "line"
        return EventDraft(
            type: EventTypeName(rawValue: schema.name), version: schema.version,
            environment: .sandbox, subject: "ada",
            occurredAt: 1_767_225_600_000,
            source: EventSource(kind: "native", key: "k", signedAt: 1_767_225_600_000),
            trust: .verified, data: data)
    }

    /// What the ledger keeps in memory of an event: the state of its aggregate, and what is read before any fold.
    private static func digest(_ draft: EventDraft, _ names: inout NameTable) throws -> [String] {
        let canonical = try EventValidator.canonical(draft)
        let event = EventEncoder.row(canonical, names: &names).event
        let kind = EventRouter.stream(of: canonical).kind
        var state = AggregateState(kind: kind)
        state.evolve(event, names: names)
        var identity = Identity()
        identity.note(event, environment: .sandbox)
        var links: [String] = []
        identity.forEachLink { links.append("\($0) \($1)") }
        identity.forEachHandover { links.append("\($0) \($1)") }
        var corrections = CorrectionBook()
        corrections.note(event, environment: .sandbox)
        return ["\(state)", "\(links.sorted())", "\(corrections)"]
    }

    @Test("A field with a place in the folded event changes what is folded, or is known not to")
    func slots() throws {
        var names = NameTable()
        var unused: Set<String> = []
        for schema in Vocabulary.schemas where !schema.name.hasPrefix("ops.") {
            let kind = EventRouter.stream(of: Self.draft(schema, nil)).kind
            if kind == .ledger { continue }
            let base = try Self.digest(Self.draft(schema, nil), &names)
            for field in schema.fields where field.slot != nil && field.slot != .stream {
                let other = try Self.digest(Self.draft(schema, field), &names)
                if base == other { unused.insert(RecordFields.name(field, of: schema)) }
            }
        }
        let known = RecordFields.unfolded.union(RecordFields.readElsewhere)
        #expect(unused.subtracting(known) == [], "say in RecordFields what reads them, or nothing")
        #expect(known.subtracting(unused) == [], "a fold reads them")
    }
}
