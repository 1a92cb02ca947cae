import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import Foundation
import Testing

/// A ledger file that was changed with a database tool: answers or a clear error, never a crash (law 8).
struct LedgerDamageTests {
    /// A ledger of a few customers, lineages, aliases and corrections, closed.
    private static func withLedger(_ body: (String) throws -> Void) async throws {
        let folder = try LedgerFolder()
        let ledger = try await folder.create("nuzzle", clock: { Fixtures.now })
        try await ledger.record(try LawTests.drafts("nuzzle", seed: 11, subjects: 3, events: 40))
        try ledger.close()
        try body(folder.path)
    }

    private static func copy(_ path: String, _ number: Int) throws -> String {
        let copy = "\(path).\(number)"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        return copy
    }

    /// Changes what the triggers protect.
    private static func damage(_ path: String, _ sql: String) throws {
        let store = try SQLiteEventStore(path: path)
        for table in ["events", "names", "streams"] {
            try store.executeOnWriteConnection("DROP TRIGGER \(table)_no_update")
        }
        for table in ["names", "streams"] {
            try store.executeOnWriteConnection("DROP TRIGGER \(table)_follows")
        }
        try store.executeOnWriteConnection(sql)
        try store.close()
    }

    /// Every question that a command asks.
    private static func askAll(_ path: String) throws {
        let ledger = try Ledger.open(path, readOnly: true, clock: { Fixtures.now })
        for subject in try ledger.subjects() {
            _ = try ledger.status(of: subject)
            _ = try ledger.history(of: subject)
        }
        _ = try ledger.replay()
        _ = try ledger.doctor()
        _ = try ledger.digest()
        try ledger.close()
    }

    private static let insertion =
        "INSERT INTO events(position, stream, version, previous, type, v, occurred_at, recorded_at, key, trust) "

    static let damages: [(String, String)] = [
        (
            insertion
                + "SELECT max(position) + 1, 99, 1, NULL, 70, 1, 0, max(recorded_at), 'k', 1 FROM events",
            "is in stream 99, which does not exist"
        ),
        (
            insertion
                + "SELECT max(position) + 3, 2, 9, 2, 70, 1, 0, max(recorded_at), 'k', 1 FROM events",
            "there is a gap"
        ),
        (
            insertion
                + "SELECT 9223372036854775807, 2, 9, 2, 70, 1, 0, max(recorded_at), 'k', 1 FROM events",
            "there is a gap"
        ),
        ("UPDATE events SET party = 4000000000 WHERE position = 3", "uses name 4000000000"),
        ("UPDATE events SET name_a = -1 WHERE position = 3", "uses name -1"),
        (
            "UPDATE events SET stream = stream + 4294967296 WHERE position = 3",
            "which does not exist"
        ),
        ("UPDATE events SET type = type + 256 WHERE position = 3", "The type at position 3 is"),
        (
            "INSERT INTO streams VALUES (4000000000, 0, 0, 1)",
            "The table streams has"
        ),
        ("INSERT INTO names VALUES (4000000000, 'eve')", "The table names has"),
        ("UPDATE names SET text = 'nuzzle' WHERE id > 1", "is there twice"),
        ("UPDATE names SET text = '' WHERE id = 2", "Name 2 is empty"),
        (
            "UPDATE streams SET name = 4000 WHERE id = 2",
            "Stream 2 has name 4000, which does not exist"
        ),
        (
            "UPDATE streams SET kind = -1 WHERE id = 2",
            "Stream 2 has an unknown environment or kind"
        ),
    ]

    @Test("Damage ends a command with a clear error, and verify lists it", arguments: damages)
    func listed(sql: String, finding: String) async throws {
        try await Self.withLedger { path in
            try Self.damage(path, sql)
            let error = #expect(throws: LedgerError.self) { try Self.askAll(path) }
            guard case .store(let damage)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(damage.code == .damaged)
            #expect(damage.message.contains("restore a backup"))
            let findings = try Ledger.verify(at: path)
            #expect(findings.contains { $0.detail.contains(finding) }, "\(findings)")
            #expect(findings.count { !$0.isClean } >= 2)
        }
    }

    @Test("Damage that comes while a ledger is open does not stop the other checks of verify")
    func openLedger() async throws {
        try await Self.withLedger { path in
            let ledger = try Ledger.open(path, readOnly: true, clock: { Fixtures.now })
            #expect(try ledger.verify().allSatisfy(\.isClean))
            try Self.damage(path, "UPDATE events SET stream = 99 WHERE position = 5")
            let findings = try ledger.verify()
            #expect(findings.contains { $0.check.hasPrefix("file") && !$0.isClean })
            #expect(findings.contains { $0.check.hasPrefix("events") && !$0.isClean })
            #expect(findings.contains { $0.check.hasPrefix("replay") && !$0.isClean })
            #expect(findings.contains { $0.check.hasPrefix("catalogs") && $0.isClean })
            try ledger.close()
        }
    }

    private static let columns = [
        "stream", "version", "previous", "type", "v", "occurred_at", "signed_at", "recorded_at",
        "sequence", "source", "key", "trust", "party", "profile", "name_a", "name_b", "name_c",
        "ref",
        "amount", "money", "time_a", "time_b", "time_c", "flags", "request", "rest",
    ]

    @Test("No value of any column crashes a command", arguments: columns)
    func anyValue(column: String) async throws {
        try await Self.withLedger { path in
            let isText = column == "rest"
            let values =
                isText
                ? ["''", "'{'", "'[]'", "'{\"d\":1,\"e\":2}'"]
                : [
                    "0", "1", "-1", "3", "255", "4000000000", "9223372036854775807",
                    "-9223372036854775808",
                ]
                    + (["key", "ref"].contains(column)
                        ? ["''", "x''", "x'00'", "'text'", "1.5"] : [])
            var copyCount = 0
            for value in values {
                for condition in ["position = 17", "position > 1"] {
                    copyCount += 1
                    let copy = try Self.copy(path, copyCount)
                    try Self.damage(
                        copy, "UPDATE events SET \(column) = \(value) WHERE \(condition)")
                    do {
                        try Self.askAll(copy)
                    } catch let LedgerError.store(error) {
                        #expect(error.code == .damaged, "\(column) = \(value): \(error.message)")
                    }
                    _ = try Ledger.verify(at: copy)
                }
            }
        }
    }
}
