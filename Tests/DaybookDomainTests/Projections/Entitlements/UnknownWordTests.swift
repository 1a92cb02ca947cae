import DaybookDomain
import DaybookEvents
import Testing

/// A word that is not in its list is kept, visible and skipped (law 8): it is never the last word of the list.
@Suite("Unknown words")
struct UnknownWordTests {
    /// The events of one lineage or one customer, as a fold gets them.
    private struct History {
        var names = NameTable()
        var events: [Event] = []

        mutating func add(_ type: String, _ data: JSONObject) throws {
            var data = data
            if Vocabulary.schema(named: type, version: 1)?.field("transaction_id") != nil {
                data["transaction_id"] = "100"
            }
            let draft = try EventValidator.canonical(
                EventDraft(
                    type: EventTypeName(rawValue: type), subject: "ada",
                    occurredAt: Int64(events.count + 1),
                    source: EventSource(kind: "native", key: "k\(events.count)"), trust: .verified,
                    data: data))
            events.append(EventEncoder.row(draft, names: &names).event)
        }

        var lineage: LineageState {
            var state = LineageState()
            for event in events { state.evolve(event, names: names) }
            return state
        }

        var usage: UsageState {
            var state = UsageState()
            for event in events { state.evolve(event, as: event.type) }
            return state
        }
    }

    private static let start: JSONObject = [
        "product": "monthly", "starts_at": 1, "expires_at": 1_000, "price_milli": 1,
        "currency": "USD",
    ]

    @Test(
        "Another product is next only under a word that says so",
        arguments: [("next_renewal", "yearly"), ("reverted", "back"), ("someday", "monthly")])
    func productChange(_ word: String, _ next: String) throws {
        var history = History()
        try history.add("subscription.started", Self.start)
        try history.add(
            "subscription.product_changed",
            ["from": "back", "to": "yearly", "effective": .string(word)])
        #expect(history.names[history.lineage.nextProduct.value] == next)
        #expect(history.lineage.switches.isEmpty)
    }

    @Test(
        "A revocation of a kind that is unknown ends access like a full one, not like a family's",
        arguments: [
            ("family", TransactionFact.Revocation.family), ("FAMILY_REVOKE", .family),
            ("prorated", .prorated), ("lunar", .full),
        ])
    func revocation(_ word: String, _ kind: TransactionFact.Revocation) throws {
        var history = History()
        try history.add(
            "store.transaction_stated",
            [
                "product": "monthly", "starts_at": 1, "expires_at": 1_000, "revoked_at": 500,
                "revocation_type": .string(word), "app_account_token": "ada",
            ])
        #expect(history.lineage.transactions.first?.revocation == kind)
        #expect(history.lineage.transactions.first?.revokedAt == 500)
        #expect(history.lineage.ownerHasToken)
    }

    @Test("A price increase of unknown status is not a declined one")
    func price() throws {
        for (word, status) in [("declined", UInt8(3)), ("considered", 7)] {
            var history = History()
            try history.add("subscription.price_increase", ["status": .string(word)])
            #expect(history.lineage.priceIncrease.value == status)
        }
    }

    @Test(
        "Only a reset that was decided on begins a counter anew",
        arguments: [("manual", 1), ("plan_change", 1), ("scheduled", 0), ("lunar", 0)])
    func reset(_ word: String, _ count: Int) throws {
        var history = History()
        try history.add(
            "usage.reset",
            [
                "meter": "stories", "period_start": 1, "effective_at": 1, "trigger": .string(word),
            ])
        #expect(history.usage.resets.count { !$0.isScheduled } == count)
    }
}
