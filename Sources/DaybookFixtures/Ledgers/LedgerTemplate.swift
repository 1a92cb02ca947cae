public import Daybook
public import DaybookEvents
import DaybookStore

/// Ledgers in memory that all begin with one catalog, in force from the beginning of time.
///
/// Publishing reads the document twice and makes zone tables: more than the few events of a permutation cost. Each
/// ledger begins with a copy of one store, and is a ledger like any other.
public struct LedgerTemplate: Sendable {
    private let store: InMemoryEventStore
    private let zones = ZoneTables()

    /// - Parameter catalog: Another document instead of the app's own.
    public init(_ app: String, catalog: [UInt8]? = nil) async throws {
        store = InMemoryEventStore(app: app)
        let ledger = try Ledger(store: store, zones: zones, clock: { 0 })
        let document = try catalog ?? Fixtures.catalogDocument(app)
        try await ledger.publish(CatalogPublication(document: document, effectiveAt: 0))
        try ledger.close()
    }

    /// Ledgers that begin with the catalogs that a stream brings.
    public init(_ app: String, catalogs: [EventDraft]) async throws {
        store = InMemoryEventStore(app: app)
        let ledger = try Ledger(store: store, zones: zones, clock: { 0 })
        try await ledger.record(catalogs)
        try ledger.close()
    }

    /// A fresh ledger with the catalog and nothing else.
    /// - Parameter clock: Milliseconds since 1970 UTC; far after every stream, unless a test moves it.
    public func ledger(clock: @escaping @Sendable () -> Int64 = { Self.later }) throws -> Ledger {
        try Ledger(store: InMemoryEventStore(copying: store), zones: zones, clock: clock)
    }

    /// 2027-01-01T00:00:00Z.
    public static let later: Int64 = 1_798_761_600_000
}
