import DaybookDomain
import DaybookEvents
import Testing

/// What an earlier version recorded in customers' streams finds its lineage (`EventRouter.move`).
@Suite("Consumables of an older ledger")
struct OldConsumableTests {
    private static func draft(
        _ type: String, of subject: String?, key: String, _ more: JSONObject = [:]
    ) -> EventDraft {
        var data: JSONObject = ["transaction_id": "9", "kind": "consumable"]
        switch type {
        case "purchase.completed":
            data["product"] = "coins"
            (data["price_milli"], data["currency"], data["quantity"]) = (990, "EUR", 3)
        case "purchase.refunded", "purchase.revoked": data["revoked_at"] = 7
        default: break
        }
        for member in more.members { data[member.name] = member.value }
        return EventDraft(
            type: EventTypeName(rawValue: type), environment: .sandbox, subject: subject,
            occurredAt: 5,
            source: EventSource(kind: "apple_jws", key: key), trust: .verified, data: data)
    }

    /// The row as the earlier version wrote it: what names a lineage stood in its JSON, because the stream did not.
    private static func oldRow(_ draft: EventDraft, _ names: inout NameTable) throws -> EventRow {
        var row = EventEncoder.row(try EventValidator.canonical(draft), names: &names)
        var kept = JSONObject()
        for name in ["original_transaction_id", "store"] { kept[name] = draft.data[name] }
        if !kept.isEmpty {
            let rest = JSONObject([.init(name: "d", value: .object(kept))])
            row.rest = JSONValue.object(rest).canonicalText
        }
        return row
    }

    private static func read(
        _ row: EventRow, in stream: StreamName, _ names: NameTable
    ) throws -> RecordedEvent {
        try EventDecoder.recorded(row, stream: stream, names: names)
    }

    @Test(
        "Each event of a consumable belongs to the lineage of its transaction, and is whole there",
        arguments: [
            "purchase.completed", "purchase.refunded", "purchase.refund_reversed",
            "purchase.revoked", "refund.requested", "refund.declined",
        ])
    func moved(_ type: String) throws {
        let buyer = StreamName(.sandbox, .customer, "ada")
        for more in [
            [:], ["original_transaction_id": "9"],
            ["original_transaction_id": "1", "store": "google"],
        ] as [JSONObject] {
            var names = NameTable()
            let draft = Self.draft(type, of: "ada", key: "k", more)
            let row = try Self.oldRow(draft, &names)
            let recorded = try Self.read(row, in: buyer, names)
            let lineage = try #require(EventRouter.move(of: recorded))
            let store = more["store"]?.text ?? "apple"
            #expect(lineage == StreamName(.sandbox, .lineage, "\(store):9"))
            // In its own stream it says what it said, and stays there.
            let there = try Self.read(row, in: lineage, names)
            #expect(EventRouter.move(of: there) == nil)
            #expect(there.draft.subject == "ada")
            let again = try EventValidator.canonical(there.draft)
            #expect(again == (try EventValidator.canonical(draft)))
        }
    }

    @Test("What stands where it belongs is left there")
    func unmoved() throws {
        var names = NameTable()
        let bought = try EventValidator.canonical(
            Self.draft("purchase.completed", of: "ada", key: "a", ["kind": "non_consumable"]))
        let used = try EventValidator.canonical(
            EventDraft(
                type: .usageRecorded, environment: .sandbox, subject: "ada", occurredAt: 5,
                source: EventSource(kind: "native", key: "u"), trust: .imported,
                data: ["meter": "coins", "amount": 1]))
        var unknown = used
        unknown.type = EventTypeName(rawValue: "purchase.gifted")
        unknown.data["kind"] = "consumable"
        for draft in [bought, used, unknown] {
            let stream = EventRouter.stream(of: draft)
            let row = EventEncoder.row(draft, names: &names)
            #expect(EventRouter.move(of: try Self.read(row, in: stream, names)) == nil)
        }
    }

    /// The owner after a fold of old rows in their lineages.
    private static func owner(_ drafts: [EventDraft]) throws -> (name: String, LineageState) {
        var names = NameTable()
        var events: [OrderedEvent] = []
        for draft in drafts {
            let row = try oldRow(draft, &names)
            events.append(OrderedEvent(event: row.event, key: row.key))
        }
        OrderedEvent.sort(&events, names: names)
        var lineage = LineageState()
        for event in events { lineage.evolve(event.event, names: names) }
        return (names[lineage.owner], lineage)
    }

    @Test(
        "Recorded for several customers it counts once; a name that stood in for one claims nothing"
    )
    func once() throws {
        let told = Self.draft("purchase.completed", of: "apple:704", key: "a#transaction")
        let ada = Self.draft("purchase.completed", of: "ada", key: "9@5/ada")
        let bob = Self.draft("purchase.completed", of: "bob", key: "9@5/bob")
        let back = Self.draft("purchase.refunded", of: "apple:704", key: "r#transaction")
        let (owner, lineage) = try Self.owner([told, bob, back, ada])
        #expect(owner == "ada")
        #expect(lineage.transactions.count == 1)
        #expect(lineage.isConsumable && lineage.transactions[0].revokedAt == 7)
        #expect(try Self.owner([back, told]).name == "apple:704")
        let token = Self.draft(
            "purchase.completed", of: "zoe", key: "9@6", ["app_account_token": "zoe"])
        #expect(try Self.owner([bob, told, token]).name == "zoe")
    }
}
