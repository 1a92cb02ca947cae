import DaybookEvents
import DaybookStore
import Foundation
import Testing

/// Append-only: tested with the statements of a database tool.
struct SQLiteHistoryTests {
    static let forbidden: [(String, String)] = [
        ("UPDATE events SET amount = 1 WHERE position = 1", "events is append-only: no UPDATE"),
        ("UPDATE events SET position = 9 WHERE position = 1", "events is append-only: no UPDATE"),
        ("DELETE FROM events WHERE position = 3", "events is append-only: no DELETE"),
        ("DELETE FROM events", "events is append-only: no DELETE"),
        ("UPDATE names SET text = 'eve'", "names is append-only: no UPDATE"),
        ("DELETE FROM names", "names is append-only: no DELETE"),
        (
            "INSERT OR REPLACE INTO names(id, text) VALUES (1, 'eve')",
            "names is append-only: the next id"
        ),
        ("INSERT INTO names(id, text) VALUES (99, 'eve')", "names is append-only: the next id"),
        ("UPDATE streams SET environment = 1", "streams is append-only: no UPDATE"),
        ("DELETE FROM streams", "streams is append-only: no DELETE"),
        (
            "INSERT OR REPLACE INTO streams VALUES (1, 1, 0, 1)",
            "streams is append-only: the next id"
        ),
        ("UPDATE documents SET bytes = x'00'", "documents is append-only: no UPDATE"),
        ("DELETE FROM documents", "documents is append-only: no DELETE"),
        (
            "INSERT OR REPLACE INTO documents(sha256, bytes) SELECT sha256, x'00' FROM documents",
            "documents are append-only: this one is there"
        ),
        ("UPDATE meta SET value = 'ollie'", "meta is append-only: no UPDATE"),
        ("DELETE FROM meta", "meta is append-only: no DELETE"),
        ("INSERT OR REPLACE INTO meta VALUES ('app', 'ollie')", "meta is written once"),
        ("INSERT INTO meta VALUES ('more', 'x')", "meta is written once"),
    ]

    @Test("History cannot be changed with SQL", arguments: forbidden)
    func triggers(sql: String, complaint: String) throws {
        let bench = try Bench()
        let bytes: [UInt8] = [1, 2, 3]
        let sha256 = Digest.hexadecimal(Digest.sha256(bytes))
        let document = StoredDocument(sha256: sha256, bytes: bytes)
        try bench.store.exclusively {
            try $0.append(
                AppendBatch(
                    expectedHead: 3, nameCount: 1, names: [], streams: [], rows: [],
                    documents: [document]))
        }
        let before = try Bench.allRows(bench.store)
        let error = try failure { try bench.store.executeOnWriteConnection(sql) }
        #expect(error?.message.contains(complaint) == true, "\(error?.message ?? "no error")")
        #expect(try Bench.allRows(bench.store) == before)
        #expect(try bench.store.names(after: 0) == ["ada"])
        #expect(try bench.store.streams(after: 0) == bench.builder.streams)
        #expect(try bench.store.document(sha256: sha256) == bytes)
        #expect(try bench.store.findings() == [])
    }

    private static let columns = "stream, type, v, occurred_at, recorded_at, key, trust"
    private static let values = "1, 70, 1, 0, 1000, 'k', 1"

    /// No trigger stops these two: it would cost a third of append (decision 0003).
    @Test(
        "A row that was replaced or inserted out of order is found",
        arguments: [
            (
                "INSERT OR REPLACE INTO events(position, version, previous, \(columns)) "
                    + "VALUES (2, 1, NULL, \(values))",
                "Position 2 of stream 1 follows position 0, expected 1."
            ),
            (
                "INSERT INTO events(position, version, previous, \(columns)) "
                    + "VALUES (9, 4, 3, \(values))",
                "Position 9 follows position 3: there is a gap."
            ),
        ])
    func replacedRows(sql: String, finding: String) throws {
        let bench = try Bench()
        try bench.store.executeOnWriteConnection(sql)
        #expect(try bench.store.findings().contains(finding))
    }

    static let damage: [(String, String)] = [
        ("DROP TRIGGER events_no_update", "The trigger events_no_update is missing"),
        (
            "DROP TRIGGER meta_no_insert; "
                + "CREATE TRIGGER meta_no_insert BEFORE INSERT ON meta BEGIN SELECT 1; END",
            "The trigger meta_no_insert in"
        ),
        ("CREATE INDEX by_stream ON events(stream)", "The index by_stream does not belong"),
        (
            "DROP TRIGGER events_no_delete; DELETE FROM events WHERE position = 2",
            "Position 3 follows position 1: there is a gap."
        ),
        (
            "DROP TRIGGER events_no_update; UPDATE events SET version = 7 WHERE position = 2",
            "Position 2 of stream 1 has version 7, expected 2."
        ),
        (
            "DROP TRIGGER events_no_update; UPDATE events SET previous = 1 WHERE position = 3",
            "Position 3 of stream 1 follows position 1, expected 2."
        ),
        (
            "DROP TRIGGER events_no_update; UPDATE events SET recorded_at = 1 WHERE position = 3",
            "Position 3 was recorded at 1, before position 2 at 1000."
        ),
        (
            "DROP TRIGGER events_no_update; UPDATE events SET stream = 8 WHERE position = 3",
            "Position 3 is in stream 8, which does not exist."
        ),
        (
            "DROP TRIGGER events_no_update; UPDATE events SET key = x'01' WHERE position = 3",
            "The key or ref at position 3 is neither text nor a UUID."
        ),
        (
            "DROP TRIGGER names_follows; INSERT INTO names VALUES (5, 'eve')",
            "The table names has 2 rows, but its last id is 5."
        ),
        (
            "INSERT INTO documents(sha256, bytes) VALUES ('00', x'01')",
            "The bytes of document 00 have the SHA-256"
        ),
        ("PRAGMA application_id = 7", "is 7, expected 1145133378."),
    ]

    @Test("Damage is found and named", arguments: damage)
    func findings(sql: String, finding: String) throws {
        let bench = try Bench()
        #expect(try bench.store.findings() == [])
        try bench.store.executeOnWriteConnection(sql)
        let findings = try bench.store.findings()
        #expect(findings.contains { $0.contains(finding) }, "\(findings)")
    }

    @Test("A stream of thousands of events is read whole")
    func longStream() throws {
        var bench = try Bench()
        try bench.append(3_997)
        let rows = try bench.store.stream(endingAt: 4_000)
        #expect(rows.map(\.event.position) == (1...4_000).reversed())
        #expect(try bench.store.rows(at: rows.map(\.event.position)) == rows)
        #expect(try bench.store.stream(endingAt: 2_000) == Array(rows.dropFirst(2_000)))
        let chains = try bench.store.chains(endingAt: [4_000, 0, 4_001, 2_000, 3], above: 1)
        let events = rows.map(\.event).filter { $0.position > 1 }
        #expect(chains.map(\.next) == [1, 0, 4_001, 1, 1])
        #expect(
            chains.map(\.events) == [
                events, [], [], events.filter { $0.position <= 2_000 },
                events.filter { $0.position <= 3 },
            ])
    }

    @Test(
        "A chain that leads astray is damage, not a shorter history",
        arguments: [
            ("previous = 9", "follows 9, which is not before it"),
            ("previous = position", "follows 3, which is not before it"),
            ("previous = 2, stream = 1", "follows 2, which is in stream 2"),
            ("position = 7, previous = 5", "follows 5, which is missing"),
        ])
    func brokenChains(change: String, reason: String) throws {
        let bench = try Bench()
        try bench.store.executeOnWriteConnection(
            """
            DROP TRIGGER events_no_update; INSERT INTO streams VALUES (2, 0, 0, 1); \
            UPDATE events SET stream = 2, previous = NULL WHERE position = 2; \
            UPDATE events SET \(change) WHERE position = 3
            """)
        let last = change.hasPrefix("position") ? Int64(7) : 3
        let store = bench.store
        for error in try [
            failure { _ = try store.stream(endingAt: last) },
            failure { _ = try store.chains(endingAt: [1, last], above: 0) },
        ] {
            #expect(error?.code == .damaged)
            #expect(error?.message.contains(reason) == true, "\(error?.message ?? "no error")")
        }
    }

    @Test("A row that was not asked for is damage")
    func strayRows() throws {
        let bench = try Bench()
        let store = bench.store
        // Without its key, a table can have two rows of one position.
        try store.executeOnWriteConnection(
            """
            ALTER TABLE events RENAME TO former; \
            CREATE TABLE events AS SELECT * FROM former UNION ALL SELECT * FROM former
            """)
        for body in [
            { _ = try store.stream(endingAt: 3) }, { _ = try store.rows(at: [3, 2]) },
            { _ = try store.chains(endingAt: [3], above: 0) },
        ] {
            let error = try failure(of: body)
            #expect(error?.code == .damaged)
            #expect(error?.message.contains("not asked for") == true, "\(error as Any)")
        }
    }

    @Test("The view reads as history")
    func view() throws {
        let bench = try Bench(eventCount: 0)
        var builder = bench.builder
        let uuid = "0190a5d8-7c3e-7b1a-9f00-0123456789ab"
        var known = builder.row(in: bench.stream, key: uuid, reference: "story-1")
        known.event.occurredAt = 1_700_000_000_123
        known.event.customer = builder.name("ada")
        known.event.nameA = builder.name("stories")
        known.event.source = builder.name("native")
        known.event.amount = 1
        known.event.timeB = -62_135_596_800_000
        var unknown = builder.row(in: bench.stream, key: "k2")
        unknown.event.typeCode = 0
        unknown.event.nameA = builder.name("comet.sighted")
        try bench.store.exclusively {
            try $0.append(builder.batch([known, unknown], recordedAt: 1_700_000_001_000))
        }
        let rows = try bench.store.queryOnWriteConnection("SELECT * FROM ledger ORDER BY position")
        #expect(
            rows.first == [
                "position": "1", "recorded_at": "2023-11-14T22:13:21.000Z",
                "occurred_at": "2023-11-14T22:13:20.123Z", "environment": "production",
                "kind": "customer", "stream": "ada", "type": "usage.recorded", "version": "1",
                "subject": "ada", "source": "native", "key": uuid, "trust": "verified",
                "name_a": "stories", "ref": "story-1", "amount": "1",
                "time_b": "0001-01-01T00:00:00.000Z",
            ])
        #expect(rows.last?["type"] == "comet.sighted")
        #expect(rows.last?["name_a"] == nil)
    }

    @Test("A newer build's event types reach the view of an older file with the first write")
    func refreshedView() throws {
        let bench = try Bench()
        try bench.store.executeOnWriteConnection(
            "DROP VIEW ledger; CREATE VIEW ledger AS SELECT position FROM events")
        try bench.store.close()
        let again = try SQLiteEventStore(path: bench.path)
        let rows = try again.queryOnWriteConnection("SELECT type FROM ledger")
        #expect(rows.map { $0["type"] } == ["usage.recorded", "usage.recorded", "usage.recorded"])
        try again.close()
    }

    @Test("Every type of the vocabulary has its name in the view")
    func typeNames() throws {
        let bench = try Bench(eventCount: 0)
        var builder = bench.builder
        let types = EventType.allCases.filter { $0 != .unknown }
        let rows = types.map { type in
            var row = builder.row(in: bench.stream, key: "\(type)")
            row.event.typeCode = type.rawValue
            return row
        }
        try bench.store.exclusively { try $0.append(builder.batch(rows, recordedAt: 1)) }
        let names = try bench.store.queryOnWriteConnection(
            "SELECT type FROM ledger ORDER BY position")
        #expect(names.map { $0["type"] } == types.map { Vocabulary.name(of: $0) })
    }
}
