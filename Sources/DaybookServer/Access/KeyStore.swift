import DaybookStore
import Foundation
import GRDB
import Synchronization

/// Makes, lists, rotates and revokes the keys of a server.
public final class KeyStore: Sendable {
    /// The name of the file of keys, in the folder of the ledgers.
    public static let fileName = KeyFile.name

    /// Where the file is; what is made here is effective in a running server at once.
    public let path: String
    private let opened: Mutex<Opened>

    private struct Opened {
        let queue: DatabaseQueue
        /// Of the file that was opened.
        let file: FileIdentity?
    }

    /// Opens the file of keys in a folder, and makes it where it is not there.
    /// - Parameter folder: Where the ledgers are.
    /// - Throws: `StoreError`.
    public init(folder: String) throws {
        path = (folder.hasSuffix("/") ? folder : folder + "/") + KeyFile.name
        let before = FileIdentity(of: path)
        let queue = try KeyFile.open(path)
        // One that comes between is noticed: its identity is another one than that of the file that was looked at.
        opened = Mutex(Opened(queue: queue, file: before ?? FileIdentity(of: path)))
    }

    /// Closes the file; keys can be neither read nor changed after it.
    /// - Throws: `StoreError` where the file cannot be closed.
    public func close() throws {
        try StoreError.wrapping(path) { try opened.withLock { try $0.queue.close() } }
    }

    private var queue: DatabaseQueue { opened.withLock { $0.queue } }

    // MARK: API keys

    /// Makes a key.
    /// - Throws: `StoreError` with `conflict` for scopes that do not go together.
    /// - Returns: The key, and its text, which is told this once.
    public func create(
        _ scopes: Set<Scope>, app: String, label: String, by actor: String,
        expiresAt: Int64? = nil, now: Int64
    ) throws -> (key: APIKey, text: String) {
        if let conflict = scopes.conflict { throw StoreError(.conflict, conflict) }
        let text = APIKeyText.random()
        let key = APIKey(
            id: text.id, app: app, scopes: scopes, label: label, createdAt: now, createdBy: actor,
            expiresAt: expiresAt, revokedAt: nil, replacedBy: nil, digest: text.digest)
        try write { try Self.insert(key, $0) }
        return (key, text.text)
    }

    /// All keys of an app, in the order in which they were made; `nil`: of all apps.
    public func keys(app: String? = nil) throws -> [APIKey] {
        try read(Self.keys).filter { app == nil || $0.app == app }
    }

    /// Makes a key with the same scopes, which takes the place of another; that one opens for a while longer.
    /// - Parameters:
    ///   - name: Its id, or its label where no other key has it.
    ///   - app: The ledger that the key is for; keys of others are not looked at.
    ///   - overlapMilliseconds: 0: the old one ends now.
    ///   - actor: Who replaces it: the creator of the new key.
    ///   - now: In milliseconds since 1970 UTC: when the new key was made, and from when on the overlap counts.
    /// - Throws: `StoreError.notFound` for a key that the app does not have, or that is over.
    public func rotate(
        _ name: String, app: String, overlapMilliseconds: Int64, by actor: String, now: Int64
    ) throws -> (old: APIKey, new: APIKey, text: String) {
        let text = APIKeyText.random()
        let (old, new) = try write { database in
            var old = try Self.live(name, app, now, database, path)
            if let conflict = old.scopes.conflict { throw StoreError(.conflict, conflict) }
            let new = APIKey(
                id: text.id, app: old.app, scopes: old.scopes, label: old.label, createdAt: now,
                createdBy: actor, expiresAt: old.expiresAt, revokedAt: nil, replacedBy: nil,
                digest: text.digest)
            try Self.insert(new, database)
            old.revokedAt = now + overlapMilliseconds
            old.replacedBy = new.id
            try database.execute(
                sql: "UPDATE api_key SET revoked_at = ?, replaced_by = ? WHERE id = ?",
                arguments: [old.revokedAt, new.id, old.id])
            return (old, new)
        }
        return (old, new, text.text)
    }

    /// Ends a key now.
    /// - Parameters:
    ///   - name: Its id, or its label where no other key has it.
    ///   - app: The ledger that the key is for; keys of others are not looked at.
    ///   - now: In milliseconds since 1970 UTC; from then on it opens nothing.
    /// - Throws: `StoreError.notFound` for a key that the app does not have, or that is over.
    public func revoke(_ name: String, app: String, now: Int64) throws -> APIKey {
        try write { database in
            var key = try Self.live(name, app, now, database, path)
            key.revokedAt = now
            try database.execute(
                sql: "UPDATE api_key SET revoked_at = ? WHERE id = ?", arguments: [now, key.id])
            return key
        }
    }

    private func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try StoreError.wrapping(path) { try queue.write(body) }
    }

    private func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try StoreError.wrapping(path) { try queue.read(body) }
    }

    private static func live(
        _ name: String, _ app: String, _ now: Int64, _ database: Database, _ path: String
    ) throws -> APIKey {
        let own = try keys(database).filter { $0.app == app }
        let live = own.filter { $0.isValid(at: now) && $0.replacedBy == nil }
        let named = live.filter { $0.id == name || $0.label == name }
        switch named.count {
        case 1: return named[0]
        case 0:
            let isOver = own.contains { $0.id == name || $0.label == name }
            throw StoreError(
                .notFound,
                isOver
                    ? "the key \(name) is over or replaced already"
                    : "\(path) has no key \(name) of \(app); \"daybook key list\" shows them")
        default:
            let ids = named.map(\.id).joined(separator: ", ")
            throw StoreError(.notFound, "\(name) is the label of several keys: say which of \(ids)")
        }
    }

    private static func insert(_ key: APIKey, _ database: Database) throws {
        let scopes = key.scopes.map(\.rawValue).sorted().joined(separator: " ")
        try database.execute(
            sql: """
                INSERT INTO api_key (id, app, digest, scopes, label, created_at, created_by, expires_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                key.id, key.app, Data(key.digest), scopes, key.label, key.createdAt,
                key.createdBy, key.expiresAt,
            ])
    }

    static func keys(_ database: Database) throws -> [APIKey] {
        try Row.fetchAll(database, sql: "SELECT * FROM api_key ORDER BY created_at, id").map {
            row in
            let scopes: String = row["scopes"]
            let digest: Data = row["digest"]
            return APIKey(
                id: row["id"], app: row["app"],
                scopes: Set(
                    scopes.split(separator: " ").compactMap { Scope(rawValue: String($0)) }),
                label: row["label"], createdAt: row["created_at"], createdBy: row["created_by"],
                expiresAt: row["expires_at"], revokedAt: row["revoked_at"],
                replacedBy: row["replaced_by"], digest: Array(digest))
        }
    }

    // MARK: Keys of tokens

    /// Lets the tokens of an app's backend be verified by a key.
    /// - Parameters:
    ///   - key: Its id is what tokens name in `kid`; another key of the app with the same id is replaced.
    ///   - app: The ledger to whose routes the tokens give access.
    ///   - actor: Who says so; kept with the key.
    ///   - now: In milliseconds since 1970 UTC; kept with the key.
    public func trust(_ key: TokenKey, app: String, by actor: String, now: Int64) throws {
        try write { database in
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO token_key (app, id, algorithm, material, created_at, created_by)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    app, key.id, key.algorithm.rawValue, Data(key.material), now, actor,
                ])
        }
    }

    /// - Returns: Whether there was such a key.
    public func distrust(_ id: String, app: String) throws -> Bool {
        try write { database in
            try database.execute(
                sql: "DELETE FROM token_key WHERE app = ? AND id = ?", arguments: [app, id])
            return database.changesCount > 0
        }
    }

    /// The keys by which an app's tokens are verified, by id.
    public func tokenKeys(app: String) throws -> [TokenKey] {
        try read(Self.tokenKeys)[app] ?? []
    }

    static func tokenKeys(_ database: Database) throws -> [String: [TokenKey]] {
        let rows = try Row.fetchAll(database, sql: "SELECT * FROM token_key ORDER BY id")
        return rows.reduce(into: [:]) { keys, row in
            guard let algorithm = TokenKey.Algorithm(rawValue: row["algorithm"]) else { return }
            let material: Data = row["material"]
            keys[row["app"], default: []].append(
                TokenKey(id: row["id"], algorithm: algorithm, material: Array(material)))
        }
    }

    // MARK: Keys of leases

    /// Makes the key by which an app's leases are signed from now on; leases of the former one are good until they are
    /// over.
    public func createLeaseKey(app: String, by actor: String, now: Int64) throws -> LeaseKey {
        let key = LeaseKey.random(by: actor, now: now)
        try write { database in
            try database.execute(
                sql: "UPDATE lease_key SET retired_at = ? WHERE app = ? AND retired_at IS NULL",
                arguments: [now, app])
            try database.execute(
                sql: """
                    INSERT INTO lease_key (app, id, material, created_at, created_by)
                    VALUES (?, ?, ?, ?, ?)
                    """,
                arguments: [app, key.id, Data(key.material), now, actor])
        }
        return key
    }

    /// The keys by which an app's leases were ever signed, in the order in which they were made.
    public func leaseKeys(app: String) throws -> [LeaseKey] {
        try read(Self.leaseKeys)[app] ?? []
    }

    static func leaseKeys(_ database: Database) throws -> [String: [LeaseKey]] {
        let sql = "SELECT * FROM lease_key ORDER BY created_at, id"
        return try Row.fetchAll(database, sql: sql).reduce(into: [:]) { keys, row in
            let material: Data = row["material"]
            keys[row["app"], default: []].append(
                LeaseKey(
                    id: row["id"], createdAt: row["created_at"], createdBy: row["created_by"],
                    retiredAt: row["retired_at"], material: Array(material)))
        }
    }

    // MARK: The running server

    /// Which content of which file was read: what another process wrote since has another one, and so has another file
    /// of the same name.
    struct Version: Equatable {
        fileprivate let stamp: FileStamp
        fileprivate let data: Int64?
        /// Whether the stamp alone tells a later change: it was looked at when it was no longer of this moment.
        fileprivate let isSettled: Bool

        static func == (left: Version, right: Version) -> Bool {
            left.stamp.file == right.stamp.file && left.data == right.data
        }
    }

    /// Reads what is there now, where it is not what was read before.
    /// - Parameter version: What was read before; `nil`: nothing.
    /// - Returns: `nil`: nothing was written, by the stamp of the file. `found` is `nil` where its content is the same;
    ///   `isOther`: another file has the name.
    /// - Throws: `StoreError`; `notFound` where no file has the name, so that a key of a file that was taken away opens
    ///   nothing.
    func reading<Found>(
        since version: Version?, _ body: (Database) throws -> Found
    ) throws -> (found: Found?, version: Version, isOther: Bool)? {
        guard let stamp = FileStamp(of: path) else {
            throw StoreError(.notFound, "\(path) is not there any more")
        }
        if let version, version.isSettled, version.stamp == stamp { return nil }
        let file = stamp.file
        let queue = try opened.withLock { opened in
            if opened.file == file { return opened.queue }
            let next = Opened(queue: try KeyFile.open(path, isMade: false), file: file)
            // It is of a file that has no name any more; that it cannot be closed does no harm.
            try? opened.queue.close()
            opened = next
            return next.queue
        }
        return try StoreError.wrapping(path) {
            try queue.inDatabase { database in
                let data = try Int64.fetchOne(
                    database.cachedStatement(sql: "PRAGMA data_version"))
                let now = Version(stamp: stamp, data: data, isSettled: stamp.isSettled())
                let isOther = version.map { $0.stamp.file != file } ?? false
                return (now == version ? nil : try body(database), now, isOther)
            }
        }
    }
}
