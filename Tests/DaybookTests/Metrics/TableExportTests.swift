import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// Exports of transactions, periods and customers (docs/exports.md): what metrics count, and only what is new.
@Suite("Exports of tables")
struct TableExportTests {
    private typealias Bench = MetricBench

    /// The rows of an export, and where the next one goes on.
    private func rows(
        _ table: ExportTable, _ ledger: Ledger, after: Place? = nil, workers: Int? = nil,
        names: ExportTable.Names = .daybook
    ) throws -> (rows: [JSONObject], place: Place) {
        var request = TableRequest(table)
        request.after = after
        request.names = names
        var found: [JSONObject] = []
        let receipt = try ledger.export(request, workers: workers) { line in
            found.append(try #require(try JSONReader.read(Array(line.dropLast())).object))
        }
        #expect(receipt.rows == found.count)
        return (found, receipt.place)
    }

    private func time(_ value: JSONValue?) -> Int64? { value?.text.flatMap(RFC3339.parse) }

    private static func month(_ app: String) async throws -> Ledger {
        let clock = FixtureClock(0)
        let ledger = try Ledger(inMemory: app, clock: { clock.now })
        try await ledger.publish(
            CatalogPublication(document: try Fixtures.catalogDocument(app), effectiveAt: 0))
        clock.now = SyntheticMonth.end + 30 * LedgerFixture.day
        let month = SyntheticMonth(catalog: try Fixtures.catalog(app), seed: 20_260_302)
        try await ledger.record(month.deliveries, options: ReportOptions(isAsRecorded: true))
        return ledger
    }

    @Test(
        "The sums of a synthetic month's transactions and periods are its metrics",
        arguments: Fixtures.apps)
    func sums(_ app: String) async throws {
        let ledger = try await Self.month(app)
        let transactions = try rows(.transactions, ledger).rows
        let periods = try rows(.periods, ledger).rows
        let customers = try rows(.customers, ledger).rows
        for (table, rows) in [(ExportTable.transactions, transactions), (.periods, periods)] {
            let keys = rows.map { row in table.keyColumns.map { row[$0]?.text ?? "" } }
            #expect(Set(keys).count == keys.count, "\(app) \(table)")
        }
        var request = MetricsRequest([
            "gross_revenue", "active_subscriptions", "new_customers", "trials",
        ])
        request.from = SyntheticMonth.start
        request.until = SyntheticMonth.end
        request.resolution = .day
        request.zone = "UTC"
        request.moment = Moment(
            at: SyntheticMonth.end, knownAt: .position(try ledger.head().position))
        let report = try ledger.metrics(request)
        var compared = 0
        for series in report.series {
            for value in series.values {
                let range = value.range
                func isIn(_ row: JSONObject, _ column: String) -> Bool {
                    time(row[column]).map(range.contains) ?? false
                }
                let found: Int64
                switch series.metric.name {
                case "gross_revenue":
                    found = transactions.filter {
                        isIn($0, "purchased_at") && $0["currency"]?.text == value.group
                    }.reduce(0) { $0 + ($1["amount_milli"]?.integer ?? 0) }
                case "new_customers":
                    found = Int64(customers.count { isIn($0, "first_seen_at") })
                case "trials":
                    found = Int64(periods.count { isIn($0, "starts_at") && $0["is_trial"] == true })
                default:
                    let moment = range.upperBound - 1
                    found = Int64(
                        periods.count { row in
                            row["is_free"] == false
                                && (time(row["starts_at"]) ?? .max) <= moment
                                && moment < (time(row["ends_at"]) ?? .max)
                        })
                }
                compared += found > 0 ? 1 : 0
                #expect(
                    found == value.numerator,
                    "\(app) \(series.metric.name) \(value.group) \(RFC3339.format(range.lowerBound))"
                )
            }
        }
        #expect(compared > 20, "\(app)")
    }

    /// Rows by their keys, as a reader keeps them.
    private func kept(
        _ table: ExportTable, _ former: [String: JSONObject], _ rows: [JSONObject]
    ) -> [String: JSONObject] {
        var kept = former
        for row in rows {
            let key = table.keyColumns.map { row[$0]?.text ?? "" }.joined(separator: " ")
            kept[key] = row["is_deleted"] == true ? nil : row
        }
        return kept
    }

    @Test(
        "Exports of what is new, one after the other, come to the whole export anew",
        arguments: Fixtures.apps)
    func increments(_ app: String) async throws {
        let clock = FixtureClock(0)
        let ledger = try Ledger(inMemory: app, clock: { clock.now })
        try await ledger.publish(
            CatalogPublication(document: try Fixtures.catalogDocument(app), effectiveAt: 0))
        clock.now = SyntheticMonth.end + 30 * LedgerFixture.day
        let month = SyntheticMonth(catalog: try Fixtures.catalog(app), seed: 20_260_303)
        let deliveries = month.deliveries
        var state: [ExportTable: (kept: [String: JSONObject], place: Place?)] = [:]
        for part in 0..<4 {
            let range = deliveries.count * part / 4..<deliveries.count * (part + 1) / 4
            try await ledger.record(
                Array(deliveries[range]), options: ReportOptions(isAsRecorded: true))
            try check(ledger, &state, "\(app), part \(part)")
        }
        // Then what takes rows away: two who are one, and a purchase that is voided.
        let customers = try ledger.subjects().prefix(2).map { $0 }
        try await ledger.record([
            .reported(
                .subjectAliased, at: clock.now, key: "alias", subject: customers[1],
                ["alias": .string(customers[1]), "canonical": .string(customers[0])])
        ])
        try check(ledger, &state, "\(app), after an alias")
        var lines: [[UInt8]] = []
        try ledger.export { lines.append($0) }
        let bought = try lines.compactMap { try JSONReader.read(Array($0.dropLast())).object }.last
        {
            ["purchase.completed", "subscription.started"].contains($0["type"]?.text)
        }
        let source = try #require(bought?["source"]?.object)
        try await ledger.record([
            .reported(
                .correctionVoided, at: clock.now, key: "void",
                [
                    "target": ["source": source["kind"] ?? .null, "key": source["key"] ?? .null],
                    "reason": "a test", "ticket": "T-1",
                ])
        ])
        try check(ledger, &state, "\(app), after a void")
    }

    @Test(
        "What others can take away is told: everything handed on, an alias that ended, early refunds, a rollback"
    )
    func deletions() async throws {
        let clock = FixtureClock(Fixtures.now)
        let now = Fixtures.now
        let day = LedgerFixture.day
        let document = try Fixtures.catalogDocument("nuzzle")
        let ledger = try Ledger(inMemory: "nuzzle", clock: { clock.now })
        try await ledger.publish(CatalogPublication(document: document, effectiveAt: 0))
        var state: [ExportTable: (kept: [String: JSONObject], place: Place?)] = [:]
        let monthly = "com.nestling.pro.monthly"
        let lineage = LineageFixture("7", product: monthly, subject: "ada")
        func step(_ what: String, _ drafts: [EventDraft]) async throws {
            clock.now += 1_000
            try await ledger.record(drafts)
            try check(ledger, &state, what)
        }
        func linked(_ type: EventTypeName, _ key: String) -> EventDraft {
            .reported(
                type, at: clock.now, key: key, subject: "eve",
                ["alias": "eve", "canonical": "ada"])
        }
        try await step("begun", [lineage.started("7", from: now, until: now + 30 * day)])
        try await step(
            "all handed on",
            [
                .reported(
                    .purchaseTransferred, at: now + 500, key: "gift", subject: "ada",
                    ["from": "ada", "to": "bo"])
            ])
        // It is bo's, of whom the lineage says nothing.
        try await step(
            "renewed", [lineage.renewed("8", from: now + 30 * day, until: now + 60 * day)])
        try await step(
            "handed on again",
            [
                .reported(
                    .purchaseTransferred, at: now + 600, key: "gift 2", subject: "bo",
                    ["from": "bo", "to": "cy"])
            ])
        try await step(
            "launched", [.reported(.appLaunched, at: now, key: "e", subject: "eve")])
        try await step("one person", [linked(.subjectAliased, "alias")])
        try await step("two again", [linked(.subjectUnaliased, "unalias")])
        // A period that begins tomorrow, and is refunded before it does.
        let early = LineageFixture("20", product: monthly, subject: "dan")
        try await step(
            "early", [early.started("20", from: now + day, until: now + 31 * day)])
        try await step("refunded", [early.refunded("20", at: now + 10)])
        let periods = state[.periods]?.kept.values.filter { $0["lineage"] == "apple:20" }
        #expect(periods?.isEmpty == true)
    }

    private func check(
        _ ledger: Ledger, _ state: inout [ExportTable: (kept: [String: JSONObject], place: Place?)],
        _ what: String
    ) throws {
        for table in ExportTable.allCases {
            let former = state[table] ?? ([:], nil)
            let new = try rows(table, ledger, after: former.place)
            let positions = new.rows.compactMap { $0["position"]?.integer }
            #expect(positions == positions.sorted(), "\(what), \(table)")
            let merged = kept(table, former.kept, new.rows)
            let whole = try rows(table, ledger, workers: 1).rows
            #expect(merged == kept(table, [:], whole), "\(what), \(table)")
            #expect(whole.allSatisfy { $0["is_deleted"] == false })
            // The same once more has nothing new.
            #expect(try rows(table, ledger, after: new.place).rows.isEmpty, "\(what), \(table)")
            state[table] = (merged, new.place)
        }
    }

    @Test("RevenueCat's columns: a trial, its conversion, a refund of a part, long ids")
    func revenueCat() async throws {
        let bench = try await Bench("nuzzle")
        let lineage = LineageFixture(
            "2000000123456789", product: "com.nestling.pro.monthly", subject: "ada")
        try await bench.record([
            lineage.started(
                "2000000123456789", from: Bench.january, until: Bench.january + 7 * Bench.day,
                Bench.price(0, trial: true)),
            lineage.renewed(
                "2000000123456790", from: Bench.january + 7 * Bench.day,
                until: Bench.january + 38 * Bench.day, Bench.price(3_990)),
        ])
        let rows = try rows(.transactions, bench.ledger, names: .revenuecat).rows
        #expect(
            rows.map { $0["store_transaction_id"] } == ["2000000123456789", "2000000123456790"])
        #expect(rows.map { $0["is_trial_period"] } == [true, false])
        #expect(rows.map { $0["is_trial_conversion"] } == [false, true])
        #expect(rows.map { $0["renewal_number"] } == [1, 2])
        #expect(rows.map { $0["price_in_purchased_currency"] } == ["0.000", "3.990"])
        #expect(rows.allSatisfy { $0["store"] == "app_store" && $0["product_duration"] == "P1M" })
        #expect(rows.allSatisfy { $0["original_store_transaction_id"] == "2000000123456789" })
        var request = TableRequest(.periods)
        request.names = .revenuecat
        #expect(throws: LedgerError.self) { try bench.ledger.export(request) { _ in } }
    }

    @Test("CSV has a header, quotes what must be quoted, and says true, false and nothing")
    func csv() async throws {
        let bench = try await Bench("nuzzle")
        try await bench.record([
            Bench.bought(
                "com.nestling.pro.lifetime", by: "a,\"b\"", at: Bench.january, milli: 79_000)
        ])
        var request = TableRequest(.transactions)
        request.format = .csv
        var text = ""
        try bench.ledger.export(request) { text += String(decoding: $0, as: UTF8.self) }
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("position,environment,customer,is_deleted,transaction,lineage"))
        #expect(lines[1].contains(",production,\"a,\"\"b\"\"\",false,"), "\(lines[1])")
        #expect(lines[1].contains(",79000,USD,false,false,true,,0"), "\(lines[1])")
    }
}
