import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookStore
import Testing

/// Documents are read by the thread that brings or notices them, never while it holds a lock.
@Suite("Catalogs read ahead")
struct CatalogCacheTests {
    private func ledger(_ store: any EventStore) throws -> Ledger {
        try Ledger(store: store, clock: { Fixtures.now })
    }

    private func publication(_ comment: Int) throws -> CatalogPublication {
        let document = try Fixtures.catalogDocument("dozzi")
        return CatalogPublication(document: document + Array("# \(comment)\n".utf8))
    }

    @Test("Own publications, those of other processes, and an export: none is read under a lock")
    func ahead() async throws {
        let store = InMemoryEventStore(app: "dozzi")
        let ledger = try ledger(store)
        let other = try self.ledger(store)
        for number in 1...5 { try await ledger.publish(try publication(number)) }
        try await ledger.publish(CatalogPublication(rollBackTo: 2))
        _ = try other.dryRun(try publication(9))
        #expect(try other.catalogs().versions.count == 6)
        try await other.consume("stories", by: "ada", ref: "s1")
        #expect(ledger.core.lateCatalogReadCount == 0)
        #expect(other.core.lateCatalogReadCount == 0)
        #expect(try self.ledger(store).core.lateCatalogReadCount == 0)

        var drafts: [EventDraft] = []
        let lines = Lines()
        try ledger.export { lines.bytes += $0 }
        var reader = NDJSONReader(app: "dozzi")
        drafts = reader.read(lines.bytes).events.map(\.draft)
        let recorded = try self.ledger(InMemoryEventStore(app: "dozzi"))
        try await recorded.record(drafts)
        let imported = try self.ledger(InMemoryEventStore(app: "dozzi"))
        var pieces = [lines.bytes]
        _ = try await imported.importLines({ pieces.popLast() }, options: ImportOptions())
        for copy in [recorded, imported] {
            #expect(try copy.catalogs().versions.count == 6)
            #expect(copy.core.lateCatalogReadCount == 0)
        }
    }

    private final class Lines { var bytes: [UInt8] = [] }

    @Test("A document that is no catalog is refused as before, and nothing is kept of it")
    func refused() async throws {
        let ledger = try ledger(InMemoryEventStore(app: "dozzi"))
        let error = await #expect(throws: LedgerError.self) {
            try await ledger.publish(
                CatalogPublication(document: Array("app: dozzi\nmeters: 1\n".utf8)))
        }
        guard case .badInput? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try ledger.head().position == 0)
    }
}
