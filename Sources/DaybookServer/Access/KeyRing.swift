import Logging
import Synchronization

/// The keys of a running server, as they are in their file at any time.
///
/// Another process makes and revokes keys while the server runs. The file's times tell whether it was written since,
/// and where they are of this moment SQLite does (`data_version`): every request sees what was committed before it.
/// A file that was put in the place of the first, as from a backup, is read with the next request.
final class KeyRing: Sendable {
    private struct Known {
        /// `nil`: nothing was read so far.
        var version: KeyStore.Version?
        var keys: [String: APIKey] = [:]
        var tokenKeys: [String: [TokenKey]] = [:]
        var leaseKeys: [String: [LeaseKey]] = [:]
    }

    private let store: KeyStore
    private let log: Logger
    private let known = Mutex(Known())

    init(_ store: KeyStore, log: Logger) {
        self.store = store
        self.log = log
    }

    /// The key of an id; `nil`: there is none.
    func key(_ id: String) throws -> APIKey? {
        try known.withLock { known in
            try refresh(&known)
            return known.keys[id]
        }
    }

    /// All keys of an app, in the order in which they were made.
    func keys(app: String) throws -> [APIKey] {
        try refreshed().keys.values.filter { $0.app == app }
            .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    /// The keys by which tokens of an app are verified.
    func tokenKeys(app: String) throws -> [TokenKey] {
        try refreshed().tokenKeys[app] ?? []
    }

    /// The keys by which leases of an app were ever signed.
    func leaseKeys(app: String) throws -> [LeaseKey] {
        try refreshed().leaseKeys[app] ?? []
    }

    private func refreshed() throws -> Known {
        try known.withLock { known in
            try refresh(&known)
            return known
        }
    }

    private func refresh(_ known: inout Known) throws {
        let read = try store.reading(since: known.version) { database in
            let keys = try KeyStore.keys(database)
            return Known(
                keys: Dictionary(keys.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last }),
                tokenKeys: try KeyStore.tokenKeys(database),
                leaseKeys: try KeyStore.leaseKeys(database))
        }
        guard let read else { return }
        if read.isOther {
            log.error("another file has the name of the file of keys: its keys hold from now on")
        }
        if let found = read.found { known = found }
        known.version = read.version
    }
}
