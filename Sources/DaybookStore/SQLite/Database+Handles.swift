import CDaybook
import DaybookEvents
import GRDB
import GRDBSQLite

/// Reading through the statement handles that GRDB keeps.
extension Database {
    /// Binds the numbers and hands each row to the body.
    func forEachRow(
        _ sql: String, _ arguments: [Int64] = [], _ body: (OpaquePointer) throws -> Void
    ) throws {
        let statement = try cachedStatement(sql: sql).sqliteStatement
        for (index, argument) in arguments.enumerated() {
            sqlite3_bind_int64(statement, CInt(index + 1), argument)
        }
        try statement.forEachRow(sqliteConnection) { try body(statement) }
    }

    /// Hands rows to the body that it names itself, each by the number that it returns for the row before. All of them
    /// are of one moment.
    ///
    /// One statement looks all of them up (`daybook_walk`): to begin and end one for each takes a fifth of the reading.
    /// - Parameters:
    ///   - sql: Its only parameter is the walk, and its first column the number of the row.
    ///   - first: The number of the first row.
    ///   - body: Reads a row; returns the number of the next one, below 1 where there is none.
    /// - Returns: The number of which there is no row, where the walk ended there; else `nil`.
    func walk(
        _ sql: String, from first: Int64, _ body: (OpaquePointer) throws -> Int64
    ) throws -> Int64? {
        let statement = try cachedStatement(sql: sql).sqliteStatement
        return try withUnsafeTemporaryAllocation(of: daybook_walk.self, capacity: 1) { walk in
            // Invariant: the statement is reset, and the walk no longer bound, before the memory goes.
            walk.initialize(repeating: daybook_walk(step: first, named: 0))
            let code = daybook_walk_bind(statement, 1, walk.baseAddress)
            guard code == SQLITE_OK else { throw DatabaseError(code, sqliteConnection) }
            try statement.forEachRow(sqliteConnection) {
                // Daybook's own table has at most one row of a number; one that another program made may have more.
                guard walk[0].step >= 1, statement.integer(0) == walk[0].step else {
                    throw DatabaseError(
                        resultCode: .SQLITE_CORRUPT,
                        message: "a row was read that was not asked for")
                }
                walk[0].step = try body(statement)
                walk[0].named += 1
            }
            return walk[0].step < 1 ? nil : walk[0].step
        }
    }

    /// Runs the body in one read transaction: whatever it reads is of one moment.
    func inSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try inTransaction("BEGIN DEFERRED TRANSACTION", body)
    }

    /// Runs the body in one transaction that may write, and holds the right to from its beginning.
    func inWriteTransaction<Result>(_ body: () throws -> Result) throws -> Result {
        try inTransaction("BEGIN IMMEDIATE TRANSACTION", body)
    }

    /// By handles that are kept: GRDB compiles the statements each time, which takes longer than reading a row.
    private func inTransaction<Result>(
        _ begin: String, _ body: () throws -> Result
    ) throws -> Result {
        try run(begin)
        do {
            let result = try body()
            try run("COMMIT TRANSACTION")
            return result
        } catch {
            // The first error tells what happened. SQLite may have ended the transaction itself.
            if sqlite3_get_autocommit(sqliteConnection) == 0 { try? run("ROLLBACK TRANSACTION") }
            throw error
        }
    }

    private func run(_ sql: String) throws {
        try cachedStatement(sql: sql).sqliteStatement.stepToEnd(sqliteConnection)
    }

    /// The number in the first column of the only row; `nil` for NULL and for no row.
    func number(_ sql: String, _ arguments: [Int64]) throws -> Int64? {
        var value: Int64?
        try forEachRow(sql, arguments) { row in
            if sqlite3_column_type(row, 0) != SQLITE_NULL { value = row.integer(0) }
        }
        return value
    }
}
