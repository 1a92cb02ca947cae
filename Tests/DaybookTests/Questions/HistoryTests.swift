import Daybook
import DaybookFixtures
import Testing

@Suite("A customer's history as it was known")
struct HistoryTests {
    private static func draft(
        _ type: String, _ subject: String, at instant: Int64, source: String = "native",
        _ data: JSONObject = JSONObject()
    ) -> EventDraft {
        EventDraft(
            type: EventTypeName(rawValue: type), subject: subject, occurredAt: instant,
            source: EventSource(kind: source, key: "\(type)/\(subject)/\(instant)"),
            trust: source == "apple" ? .verified : .imported, data: data)
    }

    /// 1 the catalog; 2 bob buys; 3 a stranger makes a story; 4 ada opens the app; 5 bob's purchase becomes ada's; 6
    /// the stranger was ada.
    private static func ledger() async throws -> Ledger {
        let ledger = try Ledger(inMemory: "dozzi", clock: { 1_790_000_000_000 })
        try await ledger.publish(
            CatalogPublication(document: try Fixtures.catalogDocument("dozzi")))
        let lineage: JSONObject = ["original_transaction_id": "77"]
        try await ledger.record([
            draft(
                "purchase.completed", "bob", at: 1_000, source: "apple",
                [
                    "product": "com.dozzi.unlimited_stories", "kind": "non_consumable",
                    "transaction_id": "77", "price_milli": 2990, "currency": "USD",
                ]),
            draft(
                "usage.recorded", "anonymous-7", at: 2_000,
                ["meter": "stories", "amount": 1, "ref": "s1"]),
            draft("app.launched", "ada", at: 3_000),
        ])
        var transfer = lineage
        transfer["from"] = "bob"
        transfer["to"] = "ada"
        try await ledger.record([
            draft("purchase.transferred", "bob", at: 4_000, source: "apple", transfer)
        ])
        try await ledger.perform(CommandRequest(.alias(to: "ada"), subject: "anonymous-7"))
        return ledger
    }

    @Test("X-03 What only a later transfer or alias connects to a customer was not known before")
    func laterConnections() async throws {
        let ledger = try await Self.ledger()
        func positions(_ subject: String, _ cut: Int64?) throws -> [Int64] {
            let moment = Moment(knownAt: cut.map { .position($0) })
            return try ledger.history(of: subject, moment: moment).map(\.event.position)
        }
        #expect(try positions("ada", nil) == [2, 3, 4, 5, 6])
        #expect(try positions("ada", 5) == [2, 4, 5])
        #expect(try positions("ada", 4) == [4])
        #expect(try positions("ada", 3) == [])
        #expect(try positions("anonymous-7", 5) == [3])
        #expect(try positions("bob", 4) == [2])
    }

    @Test("An event is called what the catalogs called it that were known then")
    func laterWords() async throws {
        let ledger = try await Self.ledger()
        let text = String(decoding: try Fixtures.catalogDocument("dozzi"), as: UTF8.self)
        let later = text.replacing("eventLabel: story created", with: "eventLabel: tale told")
        try await ledger.publish(CatalogPublication(document: Array(later.utf8)))
        func label(_ cut: Int64?) throws -> String? {
            let moment = Moment(knownAt: cut.map { .position($0) })
            return try ledger.history(of: "anonymous-7", moment: moment)
                .first { $0.event.position == 3 }?.label
        }
        #expect(try label(nil) == "tale told")
        #expect(try label(6) == "story created")
        #expect(try label(3) == "story created")
    }

    @Test("An event is found by its position, and by its source and key in its environment")
    func oneEvent() async throws {
        let ledger = try await Self.ledger()
        #expect(try ledger.event(at: 4)?.draft.type == .appLaunched)
        #expect(try ledger.event(at: 0) == nil)
        #expect(try ledger.event(at: 7) == nil)
        let key = "app.launched/ada/3000"
        #expect(try ledger.event(source: "native", key: key)?.position == 4)
        #expect(try ledger.event(source: "native", key: key, environment: .sandbox) == nil)
        #expect(try ledger.event(source: "native", key: "no such key") == nil)
        #expect(try ledger.event(source: "nobody", key: key) == nil)
    }

    @Test("A funnel whose range ends before it begins is bad input")
    func range() async throws {
        let ledger = try await Self.ledger()
        #expect(throws: LedgerError.self) {
            try ledger.funnel(FunnelRequest("paywall_to_purchase", from: 2_000, until: 1_000))
        }
    }

    @Test("Events that came late stand where they happened, and say so")
    func lateEvents() async throws {
        let ledger = try Ledger(inMemory: "dozzi", clock: { 1_790_000_000_000 })
        try await ledger.publish(
            CatalogPublication(document: try Fixtures.catalogDocument("dozzi")))
        for instant: Int64 in [1_000, 4_000, 2_000, 3_000, 5_000] {
            try await ledger.record([Self.draft("app.launched", "ada", at: instant)])
        }
        let entries = try ledger.history(of: "ada")
        #expect(entries.map(\.event.draft.occurredAt) == [1_000, 2_000, 3_000, 4_000, 5_000])
        #expect(entries.map(\.event.position) == [2, 4, 5, 3, 6])
        #expect(entries.map(\.isLate) == [false, true, true, false, false])
    }
}
