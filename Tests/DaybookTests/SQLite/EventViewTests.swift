import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import DaybookTesting
import Foundation
import GRDB
import Testing

/// The SQL views of events (docs/sql.md): SQL says what the decoder says.
@Suite("SQL views of events")
struct EventViewTests {
    private static func folder() throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// What a view's row has in a column, in the words of the export.
    private static func matches(_ value: DatabaseValue, _ exported: JSONValue?) -> Bool {
        switch exported ?? .null {
        case .null: value.isNull
        case .bool(let flag): Int64.fromDatabaseValue(value) == (flag ? 1 : 0)
        case .integer(let number):
            if case .int64(let found) = value.storage { found == number } else { false }
        case .string(let text): String.fromDatabaseValue(value) == text
        // SQLite writes JSON as it stands in the row, which is canonical.
        default:
            String.fromDatabaseValue(value).map { Array($0.utf8) } == exported?.canonicalBytes
        }
    }

    @Test(
        "Every event of a synthetic month is in the view of its type, member by member",
        arguments: Fixtures.apps)
    func months(_ app: String) async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/ledger.sqlite"
        let clock = FixtureClock(0)
        let ledger = try await Ledger.create(
            at: path, catalog: try Fixtures.catalogDocument(app), clock: { clock.now })
        clock.now = SyntheticMonth.end + 30 * LedgerFixture.day
        let month = SyntheticMonth(catalog: try Fixtures.catalog(app), seed: 20_260_304)
        try await ledger.record(month.deliveries, options: ReportOptions(isAsRecorded: true))
        // Spellings, words that no list has, members that no schema has, and an app's own types.
        try await ledger.record([
            .reported(
                EventTypeName(rawValue: "paywall.shown"), at: clock.now, key: "odd",
                subject: "ada", ["context": "elsewhere", "unheard": ["a": [1, 2]]]),
            .reported(
                EventTypeName(rawValue: "survey.answered"), at: clock.now, key: "short",
                subject: "ada", ["survey": "nps", "score": 9]),
        ])
        #expect(try ledger.setEventViews(true))
        #expect(try !ledger.setEventViews(true))
        var events: [JSONObject] = []
        try ledger.export { line in
            events.append(try #require(try JSONReader.read(Array(line.dropLast())).object))
        }
        let queue = try DatabaseQueue(path: path, configuration: Self.readOnly)
        var compared = 0
        var seen = 0
        for view in EventView.all {
            let rows = try queue.read { db in
                try Row.fetchAll(db, sql: "SELECT * FROM \(view.name) ORDER BY position")
            }
            let own = events.filter {
                let type = $0["type"]?.text ?? ""
                if view.version == 0 { return !Vocabulary.names.contains(type) }
                return type == view.type.rawValue && $0["v"] == .integer(Int64(view.version))
            }
            #expect(rows.count == own.count, "\(app) \(view.name)")
            seen += rows.count
            for (row, event) in zip(rows, own) {
                #expect(Array(row.columnNames) == view.columns.map(\.name))
                if view.version == 0 {
                    for name in ["type", "v", "data"] {
                        #expect(Self.matches(row[name], event[name]), "\(app) \(name)")
                    }
                    continue
                }
                let schema = try #require(
                    Vocabulary.schema(named: view.type.rawValue, version: view.version))
                for name in [
                    "position", "recorded_at", "occurred_at", "environment", "subject",
                    "profile", "trust",
                ] {
                    #expect(Self.matches(row[name], event[name]), "\(view.name) \(name)")
                }
                #expect(Self.matches(row["source"], event.value(at: ["source", "kind"])))
                #expect(Self.matches(row["key"], event.value(at: ["source", "key"])))
                for field in schema.fields where field.kind != .document {
                    let plain = field.path.joined(separator: "_")
                    let name =
                        view.columns.contains { $0.name == "data_\(plain)" }
                        ? "data_\(plain)" : plain
                    var exported = event.value(at: ["data"] + field.path)
                    // A member that may be anything is a text.
                    if field.kind == .any, case .integer(let number)? = exported {
                        exported = .string(String(number))
                    }
                    #expect(
                        Self.matches(row[name], exported),
                        "\(app) \(view.name).\(name) \(row[name] as DatabaseValue) \(String(describing: exported))"
                    )
                    compared += exported == nil ? 0 : 1
                }
            }
        }
        #expect(seen == events.count)
        #expect(compared > events.count)
        try queue.close()
        // Views are no part of the history, and the ledger goes on with them.
        #expect(try Self.unclean(ledger) == [])
        try await ledger.record([
            .reported(.appLaunched, at: clock.now, key: "later", subject: "ada")
        ])
        // What others made stays theirs, whatever it is called.
        let other = "CREATE VIEW \"event_x\"\"; DELETE FROM meta; --\" AS SELECT 1"
        try await DatabaseQueue(path: path).write { db in
            try db.execute(sql: other)
            try db.execute(sql: "CREATE VIEW event_summary AS SELECT 2")
        }
        #expect(try ledger.setEventViews(false))
        #expect(try !ledger.setEventViews(false))
        try ledger.close()
        let left = try await DatabaseQueue(path: path, configuration: Self.readOnly).read { db in
            try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY name")
        }
        #expect(left == ["event_summary", "event_x\"; DELETE FROM meta; --", "ledger"])
        let again = try Ledger.open(path)
        #expect(try Self.unclean(again) == [])
        #expect(try again.head().position == Int64(events.count) + 1)
        try again.close()
    }

    private static func unclean(_ ledger: Ledger) throws -> [String] {
        try ledger.verify().filter { !$0.isClean }.map { "\($0.check): \($0.detail)" }
    }

    private static var readOnly: Configuration {
        var configuration = Configuration()
        configuration.readonly = true
        return configuration
    }

    @Test(
        "Views are added under another process's eyes, and belong to the log as every commit does")
    func log() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/ledger.sqlite"
        try await Ledger.create(at: path, catalog: try Fixtures.catalogDocument("dozzi")).close()
        // The first commit of a new log is that of the views.
        let writer = try Ledger.open(path)
        try writer.setEventViews(true)
        let reader = try Ledger.open(path)
        #expect(try reader.head().position == 1)
        try await writer.record([
            .reported(.appLaunched, at: Fixtures.now, key: "a", subject: "ada")
        ])
        #expect(try reader.subjects() == ["ada"])
        #expect(
            try await reader.record([
                .reported(.appLaunched, at: Fixtures.now, key: "b", subject: "ada")
            ]).appended == 1)
        #expect(try Self.unclean(writer) == [])
        try reader.close()
        try writer.close()
        #expect(throws: LedgerError.self) {
            try Ledger(inMemory: "dozzi").setEventViews(true)
        }
    }
}
