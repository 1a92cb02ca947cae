import DaybookEvents
import GRDB

/// Views for analysts: one for each event type and version, with a column for each member, named and typed as in
/// docs/sql.md; and `event_rows`, which they are made of.
///
/// A view never changes what it means: a member that a type gets with a new version is in that version's view.
///
/// They are there only where they were asked for: each connection reads all definitions when it opens, which takes some
/// milliseconds.
enum EventViews {
    /// The columns that every view begins with.
    static let envelope = EventView.envelope.map(\.name)

    static let rows = "event_rows"

    /// In the row's JSON, where the customer came through the store's token (`RowRest`).
    private static let unnamedMark = "nobody"

    /// By name, in the order in which they are made.
    static let definitions: [(name: String, sql: String)] =
        [(rows, base)]
        + Vocabulary.schemas.map { schema in
            (name(of: schema), sql(of: schema))
        } + [(unknown, unknownSQL)]

    /// Of events whose type was unknown when they came.
    static let unknown = "event_unknown"

    private static let unknownSQL = """
        CREATE VIEW \(unknown) AS SELECT \(own(hasProfileSlot: false).joined(separator: ", ")), \
        \(text("name_a")) AS type, v, \(text("json_extract(rest, '$.d')")) AS data FROM \(rows) WHERE type = 0
        """

    /// `event_usage_recorded_v1`
    static func name(of schema: EventSchema) -> String {
        "event_\(schema.name.replacing(".", with: "_"))_v\(schema.version)"
    }

    /// The columns of a type behind the envelope's, with the fields that they show. A document stands in `documents`.
    static func columns(of schema: EventSchema) -> [(name: String, field: EventField)] {
        schema.fields.filter { $0.kind != .document }.map { field in
            let name = field.path.joined(separator: "_")
            return (envelope.contains(name) ? "data_\(name)" : name, field)
        }
    }

    /// Names are texts, times milliseconds since 1970 UTC, and what is absent is NULL.
    private static var base: String {
        """
        CREATE VIEW \(rows) AS SELECT e.position AS position, e.recorded_at AS recorded_at, \
        e.occurred_at AS occurred_at, \
        (SELECT \(LedgerView.words(
            "s.environment", Environment.allCases.map { (Int($0.rawValue), $0.name) })) \
        FROM streams AS s WHERE s.id = e.stream) AS environment, \
        (SELECT kind FROM streams AS s WHERE s.id = e.stream) AS kind, \
        (SELECT (SELECT text FROM names WHERE id = s.name) FROM streams AS s \
        WHERE s.id = e.stream) AS stream, \
        e.type AS type, e.v AS v, \(LedgerView.name("party")) AS party, \
        \(LedgerView.name("profile")) AS profile, \(LedgerView.name("source")) AS source, \
        \(LedgerView.text("e.key")) AS key, \
        \(LedgerView.words("e.trust", Trust.allCases.map { (Int($0.rawValue), $0.name) })) AS trust, \
        \(LedgerView.name("name_a")) AS name_a, \(LedgerView.name("name_b")) AS name_b, \
        \(LedgerView.name("name_c")) AS name_c, \(LedgerView.text("e.ref")) AS ref, \
        e.amount AS amount, e.money AS money, e.time_a AS time_a, e.time_b AS time_b, \
        e.time_c AS time_c, ifnull(e.flags, 0) AS flags, e.rest AS rest FROM events AS e
        """
    }

    /// The columns of the envelope.
    private static func own(hasProfileSlot: Bool) -> [String] {
        envelope.map { name in
            switch name {
            case "profile" where hasProfileSlot:
                text("json_extract(rest, '$.m.profile')") + " AS profile"
            // A customer that came through the store's token is no named subject.
            case "subject":
                text(
                    "CASE WHEN json_extract(rest, '$.m.\(unnamedMark)') THEN NULL ELSE party END")
                    + " AS subject"
            case "position", "recorded_at", "occurred_at": name
            default: text(name) + " AS \(name)"
            }
        }
    }

    // Of an expression SQLite knows the type only by a cast, and what reads views asks SQLite.
    private static func text(_ expression: String) -> String { "CAST(\(expression) AS TEXT)" }

    private static func sql(of schema: EventSchema) -> String {
        let data = columns(of: schema).map { "\(value(of: $0.field)) AS \"\($0.name)\"" }
        let columns = own(hasProfileSlot: schema.hasProfileSlot) + data
        return """
            CREATE VIEW \(name(of: schema)) AS SELECT \(columns.joined(separator: ", ")) \
            FROM \(rows) WHERE type = \(schema.type.rawValue) AND v = \(schema.version)
            """
    }

    /// As `EventDecoder` reads a field: what the row's JSON has goes before the slot.
    private static func value(of field: EventField) -> String {
        let path = field.path.map { ".\"\($0)\"" }.joined()
        let kept = "json_extract(rest, '$.d\(path)')"
        let found = field.slot.map { "ifnull(\(kept), \(value(of: $0, field)))" } ?? kept
        return switch field.kind {
        case .text, .currency, .document, .word, .any: text(found)
        case .integer, .amount, .money, .time, .bool: "CAST(\(found) AS INTEGER)"
        }
    }

    private static func value(of slot: EventSlot, _ field: EventField) -> String {
        switch slot {
        case .nameA: "name_a"
        case .nameB: "name_b"
        case .nameC: "name_c"
        case .reference: "ref"
        case .amount:
            if case .word(let words) = field.kind { word("amount", words) } else { "amount" }
        case .money: "money"
        case .timeA: "time_a"
        case .timeB: "time_b"
        case .timeC: "time_c"
        case .profile: "profile"
        case .flags(let shift, let width):
            flags("((flags >> \(shift)) & \((1 << Int(width)) - 1))", field.kind)
        case .stream:
            field.name == "store"
                ? "CASE WHEN kind = \(StreamKind.lineage.rawValue) AND stream NOT LIKE 'apple:%' "
                    + "THEN substr(stream, 1, instr(stream, ':') - 1) END"
                : "CASE WHEN kind = \(StreamKind.lineage.rawValue) "
                    + "THEN substr(stream, instr(stream, ':') + 1) END"
        }
    }

    private static func flags(_ bits: String, _ kind: EventFieldKind) -> String {
        switch kind {
        case .bool: "CASE \(bits) WHEN 0 THEN NULL WHEN 2 THEN 1 ELSE 0 END"
        case .word(let words): word(bits, words)
        case .integer: "nullif(\(bits), 0) - 1"
        default: "NULL"
        }
    }

    private static func word(_ number: String, _ words: [EventWord]) -> String {
        let cases = words.enumerated().map { "WHEN \($0.offset + 1) THEN '\($0.element.name)'" }
        return "CASE \(number) \(cases.joined(separator: " ")) END"
    }

    // MARK: In a file

    /// The views of ours that a file has, by name; what others made stays theirs, however they call it.
    static func stored(_ db: Database) throws -> [String: String] {
        let found = try Row.fetchAll(
            db, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'view'")
        let views = found.map { ($0["name"] as String, $0["sql"] as String) }
        return Dictionary(
            views.filter { isOurs($0.0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether a name is one that this build, or a newer one, gives.
    static func isOurs(_ name: String) -> Bool {
        name == rows || name == unknown || name.wholeMatch(of: /event_[a-z_]+_v[0-9]+/) != nil
    }

    /// Makes those of this build, and removes no others: what another build made keeps its meaning.
    /// - Returns: Whether anything was different.
    static func add(_ db: Database) throws -> Bool {
        let stored = try stored(db)
        let missing = definitions.filter { stored[$0.name] != $0.sql }
        for (name, sql) in missing {
            if stored[name] != nil { try db.execute(sql: "DROP VIEW \(name)") }
            try db.execute(sql: sql)
        }
        return !missing.isEmpty
    }

    /// - Returns: Whether there were any.
    static func remove(_ db: Database) throws -> Bool {
        let names = try stored(db).keys.sorted()
        for name in names { try db.execute(sql: "DROP VIEW \"\(name)\"") }
        return !names.isEmpty
    }
}
