import Daybook
import DaybookDomain
import DaybookEvents
import DaybookIngest
import DaybookTesting
import Synchronization
import Testing

/// Several products in one order: a transaction and an event for each.
@Suite("Orders with several products")
struct OrderTests {
    private static let catalog = """
        app: shop
        title: Shop
        products:
          theme: { kind: nonConsumable, entitlements: [themed] }
          maps: { kind: nonConsumable, entitlements: [mapped] }
          coins: { kind: consumable, credits: { meter: spells, amount: 10 } }
        entitlements:
          themed: [skins]
          mapped: [atlas]
        features:
          skins:
          atlas:
        meters:
          spells: { kind: counter, limit: 0 }

        """
    private let fixture: LedgerFixture

    init() async throws {
        fixture = try await LedgerFixture(
            "shop", document: Array(Self.catalog.utf8), now: instant("2026-01-10T00:00:00Z"))
    }

    private func line(
        _ items: String, type: String = "purchase.completed", key: String = "o-1",
        order: String = #""transaction_id":"o-1","currency":"USD""#, more: String = ""
    ) -> String {
        #"{"type":"\#(type)","subject":"ada","occurred_at":"2026-01-02T09:00:00Z",\#(more)"#
            + #""source":{"kind":"web","key":"\#(key)"},"data":{"store":"web",\#(order),"#
            + #""items":[\#(items)]}}"#
    }

    private static let theme =
        #"{"product":"theme","kind":"non_consumable","price_milli":4990}"#
    private static let maps = #"{"product":"maps","kind":"non_consumable","price_milli":2990}"#
    private static let coins =
        #"{"product":"coins","kind":"consumable","price_milli":990,"quantity":2}"#

    private func refund(_ items: String) -> String {
        line(
            items, type: "purchase.refunded", key: "r-1",
            order: #""transaction_id":"o-1","revoked_at":"2026-01-03T09:00:00Z""#)
    }

    @discardableResult
    private func take(_ lines: String...) async throws -> ReportReceipt {
        var reader = NDJSONReader(app: "shop")
        let (events, problems) = reader.read(Array(lines.joined(separator: "\n").utf8))
        guard problems.isEmpty else { throw LedgerError.badInput(problems.map(InputProblem.init)) }
        return try await fixture.ledger.record(events)
    }

    private func load(
        _ lines: [String], _ options: ImportOptions = ImportOptions()
    ) async throws -> ImportReport {
        var chunks = [Array(lines.joined(separator: "\n").utf8)]
        return try await fixture.ledger.importLines({ chunks.popLast() }, options: options)
    }

    private func isActive(_ name: String) throws -> Bool {
        try fixture.entitlement(name)?.isActive == true
    }

    @Test("Two products of one order are both active, each with a transaction of its own")
    func two() async throws {
        let receipt = try await take(line("\(Self.theme),\(Self.maps)"))
        #expect((receipt.appended, receipt.duplicates) == (2, 0))
        #expect((receipt.firstPosition, receipt.lastPosition) == (2, 3))
        #expect(try isActive("themed"))
        #expect(try isActive("mapped"))
        let first = try #require(try fixture.ledger.event(source: "web", key: "o-1/theme"))
        #expect(
            first.draft.data == [
                "order_id": "o-1", "transaction_id": "o-1/theme",
                "original_transaction_id": "o-1/theme", "product": "theme",
                "kind": "non_consumable", "price_milli": 4990, "currency": "USD", "store": "web",
            ])
        #expect(first.draft.occurredAt == instant("2026-01-02T09:00:00Z"))
        #expect(first.draft.subject == "ada")
        let second = try #require(try fixture.ledger.event(source: "web", key: "o-1/maps"))
        #expect(second.draft.data["transaction_id"] == "o-1/maps")
        #expect(try fixture.ledger.replay().agrees)
    }

    @Test("A consumable beside a non-consumable gives its credits, as often as was bought")
    func consumable() async throws {
        try await take(line("\(Self.coins),\(Self.theme)"))
        #expect(try isActive("themed"))
        #expect(try fixture.meter("spells")?.remaining == 20)
    }

    @Test("The refund of one item leaves the other")
    func refund() async throws {
        try await take(line("\(Self.theme),\(Self.maps)"))
        let receipt = try await take(refund(#"{"product":"theme"}"#))
        #expect(receipt.appended == 1)
        #expect(try !isActive("themed"))
        #expect(try isActive("mapped"))
        #expect(
            try fixture.ledger.event(source: "web", key: "r-1/theme")?.draft.data["transaction_id"]
                == "o-1/theme")
    }

    @Test("Credits of a refunded item are gone, also where the refund does not say its kind")
    func refundedCredits() async throws {
        try await take(line("\(Self.coins),\(Self.theme)"))
        try await take(refund(#"{"product":"coins"}"#))
        #expect(try fixture.meter("spells")?.remaining == 0)
        #expect(try isActive("themed"))
    }

    @Test("A refund may come before its order")
    func early() async throws {
        try await take(refund(#"{"product":"theme"}"#))
        try await take(line("\(Self.theme),\(Self.maps)"))
        #expect(try !isActive("themed"))
        #expect(try isActive("mapped"))
    }

    @Test("The same line again appends nothing, and one item more appends that one")
    func again() async throws {
        let order = line("\(Self.theme),\(Self.maps)")
        try await take(order)
        let again = try await take(order)
        #expect((again.appended, again.duplicates) == (0, 2))
        let more = try await take(line("\(Self.maps),\(Self.coins),\(Self.theme)"))
        #expect((more.appended, more.duplicates) == (1, 2))
    }

    @Test("An item that says something else under its key is refused, and so is its whole order")
    func conflict() async throws {
        try await take(line(Self.theme))
        let head = try fixture.ledger.head()
        let other = Self.theme.replacing("4990", with: "1990")
        let error = await #expect(throws: LedgerError.self) {
            try await take(line("\(Self.maps),\(other)"))
        }
        guard case .badInput(let problems) = error else {
            Issue.record("\(String(describing: error)) is no bad input")
            return
        }
        #expect(problems.map(\.code) == ["idempotency_conflict"])
        #expect(problems.map(\.line) == [1])
        #expect(try fixture.ledger.head() == head)
    }

    @Test("A file is imported with its orders; lines are counted as lines, events as events")
    func imported() async throws {
        let usage =
            #"{"type":"app.launched","subject":"ada","occurred_at":1767312000000,"id":"l-1"}"#
        let order = line("\(Self.theme),\(Self.maps)")
        let checked = try await load([usage, order], ImportOptions(isDryRun: true))
        #expect((checked.lines, checked.appended) == (2, 0))
        #expect(try fixture.ledger.head().position == 1)
        let report = try await load([usage, order])
        #expect((report.lines, report.appended, report.duplicates) == (2, 3, 0))
        #expect(try isActive("themed"))
        #expect(try isActive("mapped"))
        let again = try await load([usage, order, order])
        #expect((again.lines, again.appended, again.duplicates) == (3, 0, 5))
    }

    @Test("An import that keeps going refuses a line wholly, whichever item is wrong")
    func keepsGoing() async throws {
        let plain = line(Self.maps).replacing("2990", with: "3990")
        try await take(plain)
        let order = line("\(Self.theme),\(Self.maps)")
        let coins = line(Self.coins, key: "o-2", order: #""order_id":"o-2","currency":"USD""#)
        let report = try await load(
            [order, coins], ImportOptions(keepsGoing: true))
        #expect((report.lines, report.appended, report.duplicates) == (2, 1, 0))
        #expect(report.refused.map(\.line) == [1])
        #expect(report.refused.first?.code == "idempotency_conflict")
        #expect(String(decoding: report.refused.first?.bytes ?? [], as: UTF8.self) == order)
        #expect(try !isActive("themed"))
        #expect(try fixture.meter("spells")?.remaining == 20)
    }

    @Test("An order that was refused leaves nothing: the same order mended further down is taken")
    func mended() async throws {
        try await take(line(Self.maps).replacing("2990", with: "3990"))
        let broken = line("\(Self.theme),\(Self.maps)")
        let mended = broken.replacing("2990", with: "3990")
        let report = try await load([broken, mended], ImportOptions(keepsGoing: true))
        #expect(report.refused.map(\.line) == [1])
        #expect((report.lines, report.appended, report.duplicates) == (2, 1, 1))
        #expect(try isActive("themed"))
        #expect(try fixture.ledger.event(source: "web", key: "o-1/theme") != nil)
    }

    @Test("An order that was refused does not hold the recorded time of those behind it")
    func brokenTime() async throws {
        try await take(line(Self.maps).replacing("2990", with: "3990"))
        let at = instant("2026-01-10T00:00:05Z")
        let broken = line("\(Self.theme),\(Self.maps)", more: #""recorded_at":\#(at),"#)
        let launch =
            #"{"type":"app.launched","subject":"ada","occurred_at":1767312000000,"id":"l-1","#
            + #""recorded_at":\#(at - 1)}"#
        let report = try await load(
            [broken, launch], ImportOptions(isAsRecorded: true, keepsGoing: true))
        #expect(report.refused.map(\.line) == [1])
        #expect(report.appended == 1)
        #expect(try fixture.ledger.event(at: 3)?.recordedAt == at - 1)
    }

    @Test(
        "A line that is refused for its names does not hold its key against the line that mends it")
    func mendedName() async throws {
        let usage =
            #"{"type":"usage.recorded","subject":"ada","occurred_at":1767312000000,"#
            + #""source":{"kind":"web","key":"u-1"},"#
            + #""data":{"meter":"spels","amount":1,"ref":"u-1"}}"#
        let mended = usage.replacing("spels", with: "spells")
        let report = try await load(
            [usage, mended, mended], ImportOptions(keepsGoing: true, refusesUnknown: true))
        #expect(report.refused.map(\.line) == [1])
        #expect(report.refused.map(\.code) == ["unknown_name"])
        #expect((report.appended, report.duplicates) == (1, 1))
        #expect(
            try fixture.ledger.event(source: "web", key: "u-1")?.draft.data["meter"] == "spells")
    }

    @Test("The items of an order are one commit, also where a batch is nearly full")
    func border() async throws {
        let readings = Mutex(instant("2026-01-10T00:00:00Z"))
        // No two commits have one time.
        let ledger = try Ledger(
            inMemory: "shop",
            clock: {
                readings.withLock {
                    $0 += 1
                    return $0
                }
            })
        let launches = (1...4_095).map {
            #"{"type":"app.launched","subject":"ada","occurred_at":1767312000000,"id":"l-\#($0)"}"#
        }
        let again = launches[0]
        let order = line("\(Self.theme),\(Self.maps)")
        var chunks = [Array((launches + [order, again, order]).joined(separator: "\n").utf8)]
        let report = try await ledger.importLines({ chunks.popLast() })
        #expect((report.appended, report.duplicates) == (4_097, 3))
        let times = try (4_095...4_097).map { try #require(try ledger.event(at: $0)).recordedAt }
        #expect(times[0] != times[1])
        #expect(times[1] == times[2])
    }

    @Test("The turns of an import are as long as their events are many, not their lines")
    func turns() {
        #expect(ImportTurns.ranges([1, 1, 1, 100, 1, 0, 2], of: 3) == [0..<3, 3..<4, 4..<7])
        #expect(ImportTurns.ranges([2, 2, 1], of: 3) == [0..<2, 2..<3])
        #expect(ImportTurns.ranges([], of: 3) == [])
    }

    @Test("The revocation of one item leaves the other")
    func revoked() async throws {
        try await take(line("\(Self.theme),\(Self.maps)"))
        try await take(
            line(
                #"{"product":"maps"}"#, type: "purchase.revoked", key: "v-1",
                order: #""transaction_id":"o-1","revoked_at":"2026-01-03T09:00:00Z""#))
        #expect(try isActive("themed"))
        #expect(try !isActive("mapped"))
    }

    @Test("A refund whose purchase neither the file nor the ledger has is told, and taken in")
    func unmet() async throws {
        try await take(line("\(Self.theme),\(Self.maps)"))
        func plain(_ type: String, _ key: String, _ data: String) -> String {
            #"{"type":"\#(type)","subject":"ada","occurred_at":"2026-01-04T09:00:00Z","#
                + #""source":{"kind":"web","key":"\#(key)"},"data":{\#(data)}}"#
        }
        func back(_ key: String, _ data: String, _ type: String = "purchase.refunded") -> String {
            plain(type, key, data + #","revoked_at":"2026-01-04T09:00:00Z""#)
        }
        let lines = [
            // The ledger has the item, and no transaction of the order's own name.
            refund(#"{"product":"theme"}"#),
            back("r-2", #""store":"web","transaction_id":"o-1""#),
            // Told before its purchase, which stands further down.
            back("r-3", #""store":"web","transaction_id":"o-3/coins","kind":"consumable""#),
            line(Self.coins, key: "o-3", order: #""order_id":"o-3","currency":"USD""#),
            back("r-4", #""transaction_id":"77""#, "purchase.revoked"),
            back("r-5", #""transaction_id":"77""#),
            plain("refund.requested", "q-1", #""transaction_id":"78""#),
        ]
        for options in [ImportOptions(isDryRun: true), ImportOptions()] {
            #expect(try await load(lines, options).unknownTransactions == ["web:o-1", "apple:77"])
        }
        #expect(try isActive("mapped"))
        // What is there already is told once.
        #expect(try await load(lines).unknownTransactions == [])
        // A purchase that never held is none.
        try await fixture.perform(.voidEvent(source: "web", key: "o-1/maps"))
        let late = back("r-6", #""store":"web","transaction_id":"o-1/maps""#)
        #expect(try await load([late]).unknownTransactions == ["web:o-1/maps"])
    }

    @Test("Every item keeps the recorded time of its line")
    func recordedAt() async throws {
        let at = instant("2026-01-10T00:00:05Z")
        let order = line("\(Self.theme),\(Self.maps)", more: #""recorded_at":\#(at),"#)
        let report = try await load([order], ImportOptions(isAsRecorded: true))
        #expect(report.appended == 2)
        for position: Int64 in 2...3 {
            #expect(try fixture.ledger.event(at: position)?.recordedAt == at)
        }
    }

    @Test("An unknown member is told once for an order")
    func unknownMember() async throws {
        let order = line("\(Self.theme),\(Self.maps)", more: #""occured_at":1,"#)
        let error = await #expect(throws: LedgerError.self) {
            _ = try await load([order], ImportOptions(refusesUnknown: true))
        }
        guard case .badInput(let problems) = error else {
            Issue.record("\(String(describing: error)) is no bad input")
            return
        }
        #expect(problems.map(\.code) == ["unknown_member"])
        #expect(try fixture.ledger.head().position == 1)
    }

    @Test("What a ledger exports of an order comes back as it was")
    func exported() async throws {
        try await take(line("\(Self.theme),\(Self.coins)"), refund(#"{"product":"theme"}"#))
        let lines = Output()
        try fixture.ledger.export { lines.bytes += $0 }
        let copy = try Ledger(inMemory: "shop", clock: { instant("2026-01-11T00:00:00Z") })
        var chunks = [lines.bytes]
        let report = try await copy.importLines(
            { chunks.popLast() }, options: ImportOptions(isAsRecorded: true))
        #expect(report.appended == 4)
        #expect(try copy.digest() == fixture.ledger.digest())
    }

    private final class Output { var bytes: [UInt8] = [] }
}
