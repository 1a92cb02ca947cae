import DaybookDomain
import DaybookStore
public import Logging

extension Ledger {
    /// Makes a new ledger file and publishes its first catalog, which names the app.
    /// - Throws: `LedgerError.badInput` with every mistake of the catalog, `.store` when the file is there already or
    ///   cannot be written; then no file is left behind.
    public static func create(
        at path: String, catalog document: [UInt8],
        clock: @escaping @Sendable () -> Int64 = SystemClock.now
    ) async throws -> Ledger {
        let catalog: Catalog
        do throws(CatalogProblems) {
            catalog = try CatalogReader.read(document)
        } catch {
            throw LedgerError.badInput(
                error.problems.map {
                    InputProblem(
                        line: $0.line, column: $0.column, code: "catalog",
                        reason: "\($0.path): \($0.sentence) \($0.remedy)")
                })
        }
        let ledger: Ledger
        do {
            let store = try SQLiteEventStore.create(at: path, app: catalog.app)
            ledger = try Ledger(store: store, path: store.path, clock: clock)
        } catch {
            throw (error as? LedgerError) ?? .store(storeError(error))
        }
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

    /// Opens a ledger file.
    /// - Parameters:
    ///   - readOnly: Never writes: no event, no checkpoint, no snapshot.
    ///   - log: Is told what was odd and did no harm.
    /// - Throws: `LedgerError.store` with the reason and the remedy.
    public static func open(
        _ path: String, readOnly: Bool = false, log: Logger = Logger(label: "daybook"),
        clock: @escaping @Sendable () -> Int64 = SystemClock.now
    ) throws -> Ledger {
        do {
            let store = try SQLiteEventStore(path: path, readOnly: readOnly)
            return try Ledger(
                store: store, path: store.path, readOnly: readOnly, log: log, clock: clock)
        } catch {
            throw (error as? LedgerError) ?? .store(storeError(error))
        }
    }
}
