import GRDB

// A ledger file is an SQLite database in WAL mode:
//
//   bytes  0 … 15   "SQLite format 3\0"
//   bytes 16 … 17   page size, 4096
//   bytes 18 … 19   2, 2: write-ahead log
//   bytes 60 … 63   user_version: the schema version, 3
//   bytes 68 … 71   application_id: "DAYB"
//
//   meta       key -> value: `app`, `ledger_id`, `secret`; written once
//   names      every interned text, numbered from 1 without gaps
//   streams    (environment, kind, name), numbered from 1 without gaps
//   documents  catalogs by the SHA-256 of their bytes
//   events     one row per event, numbered from 1 without gaps; see `tables`
//   ledger     a view of events for people
//   history_*  the hash over all of it: see `HistorySchema.swift`
//
// NULL in `events` stands for the most frequent value, to save space: `previous`, `sequence`, `source`, `party`,
// `profile`, `name_*`, `flags` and `request` of 0; `signed_at` equal to `occurred_at`; an amount, a sum of money or a
// time that is absent; no `ref`, no `rest`. A `key` or `ref` that is a UUID in lower-case canonical form is a BLOB of
// 16 bytes, everything else is TEXT.
//
// Valid when positions and numbers have no gaps, `recorded_at` never falls, and `previous` of each
// row is the position of the row before it in the same stream, whose `version` is one less.
// `findings()` checks all of it.

/// What a ledger file consists of.
struct LedgerSchema: Sendable {
    /// The letters "DAYB": tells a ledger from any other SQLite database, also for the `file`
    /// command.
    static let applicationID: Int64 = 0x4441_5942

    /// Every version that was released, and the newest one, which this build writes.
    static let current = LedgerSchema(
        migrations: [
            tables + triggers, historyTables + historyTriggers, [lineageColumn],
        ])

    /// The statements that lead from each version to the next; the first ones from nothing to
    /// version 1.
    ///
    /// What was released is never edited: a change is a new element.
    let migrations: [[String]]

    /// The version from which on a ledger names its history; older ones are brought up to date when they are opened.
    static let historyVersion = 3
    /// The version that had no history yet.
    private static let namelessVersion = 1

    /// The newest version.
    var version: Int { migrations.count }

    static let tables = [
        "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
        "CREATE TABLE names(id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
        """
        CREATE TABLE streams(id INTEGER PRIMARY KEY, environment INTEGER NOT NULL, \
        kind INTEGER NOT NULL, name INTEGER NOT NULL) STRICT
        """,
        """
        CREATE TABLE documents(id INTEGER PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE, \
        bytes BLOB NOT NULL) STRICT
        """,
        """
        CREATE TABLE events(position INTEGER PRIMARY KEY, stream INTEGER NOT NULL, \
        version INTEGER NOT NULL, previous INTEGER, type INTEGER NOT NULL, v INTEGER NOT NULL, \
        occurred_at INTEGER NOT NULL, signed_at INTEGER, recorded_at INTEGER NOT NULL, \
        sequence INTEGER, source INTEGER, key ANY NOT NULL, trust INTEGER NOT NULL, \
        party INTEGER, profile INTEGER, name_a INTEGER, name_b INTEGER, name_c INTEGER, \
        ref ANY, amount INTEGER, money INTEGER, time_a INTEGER, time_b INTEGER, time_c INTEGER, \
        flags INTEGER, request INTEGER, rest TEXT) STRICT
        """,
    ]

    /// Rows cannot be changed or removed, not even with a database tool.
    static let triggers =
        ["events", "names", "streams", "documents", "meta"].flatMap(immutable)
        + [
            follows("names", "id"), follows("streams", "id"),
            """
            CREATE TRIGGER documents_no_replace BEFORE INSERT ON documents \
            WHEN EXISTS (SELECT 1 FROM documents WHERE sha256 = NEW.sha256 OR id = NEW.id) \
            BEGIN SELECT RAISE(ABORT, 'documents are append-only: this one is there'); END
            """,
            """
            CREATE TRIGGER meta_no_insert BEFORE INSERT ON meta \
            BEGIN SELECT RAISE(ABORT, 'meta is written once, when the ledger is created'); END
            """,
        ]

    /// The objects as SQLite keeps them: each name with its statement.
    /// - Parameter version: Of the ledger.
    func objects(of version: Int) -> [(name: String, sql: String)] {
        var objects: [(name: String, sql: String)] = []
        for statement in migrations.prefix(version).joined() {
            let words = statement.split(whereSeparator: { $0 == " " || $0 == "(" })
            let name = "\(words[1].lowercased()) \(words[2])"
            guard words[0] == "ALTER", let place = objects.firstIndex(where: { $0.name == name })
            else {
                objects.append((name, statement))
                continue
            }
            // SQLite writes a column that is added behind the last one.
            let column = words[5...].joined(separator: " ")
            objects[place].sql.replace(") STRICT", with: ", \(column)) STRICT")
        }
        return objects
    }

    static func immutable(_ table: String) -> [String] {
        ["UPDATE", "DELETE"].map { verb in
            """
            CREATE TRIGGER \(table)_no_\(verb.lowercased()) BEFORE \(verb) ON \(table) \
            BEGIN SELECT RAISE(ABORT, '\(table) is append-only: no \(verb)'); END
            """
        }
    }

    /// Also stops INSERT OR REPLACE, which deletes the old row without asking the DELETE trigger.
    ///
    /// Not on `events`, where it would cost a third of append: see decision 0003.
    static func follows(_ table: String, _ column: String) -> String {
        """
        CREATE TRIGGER \(table)_follows BEFORE INSERT ON \(table) \
        WHEN NEW.\(column) IS NOT 1 + ifnull((SELECT max(\(column)) FROM \(table)), 0) \
        BEGIN SELECT RAISE(ABORT, '\(table) is append-only: \
        the next \(column) is one above the last'); END
        """
    }

    /// Brings an empty database, or an older ledger, to the newest version, inside the caller's
    /// transaction; does nothing to a ledger that is there.
    /// - Parameters:
    ///   - version: 0 for an empty database.
    ///   - file: The database's.
    ///   - meta: Written once, after the tables of version 1 and before the triggers that protect them; of no use to an
    ///     older ledger, which has its own.
    func migrate(
        _ db: Database, from version: Int, _ file: LedgerFile, meta: [(String, String)] = []
    ) throws {
        for (index, statements) in migrations.enumerated() where index >= version {
            for statement in statements where !statement.hasPrefix("CREATE TRIGGER") {
                try db.execute(sql: statement)
            }
            for (key, value) in index == 0 ? meta : [] {
                try db.execute(
                    sql: "INSERT INTO meta(key, value) VALUES (?, ?)", arguments: [key, value])
            }
            for statement in statements where statement.hasPrefix("CREATE TRIGGER") {
                try db.execute(sql: statement)
            }
        }
        if version <= Self.namelessVersion {
            try HistoryMigration(db: db, file: file).run()
        } else if version < Self.historyVersion {
            try HistoryHead.renewLineage(db)
        }
        try refreshView(db)
        guard version < self.version else { return }
        try db.execute(sql: "PRAGMA user_version = \(self.version)")
    }

    /// Replaces the view when this build knows other event types than the one that wrote it.
    private func refreshView(_ db: Database) throws {
        let stored = try String.fetchOne(
            db, sql: "SELECT sql FROM sqlite_master WHERE type = 'view' AND name = 'ledger'")
        guard stored != LedgerView.sql else { return }
        try db.execute(sql: "DROP VIEW IF EXISTS ledger")
        try db.execute(sql: LedgerView.sql)
    }
}
