import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import DaybookTesting
import Foundation
import Testing

/// Folded elsewhere, case by case, a ledger gives what it gives as a whole: digest, counts, metrics and targets.
@Suite("Folds of cases add up to the ledger")
struct CaseFoldTests {
    private static let isExtended = ProcessInfo.processInfo.environment["DAYBOOK_TIER"] != nil

    /// Lines of one case.
    private typealias Case = [[UInt8]]

    /// A ledger written case by case.
    private struct Written {
        let context: FoldContext
        var cases: [Case] = []

        init(_ ledger: Ledger, partitions: Int, _ moment: Moment = .now) throws {
            let export = try ledger.caseExport(moment)
            context = try FoldContext(reading: export.context.bytes, zones: ZoneTables())
            #expect(context == export.context)
            var events: Int64 = 0
            for partition in export.partitions(partitions) {
                var lines: [UInt8] = []
                events += try export.write(partition) { lines += $0 }
                var last: String?
                for line in lines.split(separator: 0x0A) {
                    let key = try JSONReader.read(Array(line)).object?["case"]?
                        .object?["key"]?.text
                    if key != last { cases.append([]) }
                    last = key
                    cases[cases.count - 1].append(Array(line))
                }
            }
            #expect(Int64(cases.count) == context.caseCount && events == context.eventCount)
        }

        /// Folds the cases in random groups and adds these up in a random tree.
        func folded(
            _ questions: FoldQuestions, _ random: inout SplitMix64
        ) throws -> FoldedPart {
            var parts: [FoldedPart] = []
            var rest = cases.shuffled(using: &random)[...]
            repeat {
                let count = min(rest.count, Int.random(in: 1...max(1, cases.count), using: &random))
                var fold = try CaseFold(context, questions)
                var whole: [UInt8] = []
                for line in rest.prefix(count).joined() { whole += line + [0x0A] }
                var bytes = whole[...]
                rest = rest.dropFirst(count)
                while !bytes.isEmpty {
                    let piece = bytes.prefix(Int.random(in: 1...5_000, using: &random))
                    try fold.take(Array(piece))
                    bytes = bytes.dropFirst(piece.count)
                }
                let part = try fold.finish()
                let read = try FoldedPart(reading: part.line, number: 1)
                #expect(read == part)
                parts.append(read)
            } while !rest.isEmpty
            while parts.count > 1 {
                let other = parts.remove(at: Int.random(in: 0..<parts.count, using: &random))
                let place = Int.random(in: 0..<parts.count, using: &random)
                try parts[place].add(other)
            }
            return parts[0]
        }
    }

    /// Compares what folds come to with what the ledger says by itself.
    private static func compare(
        _ ledger: Ledger, _ random: inout SplitMix64, _ place: String, _ moment: Moment = .now
    ) throws {
        let written = try Written(ledger, partitions: Int.random(in: 1...4, using: &random), moment)
        let known = Moment(
            at: written.context.at, knownAt: .position(written.context.position))
        var request = MetricsRequest()
        request.moment = known
        // Without it the last twelve months.
        if Bool.random(using: &random) {
            request.from = written.context.at - 400 * LedgerFixture.day
        }
        request.rules.currency = Bool.random(using: &random) ? "EUR" : nil
        var questions = FoldQuestions()
        questions.metrics = request
        questions.funnels = try funnels(of: ledger, known, &random)
        let part = try written.folded(questions, &random)
        let (digest, aggregates) = try ledger.digest(knownAt: known.knownAt)
        #expect(part.digest == digest && part.aggregateCount == Int64(aggregates), "\(place)")
        let whole = try FoldedWhole(written.context, part)
        #expect(try whole.differingBuckets(from: ledger).isEmpty, "\(place)")
        for (asked, report) in zip(questions.funnels, try whole.funnels()) {
            #expect(try ledger.funnel(asked) == report, "\(place), \(asked.name)")
        }
        #expect(try whole.funnels().count == questions.funnels.count, "\(place)")
        let found = try #require(try whole.metrics())
        let expected = try ledger.metrics(request)
        #expect(found.series == expected.series, "\(place)")
        #expect(found.periods == expected.periods && found.zone == expected.zone, "\(place)")
        #expect(found.subjectCount == expected.subjectCount, "\(place)")
        #expect(found.rates == expected.rates, "\(place)")
        #expect(found.asOf.position == expected.asOf.position, "\(place)")
        #expect(found.asOf.catalog == expected.asOf.catalog, "\(place)")
    }

    /// Each funnel of the catalog in one of its many ways.
    private static func funnels(
        of ledger: Ledger, _ known: Moment, _ random: inout SplitMix64
    ) throws -> [FunnelRequest] {
        let catalogs = try ledger.catalogs(knownAt: known.knownAt)
        return (catalogs.newest?.catalog.funnels ?? []).map { funnel in
            var request = FunnelRequest(
                funnel.name,
                by: FunnelBreakdown.allCases.randomElement(using: &random) ?? .none,
                moment: known)
            request.rules.unit =
                FunnelRules.Unit.allCases.randomElement(using: &random) ?? .customer
            request.rules.touch =
                FunnelRules.Touch.allCases.randomElement(using: &random) ?? .first
            if funnel.order == .ordered, Bool.random(using: &random) { request.rules.entry = .best }
            if Bool.random(using: &random) { request.windowMilliseconds = 3_600_000 }
            return request
        }
    }

    @Test("Every recorded stream", arguments: try StreamGolden.pairs())
    func streams(_ pair: StreamGolden.Pair) async throws {
        var random = SplitMix64(seed: LawTests.seed)
        let drafts = try StreamGolden.drafts(of: pair)
        let ledger = try await StreamGolden.ledger(pair.app, holding: drafts)
        try Self.compare(ledger, &random, "\(pair)")
        let cut = max(1, Int64(drafts.count / 2))
        try Self.compare(
            ledger, &random, "\(pair) known at \(cut)", Moment(knownAt: .position(cut)))
    }

    @Test(
        "Invented histories with aliases, transfers, corrections and orphans",
        arguments: InventedHistories.apps)
    func invented(_ app: String) async throws {
        var random = SplitMix64(seed: LawTests.seed)
        for index in 0..<(Self.isExtended ? 40 : 4) {
            let history = try InventedHistories.history(
                app, seed: LawTests.seed &+ UInt64(index) &* 7_919, subjects: 8, events: 120)
            let ledger = try await history.ledger()
            try Self.compare(ledger, &random, "\(app), history \(index)")
        }
    }

    @Test("Who is told about by another, long ids and large events stay what they are")
    func unusual() async throws {
        let ledger = try Ledger(inMemory: "dozzi", clock: { LedgerFixture.start })
        try await ledger.publish(
            CatalogPublication(
                document: try Fixtures.catalogDocument("dozzi"), effectiveAt: 0))
        let start = LedgerFixture.start - LedgerFixture.day
        let long = String(repeating: "x", count: 250)
        var large = EventDraft.reported(.appLaunched, at: start, key: "large", subject: "eve", [:])
        // What stands beside it in a line must not make it too large (65,536 bytes).
        for number in 0..<248 {
            large.extras["note\(number)"] = .string(String(repeating: "n", count: 250))
        }
        large.extras["rest"] = .string(String(repeating: "n", count: 180))
        try await ledger.record([
            .used("stories", at: start, ref: "a", subject: "ada"),
            .used("stories", at: start, ref: "b", subject: "anon-1"),
            .used("stories", at: start, ref: "c", subject: "crm-job"),
            .reported(
                .subjectAliased, at: start + 1, key: "alias", subject: "crm-job",
                ["alias": "anon-1", "canonical": "ada"]),
            .used("stories", at: start, ref: "d", subject: long), large,
        ])
        var random = SplitMix64(seed: 1)
        for _ in 0..<20 { try Self.compare(ledger, &random, "unusual") }
        let export = try ledger.caseExport()
        #expect(export.context.caseCount == 3)
    }

    /// Records an event as a build would have it that does not know its type.
    /// - Parameter change: What that build wrote otherwise.
    private static func recordUnknown(
        _ draft: EventDraft, in ledger: Ledger, _ change: (inout EventRow) -> Void = { _ in }
    ) throws {
        var state = ledger.core.state.withLock { $0 }
        let count = state.storedNameCount
        var memo = NameMemo()
        var (row, names) = EventEncoder.encode(draft, nil)
        memo.number(&row, names, &state.names)
        let name = try #require(state.names.id(of: draft.subject ?? ""))
        let stream = try #require(state.streamID(draft.environment, .customer, name))
        row.event.position = state.head.position + 1
        row.event.stream = stream
        row.previous = state.headOf(stream).position
        row.streamVersion = state.headOf(stream).version + 1
        row.recordedAt = state.head.recordedAt
        change(&row)
        let batch = AppendBatch(
            expectedHead: state.head.position, nameCount: count,
            names: state.names.texts(after: count), streams: [], rows: [row],
            documents: [])
        try ledger.core.store.exclusively { _ = try $0.append(batch) }
        try ledger.refresh()
    }

    @Test("What was unknown when it was recorded stays so, and no fold is of other rows")
    func earlier() async throws {
        let ledger = try Ledger(inMemory: "dozzi", clock: { LedgerFixture.start })
        try await ledger.publish(
            CatalogPublication(
                document: try Fixtures.catalogDocument("dozzi"), effectiveAt: 0))
        let start = LedgerFixture.start - LedgerFixture.day
        try await ledger.record([.used("stories", at: start, ref: "a", subject: "ada")])
        let use = EventDraft.used("stories", at: start + 1, ref: "b", subject: "ada")
        try Self.recordUnknown(use, in: ledger)
        var random = SplitMix64(seed: 3)
        try Self.compare(ledger, &random, "unknown")

        let other = EventDraft.used("stories", at: start + 2, ref: "c", subject: "ada")
        try Self.recordUnknown(other, in: ledger) { $0.event.amount = 7 }
        #expect {
            _ = try Written(ledger, partitions: 1)
        } throws: { error in
            guard case LedgerError.badInput(let problems) = error else { return false }
            return problems.first?.code == "older_build"
        }
    }

    @Test("Targets are what kpi says, with what was measured elsewhere")
    func targets() async throws {
        let month = SyntheticMonth(
            catalog: try Fixtures.catalog("dozzi"), seed: 20_261, subjects: 60)
        let ledger = try await StreamGolden.ledger("dozzi", holding: month.deliveries)
        try await ledger.record([
            EventDraft(
                type: .kpiRecorded, subject: "ops", occurredAt: SyntheticMonth.end - 5,
                source: EventSource(kind: "native", key: "measured"), trust: .imported,
                data: ["name": "app_rating", "value": "4.6"])
        ])
        var random = SplitMix64(seed: LawTests.seed)
        let moment = Moment(at: SyntheticMonth.end + LedgerFixture.day)
        let written = try Written(ledger, partitions: 3, moment)
        var request = MetricsRequest(try FoldedWhole.targets(of: written.context))
        request.moment = moment
        var questions = FoldQuestions()
        questions.metrics = request
        let whole = try FoldedWhole(written.context, try written.folded(questions, &random))
        let board = try #require(try whole.kpis())
        request.moment = Moment(at: moment.at, knownAt: .position(written.context.position))
        let expected = try ledger.kpis(request)
        #expect(board.period == expected.period)
        for (row, other) in zip(board.rows, expected.rows) {
            #expect(row == other, "\(row.target.name)")
        }
        #expect(board.rows.count == expected.rows.count)
        #expect(!board.rows.isEmpty)
    }

    @Test("What is damaged, missing, doubled or of another context is refused with its place")
    func refusals() async throws {
        let pair = StreamGolden.Pair(app: "dozzi", name: "refund-after-two-stories")
        let ledger = try await StreamGolden.ledger(
            pair.app, holding: try StreamGolden.drafts(of: pair))
        let written = try Written(ledger, partitions: 1)
        let longest = try #require(written.cases.max { $0.count < $1.count })
        try #require(longest.count > 2)
        func refusal(_ lines: Case, _ context: FoldContext? = nil) -> InputProblem? {
            do {
                var fold = try CaseFold(context ?? written.context)
                try fold.take(lines.flatMap { $0 + [0x0A] })
                _ = try fold.finish()
                return nil
            } catch LedgerError.badInput(let problems) {
                return problems.first
            } catch {
                return InputProblem(line: nil, column: nil, code: "\(error)", reason: "")
            }
        }
        #expect(refusal(longest) == nil)
        #expect(refusal(Array(longest.dropLast()))?.code == "incomplete_case")
        #expect(refusal(longest + [longest[0]])?.code == "repeated_event")
        var cut = longest
        cut[1] = Array(cut[1].dropLast(3))
        let broken = refusal(cut)
        #expect(broken?.code == "damaged_line" && broken?.line == 2)
        // One byte of a line that is another one: what remains is often an event, too, and never the one that was there.
        for place in longest[1].indices {
            var changed = longest
            changed[1][place] ^= 1
            let found = refusal(changed)
            #expect(found?.line == 2, "byte \(place): \(String(describing: found))")
        }
        let plain = try #require(try JSONReader.read(longest[0]).object?["event"]?.object)
        #expect(refusal([plain.canonicalBytes])?.code == "no_case")
        var earlier = written.context
        earlier.position = 1
        #expect(refusal(longest, earlier)?.code == "other_context")
        let again = refusal(longest + longest)
        #expect(again?.code == "repeated_event", "\(String(describing: again))")

        func code(_ body: () throws -> Void) -> String? {
            do {
                try body()
                return nil
            } catch LedgerError.badInput(let problems) {
                return problems.first?.code
            } catch {
                return "\(error)"
            }
        }
        var random = SplitMix64(seed: 7)
        let part = try written.folded(FoldQuestions(), &random)
        #expect(code { _ = try FoldedWhole(written.context, part) } == nil)
        var doubled = part
        try doubled.add(part)
        #expect(code { _ = try FoldedWhole(written.context, doubled) } == "incomplete")
        let none = try CaseFold(written.context).empty()
        #expect(code { _ = try FoldedWhole(written.context, none) } == "incomplete")
        #expect(code { _ = try FoldedWhole(earlier, part) } == "other_context")
        var questions = FoldQuestions()
        questions.metrics = MetricsRequest(["new_customers"])
        let asked = try written.folded(questions, &random)
        #expect(
            code {
                var sum = part; try sum.add(asked)
            } == "other_question")
        // As large as a part may be: two of them are more than any ledger has.
        let large = try asked.with(sum: Int128(1) << 109)
        #expect(
            code {
                var sum = large; try sum.add(large)
            } == "damaged_part")
        var line = part.line
        line[line.count / 2] ^= 1
        #expect(code { _ = try FoldedPart(reading: line, number: 3) } == "damaged_part")
        #expect(code { _ = try FoldedPart(reading: [0x7B], number: 3) } == "damaged_part")

        let bytes = written.context.bytes
        func reading(_ bytes: [UInt8]) -> String? {
            code { _ = try FoldContext(reading: bytes, zones: ZoneTables()) }
        }
        #expect(reading(bytes) == nil)
        #expect(reading(Array(bytes.dropLast(5))) == "damaged_context")
        #expect(reading(Array("{}\n".utf8)) == "no_context")
        let other = String(decoding: bytes, as: UTF8.self).replacing(
            "\"daybook\":\"\(DaybookVersion.current)\"", with: "\"daybook\":\"0.0.1\"")
        #expect(reading(Array(other.utf8)) == "other_version")
        var foreign = written.context
        foreign.zones["Europe/Amsterdam"] = "0123456789abcdef"
        #expect(reading(foreign.bytes) == "zone_differs")
    }
}

extension CaseFold {
    /// What it comes to without any case.
    fileprivate consuming func empty() throws -> FoldedPart { try finish() }
}

extension FoldedPart {
    /// The same part with one number for all that its metrics add up to.
    fileprivate func with(sum: Int128) throws -> FoldedPart {
        var content = try #require(try JSONReader.read(line).object?["part"]?.object)
        var metrics = try #require(content["metrics"]?.object)
        metrics["sums"] = [[0, 0, -1, 0, "1", "", .string(String(sum)), 1]]
        content["metrics"] = .object(metrics)
        let digest = Digest.hexadecimal(Digest.sha256(content.canonicalBytes))
        let whole: JSONObject = ["part": .object(content), "sha256": .string(digest)]
        return try FoldedPart(reading: whole.canonicalBytes, number: 1)
    }
}
