import DaybookDomain
import DaybookEvents
import DaybookStore
public import Logging

extension Ledger {
    /// Makes a new ledger file and publishes its first catalog, which names the app.
    /// - Throws: `LedgerError.badInput` with every mistake of the catalog, `.store` when the file is there already or
    ///   cannot be written; then no file is left behind.
    public static func create(
        at path: String, catalog document: [UInt8],
        clock: (@Sendable () -> Int64)? = nil
    ) async throws -> Ledger {
        let catalog = try LedgerError.reading { () throws(CatalogProblems) in
            try CatalogReader.read(
                document, knownEventTypes: Vocabulary.names, knownMetrics: Metric.targetNames,
                zones: ZoneTables().directory)
        }
        let ledger = try empty(at: path, app: catalog.app, clock: clock)
        do {
            // The first catalog is in force from the beginning of time (rule 8).
            try await ledger.publish(CatalogPublication(document: document))
        } catch {
            // What was made for this call alone must not stay behind half-made; the first error is the one to tell.
            try? ledger.close()
            for suffix in ["", "-wal", "-shm", ".lock"] {
                DerivedFile.remove((ledger.path ?? path) + suffix)
            }
            throw error
        }
        return ledger
    }

    /// Makes a new ledger file without any event: what a whole export needs, which brings its catalogs along with the
    /// times at which they were recorded (rule 28).
    /// - Parameters:
    ///   - path: Where the file is made; none may be there yet.
    ///   - app: As catalogs write it.
    ///   - clock: Milliseconds since 1970 UTC; `nil`: the machine's.
    /// - Throws: `LedgerError.badInput` for what is no app's name, `.store` as `create` does.
    public static func createEmpty(
        at path: String, app: String, clock: (@Sendable () -> Int64)? = nil
    ) throws -> Ledger {
        // The rule for names of apps is the catalog's; a catalog needs no more than that.
        guard let named = try? CatalogReader.read(Array("app: \(app)\n".utf8)), named.app == app
        else {
            throw LedgerError.bad(
                "bad_app",
                "\"\(app)\" is no app name; use up to 64 lower-case letters, digits and hyphens")
        }
        return try empty(at: path, app: app, clock: clock)
    }

    private static func empty(
        at path: String, app: String, clock: (@Sendable () -> Int64)?
    ) throws -> Ledger {
        do {
            let store = try SQLiteEventStore.create(at: path, app: app)
            return try Ledger(store: store, path: store.path, clock: clock)
        } catch {
            throw (error as? LedgerError) ?? .store(StoreError.wrapping(error))
        }
    }

    /// Opens a ledger over a store with other bounds of what is held in memory, for tests.
    package convenience init(
        store: any EventStore, path: String?, held: HeldBounds,
        log: Logger = Logger(label: "daybook"), clock: @escaping @Sendable () -> Int64
    ) throws {
        let core = try LedgerCore(
            store: store, path: path, isReadOnly: false,
            LedgerCore.Surroundings(
                zones: ZoneTables(),
                bounds: AggregateBounds(
                    eventsMax: Int64(EventBounds.eventsPerAggregateMax),
                    idsMax: EventBounds.idsPerPersonMax),
                cacheByteCountMax: Self.cacheByteCountDefault,
                segmentEventCount: SegmentFolder.eventCountDefault, held: held,
                startUp: StartUpBudget(), log: log, clock: clock))
        self.init(writer: LedgerWriter(core))
    }

    /// Opens a ledger file.
    /// - Parameters:
    ///   - path: The ledger's file, which must be there. Snapshots, segments and key arrays lie in a folder beside it.
    ///   - readOnly: Never writes: no event, no checkpoint, no snapshot.
    ///   - startUp: What an opening may take for the events after the newest snapshot; says when the next is due.
    ///   - cacheByteCountMax: About how much memory folded states may take that are kept at hand, in bytes.
    ///   - log: Is told what was odd and did no harm.
    ///   - clock: Milliseconds since 1970 UTC; `nil`: the machine's. The ledger never records a smaller time than
    ///     before.
    ///   - progress: Events that are folded, and the position at which the ledger ends.
    /// - Throws: `LedgerError.store` with the reason and the remedy.
    public static func open(
        _ path: String, readOnly: Bool = false, startUp: StartUpBudget = StartUpBudget(),
        cacheByteCountMax: Int = Ledger.cacheByteCountDefault,
        log: Logger = Logger(label: "daybook"),
        clock: (@Sendable () -> Int64)? = nil,
        progress: @escaping @Sendable (Int64, Int64) -> Void = { _, _ in }
    ) throws -> Ledger {
        do {
            let store = try SQLiteEventStore(path: path, readOnly: readOnly)
            return try Ledger(
                store: store, path: store.path, readOnly: readOnly,
                cacheByteCountMax: cacheByteCountMax, startUp: startUp, log: log, clock: clock,
                progress: progress)
        } catch {
            throw (error as? LedgerError) ?? .store(StoreError.wrapping(error))
        }
    }
}
