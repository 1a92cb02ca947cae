public import DaybookDomain
public import DaybookEvents

/// What to export rows of.
public struct TableRequest: Sendable, Equatable {
    /// How rows are written: a JSON object a line, or lines of comma-separated values below the column names.
    public enum Format: String, Sendable, CaseIterable { case ndjson, csv }

    /// What the export has a row of.
    public var table: ExportTable
    /// How rows are written.
    public var format = Format.ndjson
    /// How columns are called; not every table has every set of names.
    public var names = ExportTable.Names.daybook
    /// The environment whose rows are exported.
    public var environment = Environment.production
    /// Only the rows of those about whom something was recorded after it; `nil`: all.
    public var after: Place?

    /// Asks for all rows of production as NDJSON, under Daybook's own names.
    public init(_ table: ExportTable) { self.table = table }
}

/// What was exported.
public struct TableReceipt: Sendable, Equatable {
    /// Rows that were written, with those that say a row is gone; the header of CSV does not count.
    public var rows: Int
    /// Customers, and lineages without an owner, that were looked at.
    public var subjects: Int
    /// Where the next export goes on.
    public var place: Place
}

extension TableReceipt {
    package var json: JSONObject {
        [
            "rows": .count(rows), "subjects": .count(subjects),
            "position": .integer(place.position), "place": .string(place.description),
        ]
    }
}

extension TableRequest {
    /// The columns of the file, with what the file holds.
    /// - Parameter receipt: Of the export.
    package func schema(_ receipt: TableReceipt) -> JSONObject {
        var schema = ExportTable.schema(of: table.columns(names) ?? [])
        schema["daybook"] = [
            "table": .string(table.rawValue), "format": .string(format.rawValue),
            "columns": .string(names.rawValue), "environment": .string(environment.name),
            "after": .orNull(after?.description), "place": .string(receipt.place.description),
            "position": .integer(receipt.place.position), "rows": .count(receipt.rows),
            "version": .string(DaybookVersion.current),
        ]
        return schema
    }
}

/// Rows as lines.
struct TableFormat: Sendable {
    let format: TableRequest.Format
    let columns: [ExportTable.Column]

    /// The names of the columns; `nil` where each row has them.
    var header: [UInt8]? {
        guard format == .csv else { return nil }
        return Array((columns.map { CSVText.field($0.name) }.joined(separator: ",") + "\n").utf8)
    }

    /// - Parameter row: A value for each column.
    func line(_ row: [JSONValue]) -> [UInt8] {
        switch format {
        case .ndjson:
            let members = zip(columns, row).map { column, value in
                JSONObject.Member(name: column.name, value: value)
            }
            return JSONObject(members).canonicalBytes + [0x0A]
        case .csv:
            let fields = row.map { value in
                switch value {
                case .null: ""
                case .bool(let flag): flag ? "true" : "false"
                case .integer(let number): String(number)
                case .string(let text): CSVText.field(text)
                default: CSVText.field(String(decoding: value.canonicalBytes, as: UTF8.self))
                }
            }
            return Array((fields.joined(separator: ",") + "\n").utf8)
        }
    }
}
