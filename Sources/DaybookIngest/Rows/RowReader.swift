package import DaybookDomain
package import DaybookEvents

/// Reads delimited text (RFC 4180, or columns with spaces between them) and makes events of its rows by a map
/// (docs/import-maps.md).
///
/// Bytes come in pieces that may end anywhere; what is kept of a row is bounded as a line of JSON is.
package struct RowReader: LineReader {
    private let map: ImportMap
    private let defaultTrust: Trust
    private let converter: FieldConverter
    /// `nil`: fields are never quoted.
    private let separator: UInt8?
    private var pending = PendingLine()
    /// Lines that have ended.
    private var lineCount = 0
    /// Where the row that is pending began.
    private var firstLine = 1
    private var scan = Scan.start
    private var rowCount = 0
    /// Names of the columns with their places, once they are known.
    private var columns: [String: Int]
    private var columnCount: Int
    /// What is wrong with the row that names the columns; then no row is read.
    private var problem: LineProblem?
    /// Whether the first row was met.
    private var isBegun = false

    /// - Parameter zone: Times without an offset are in it.
    package init(_ map: ImportMap, in zone: ZoneTable, defaultTrust: Trust) {
        self.map = map
        self.defaultTrust = defaultTrust
        converter = FieldConverter(zone: zone)
        separator = map.separator.byte
        columns = Dictionary(
            map.columns.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        columnCount = map.columns.count
    }

    /// Where in a field the last byte was: only at its start a quote begins a quoted one.
    private enum Scan {
        case start, plain, quoted
        /// Behind a quote in a quoted field: its end, or the first of two that stand for one.
        case quote

        func after(_ byte: UInt8, _ separator: UInt8) -> Scan {
            let isQuote = byte == UInt8(ascii: "\"")
            return switch self {
            case .quoted: isQuote ? .quote : .quoted
            case .quote where isQuote: .quoted
            case .start where isQuote: .quoted
            default: byte == separator ? .start : .plain
            }
        }
    }

    package mutating func split(_ piece: [UInt8]) -> [InputLine] {
        var lines: [InputLine] = []
        var start = 0
        for index in piece.indices {
            let byte = piece[index]
            if byte == 0x0A {
                lineCount += 1
                if scan == .quoted { continue }
                pending.keep(piece[start..<index])
                endRow(&lines)
                start = index + 1
                scan = .start
            } else if let separator, !isMark(byte) {
                scan = scan.after(byte, separator)
            }
        }
        pending.keep(piece[start...])
        return lines
    }

    /// Whether a byte is of the mark that some editors put before UTF-8: a field still begins behind it.
    private func isMark(_ byte: UInt8) -> Bool {
        lineCount == 0 && scan == .start && [0xEF, 0xBB, 0xBF].contains(byte)
    }

    package mutating func lastLine() -> [InputLine] {
        var lines: [InputLine] = []
        if !pending.isEmpty { endRow(&lines) }
        return lines
    }

    private mutating func endRow(_ lines: inout [InputLine]) {
        let ended = pending.end(line: firstLine)
        firstLine = lineCount + 1
        guard var row = ended, problem == nil else { return }
        if map.hasHeader, !isBegun {
            problem = readHeader(row)
            // It is told of once, in the place of the row.
            if problem != nil { lines.append(row) }
        } else {
            rowCount += 1
            row.row = rowCount
            lines.append(row)
        }
        isBegun = true
    }

    private mutating func readHeader(_ row: InputLine) -> LineProblem? {
        do throws(LineProblem) {
            let fields = try RowFields.split(row, by: map.separator)
            columnCount = fields.count
            for (index, field) in fields.enumerated() {
                guard columns.updateValue(index, forKey: field.text) == nil else {
                    throw row.bad("the column \"\(field.text)\" stands twice", at: field.column)
                }
            }
            guard let name = map.columnNames.first(where: { columns[$0] == nil }) else {
                return nil
            }
            let near = NearestName.of(name, among: columns.keys)
            throw row.bad(
                "the file has no column \"\(name)\", which the map names; \(near.map { "did you mean \($0)?" } ?? "it has \(fields.map(\.text).joined(separator: ", "))")"
            )
        } catch {
            return error
        }
    }

    package func events(of line: InputLine) throws(LineProblem) -> [ReadEvent] {
        if let problem, problem.line == line.number { throw problem }
        let fields = try RowFields.split(line, by: map.separator)
        guard fields.count == columnCount else {
            throw line.bad(
                "the row has \(fields.count) fields, and there are \(columnCount) columns")
        }
        let row = MappedRow(
            fields: fields, columns: columns, number: line.row, converter: converter)
        let fitting = map.events.filter(row.fits)
        guard !fitting.isEmpty || map.otherRows == .skip else {
            throw line.bad("no event of the map fits the row; add one, or say `otherRows: skip`")
        }
        var events: [ReadEvent] = []
        for event in fitting {
            do throws(EventProblem) {
                let json = try row.json(of: event, source: map.source)
                let draft = try EventValidator.canonical(
                    try EventJSON.draft(from: json, defaultTrust: defaultTrust))
                events.append(ReadEvent(line: line.number, draft: draft, bytes: line.bytes))
            } catch {
                throw LineProblem(
                    line: line.number, column: row.column(of: error.member, in: event),
                    code: error.code.rawValue, reason: "\(error.member): \(error.reason)",
                    member: error.member, bytes: line.bytes)
            }
        }
        return events
    }
}

extension ImportMap {
    /// The columns that it uses, each once, in the order in which it names them.
    fileprivate var columnNames: [String] {
        var names: [String] = []
        func add(_ name: String) { if !names.contains(name) { names.append(name) } }
        for event in events {
            for condition in event.conditions { add(condition.column) }
            for member in event.members {
                for case .column(let name) in member.pieces { add(name) }
            }
        }
        return names
    }
}
