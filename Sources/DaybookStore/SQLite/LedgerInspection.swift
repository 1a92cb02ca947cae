import DaybookEvents
import GRDB
import GRDBSQLite

/// Everything that a ledger file can be asked about itself, without changing anything.
struct LedgerInspection {
    let reads: ReadConnections
    let file: LedgerFile

    /// A damaged file has more to complain about than anybody wants to read.
    private static let findingCountMax = 100
    private static let pageCount: Int64 = 10_000

    func run() throws -> [String] {
        var findings: [String] = []
        var checks: [(String, (Database) throws -> [String])] = [
            ("the file's structure", structure), ("the file's header", header),
            ("the schema", schema), ("the numbering", numbering), ("keys", keys),
            ("documents", documents),
        ]
        while !checks.isEmpty {
            let (subject, check) = checks.removeFirst()
            do {
                findings += try reads.use("checking \(subject)", check)
            } catch let error as StoreError where error.code == .damaged || error.code == .failed {
                findings.append(error.message)
            }
        }
        do {
            findings += try chains()
        } catch let error as StoreError where error.code == .damaged || error.code == .failed {
            findings.append(error.message)
        }
        guard findings.count > Self.findingCountMax else { return findings }
        let more = findings.count - Self.findingCountMax
        return findings.prefix(Self.findingCountMax) + ["\(more) more findings are not listed."]
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
        if try !file.isInLogMode() {
            findings.append("The journal mode of \(file.path) is not WAL.")
        }
        return findings
    }

    /// Tables and triggers as they should be, and no index that would slow down every append.
    private func schema(_ db: Database) throws -> [String] {
        let sql = """
            SELECT type, name, sql FROM sqlite_master \
            WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~' AND type <> 'view'
            """
        var stored: [String: String] = [:]
        for row in try Row.fetchAll(db, sql: sql) {
            stored["\(row["type"] as String) \(row["name"] as String)"] = row["sql"]
        }
        var findings: [String] = []
        for statement in LedgerSchema.migrations.joined() {
            let words = statement.split(whereSeparator: { $0 == " " || $0 == "(" })
            let object = "\(words[1].lowercased()) \(words[2])"
            switch stored.removeValue(forKey: object) {
            case nil: findings.append("The \(object) is missing in \(file.path).")
            case statement: break
            default:
                findings.append("The \(object) in \(file.path) is not the one that belongs there.")
            }
        }
        findings += stored.keys.sorted().map { "The \($0) does not belong in \(file.path)." }
        return findings
    }

    private func numbering(_ db: Database) throws -> [String] {
        try [("names", "id"), ("streams", "id"), ("events", "position")].compactMap {
            table, column in
            let sql = "SELECT count(*) FROM \(table)"
            let count = try db.number(sql, []) ?? 0
            let last = try db.number("SELECT max(\(column)) FROM \(table)", []) ?? 0
            guard count != last else { return nil }
            return "The table \(table) has \(count) rows, but its last \(column) is \(last)."
        }
    }

    private func keys(_ db: Database) throws -> [String] {
        let sql = """
            SELECT position FROM events WHERE typeof(key) NOT IN ('text', 'blob') \
            OR typeof(ref) NOT IN ('text', 'blob', 'null') \
            OR (typeof(key) = 'blob' AND length(key) <> 16) \
            OR (typeof(ref) = 'blob' AND length(ref) <> 16) LIMIT \(Self.findingCountMax)
            """
        return try Int64.fetchAll(db, sql: sql).map {
            "The key or ref at position \($0) is neither text nor a UUID."
        }
    }

    private func documents(_ db: Database) throws -> [String] {
        var findings: [String] = []
        try db.forEachRow("SELECT sha256, bytes FROM documents ORDER BY id") { row in
            let expected = StoredText.plain(row, 0)
            let start = sqlite3_column_blob(row, 1)
            let count = Int(sqlite3_column_bytes(row, 1))
            let bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
            let actual = Digest.hexadecimal(Digest.sha256(bytes))
            if actual != expected {
                findings.append("The bytes of document \(expected) have the SHA-256 \(actual).")
            }
        }
        return findings
    }

    /// One scan, page by page: positions, recorded times, and each stream's chain of versions.
    private func chains() throws -> [String] {
        let streamCount = try reads.use("counting streams") {
            try $0.number("SELECT max(id) FROM streams", [])
        }
        let last = try reads.use("reading the head") {
            try $0.number("SELECT max(position) FROM events", [])
        }
        var walk = ChainWalk(streamCount: streamCount ?? 0)
        let sql = """
            SELECT position, recorded_at, stream, version, previous FROM events \
            WHERE position > ? AND position <= ? ORDER BY position LIMIT \(Self.pageCount)
            """
        while walk.position < last ?? 0, walk.findings.count <= Self.findingCountMax {
            let before = walk.position
            try reads.use("checking events after position \(before)") { db in
                try db.forEachRow(sql, [before, last ?? 0]) { row in
                    walk.visit(
                        position: sqlite3_column_int64(row, 0),
                        recordedAt: sqlite3_column_int64(row, 1),
                        stream: sqlite3_column_int64(row, 2), version: sqlite3_column_int64(row, 3),
                        previous: sqlite3_column_int64(row, 4))
                }
            }
            guard walk.position > before else { break }
        }
        return walk.findings
    }
}

/// Follows every stream at once through the events in position order.
struct ChainWalk {
    private(set) var position: Int64 = 0
    private(set) var findings: [String] = []
    private var recordedAt = Int64.min
    private var heads: [(position: Int64, version: Int64)]

    init(streamCount: Int64) {
        // A damaged table of streams may claim any number; what is beyond the bound is reported as
        // unknown.
        heads = Array(repeating: (0, 0), count: Int(min(max(0, streamCount), 1 << 32)) + 1)
    }

    mutating func visit(
        position: Int64, recordedAt: Int64, stream: Int64, version: Int64, previous: Int64
    ) {
        if position != self.position + 1 {
            findings.append(
                "Position \(position) follows position \(self.position): there is a gap.")
        }
        if recordedAt < self.recordedAt {
            findings.append(
                "Position \(position) was recorded at \(recordedAt), "
                    + "before position \(self.position) at \(self.recordedAt)."
            )
        }
        self.position = position
        self.recordedAt = recordedAt
        guard stream >= 1, stream < heads.count else {
            findings.append("Position \(position) is in stream \(stream), which does not exist.")
            return
        }
        let head = heads[Int(stream)]
        if previous != head.position {
            findings.append(
                "Position \(position) of stream \(stream) follows position \(previous), "
                    + "expected \(head.position)."
            )
        }
        if version != head.version + 1 {
            findings.append(
                "Position \(position) of stream \(stream) has version \(version), "
                    + "expected \(head.version + 1)."
            )
        }
        heads[Int(stream)] = (position, version)
    }
}
