import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

@Suite("Metrics: frozen reports")
struct FrozenReportTests {
    private typealias Bench = MetricBench
    private let monthly = "com.nestling.pro.monthly"

    private func lineage(_ name: String, _ subject: String?) -> LineageFixture {
        LineageFixture(name, product: monthly, subject: subject)
    }

    private func month(_ name: String, _ subject: String?, at start: Int64) -> EventDraft {
        lineage(name, subject).started(
            name, from: start, until: start + 31 * Bench.day, Bench.price(5_990))
    }

    /// The first quarter as everyone has closed it.
    private func freeze(
        _ bench: MetricBench, _ name: String = "q1", _ metrics: [String] = []
    ) async throws -> FrozenReport {
        var request = MetricsRequest(metrics)
        request.period = CalendarPeriod("2026-Q1")
        request.resolution = .month
        return try await bench.ledger.freeze(ReportFreeze(name, request, actor: "eva"))
    }

    private func take(_ lines: [UInt8], into ledger: Ledger) async throws {
        var chunks = [lines]
        _ = try await ledger.importLines({ chunks.popLast() })
    }

    private func later(_ draft: EventDraft) -> EventDraft {
        var draft = draft
        draft.source.key = "later-\(draft.source.key ?? "")"
        for member in ["original_transaction_id", "transaction_id"] {
            draft.data[member] = draft.data[member].map { .string("later-\($0.text ?? "")") }
        }
        return draft
    }

    @Test("A report keeps its bytes, whatever comes later, in exports and imports too")
    func keeps() async throws {
        let bench = try await Bench("nuzzle")
        try await bench.record(SubscriptionHistory.drafts(41))
        let frozen = try await freeze(bench)
        #expect(frozen.engine == DaybookVersion.current && frozen.actor == "eva" && !frozen.isVoid)
        let request = try #require(frozen.request)
        #expect(request.metrics == Metric.all.map(\.name))
        #expect(frozen.digest == Digest.hexadecimal(Digest.sha256(frozen.document)))
        let report = try #require(frozen.report)
        #expect(report.periods.map(\.name) == ["2026-01", "2026-02", "2026-03"])
        #expect(!report.asOf.isOpen)
        // The values that are read back are those that were computed.
        let again = try bench.ledger.metrics(request)
        #expect(again.series == report.series && again.json.canonicalBytes == frozen.document)

        bench.fixture.clock.now = Bench.may
        try await bench.record(SubscriptionHistory.drafts(42).map(later))
        try await bench.fixture.publish(try Fixtures.catalogDocument("nuzzle") + Array("#\n".utf8))
        #expect(try bench.ledger.frozenReport("q1") == frozen)
        // A list has no documents.
        var listed = frozen
        listed.document = []
        #expect(try bench.ledger.frozenReports() == [listed])

        var lines: [UInt8] = []
        try bench.ledger.export { lines += $0 }
        let copy = try Ledger(inMemory: "nuzzle", clock: { Bench.may })
        try await take(lines, into: copy)
        let other = try copy.frozenReport("q1")
        #expect(other.document == frozen.document && other.request == frozen.request)
    }

    @Test("A name has one report: the same question again is done, another one is refused")
    func names() async throws {
        let bench = try await Bench("nuzzle")
        try await bench.record([month("a", "ada", at: Bench.january)])
        let first = try await freeze(bench, "q1", ["mrr"])
        try await bench.record([month("b", "bob", at: Bench.january)])
        #expect(try await freeze(bench, "q1", ["mrr"]) == first)
        await expectBadInput("name_taken") { _ = try await freeze(bench, "q1", ["arr"]) }
        await expectBadInput("bad_name") { _ = try await freeze(bench, "") }
        await expectBadInput("unknown_name") { _ = try bench.ledger.frozenReport("q2") }
        #expect(try bench.ledger.frozenReports(in: .sandbox).isEmpty)
        var days = MetricsRequest()
        days.from = Bench.january - 3_000 * Bench.day
        days.resolution = .day
        await expectBadInput("report_too_large") {
            _ = try await bench.ledger.freeze(ReportFreeze("days", days))
        }
        #expect(try bench.ledger.frozenReports().count == 1)
        var tomorrow = MetricsRequest(["mrr"])
        tomorrow.moment = Moment(at: Bench.april + Bench.day)
        await expectBadInput("bad_range") {
            _ = try await bench.ledger.freeze(ReportFreeze("tomorrow", tomorrow))
        }
    }

    @Test("Without later events nothing is different")
    func same() async throws {
        let bench = try await Bench("nuzzle")
        try await bench.record(SubscriptionHistory.drafts(43))
        _ = try await freeze(bench)
        bench.fixture.clock.now = Bench.may
        let comparison = try bench.ledger.comparison(of: "q1")
        #expect(comparison.isSame && comparison.contributions.isEmpty && comparison.isOfThisHistory)
        #expect(comparison.unexplained.isEmpty)
    }

    @Test("A difference names the customer, the cause and the events")
    func causes() async throws {
        let bench = try await Bench("nuzzle")
        try await bench.record([
            month("a", "ada", at: Bench.january), month("b", "bob", at: Bench.january),
            month("c", nil, at: Bench.january), month("d", "dan", at: Bench.february),
        ])
        _ = try await freeze(bench, "q1", ["net_revenue", "paying_customers"])
        bench.fixture.clock.now = Bench.may
        let refund = try await bench.ledger.record([
            lineage("a", "ada").refunded("a", at: Bench.january + 5 * Bench.day)
        ])
        let late = try await bench.ledger.record([month("e", "eve", at: Bench.march)])
        let void = try await bench.ledger.perform(
            CommandRequest(
                .voidEvent(source: "apple_asn_v2", key: try #require(bought("b"))), subject: "bob",
                actor: "support", reason: "test", ticket: "T-1"))
        let comparison = try bench.ledger.comparison(of: "q1")
        func change(_ subject: String, _ metric: String) -> [String] {
            comparison.contributions.filter { $0.subject == subject }.flatMap { contribution in
                contribution.changes.filter { $0.metric == metric }.map {
                    "\(contribution.cause.rawValue) \(contribution.positions) \($0.bucket) \($0.group) \($0.numerator.number)/\($0.numerator.parts)"
                }
            }
        }
        let place = { (receipt: ReportReceipt) in receipt.firstPosition ?? 0 }
        #expect(change("ada", "net_revenue") == ["refund [\(place(refund))] 0 USD -5990/1"])
        #expect(change("ada", "paying_customers").isEmpty)
        #expect(change("eve", "net_revenue") == ["late_arrival [\(place(late))] 2 USD 5990/1"])
        #expect(change("bob", "net_revenue") == ["correction \(void.positions) 0 USD -5990/1"])
        #expect(change("bob", "paying_customers") == ["correction \(void.positions) 0  -1/1"])
        #expect(change("dan", "net_revenue").isEmpty)
        #expect(comparison.unexplained.isEmpty)
        let january = comparison.differences.first {
            $0.metric.name == "net_revenue" && $0.period == "2026-01"
        }
        #expect(january?.frozen?.numerator == 17_970 && january?.current?.numerator == 5_990)
        #expect(january?.isOfEngine == false)
    }

    @Test("A correction that came before its target is explained where it is taken back")
    func earlyCorrection() async throws {
        let bench = try await Bench("nuzzle")
        func void(_ source: String, _ key: String, as own: String) -> EventDraft {
            EventDraft(
                type: .correctionVoided, subject: nil, occurredAt: Bench.april,
                source: EventSource(kind: "ledger", key: own), trust: .admin,
                data: [
                    "target": ["source": .string(source), "key": .string(key)],
                    "reason": "wrong", "ticket": "T-1",
                ])
        }
        let paid = month("a", "ada", at: Bench.january)
        try await bench.record([void("apple_asn_v2", paid.source.key ?? "", as: "first")])
        try await bench.record([paid, month("b", "bob", at: Bench.january)])
        _ = try await freeze(bench, "q1", ["net_revenue"])
        bench.fixture.clock.now = Bench.may
        let back = try await bench.ledger.record([void("ledger", "first", as: "second")])
        let comparison = try bench.ledger.comparison(of: "q1")
        #expect(comparison.unexplained.isEmpty)
        #expect(comparison.contributions.map(\.subject) == ["ada"])
        #expect(comparison.contributions.first?.cause == .correction)
        #expect(comparison.contributions.first?.positions == [back.firstPosition ?? 0])
        // Corrections that name each other end the search.
        try await bench.record([
            void("ledger", "two", as: "one"), void("ledger", "one", as: "two"),
        ])
        #expect(try bench.ledger.comparison(of: "q1").unexplained.isEmpty)
    }

    @Test("A report whose document is gone, or is another one, is told by verify, and lists go on")
    func damage() async throws {
        let bench = try await VerificationBench()
        let ledger = try VerificationBench.open(bench.folder, readOnly: false)
        var request = MetricsRequest(["new_customers"])
        request.moment = Moment(knownAt: .position(1))
        let frozen = try await ledger.freeze(ReportFreeze("first", request))
        try ledger.close()
        #expect(try bench.verified()["reports"] == nil)
        for (sql, word) in [
            ("UPDATE documents SET bytes = x'7B7D' WHERE sha256 = '\(frozen.digest)'", "changed"),
            ("DELETE FROM documents WHERE sha256 = '\(frozen.digest)'", "no document"),
        ] {
            try bench.damage(sql)
            #expect(try bench.verified()["reports"]?.contains(word) == true)
        }
        let damaged = try VerificationBench.open(bench.folder)
        #expect(try damaged.frozenReports().map(\.name) == ["first"])
        #expect(throws: LedgerError.self) { try damaged.frozenReport("first") }
        try damaged.close()
    }

    /// The key of the event with which the purchase of a lineage began.
    private func bought(_ name: String) -> String? {
        month(name, "", at: Bench.january).source.key
    }

    @Test("What another version computed is told apart from what became known")
    func engine() async throws {
        let bench = try await Bench("nuzzle")
        try await bench.record([month("a", "ada", at: Bench.january)])
        let frozen = try await freeze(bench, "q1", ["net_revenue"])
        // As if an older version had been wrong by a cent.
        let text = String(decoding: frozen.document, as: UTF8.self)
            .replacing("\"numerator\":5990", with: "\"numerator\":5980")
        var lines: [UInt8] = []
        try bench.ledger.export { lines += $0 }
        let digest = Digest.hexadecimal(Digest.sha256(Array(text.utf8)))
        let changed = String(decoding: lines, as: UTF8.self)
            .replacing(frozen.digest, with: digest)
            .replacing("\\\"numerator\\\":5990", with: "\\\"numerator\\\":5980")
        let copy = try Ledger(inMemory: "nuzzle", clock: { Bench.may })
        try await take(Array(changed.utf8), into: copy)
        let comparison = try copy.comparison(of: "q1")
        #expect(try copy.verify().allSatisfy { $0.isClean })
        // The copy has the same events, and a history of its own.
        #expect(!comparison.isOfThisHistory)
        #expect(comparison.differences.map(\.isOfEngine) == [true])
        #expect(comparison.differences.first?.frozen?.numerator == 5_980)
        #expect(comparison.differences.first?.recomputed?.numerator == 5_990)
        #expect(comparison.contributions.isEmpty && comparison.unexplained.isEmpty)
    }

    @Test(
        "Random histories: for every value the parts add up to the difference",
        arguments: UInt64(51)...54)
    func addsUp(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let bench = try await Bench("nuzzle")
        let history = SubscriptionHistory.drafts(seed).shuffled(using: &random)
        let half = history.count / 2
        try await bench.record(Array(history.prefix(half)))
        var fixture = bench.fixture
        // Some ids are one person before the report, and each of them has events after it.
        for number in stride(from: 0, to: 24, by: 4) {
            fixture.subject = "c\(number)"
            try await fixture.perform(.alias(to: "c\(number + 1)"))
        }
        _ = try await freeze(bench)
        bench.fixture.clock.now = Bench.may
        for draft in history.suffix(from: half) {
            try await bench.record([draft])
            let (one, other) = (
                "c\(Int.random(in: 0..<40, using: &random))",
                "c\(Int.random(in: 0..<40, using: &random))"
            )
            fixture.subject = one
            switch Int.random(in: 0..<12, using: &random) {
            case 0 where one != other: _ = try? await fixture.perform(.alias(to: other))
            case 1 where one != other: _ = try? await fixture.perform(.unalias(from: other))
            case 2:
                let target = history[Int.random(in: 0..<half, using: &random)]
                _ = try? await fixture.perform(
                    .voidEvent(source: target.source.kind, key: target.source.key ?? ""))
            case 3 where seed % 2 == 0:
                let document = try Fixtures.catalogDocument("nuzzle")
                try await fixture.publish(document + Array("# \(draft.source.key ?? "")\n".utf8))
            default: break
            }
        }
        let comparison = try bench.ledger.comparison(of: "q1")
        #expect(comparison.unexplained.isEmpty, "seed \(seed)")
        #expect(comparison.differences.count > 20, "seed \(seed)")
        for difference in comparison.differences {
            #expect(!difference.isOfEngine)
            try expectExplained(difference, comparison)
        }
    }

    /// Holds the parts against the values, which come from two looks at all customers.
    private func expectExplained(
        _ difference: ReportComparison.Difference, _ comparison: ReportComparison
    ) throws {
        let shape = difference.metric.shape
        let parts = comparison.contributions.flatMap(\.changes).filter {
            $0.metric == difference.metric.name && $0.group == difference.group
                && ($0.age == difference.age || $0.age == nil)
                && comparison.current.periods[$0.bucket].name == difference.period
        }
        // A multiple of every denominator that prices for months have.
        let scale: Int128 = 5_040
        func sum(_ side: KeyPath<MetricChange, MetricChange.Side>) -> Int128 {
            parts.reduce(0) { $0 + $1[keyPath: side].number * (scale / $1[keyPath: side].parts) }
        }
        let (before, after) = (difference.recomputed, difference.current)
        switch shape {
        case .count, .money:
            func value(_ value: MetricSeries.Value?) -> Int128 {
                value.map { Int128($0.numerator) * (scale / Int128($0.denominator)) } ?? 0
            }
            #expect(value(after) - value(before) == sum(\.numerator), "\(difference)")
        case .ratio, .average, .moneyAverage:
            guard parts.allSatisfy({ $0.numerator.parts == 1 && $0.denominator.parts == 1 }),
                difference.metric.groups == nil
            else { return }
            func sides(_ value: MetricSeries.Value?) -> (Int128, Int128) {
                (Int128(value?.numerator ?? 0), Int128(value?.denominator ?? 0))
            }
            let (old, new) = (sides(before), sides(after))
            #expect((new.0 - old.0) * scale == sum(\.numerator), "\(difference)")
            #expect((new.1 - old.1) * scale == sum(\.denominator), "\(difference)")
        }
    }

    private func expectBadInput(
        _ code: String, _ body: () async throws -> Void
    ) async {
        do {
            try await body()
            Issue.record("\(code) was expected")
        } catch LedgerError.badInput(let problems) {
            #expect(problems.map(\.code) == [code])
        } catch {
            Issue.record(error)
        }
    }
}
