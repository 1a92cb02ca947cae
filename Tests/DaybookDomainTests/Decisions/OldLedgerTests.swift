import DaybookDomain
import DaybookEvents
import Testing

/// What is refused at append today may stand in a ledger that is older: a fold makes nothing worse of it.
@Suite("Numbers that an older ledger holds")
struct OldLedgerTests {
    private static func remaining(_ drafts: [EventDraft], allowsDebt: Bool = true) throws
        -> MeterAnswer
    {
        var catalog = Catalog(app: "test")
        var meter = Meter(name: "units", kind: .counter)
        meter.limit = 0
        meter.allowsDebt = allowsDebt
        catalog.meters = [meter]
        var pack = Product(id: "pack", kind: .consumable)
        pack.credits = Credits(meter: "units", amount: 10)
        catalog.products = [pack]
        var catalogs = CatalogHistory()
        catalogs.publish(
            CatalogVersion(
                version: 1, effectiveAt: 0, scope: .all, position: 1, catalog: catalog,
                documentDigest: ""))
        var names = NameTable()
        var state = AggregateState(kind: .customer)
        var pocket = AggregateState(kind: .lineage)
        for draft in drafts {
            let row = EventEncoder.row(draft, names: &names)
            if EventRouter.stream(of: draft).kind == .lineage {
                pocket.evolve(row.event, names: names)
            } else {
                state.evolve(row.event, names: names)
            }
        }
        let lineages = [
            CustomerCase.OwnedLineage(
                name: "apple:1", folded: SharedAggregate(pocket), stretches: [.init()])
        ]
        let context = CustomerCase(
            environment: .production, subject: "ada", isKnown: true,
            folded: SharedAggregate(state),
            lineages: lineages,
            lineagesOfOthers: [], catalogs: catalogs, zones: ZoneSet(["UTC": .utc]), names: names,
            at: 10)
        return try #require(Check(context)).usage.answer(meter)
    }

    private static func draft(_ type: String, at: Int64, _ data: JSONObject) -> EventDraft {
        EventDraft(
            type: EventTypeName(rawValue: type), subject: "ada", occurredAt: at,
            source: EventSource(kind: "apple", key: "\(type)\(at)"), trust: .verified, data: data)
    }

    private static func purchase(_ quantity: Int64) -> EventDraft {
        draft(
            "purchase.completed", at: 1,
            [
                "product": "pack", "kind": "consumable", "transaction_id": "1",
                "quantity": .integer(quantity), "price_milli": 1, "currency": "EUR",
            ])
    }

    private static func refund(_ share: Int64) -> EventDraft {
        draft(
            "purchase.refunded", at: 2,
            [
                "transaction_id": "1", "kind": "consumable", "revoked_at": 2,
                "pct_milli": .integer(share),
            ])
    }

    @Test("A negative quantity gives nothing and owes nothing")
    func quantity() throws {
        for drafts in [[Self.purchase(-3)], [Self.purchase(-3), Self.refund(100_000)]] {
            let answer = try Self.remaining(drafts)
            #expect((answer.remaining, answer.debt, answer.granted) == (0, 0, 0))
        }
        #expect(try Self.remaining([Self.purchase(2)]).remaining == 20)
    }

    @Test(
        "A refund takes back between nothing and everything",
        arguments: [
            (-100_000, 10), (-1, 10), (0, 10), (50_000, 5), (100_000, 0), (250_000, 0),
        ] as [(Int64, Int64)])
    func share(_ share: Int64, _ left: Int64) throws {
        let answer = try Self.remaining([Self.purchase(1), Self.refund(share)])
        #expect((answer.remaining, answer.debt) == (left, 0))
    }

    @Test("A grant of a meter without an amount gives nothing unless it says unlimited")
    func grant() throws {
        func grant(_ more: JSONObject) -> EventDraft {
            var data: JSONObject = ["grant_id": "g", "meter": "units", "starts_at": 1]
            for member in more.members { data[member.name] = member.value }
            return Self.draft("grant.issued", at: 1, data)
        }
        #expect(try Self.remaining([grant([:])]).remaining == 0)
        #expect(try Self.remaining([grant(["unlimited": false])]).remaining == 0)
        #expect(try Self.remaining([grant(["amount": -5])]).remaining == 0)
        #expect(try Self.remaining([grant(["amount": 5])]).remaining == 5)
        #expect(try Self.remaining([grant(["unlimited": true])]).remaining == nil)
    }
}
