import DaybookStore
import GRDB
import Synchronization

/// The keys of a running server, as they are in their file at any time.
///
/// Another process makes and revokes keys while the server runs. SQLite tells with one statement whether the file was
/// written since (`data_version`), so every request sees what was committed before it came.
final class KeyRing: Sendable {
    private struct Known {
        /// `nil`: nothing was read so far.
        var version: Int64?
        var keys: [String: APIKey] = [:]
        var tokenKeys: [String: [TokenKey]] = [:]
        var leaseKeys: [String: [LeaseKey]] = [:]
    }

    private let store: KeyStore
    private let known = Mutex(Known())

    init(_ store: KeyStore) { self.store = store }

    /// The key of an id; `nil`: there is none.
    func key(_ id: String) throws -> APIKey? {
        try known.withLock { known in
            try refresh(&known)
            return known.keys[id]
        }
    }

    /// The keys by which tokens of an app are verified.
    func tokenKeys(app: String) throws -> [TokenKey] {
        try known.withLock { known in
            try refresh(&known)
            return known.tokenKeys[app] ?? []
        }
    }

    /// The keys by which leases of an app were ever signed.
    func leaseKeys(app: String) throws -> [LeaseKey] {
        try known.withLock { known in
            try refresh(&known)
            return known.leaseKeys[app] ?? []
        }
    }

    private func refresh(_ known: inout Known) throws {
        let version = known.version
        let found: Known? = try store.reading { database in
            let now = try Int64.fetchOne(database.cachedStatement(sql: "PRAGMA data_version"))
            if version != nil, now == version { return nil }
            let keys = try KeyStore.keys(database)
            return Known(
                version: now,
                keys: Dictionary(keys.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last }),
                tokenKeys: try KeyStore.tokenKeys(database),
                leaseKeys: try KeyStore.leaseKeys(database))
        }
        if let found { known = found }
    }
}
