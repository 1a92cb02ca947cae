import GRDB

/// For tests and measurements alone: what no user of the store may do.
extension SQLiteEventStore {
    /// Bounds the file, as a full disk would.
    /// - Parameter pages: 4,096 bytes each; never below what the file has.
    /// - Returns: The bound that SQLite set.
    package func limitPages(to pages: Int64) throws -> Int64 {
        try onWriteConnection("bounding the file") { db in
            try db.number("PRAGMA max_page_count = \(pages)", []) ?? 0
        }
    }

    /// Runs the body while a read is under way, for tests of what happens to the file meanwhile.
    package func whileReading(_ body: () throws -> Void) throws {
        try reads.use("reading for a test") { _ in try body() }
    }

    /// Runs the body within every commit from now on, before it is on the disk, for tests of what happens to the file
    /// at that moment.
    package func withinCommits(_ body: @escaping @Sendable () -> Void) throws {
        try onWriteConnection("watching commits") { db in
            db.add(transactionObserver: CommitObserver(body), extent: .databaseLifetime)
        }
    }

    private final class CommitObserver: TransactionObserver {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseWillCommit() { body() }
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    /// Runs SQL on the live write connection.
    package func executeOnWriteConnection(_ sql: String) throws {
        try onWriteConnection("executing SQL") { try $0.execute(sql: sql) }
    }

    /// Changes what the triggers protect, and puts them back: nothing but the change is left to be found.
    package func executeWithoutTriggers(_ sql: String) throws {
        try onWriteConnection("executing SQL past the triggers") { db in
            try db.inTransaction(.immediate) {
                let triggers = try Row.fetchAll(
                    db, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
                for trigger in triggers {
                    try db.execute(sql: "DROP TRIGGER \(trigger["name"] as String)")
                }
                try db.execute(sql: sql)
                for trigger in triggers { try db.execute(sql: trigger["sql"] as String) }
                return .commit
            }
        }
    }

    /// Runs a query on the live write connection.
    /// - Returns: Each row's columns by name, as text; NULL is left out.
    package func queryOnWriteConnection(_ sql: String) throws -> [[String: String]] {
        try onWriteConnection("querying") { db in
            try Row.fetchAll(db, sql: sql).map { row in
                var columns: [String: String] = [:]
                for (name, value) in row where !value.isNull {
                    columns[name] = String.fromDatabaseValue(value) ?? "\(value)"
                }
                return columns
            }
        }
    }
}
