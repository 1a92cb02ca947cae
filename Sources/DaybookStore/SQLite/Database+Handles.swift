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

    /// Hands the rows of one number to the body: for many look-ups one after the other, which find the statement once.
    func forEachRow(
        _ statement: Statement, of number: Int64, _ body: (OpaquePointer) throws -> Void
    ) throws {
        let handle = statement.sqliteStatement
        sqlite3_bind_int64(handle, 1, number)
        try handle.forEachRow(sqliteConnection) { try body(handle) }
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
