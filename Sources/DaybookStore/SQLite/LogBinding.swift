import DaybookEvents
import Foundation
import GRDB
import GRDBSQLite

/// Tells whether the log beside a ledger was written upon the file that lies there now.
///
/// - Rule: the main file's own lineage is the one that file and log have together, and its own head row names a place
///   at or after the one upon which the log began, in the history that they have together (`HistorySchema.swift`).
/// - Why: SQLite applies any log whose checksums fit. Beside a file that was restored from a backup it would write the
///   pages of one past over those of another.
/// - Advice: `daybook restore` puts a backup in a ledger's place; after a copy by hand, move the log away with the
///   file.
/// - Otherwise: events vanish or change, and no checksum tells.
struct LogBinding {
    let file: LedgerFile
    let header: StoreHeader

    /// A checkpoint of another process changes the main file while it is looked at.
    private static let attemptCountMax = 8
    private static let headerByteCount = 32

    /// The two salts of the log's header; 0 without a log.
    /// - Throws: `.failed` when there is a log that cannot be read.
    static func salt(of file: LedgerFile) throws -> Int64 {
        guard file.hasLog else { return 0 }
        // Unlike the ledger's own file: SQLite holds no lock on the log that closing it here could drop.
        let descriptor = open(file.logPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            // The last process that closed the ledger has removed it since.
            if errno == ENOENT { return 0 }
            throw StoreError(
                .failed, "\(file.logPath) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: headerByteCount)
        guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count else { return 0 }
        return salt(header: bytes)
    }

    /// The same through a connection that has the log open, in a transaction.
    static func salt(_ db: Database) -> Int64 {
        guard let connection = db.sqliteConnection,
            let bytes = LedgerHeader.bytes(
                connection, of: SQLITE_FCNTL_JOURNAL_POINTER, at: 0, count: headerByteCount)
        else { return 0 }
        return salt(header: bytes)
    }

    /// - Parameter header: The log's first `headerByteCount` bytes (https://www.sqlite.org/fileformat2.html, §4.1).
    private static func salt(header: [UInt8]) -> Int64 {
        header[16..<24].reduce(Int64(0)) { $0 << 8 | Int64($1) }
    }

    /// - Throws: `.foreignLog`; `.otherHistory` where the file was written to under a connection that still shows what
    ///   it held before.
    func check(_ db: Database) throws {
        for _ in 0..<Self.attemptCountMax where try isBound(db) { return }
        guard try Self.salt(of: file) != 0 else {
            let shown = try HistoryReading(db: db, file: file, header: header).head().point
            throw StoreError.otherHistory(
                file.path, "this process has read", shown.hash, at: shown.position, nil)
        }
        throw StoreError(
            .foreignLog,
            "\(file.logPath) was written upon another state of \(file.path): the file was restored or copied over, and "
                + "its log stayed; nothing was written; to go on with the file as it is, move \(file.logPath) and "
                + "\(file.logIndexPath) away; to keep what the log holds, put the former file back")
    }

    /// Main file first, then both together: whatever the main file has by then, the log's history has too.
    private func isBound(_ db: Database) throws -> Bool {
        let salt = try Self.salt(of: file)
        let main = try MainFileHead.read(db)
        guard salt != 0 else {
            // Without a log the file itself is all that there is.
            return try main?.hash
                == HistoryReading(db: db, file: file, header: header).head().point.hash
        }
        return try db.inSnapshot {
            let reading = HistoryReading(db: db, file: file, header: header)
            let head = try reading.head()
            let base = head.start(ofLogWith: salt)
            if let lineage = main?.lineage, lineage != head.lineage { return false }
            // The log began upon a file of schema 1, which names no place.
            if base.hash == .zero { return true }
            guard let main, main.position >= base.position else { return false }
            if main.hash == base.hash || main.hash == head.point.hash { return true }
            let there = try reading.point(
                at: main.position, names: main.nameCount, streams: main.streamCount)
            return there?.hash == main.hash
        }
    }
}

/// The head row as the main file has it, whatever the log says.
///
/// A connection shows file and log as one. A second one that ignores the log would, when it is closed, drop the locks
/// that this process holds on the file; so the page is read through the connection's own file, and its one row taken
/// apart here (https://www.sqlite.org/fileformat2.html, §1.6 and §2.1).
struct MainFileHead: Equatable {
    var position: Int64
    var nameCount: Int64
    var streamCount: Int64
    var hash: HistoryHash
    /// `nil` where the file itself, without its log, is of schema 2.
    var lineage: Int64?

    private static let pageByteCount = 4_096

    /// - Returns: `nil` when there is no such row where it should be.
    static func read(_ db: Database) throws -> MainFileHead? {
        let sql = "SELECT rootpage FROM sqlite_master WHERE name = 'history_head'"
        guard let root = try db.number(sql, []), root > 1, let connection = db.sqliteConnection
        else { return nil }
        let page = LedgerHeader.bytes(
            connection, at: (root - 1) * Int64(pageByteCount), count: pageByteCount)
        return page.flatMap { MainFileHead(page: $0) }
    }

    /// - Parameter page: All of it.
    init?(page: [UInt8]) {
        // id, position, epoch, names, name_hash, streams, stream_hash, hash, log_salt, base_position, base_hash,
        // before_position, before_hash, lineage
        guard let row = PageReader.onlyRow(of: page), row.count >= 13,
            case .number(let position) = row[1], case .number(let nameCount) = row[3],
            case .number(let streamCount) = row[5], case .hash(let hash) = row[7]
        else { return nil }
        self.position = position
        self.nameCount = nameCount
        self.streamCount = streamCount
        self.hash = hash
        // Of schema 2 the row ends before it.
        if row.count > 13, case .number(let lineage) = row[13] { self.lineage = lineage }
    }
}

/// Numbers of SQLite's file format, one after the other; `nil` beyond the end.
private struct PageReader {
    enum Value {
        case number(Int64)
        case hash(HistoryHash)
    }

    /// A page with the rows of a table.
    private static let leafKind: UInt8 = 0x0D

    private let page: [UInt8]
    var index = 0

    init(_ page: [UInt8]) { self.page = page }

    /// The columns of a table's one row, whose number is 1; `nil` for any other page.
    static func onlyRow(of page: [UInt8]) -> [Value]? {
        var reader = PageReader(page)
        guard reader.byte() == leafKind else { return nil }
        reader.index = 3
        guard reader.number(byteCount: 2) == 1 else { return nil }
        reader.index = 8
        guard let start = reader.number(byteCount: 2) else { return nil }
        reader.index = Int(start)
        // The size of the record and the row's number.
        guard reader.variable() != nil, reader.variable() == 1 else { return nil }
        let recordStart = reader.index
        guard let headerCount = reader.variable(), headerCount < 128 else { return nil }
        var kinds: [Int64] = []
        while reader.index < recordStart + Int(headerCount) {
            guard let kind = reader.variable() else { return nil }
            kinds.append(kind)
        }
        var values: [Value] = []
        for kind in kinds {
            guard let value = reader.value(kind) else { return nil }
            values.append(value)
        }
        return values
    }

    private mutating func value(_ kind: Int64) -> Value? {
        switch kind {
        case 0, 8: return .number(0)
        case 9: return .number(1)
        case 1...6:
            return number(byteCount: [1, 2, 3, 4, 6, 8][Int(kind) - 1]).map { .number($0) }
        case Int64(12 + 2 * HistoryHash.byteCount):
            return bytes(HistoryHash.byteCount).flatMap { HistoryHash($0) }.map { .hash($0) }
        default: return nil
        }
    }

    mutating func byte() -> UInt8? {
        guard page.indices.contains(index) else { return nil }
        index += 1
        return page[index - 1]
    }

    mutating func bytes(_ count: Int) -> [UInt8]? {
        guard index >= 0, index + count <= page.count else { return nil }
        index += count
        return Array(page[index - count..<index])
    }

    /// Two's complement, the most significant byte first.
    mutating func number(byteCount: Int) -> Int64? {
        guard let bytes = bytes(byteCount), let first = bytes.first else { return nil }
        return bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
    }

    /// Seven bits a byte, the most significant first; the ninth byte gives eight.
    mutating func variable() -> Int64? {
        var value: Int64 = 0
        for _ in 0..<8 {
            guard let byte = byte() else { return nil }
            value = value << 7 | Int64(byte & 0x7F)
            if byte & 0x80 == 0 { return value }
        }
        return byte().map { value << 8 | Int64($0) }
    }
}
