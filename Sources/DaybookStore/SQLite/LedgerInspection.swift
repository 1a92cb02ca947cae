import DaybookEvents
import GRDB
import GRDBSQLite

/// Everything that a ledger file can be asked about itself, without changing anything.
///
/// It goes through the tables page by page up to one cut, so that no transaction is long and nothing that is appended
/// meanwhile is taken for damage. SQLite's own check of the structure cannot be divided: while it runs, the log can
/// grow but not begin anew.
struct LedgerInspection {
    let reads: ReadConnections
    let file: LedgerFile
    let schema: LedgerSchema

    /// A damaged file can have more findings than are of use to a reader.
    private static let findingCountMax = 100
    private static let pageCount: Int64 = 10_000
    private static let documentPageCount: Int64 = 10

    /// The last numbers when the inspection began.
    private struct Cut {
        var position: Int64 = 0
        var name: Int64 = 0
        var stream: Int64 = 0
        var document: Int64 = 0
    }

    private struct StreamIdentity: Hashable {
        var environment: Int64
        var kind: Int64
        var name: Int64
    }

    private var cut = Cut()
    private var nameCount: Int64 = 0
    private var streamCount: Int64 = 0
    private var findings: [String] = []

    init(reads: ReadConnections, file: LedgerFile, schema: LedgerSchema) {
        self.reads = reads
        self.file = file
        self.schema = schema
    }

    mutating func run() throws -> [String] {
        try attempt {
            $0.findings += try $0.reads.use("checking the file's structure", $0.structure)
        }
        try attempt { $0.findings += try $0.reads.use("checking the file's header", $0.header) }
        try attempt { $0.findings += try $0.reads.use("checking the schema", $0.schemaFindings) }
        try attempt { $0.cut = try $0.reads.use("reading the last numbers", Self.cut) }
        try attempt { try $0.checkNames() }
        try attempt { try $0.checkStreams() }
        try attempt { try $0.checkEvents() }
        try attempt { try $0.checkDocuments() }
        guard findings.count > Self.findingCountMax else { return findings }
        let more = findings.count - Self.findingCountMax
        return findings.prefix(Self.findingCountMax) + ["\(more) more findings are not listed."]
    }

    /// What cannot be read is a finding too, and the other checks go on.
    private mutating func attempt(_ check: (inout Self) throws -> Void) throws {
        do {
            try check(&self)
        } catch let error as StoreError where error.code == .damaged || error.code == .failed {
            findings.append(error.message)
        }
    }

    private func structure(_ db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "PRAGMA quick_check(\(Self.findingCountMax))")
            .filter { $0 != "ok" }
            .map { "SQLite finds the structure of \(file.path) damaged: \($0)." }
    }

    private func header(_ db: Database) throws -> [String] {
        var findings: [String] = []
        let application = try db.number("PRAGMA application_id", []) ?? 0
        if application != LedgerSchema.applicationID {
            findings.append(
                "The application_id of \(file.path) is \(application), "
                    + "expected \(LedgerSchema.applicationID)."
            )
        }
        // Not PRAGMA journal_mode, which knows nothing of the log on an immutable connection. SQLite changes these two
        // bytes in the file itself, never in the log.
        let bytes = db.sqliteConnection.flatMap(LedgerHeader.bytes)
        if bytes?[18] != 2 || bytes?[19] != 2 {
            findings.append("The journal mode of \(file.path) is not WAL.")
        }
        return findings
    }

    /// Tables and triggers as they should be, and no index that would slow down every append.
    private func schemaFindings(_ db: Database) throws -> [String] {
        let sql = """
            SELECT type, name, sql FROM sqlite_master \
            WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~' AND type <> 'view'
            """
        var stored: [String: String] = [:]
        for row in try Row.fetchAll(db, sql: sql) {
            stored["\(row["type"] as String) \(row["name"] as String)"] = row["sql"]
        }
        // An older ledger has its own schema until the first write.
        let version = try LedgerHeader.checkVersion(db, file.path, schema)
        var findings: [String] = []
        for (object, sql) in schema.objects(of: version) {
            switch stored.removeValue(forKey: object) {
            case nil: findings.append("The \(object) is missing in \(file.path).")
            case sql: break
            default:
                findings.append("The \(object) in \(file.path) is not the one that belongs there.")
            }
        }
        findings += stored.keys.sorted().map { "The \($0) does not belong in \(file.path)." }
        return findings
    }

    private static func cut(_ db: Database) throws -> Cut {
        try db.inSnapshot {
            Cut(
                position: try db.number("SELECT max(position) FROM events", []) ?? 0,
                name: try db.number("SELECT max(id) FROM names", []) ?? 0,
                stream: try db.number("SELECT max(id) FROM streams", []) ?? 0,
                document: try db.number("SELECT max(id) FROM documents", []) ?? 0)
        }
    }

    // MARK: Tables, page by page

    /// Hands out the rows of a table in the order of their number, which is the first column.
    private func forEachRow(
        _ subject: String, _ sql: String, through last: Int64,
        pageCount: Int64 = LedgerInspection.pageCount, _ body: (OpaquePointer) -> Void
    ) throws {
        var number = Int64.min
        while number < last {
            let before = number
            try reads.use("checking \(subject) after \(before)") { db in
                try db.forEachRow(sql, [before, last, pageCount]) { row in
                    number = row.integer(0)
                    body(row)
                }
            }
            guard number > before else { return }
        }
    }

    private mutating func checkNames() throws {
        var count: Int64 = 0
        // By their 128 bits: texts would take several times the memory.
        var seen: Set<Reference> = []
        var found: [String] = []
        let sql = "SELECT id, text FROM names WHERE id > ? AND id <= ? ORDER BY id LIMIT ?"
        try forEachRow("names", sql, through: cut.name) { row in
            count += 1
            let id = row.integer(0)
            if sqlite3_column_bytes(row, 1) == 0 { found.append("Name \(id) is empty.") }
            if !seen.insert(StoredText.reference(row, 1)).inserted {
                found.append("Name \(id) is there twice.")
            }
        }
        nameCount = count
        findings += numbering("names", count, cut.name) + found
    }

    private mutating func checkStreams() throws {
        var count: Int64 = 0
        var seen: Set<StreamIdentity> = []
        var found: [String] = []
        let sql = """
            SELECT id, environment, kind, name FROM streams \
            WHERE id > ? AND id <= ? ORDER BY id LIMIT ?
            """
        try forEachRow("streams", sql, through: cut.stream) { [nameCount] row in
            count += 1
            let id = row.integer(0)
            if Environment(column: row, 1) == nil || StreamKind(column: row, 2) == nil {
                found.append("Stream \(id) has an unknown environment or kind.")
            }
            let name = row.integer(3)
            if name < 0 || name > nameCount {
                found.append("Stream \(id) has name \(name), which does not exist.")
            }
            let identity = StreamIdentity(
                environment: row.integer(1), kind: row.integer(2),
                name: name)
            if !seen.insert(identity).inserted { found.append("Stream \(id) is there twice.") }
        }
        streamCount = count
        findings += numbering("streams", count, cut.stream) + found
    }

    private func numbering(_ table: String, _ count: Int64, _ last: Int64) -> [String] {
        guard count != last else { return [] }
        return ["The table \(table) has \(count) rows, but its last id is \(last)."]
    }

    /// One scan: positions, recorded times, keys, numbers, and each stream's chain of versions.
    private mutating func checkEvents() throws {
        var walk = ChainWalk(
            streamCount: streamCount, nameCount: nameCount, findingCountMax: Self.findingCountMax)
        try forEachRow("events", ChainWalk.sql, through: cut.position) { walk.visit($0) }
        findings += walk.findings
    }

    private mutating func checkDocuments() throws {
        var found: [String] = []
        let sql = """
            SELECT id, sha256, bytes FROM documents WHERE id > ? AND id <= ? ORDER BY id LIMIT ?
            """
        try forEachRow(
            "documents", sql, through: cut.document, pageCount: Self.documentPageCount
        ) { row in
            let expected = StoredText.plain(row, 1)
            let actual = Digest.hexadecimal(Digest.sha256(row.blob(2)))
            if actual != expected {
                found.append("The bytes of document \(expected) have the SHA-256 \(actual).")
            }
        }
        findings += found
    }
}
