import DaybookEvents
import GRDB
import GRDBSQLite

/// The insert statement of the append loop, bound and stepped by hand.
///
/// Bytes are bound without a copy: they are on loan while the row is stepped, and the bindings are
/// cleared before the loan ends. GRDB's own binding was measured at a tenth of the speed.
struct RowInsertion {
    static let sql = """
        INSERT INTO events(position, stream, version, previous, type, v, occurred_at, signed_at, \
        recorded_at, sequence, source, key, trust, party, profile, name_a, name_b, name_c, ref, \
        amount, money, time_a, time_b, time_c, flags, request, rest) \
        VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
        """

    let statement: OpaquePointer
    let connection: OpaquePointer?

    func insert(_ row: borrowing EventRow) throws {
        let event = row.event
        // Bindings are cleared after each row, so that a number left out is NULL.
        integer(1, event.position)
        integer(2, Int64(event.stream))
        integer(3, row.streamVersion)
        integer(4, row.previous, unless: 0)
        integer(5, Int64(event.typeCode))
        integer(6, Int64(row.schemaVersion))
        integer(7, event.occurredAt)
        integer(8, event.signedAt, unless: event.occurredAt)
        integer(9, row.recordedAt)
        integer(10, event.sequence, unless: 0)
        integer(11, Int64(event.source), unless: 0)
        integer(13, Int64(event.trustCode))
        integer(14, Int64(event.customer), unless: 0)
        integer(15, Int64(event.profile), unless: 0)
        integer(16, Int64(event.nameA), unless: 0)
        integer(17, Int64(event.nameB), unless: 0)
        integer(18, Int64(event.nameC), unless: 0)
        integer(20, event.amount, unless: Event.absent)
        integer(21, event.money, unless: Event.absent)
        integer(22, event.timeA, unless: Event.absent)
        integer(23, event.timeB, unless: Event.absent)
        integer(24, event.timeC, unless: Event.absent)
        integer(25, Int64(event.flags), unless: 0)
        integer(26, row.requestDigest, unless: 0)
        try StoredText.withBytes(of: row.key) { key in
            try StoredText.withBytes(of: row.reference) { reference in
                statement.bind(12, key)
                if case .null = reference {} else { statement.bind(19, reference) }
                guard var rest = row.rest else { return try statement.stepToEnd(connection) }
                try rest.withUTF8 { bytes in
                    statement.bind(27, .text(bytes))
                    try statement.stepToEnd(connection)
                }
            }
        }
    }

    private func integer(_ index: CInt, _ value: Int64, unless usual: Int64) {
        if value != usual { sqlite3_bind_int64(statement, index, value) }
    }

    private func integer(_ index: CInt, _ value: Int64) {
        sqlite3_bind_int64(statement, index, value)
    }
}

/// The columns of the scan loop: hot events first, what only whole rows need behind them.
enum RowSelection {
    private static let hotColumns = """
        position, stream, type, occurred_at, signed_at, sequence, source, key, trust, party, \
        profile, name_a, name_b, name_c, ref, amount, money, time_a, time_b, time_c, flags
        """
    private static let allColumns =
        hotColumns + ", version, previous, v, recorded_at, request, rest"

    /// Events after a position, up to another, at most so many.
    static let eventsOfRange = select(hotColumns)
    static let rowsOfRange = select(allColumns)
    static let rowsOfWalk = walk(allColumns)
    /// Hot events, each with the position of its stream's previous one as the last column.
    static let linksOfRange = select(hotColumns + ", previous")
    static let linksOfWalk = walk(hotColumns + ", previous")
    static let previousColumn: CInt = 21

    /// The rows at positions that the reader names while it reads (`Database.walk`).
    private static func walk(_ columns: String) -> String {
        "SELECT \(columns) FROM daybook_walk(?) CROSS JOIN events ON position = step"
    }

    private static func select(_ columns: String) -> String {
        """
        SELECT \(columns) FROM events \
        WHERE position > ? AND position <= ? ORDER BY position LIMIT ?
        """
    }

    /// Reads a hot event, and notes what must fit the rest of the ledger before it is used.
    static func event(_ row: OpaquePointer, _ claims: inout RowClaims) -> Event {
        event(row, &claims, isWhole: false)
    }

    /// - Parameter isWhole: Also the slots that events of the type do not have, but not key and ref, of which the texts
    ///   are read, too.
    @inline(__always)
    private static func event(
        _ row: OpaquePointer, _ claims: inout RowClaims, isWhole: Bool
    ) -> Event {
        var event = Event()
        claims = RowClaims(
            position: sqlite3_column_int64(row, 0), stream: sqlite3_column_int64(row, 1))
        event.position = claims.position
        event.stream = UInt32(truncatingIfNeeded: claims.stream)
        event.typeCode = UInt16(truncatingIfNeeded: narrow(row, 2, bits: 8, &claims))
        event.occurredAt = sqlite3_column_int64(row, 3)
        event.signedAt = number(row, 4, event.occurredAt)
        event.sequence = narrow(row, 5, bits: 32, &claims)
        event.source = name(row, 6, &claims)
        if !isWhole { event.key = StoredText.reference(row, 7) }
        event.trustCode = UInt8(truncatingIfNeeded: narrow(row, 8, bits: 8, &claims))
        event.customer = name(row, 9, &claims)
        event.profile = name(row, 10, &claims)
        event.nameA = name(row, 11, &claims)
        // Of the other columns only those that events of the type have.
        let slots = isWhole ? .all : EventSlots.byType[Int(event.typeCode)]
        if slots.contains(.nameB) { event.nameB = name(row, 12, &claims) }
        if slots.contains(.nameC) { event.nameC = name(row, 13, &claims) }
        if !isWhole, slots.contains(.reference) {
            event.reference = StoredText.reference(row, 14)
        }
        if slots.contains(.amount) {
            let amount = number(row, 15, Event.absent)
            event.amount = amount
            // An event holds amounts in 32 bits.
            if event.amount != amount { claims.isTooWide = true }
        }
        if slots.contains(.money) { event.money = number(row, 16, Event.absent) }
        if slots.contains(.timeA) { event.timeA = number(row, 17, Event.absent) }
        if slots.contains(.timeB) { event.timeB = number(row, 18, Event.absent) }
        if slots.contains(.timeC) { event.timeC = number(row, 19, Event.absent) }
        if slots.contains(.flags) {
            event.flags = UInt16(truncatingIfNeeded: narrow(row, 20, bits: 16, &claims))
        }
        return event
    }

    /// Reads a whole row, and notes what must fit the rest of the ledger before it is used.
    static func row(_ row: OpaquePointer, _ claims: inout RowClaims) -> EventRow {
        var event = event(row, &claims, isWhole: true)
        let key = StoredText.whole(row, 7)
        let reference = StoredText.whole(row, 14)
        event.key = key.reference
        event.reference = reference.reference
        return EventRow(
            event: event, key: key.text ?? "", reference: reference.text,
            recordedAt: sqlite3_column_int64(row, 24),
            streamVersion: sqlite3_column_int64(row, 21), previous: sqlite3_column_int64(row, 22),
            schemaVersion: UInt16(truncatingIfNeeded: narrow(row, 23, bits: 16, &claims)),
            requestDigest: sqlite3_column_int64(row, 25),
            rest: sqlite3_column_type(row, 26) == SQLITE_NULL ? nil : StoredText.plain(row, 26))
    }

    private static func name(
        _ row: OpaquePointer, _ column: CInt, _ claims: inout RowClaims
    ) -> UInt32 {
        let name = UInt64(bitPattern: sqlite3_column_int64(row, column))
        claims.greatestName = max(claims.greatestName, name)
        return UInt32(truncatingIfNeeded: name)
    }

    /// A number of which only damage can use more than so many bits.
    private static func narrow(
        _ row: OpaquePointer, _ column: CInt, bits: UInt64, _ claims: inout RowClaims
    ) -> Int64 {
        let number = sqlite3_column_int64(row, column)
        if UInt64(bitPattern: number) >> bits != 0 { claims.isTooWide = true }
        return number
    }

    private static func number(_ row: OpaquePointer, _ column: CInt, _ usual: Int64) -> Int64 {
        let value = sqlite3_column_value(row, column)
        return sqlite3_value_type(value) == SQLITE_NULL ? usual : sqlite3_value_int64(value)
    }
}
