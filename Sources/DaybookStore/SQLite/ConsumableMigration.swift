import DaybookEvents
import GRDB

/// Moves consumables out of the streams of customers, in which schema 1 had them, into streams of their own (rule 6),
/// inside of the transaction that brings a ledger to schema 2.
///
/// Positions, keys and contents of events stay as they are. Streams that lose or get rows are numbered anew: version
/// and previous event of each of their rows follow from the order of positions.
struct ConsumableMigration {
    let db: Database
    let file: LedgerFile

    private static let chunkCount: Int64 = 4_096

    /// - Throws: `.damaged` when a row cannot be read; then the ledger stays as it was.
    func run(through last: Int64) throws {
        guard try hasAny() else { return }
        let moved = try moves(through: last)
        guard !moved.isEmpty else { return }
        try db.execute(sql: "DROP TRIGGER events_no_update")
        try db.execute(
            sql: "CREATE TEMP TABLE concerned(stream INTEGER PRIMARY KEY) WITHOUT ROWID")
        for move in moved {
            for stream in [move.from, move.to] {
                try db.execute(
                    sql: "INSERT OR IGNORE INTO concerned VALUES (?)", arguments: [stream])
            }
            try db.execute(
                sql: "UPDATE events SET stream = ? WHERE position = ?",
                arguments: [move.to, move.position])
        }
        try renumber(through: last)
        try db.execute(sql: "DROP TABLE concerned")
        for trigger in LedgerSchema.triggers where trigger.contains(" events_no_update ") {
            try db.execute(sql: trigger)
        }
    }

    private struct Move {
        var position: Int64
        var from: Int64
        var to: Int64
    }

    /// Whether any row may have to move: nearly every ledger has none.
    private func hasAny() throws -> Bool {
        let types = Vocabulary.schemas.filter { $0.routing == .purchase }
            .map { String($0.type.rawValue) }.joined(separator: ", ")
        let sql = """
            SELECT count(*) FROM (SELECT 1 FROM events JOIN streams ON streams.id = events.stream \
            WHERE events.type IN (\(types)) AND streams.kind = 0 LIMIT 1)
            """
        return try db.number(sql, []) ?? 0 > 0
    }

    private func moves(through last: Int64) throws -> [Move] {
        var names = NameTable()
        var records: [StreamRecord] = []
        try db.forEachRow("SELECT text FROM names ORDER BY id") {
            _ = names.intern(StoredText.plain($0, 0))
        }
        try db.forEachRow("SELECT id, environment, kind, name FROM streams ORDER BY id") {
            records.append(try StreamRecord(row: $0, file))
        }
        var ids: [StreamName: Int64] = [:]
        for record in records {
            ids[StreamName(record.environment, record.kind, names[record.name])] = Int64(record.id)
        }
        var moves: [Move] = []
        var position: Int64 = 0
        while position < last {
            let before = position
            var rows: [EventRow] = []
            var claims = RowClaims()
            try db.forEachRow(
                RowSelection.rowsOfRange, [position, last, Self.chunkCount]
            ) { row in
                let found = RowSelection.row(row, &claims)
                position = found.event.position
                if found.event.saysConsumable { rows.append(found) }
            }
            // Positions without a gap were never promised to be checked here; `HistoryMigration` finds one.
            guard position > before else { return moves }
            for row in rows {
                guard let target = try target(of: row, records, names) else { continue }
                let to = try ids[target] ?? add(target, &names, &records, &ids)
                moves.append(
                    Move(
                        position: row.event.position, from: Int64(row.event.stream), to: to))
            }
        }
        return moves
    }

    private func target(
        of row: EventRow, _ records: [StreamRecord], _ names: NameTable
    ) throws -> StreamName? {
        guard row.event.stream >= 1, Int(row.event.stream) <= records.count else {
            throw damage("position \(row.event.position) is in no stream")
        }
        let record = records[Int(row.event.stream) - 1]
        guard record.kind == .customer else { return nil }
        do throws(RowDamage) {
            let stream = StreamName(record.environment, record.kind, names[record.name])
            return EventRouter.move(
                of: try EventDecoder.recorded(row, stream: stream, names: names))
        } catch {
            throw damage("\(error)")
        }
    }

    private func add(
        _ stream: StreamName, _ names: inout NameTable, _ records: inout [StreamRecord],
        _ ids: inout [StreamName: Int64]
    ) throws -> Int64 {
        let count = names.count
        let name = names.intern(stream.name)
        if names.count > count {
            try db.execute(
                sql: "INSERT INTO names(id, text) VALUES (?, ?)",
                arguments: [Int64(name), stream.name])
        }
        let record = StreamRecord(
            id: UInt32(records.count + 1), environment: stream.environment, kind: stream.kind,
            name: name)
        try db.execute(
            sql: "INSERT INTO streams(id, environment, kind, name) VALUES (?, ?, ?, ?)",
            arguments: [
                Int64(record.id), Int64(stream.environment.rawValue), Int64(stream.kind.rawValue),
                Int64(name),
            ])
        records.append(record)
        ids[stream] = Int64(record.id)
        return Int64(record.id)
    }

    /// Versions and links of every stream that lost or got a row.
    private func renumber(through last: Int64) throws {
        var heads: [Int64: (position: Int64, version: Int64)] = [:]
        var position: Int64 = 0
        while position < last {
            var rows: [(position: Int64, stream: Int64)] = []
            try db.forEachRow(
                """
                SELECT position, stream FROM events WHERE position > ? AND position <= ? \
                AND stream IN (SELECT stream FROM concerned) ORDER BY position LIMIT ?
                """, [position, last, Self.chunkCount]
            ) { rows.append(($0.integer(0), $0.integer(1))) }
            guard let end = rows.last?.position else { return }
            for row in rows {
                let head = heads[row.stream] ?? (0, 0)
                try db.execute(
                    sql: "UPDATE events SET version = ?, previous = ? WHERE position = ?",
                    arguments: [
                        head.version + 1, head.position == 0 ? nil : head.position, row.position,
                    ])
                heads[row.stream] = (row.position, head.version + 1)
            }
            position = end
        }
    }

    private func damage(_ reason: String) -> StoreError {
        .damaged(file.path, reason)
    }
}
