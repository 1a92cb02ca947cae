import DaybookEvents
import DaybookStore
import Testing

/// Schema versions to come: what a later build does to a file of this one, and what this one does then.
struct SQLiteMigrationTests {
    private static let later = [
        [
            "CREATE TABLE notes(id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
            """
            CREATE TRIGGER notes_no_delete BEFORE DELETE ON notes \
            BEGIN SELECT RAISE(ABORT, 'notes is append-only: no DELETE'); END
            """,
        ],
        ["CREATE TABLE labels(id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT"],
    ]

    private func open(_ path: String, _ migrations: [[String]]) throws -> SQLiteEventStore {
        try SQLiteEventStore(
            path: path, readOnly: false, lockWaitSeconds: 5, laterMigrations: migrations)
    }

    private func meta(_ store: SQLiteEventStore) throws -> [String: String] {
        var values: [String: String] = [:]
        for row in try store.queryOnWriteConnection("SELECT key, value FROM meta") {
            values[row["key"] ?? ""] = row["value"]
        }
        return values
    }

    @Test(
        "A new ledger gets every version at once, and its app's name is stored once",
        arguments: 0...2)
    func creation(count: Int) throws {
        let folder = try TemporaryFolder()
        let migrations = Array(Self.later.prefix(count))
        let store = try SQLiteEventStore.create(
            at: folder.newPath(), app: "dozzi", laterMigrations: migrations)
        #expect(store.header.schemaVersion == 3 + count)
        #expect(
            try meta(store) == [
                "app": "dozzi", "ledger_id": store.header.ledgerID,
                "secret": store.header.secret.hexadecimal,
            ])
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test("An older ledger is read as it is, and migrated by the first write")
    func migration() throws {
        let bench = try Bench()
        let before = try meta(bench.store)
        let rows = try Bench.allRows(bench.store)
        try bench.store.close()
        let store = try open(bench.path, Self.later)
        #expect(store.header == bench.store.header)
        #expect(try Bench.allRows(store) == rows)
        #expect(try store.findings() == [])
        let unchanged = try open(bench.path, [])
        #expect(unchanged.header.schemaVersion == 3)
        try unchanged.close()

        try store.exclusively { _ in }
        #expect(
            try store.queryOnWriteConnection("PRAGMA user_version") == [["user_version": "5"]])
        #expect(try meta(store) == before)
        #expect(try Bench.allRows(store) == rows)
        #expect(try store.findings() == [])
        try store.close()
        let again = try open(bench.path, Self.later)
        #expect(again.header.schemaVersion == 5)
        #expect(again.header.ledgerID == bench.store.header.ledgerID)
        try again.close()
    }

    @Test(
        "A program that has the file open while a newer one migrates it stops writing and reading on"
    )
    func migratedUnderneath() throws {
        var bench = try Bench()
        let newer = try open(bench.path, Self.later)
        try newer.exclusively { _ in }
        let error = try failure { try bench.append(1) }
        #expect(error?.code == .newerSchema)
        #expect(error?.message.contains("schema 5, this one knows 3") == true)
        #expect(try code { _ = try bench.store.head() } == .newerSchema)
        #expect(try newer.head().position == 3)
        try newer.close()
    }
}
