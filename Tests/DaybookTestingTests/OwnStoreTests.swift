import Daybook
import DaybookTesting
import Testing

/// What docs/testing.md shows to the author of a store.
@Suite("A store of one's own")
struct OwnStoreTests {
    @Test("The store keeps every promise", arguments: StoreContract.clauses)
    func contract(clause: StoreContract.Clause) throws {
        try StoreContract { ArrayStore(app: "tale") }.check(clause)
    }

    @Test("A ledger over the store answers as the reference model", arguments: UInt64(1)...4)
    func answers(seed: UInt64) async throws {
        let ledger = try Ledger(store: ArrayStore(app: "tale"), clock: { 0 })
        #expect(try await Tale.differences(over: ledger, seed: seed) == [])
    }

    @Test("A broken promise is told: what was expected, and what came")
    func violation() throws {
        let contract = StoreContract {
            let store = ArrayStore(app: "tale")
            var builder = BatchBuilder()
            let rows = [builder.row(in: builder.stream("ada"), key: "k")]
            try store.exclusively { try $0.append(builder.batch(rows, recordedAt: 1)) }
            return store
        }
        let violation = #expect(throws: StoreContract.Violation.self) {
            try contract.checkEmptyStore()
        }
        #expect(
            violation?.description
                == "the head: expected StoreHead(position: 0, recordedAt: 0), "
                + "got StoreHead(position: 1, recordedAt: 1)")
    }

    @Test("The same commands over the store and over the one in memory give the same answers")
    func sameAnswers() async throws {
        var answers: [[String]] = []
        let stores: [any EventStore] = [ArrayStore(app: "tale"), InMemoryEventStore(app: "tale")]
        for store in stores {
            let ledger = try Ledger(store: store, clock: { LedgerFixture.start })
            try await ledger.publish(CatalogPublication(document: Array(Tale.catalog.utf8)))
            try await ledger.consume("stories", by: "ada", ref: "story-1")
            try await ledger.consume("stories", by: "ada", ref: "story-2")
            let meter = try ledger.status(of: "ada").status.meters.first
            let decision = try ledger.check("stories", for: "ada")
            answers.append(["\(meter?.used ?? -1)", decision.reason.rawValue])
            #expect(try ledger.replay().agrees)
        }
        #expect(answers == [["2", "limit_reached"], ["2", "limit_reached"]])
    }
}
