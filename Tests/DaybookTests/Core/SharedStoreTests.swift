import Daybook
import DaybookFixtures
import DaybookStore
import Testing

/// Two ledgers over one store in memory, as two processes over one file (rule 29).
struct SharedStoreTests {
    @Test("What one ledger records, the other one knows")
    func sharedStore() async throws {
        let store = InMemoryEventStore(app: "dozzi")
        let first = try Ledger(store: store, clock: { Fixtures.now })
        let second = try Ledger(store: store, clock: { Fixtures.now })
        try await first.publish(
            CatalogPublication(document: try Fixtures.catalogDocument("dozzi")))
        for number in 1...2 {
            try await first.consume("stories", by: "ada", ref: "story \(number)")
            #expect(try second.subjects() == ["ada"])
            #expect(try second.digest() == first.digest())
        }
    }
}
