import DaybookEvents

/// Reads the map of an import from the YAML that people write, by the same rules as a catalog: every mistake is told
/// with its place.
public enum ImportMapReader {
    /// A larger document is refused unread.
    public static let byteCountMax = CatalogReader.byteCountMax

    /// - Parameter zones: The zones that exist. `nil`: only the shape of their names is checked.
    /// - Throws: Every mistake of the document, with its place.
    public static func read(
        _ yaml: [UInt8], zones: ZoneDirectory? = nil
    ) throws(CatalogProblems) -> ImportMap {
        let document = try CatalogDocument.parse(try CatalogText.read(yaml))
        let reading = CatalogReading(
            problems: document.problems, knownEventTypes: Vocabulary.names, knownMetrics: [],
            zones: zones)
        reading.grammar = "docs/import-maps.md"
        let map = reading.importMap(document.root)
        guard let map, reading.problems.isEmpty else { throw CatalogProblems(reading.problems) }
        return map
    }
}

extension CatalogReading {
    fileprivate func importMap(_ root: CatalogNode) -> ImportMap? {
        let fields = CatalogFields(root, self)
        fields.require("source", "Name where the rows come from: `source: webshop`.")
        fields.require("events", "List at least one event that a row becomes.")
        let source = fields.text("source")
        let separator: ImportMap.Separator = fields.choice("separator") ?? .comma
        let hasHeader = fields.flag("header") ?? true
        let columns = fields.texts("columns")
        if hasHeader, !columns.isEmpty {
            fields.report(
                "The columns are named twice.",
                "The first row names them; say `header: false` where it does not.", at: "columns")
        }
        if !hasHeader, columns.isEmpty {
            fields.report(
                "No row names the columns.", "Name them in their order: `columns: [id, date]`.",
                at: "header")
        }
        var names: Set<String> = []
        for (name, place) in columns where !names.insert(name).inserted {
            report("The column `\(name)` stands twice.", "Give one another name.", at: place)
        }
        let zone = zoneName(fields)
        let others: ImportMap.OtherRows = fields.choice("otherRows") ?? .refuse
        let known = columns.isEmpty ? nil : columns.map(\.text)
        let events = fields.list("events").compactMap { node in
            mappedEvent(CatalogFields(node, self), known)
        }
        fields.finish()
        guard let source, !events.isEmpty else { return nil }
        return ImportMap(
            source: source, separator: separator, hasHeader: hasHeader,
            columns: columns.map(\.text), zone: zone, otherRows: others, events: events)
    }

    private func zoneName(_ fields: CatalogFields) -> String {
        guard let name = fields.text("zone") else { return "UTC" }
        if let zones, !zones.exists(name) {
            fields.report(
                "There is no time zone `\(name)`.",
                "Write a name of the IANA database, such as Europe/Amsterdam.", at: "zone")
        }
        return name
    }

    /// - Parameter columns: `nil`: only the file knows them.
    private func mappedEvent(_ fields: CatalogFields, _ columns: [String]?) -> MappedEvent? {
        fields.require("type", "Name the event type: `type: purchase.completed`.")
        fields.require("occurred_at", "Say when it happened: `occurred_at: { column: date }`.")
        fields.require("key", "Say what tells the same event again: `key: \"order-{id}\"`.")
        let type = fields.text("type")
        let schema = type.flatMap { name in
            Vocabulary.schemas.last { haveSameBytes($0.name, name) }
        }
        if let type {
            checkEventType(type, among: knownEventTypes, at: fields.place(of: "type"))
            if schema?.fields.contains(where: { $0.kind == .document }) == true {
                fields.report(
                    "No row becomes `\(type)`, which carries a document.",
                    "Import it as a line of JSON.", at: "type")
            }
        }
        let conditions = fields.map("when").map { entry in
            check(column: entry.key, columns, entry.place)
            return MappedEvent.Condition(
                column: entry.key, values: conditionValues(entry.value))
        }
        var members: [MappedMember] = []
        for (key, path, kind) in Self.envelope {
            guard let node = fields.node(key) else { continue }
            if let member = member(path, kind, node, columns) { members.append(member) }
        }
        for entry in fields.map("data") {
            guard
                let field = mappedField(entry.key, schema, entry.place),
                let member = member(
                    ["data"] + field.path, field.kind, entry.value, columns)
            else { continue }
            members.append(member)
        }
        fields.finish()
        guard let type else { return nil }
        return MappedEvent(
            type: EventTypeName(rawValue: type), conditions: conditions, members: members)
    }

    /// The members of an event outside of its data, by the map's words.
    private static let envelope: [(key: String, path: [String], kind: EventFieldKind)] = [
        ("subject", ["subject"], .text), ("profile", ["profile"], .text),
        ("environment", ["environment"], .text), ("occurred_at", ["occurred_at"], .time),
        ("key", ["source", "key"], .text), ("sequence", ["sequence"], .integer),
    ]

    private func conditionValues(_ node: CatalogNode) -> [String] {
        guard case .list = node.content else {
            return node.text(self).map { [$0] } ?? []
        }
        return node.items(self).compactMap { $0.text(self) }
    }

    private func mappedField(
        _ name: String, _ schema: EventSchema?, _ place: CatalogPlace
    ) -> EventField? {
        guard let schema else { return nil }
        if let field = schema.field(name) { return field }
        reportMember(name, of: schema, schema.fields.map(\.name), at: place)
        return nil
    }

    private func check(column: String, _ columns: [String]?, _ place: CatalogPlace) {
        guard let columns, !columns.contains(column) else { return }
        report(
            "There is no column `\(column)`.", nearest: column, among: columns,
            otherwise: "There are \(columns.joined(separator: ", ")).", at: place)
    }

    /// A text in which `{column}` stands for a field, or a map that says more.
    private func member(
        _ path: [String], _ kind: EventFieldKind, _ node: CatalogNode,
        _ columns: [String]?
    ) -> MappedMember? {
        var member = MappedMember(
            path: path, kind: kind, pieces: [], values: nil, otherwise: nil, decimalPlaces: 0,
            format: nil)
        guard case .map = node.content else {
            guard let text = node.text(self) else { return nil }
            member.pieces = pieces(text, columns, node.place)
            return member
        }
        let fields = CatalogFields(node, self)
        let (column, text) = (fields.text("column"), fields.text("text"))
        switch (column, text) {
        case (let column?, nil):
            check(column: column, columns, fields.place(of: "column"))
            member.pieces = [.column(column)]
        case (nil, let text?): member.pieces = pieces(text, columns, fields.place(of: "text"))
        default:
            report(
                "It must be said once what the value is made of.",
                "Write `column: NAME`, or a `text` with `{NAME}` in it.", at: node.place)
        }
        if fields.has("values") {
            var values: [String: String] = [:]
            for entry in fields.map("values") {
                values[entry.key] = entry.value.text(self)
            }
            member.values = values
            member.otherwise = fields.text("otherwise")
        } else {
            fields.refuse(["otherwise"], because: "without `values` every text is a value")
        }
        if kind.isNumber {
            member.decimalPlaces = decimalPlaces(fields)
        } else {
            fields.refuse(["times"], because: "only a number is multiplied")
        }
        if kind == .time {
            member.format = format(fields)
        } else {
            fields.refuse(["format"], because: "only a time has one")
        }
        fields.finish()
        return member
    }

    private func decimalPlaces(_ fields: CatalogFields) -> Int {
        guard let factor = fields.whole("times", 1...1_000_000_000) else { return 0 }
        var (places, power) = (0, Int64(1))
        while power < factor { (places, power) = (places + 1, power * 10) }
        if power != factor {
            fields.report(
                "`\(factor)` is no power of ten.", "Write 1, 10, 100 and so on, up to 1000000000.",
                at: "times")
        }
        return places
    }

    private func format(_ fields: CatalogFields) -> MappedMember.TimeFormat? {
        guard let text = fields.text("format") else { return nil }
        switch text {
        case "rfc3339": return .rfc3339
        case "unix": return .unix
        case "unix_ms": return .unixMilliseconds
        default:
            let pieces = MappedMember.TimeFormat.pieces(of: text)
            // Another count of digits would be another number.
            let isOdd = pieces.contains { $0 == "S" || $0 == "y" }
            guard !isOdd, ["yyyy", "MM", "dd"].allSatisfy(pieces.contains) else {
                report(
                    "`\(text)` is no format of a time.",
                    "Write rfc3339, unix, unix_ms, or a text with yyyy, MM and dd, such as "
                        + "`yyyy-MM-dd HH:mm:ss.SSS`.", at: fields.place(of: "format"))
                return nil
            }
            return .pattern(text)
        }
    }

    private func pieces(
        _ text: String, _ columns: [String]?, _ place: CatalogPlace
    ) -> [MappedMember.Piece] {
        var pieces: [MappedMember.Piece] = []
        var rest = text[...]
        while let start = rest.firstIndex(of: "{") {
            if start > rest.startIndex { pieces.append(.text(String(rest[..<start]))) }
            guard let end = rest[start...].firstIndex(of: "}") else {
                report(
                    "A `{` is not closed.", "Write `{NAME}` for the column NAME.", at: place)
                return pieces
            }
            let name = String(rest[rest.index(after: start)..<end])
            if name == "row" {
                pieces.append(.row)
            } else {
                check(column: name, columns, place)
                pieces.append(.column(name))
            }
            rest = rest[rest.index(after: end)...]
        }
        if !rest.isEmpty || pieces.isEmpty { pieces.append(.text(String(rest))) }
        return pieces
    }
}

extension EventFieldKind {
    /// Whether it is a number that a file may have in other units.
    package var isNumber: Bool {
        switch self {
        case .integer, .amount, .money: true
        default: false
        }
    }
}
