// Why this folder reads everything a second time:
//
// A check that goes through the code that it checks agrees with it, also about a mistake: what decodes a row wrongly
// decodes it wrongly twice, and a state that was kept wrongly is compared with itself. So this reader has its own
// connection and statement loop, its own decoding of texts and UUIDs, its own row digests, tree and chains, its own
// SipHash and CRC-32C, its own reading of containers, segments, lookup arrays and snapshots, each written from the
// format's description and plain where the other is fast. It shares with the rest the numbers of event types and which
// slots they have (`Vocabulary`), the path and the way of opening of a file (`LedgerFile`), and SHA-256 itself. A
// change of a format is made here as well, from its description, without calling the code that writes it.

/// One thing that the independent reader checked.
public struct IndependentFinding: Sendable, Equatable {
    /// What was checked, such as `keys: each names one event`.
    public var check: String
    /// Whether nothing is wrong; files that were passed over are told, and count as clean.
    public var isClean: Bool
    /// What is wrong, parted by semicolons; else `clean`, how much was checked, or what was passed over.
    public var detail: String
}

/// Rebuilds a ledger from rows alone and compares it with everything that is kept beside them.
///
/// One walk over the rows, page by page up to the end that the ledger had at the beginning: nothing that is appended
/// meanwhile is taken for damage, and no transaction is long. Eight bytes an event stay in memory.
public struct IndependentReader {
    private let path: String
    private let derived: String
    private let vocabulary: UInt64

    /// - Parameters:
    ///   - path: The ledger's file.
    ///   - derived: The folder of its derived files; there may be none.
    ///   - vocabulary: The fingerprint of snapshots that this build writes.
    public init(path: String, derived: String, vocabulary: UInt64) {
        self.path = path
        self.derived = derived
        self.vocabulary = vocabulary
    }

    private static let rowCheck = "rows: names, streams and versions fit together"
    private static let historyCheck = "history: blocks, marks and head fit the rows"
    private static let documentCheck = "documents: have their SHA-256"

    /// - Parameter progress: Events that were read, and all of them.
    /// - Throws: What `progress` throws, and `.readOnly` when a file changed that could not.
    public func run(
        progress: (Int64, Int64) throws -> Void = { _, _ in }
    ) throws -> [IndependentFinding] {
        let connection: PlainConnection
        let head: PlainHead
        do {
            connection = try PlainConnection(path: path)
            head = try PlainHead(connection)
        } catch let error as StoreError {
            return Self.unread(error.message)
        }
        let findings = try run(connection, head, progress)
        try connection.checkUnchanged()
        return findings
    }

    private func run(
        _ connection: PlainConnection, _ head: PlainHead,
        _ progress: (Int64, Int64) throws -> Void
    ) throws -> [IndependentFinding] {
        guard let secret = head.secret else {
            return Self.unread("the ledger's secret is missing")
        }
        let folder = PlainFolder(
            path: derived, expected: expectation(head.ledger), through: head.position)
        let counts =
            folder.candidates.map { ($0.file.nameCount, $0.file.streamCount) }
            + head.marks.values.map { ($0.names, $0.streams) }
            + [head.head.map { ($0.mark.names, $0.mark.streams) } ?? (0, 0)]
        var tables = PlainTables(
            names: PlainNames(wanted: Set(counts.map(\.0))),
            streams: PlainStreams(wanted: Set(counts.map(\.1))))
        var problems = PlainProblems()
        try problems.collect { try tables.read(connection, head, &$0) }
        var comparison = PlainComparison(head: head, tables: tables, folder: folder, secret: secret)
        try problems.collect { _ in try comparison.walk(connection, progress) }
        comparison.finish()
        var findings = [
            finding(Self.rowCheck, problems, comparison.walk.rows),
            finding(Self.historyCheck, comparison.history),
        ]
        var keys = PlainProblems()
        var documents = PlainProblems()
        try documents.collect {
            try comparison.checkKeys(connection, &keys)
            try Self.checkDocuments(connection, head, &$0)
        }
        findings += [
            finding("keys: each names one event", keys),
            finding("clock: recorded times never go back", comparison.walk.clock),
            finding(Self.documentCheck, documents),
        ]
        return findings + comparison.folder.findings()
    }

    private static func unread(_ reason: String) -> [IndependentFinding] {
        [IndependentFinding(check: rowCheck, isClean: false, detail: reason)]
    }

    private func finding(_ check: String, _ problems: PlainProblems...) -> IndependentFinding {
        let texts = problems.filter { !$0.isEmpty }.map(\.text)
        return IndependentFinding(
            check: check, isClean: texts.isEmpty,
            detail: texts.isEmpty ? "clean" : texts.joined(separator: "; "))
    }

    private func expectation(_ ledger: [UInt8]) -> PlainFolder.Expectation {
        let number = PlainHash(of: ledger).bytes.prefix(8).reduce(UInt64(0)) {
            $0 << 8 | UInt64($1)
        }
        return PlainFolder.Expectation(
            ledger: number, snapshots: vocabulary,
            // Layout 2 of packed events; layout 4 of arrays, over layout 2 of references.
            segments: (vocabulary ^ 2) &* 0x9E37_79B9_7F4A_7C15, keys: 4 << 8 | 2)
    }

    private static func checkDocuments(
        _ connection: PlainConnection, _ head: PlainHead, _ problems: inout PlainProblems
    ) throws {
        var last: Int64 = 0
        try connection.pages(
            "SELECT id, sha256, bytes FROM documents WHERE id > ? AND id <= ? ORDER BY id LIMIT ?",
            through: head.documentCount, count: 10
        ) { row in
            if row.number(0) != last + 1 { problems.add("document \(last + 1) is missing") }
            last = row.number(0)
            let expected = String(decoding: row.bytes(1), as: UTF8.self)
            let found = PlainHash(of: Array(row.bytes(2))).hexadecimal
            if found != expected {
                problems.add("document \(row.number(0)) has the SHA-256 \(found), not \(expected)")
            }
        }
    }
}

/// The names and streams of a ledger.
struct PlainTables {
    var names: PlainNames
    var streams: PlainStreams

    mutating func read(
        _ connection: PlainConnection, _ head: PlainHead, _ problems: inout PlainProblems
    ) throws {
        try connection.pages(
            "SELECT id, text FROM names WHERE id > ? AND id <= ? ORDER BY id LIMIT ?",
            through: head.nameCount
        ) { row in
            names.append(row.bytes(1))
            if row.number(0) != names.count {
                problems.add("name \(names.count) has the number \(row.number(0))")
            }
        }
        for id in names.doubled() { problems.add("name \(id) is there twice") }
        var seen: Set<PlainStream> = []
        try connection.pages(
            "SELECT id, environment, kind, name FROM streams WHERE id > ? AND id <= ? ORDER BY id LIMIT ?",
            through: head.streamCount
        ) { row in
            let stream = PlainStream(
                environment: row.number(1), kind: row.number(2), name: row.number(3))
            streams.append(stream)
            if row.number(0) != streams.count {
                problems.add("stream \(streams.count) has the number \(row.number(0))")
            }
            if stream.name < 0 || stream.name > names.count {
                problems.add(
                    "stream \(row.number(0)) has name \(stream.name), which does not exist")
            }
            if !seen.insert(stream).inserted {
                problems.add("stream \(row.number(0)) is there twice")
            }
        }
    }
}
