import DaybookDomain
package import DaybookEvents

/// Events as rows with the columns of the envelope, and the data as JSON.
package enum EventTable {
    private static let columns: [ExportTable.Column] = [
        column("position", .integer, "In the ledger, from 1 on; rows ascend by it."),
        column("recorded_at", .time, "When the ledger heard of it."),
        column("occurred_at", .time, "When it happened."),
        column("environment", .text, ""), column("type", .text, ""),
        column("v", .integer, "The version of the type."),
        column("subject", .text, "The customer that it names.", isRequired: false),
        column("profile", .text, "", isRequired: false), column("source", .text, ""),
        column("key", .text, "What tells the same event of the source again."),
        column("sequence", .integer, "The source's own counter.", isRequired: false),
        column("trust", .text, ""),
        column("data", .text, "JSON, with the members that docs/events.md lists for the type."),
    ]

    private static let format = TableFormat(format: .csv, columns: columns)

    private static func column(
        _ name: String, _ kind: ExportTable.Column.Kind, _ meaning: String, isRequired: Bool = true
    ) -> ExportTable.Column {
        ExportTable.Column(name: name, kind: kind, isRequired: isRequired, meaning: meaning)
    }

    static var header: [UInt8] { format.header ?? [] }

    static func line(_ event: RecordedEvent) -> [UInt8] {
        let draft = event.draft
        return format.line([
            .integer(event.position), .string(RFC3339.format(event.recordedAt)),
            draft.occurredAt.map { .string(RFC3339.format($0)) } ?? .null,
            .string(draft.environment.name), .string(draft.type.rawValue),
            .integer(Int64(draft.version)), .orNull(draft.subject), .orNull(draft.profile),
            .string(draft.source.kind), .orNull(draft.source.key), .orNull(draft.sequence),
            .string(draft.trust.name), .object(draft.data),
        ])
    }

    /// The columns in the form of Frictionless Data's Table Schema.
    package static var schema: JSONObject { ExportTable.schema(of: columns) }
}

extension ExportTable {
    /// Columns in the form of Frictionless Data's Table Schema (https://specs.frictionlessdata.io/table-schema/).
    static func schema(of columns: [Column]) -> JSONObject {
        let fields = columns.map { column -> JSONValue in
            var field: JSONObject = [
                "name": .string(column.name), "type": .string(column.kind.rawValue),
            ]
            if !column.meaning.isEmpty { field["description"] = .string(column.meaning) }
            if column.isRequired { field["constraints"] = ["required": true] }
            return .object(field)
        }
        return ["fields": .array(fields), "missingValues": [""]]
    }
}
