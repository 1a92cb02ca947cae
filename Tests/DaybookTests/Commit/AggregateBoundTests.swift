import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import DaybookTesting
import Testing

/// Rule 30: at most 10⁶ events in an aggregate, checked at append; here at most five.
@Suite("The bound of an aggregate")
struct AggregateBoundTests {
    let ledger: Ledger
    let clock = FixtureClock(Fixtures.now)

    init() async throws {
        let clock = clock
        ledger = try Ledger(
            store: InMemoryEventStore(app: "magical-stories"), eventsPerAggregateMax: 5,
            clock: { clock.now })
        try await ledger.publish(
            CatalogPublication(document: try Fixtures.catalogDocument("magical-stories")))
    }

    private func launches(_ count: Int, of subject: String = "ada", from first: Int = 1)
        -> [EventDraft]
    {
        (first..<first + count).map {
            .reported(
                .appLaunched, at: Fixtures.now + Int64($0), key: "\(subject)-\($0)",
                subject: subject)
        }
    }

    /// What was wrong with a batch; empty when it was taken.
    private func problems(_ drafts: [EventDraft], isImport: Bool = false) async throws
        -> [InputProblem]
    {
        do {
            guard isImport else {
                try await ledger.record(drafts)
                return []
            }
            var pieces: [[UInt8]] = [
                Array(drafts.map { EventJSON.object(of: $0).canonicalBytes + [0x0A] }.joined())
            ]
            _ = try await ledger.importLines(
                { pieces.popLast() }, options: ImportOptions(isDryRun: true))
            return []
        } catch LedgerError.badInput(let problems) {
            return problems
        }
    }

    private func alias(_ alias: String, _ canonical: String) -> EventDraft {
        .reported(
            .subjectAliased, at: Fixtures.now, key: "\(alias)=\(canonical)", subject: alias,
            ["alias": .string(alias), "canonical": .string(canonical)])
    }

    @Test("The last place is taken, the next event is refused with numbers and changes nothing")
    func boundary() async throws {
        try await ledger.record(launches(4))
        let last = try await ledger.record(launches(1, from: 5))
        #expect(last.appended == 1)
        let head = try ledger.head()
        let found = try await problems(launches(1, from: 6))
        #expect(found.map(\.code) == ["aggregate_full"])
        #expect(found.first?.member == "subject")
        let reason = try #require(found.first?.reason)
        #expect(reason.contains("production/customer/ada has 5 events, and 5 are the most"))
        #expect(try ledger.head() == head)
        #expect(try await problems(launches(5, of: "bob")).isEmpty)
    }

    @Test("One batch is counted as a whole, and refused as a whole, in a dry run too")
    func batch() async throws {
        let drafts = launches(3) + launches(5, of: "bob") + launches(4, from: 4)
        for isImport in [true, false] {
            let found = try await problems(drafts, isImport: isImport)
            #expect(found.map(\.code) == ["aggregate_full", "aggregate_full"])
        }
        #expect(try ledger.head().position == 1)
        // A refused customer has left no trace, not even a name without events.
        #expect(try ledger.subjects().isEmpty)
    }

    @Test("What is there already is no new event")
    func duplicates() async throws {
        try await ledger.record(launches(5))
        let again = try await ledger.record(launches(5))
        #expect((again.appended, again.duplicates) == (0, 5))
    }

    @Test("A command of a full customer is bad input; a refusal stays the refusal that it is")
    func commands() async throws {
        try await ledger.record(
            [1, 2, 3].map { .used("stories", at: Fixtures.now - $0, ref: "s\($0)") })
        await #expect {
            try await ledger.consume("stories", by: "ada", ref: "s4")
        } throws: { error in
            (error as? LedgerError)?.code == "limit_reached"
        }
        // The refusal left its evidence, which took a place.
        try await ledger.record(launches(1))
        await #expect {
            try await ledger.consume("collections", by: "ada", ref: "c1")
        } throws: { error in
            // The aggregate has no space for evidence, which is left out.
            (error as? LedgerError)?.code == "not_entitled"
        }
        await #expect {
            try await ledger.perform(
                CommandRequest(.changeTimeZone("Europe/Amsterdam"), subject: "ada"))
        } throws: { error in
            (error as? LedgerError)?.code == "aggregate_full"
        }
        #expect(try ledger.history(of: "ada").count == 5)
        clock.now = Fixtures.now + 40 * LedgerFixture.day
        #expect(try await ledger.tick().appended == 0)
    }

    @Test("Joined IDs have one bound, in whatever batch they are joined")
    func aliases() async throws {
        try await ledger.record(launches(2) + launches(2, of: "bob"))
        try await ledger.record([alias("bob", "ada")])
        #expect(try await problems(launches(1, from: 9)).map(\.code) == ["aggregate_full"])
        #expect(
            try await problems(launches(1, of: "bob", from: 9)).map(\.code) == ["aggregate_full"])
        try await ledger.record(launches(3, of: "cy"))
        #expect(try await problems([alias("cy", "ada")]).map(\.member) == ["data.alias"])
        let chain =
            launches(2, of: "dan") + launches(1, of: "eve") + [alias("dan", "eve")]
            + launches(1, of: "eve", from: 5) + [alias("eve", "fay")]
        #expect(try await problems(chain).map(\.code) == ["aggregate_full"])
        await #expect {
            try await ledger.perform(CommandRequest(.alias(to: "ada"), subject: "cy"))
        } throws: { error in
            (error as? LedgerError)?.code == "aggregate_full"
        }
    }

    @Test("A lineage has the same bound; catalogs and corrections have none")
    func others() async throws {
        let lineage = LineageFixture("1", product: "com.magicalstories.premium.monthly")
        let switches = (0..<6).map { lineage.autoRenew($0 % 2 == 0, at: Fixtures.now + Int64($0)) }
        #expect(try await problems(switches).map(\.member) == ["data.original_transaction_id"])
        try await ledger.record(Array(switches.prefix(5)))
        for draft in switches.prefix(5) {
            try await ledger.perform(
                CommandRequest(
                    .voidEvent(
                        source: draft.source.kind, key: try #require(draft.source.key)),
                    subject: "ada", actor: "support", reason: "a test", ticket: "T-1"))
        }
        let catalog = try Fixtures.catalogDocument("magical-stories")
        for index in 0..<5 {
            clock.now += 1
            let text = String(decoding: catalog, as: UTF8.self) + "# \(index)\n"
            try await ledger.publish(CatalogPublication(document: Array(text.utf8)))
        }
        #expect(try ledger.catalogs().versions.count == 6)
        #expect(try ledger.verify().allSatisfy(\.isClean))
    }
}
