import DaybookEvents
import Foundation
import Testing

/// `--dry-run` tells what a command would do and does nothing.
@Suite("Command line: dry runs")
struct DryRunTests {
    private let bench: Workbench
    private let ledger: String

    init() throws {
        bench = try Workbench()
        ledger = try bench.begin()
        let loaded = try bench.run(
            ["import", "-", "--ledger", ledger],
            input: Lines.usage("s1") + Lines.purchase("ada") + Lines.usage("s2")
                + Lines.refund("ada"))
        try #require(loaded.status == 0)
    }

    private func tell(_ line: String) throws -> ToolResult {
        try bench.run("\(line) --ledger \(ledger)")
    }

    /// Every file of the ledger's folder with its bytes. What SQLite keeps beside for readers is no part of the ledger:
    /// its log must have nothing in it.
    private func files() throws -> [String: Data] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: bench.folder)
        var files: [String: Data] = [:]
        for name in names where name.hasPrefix("a.sqlite") && !name.hasSuffix("-shm") {
            files[name] = FileManager.default.contents(atPath: "\(bench.folder)/\(name)")
        }
        return files.filter { !$0.key.hasSuffix("-wal") || !$0.value.isEmpty }
    }

    @Test(
        "A dry run leaves every byte of the ledger as it was, and says what the command then says",
        arguments: [
            "void native/s1 --reason twice --ticket SUP-7",
            "amend native/s2 --set amount=2 --reason miscounted",
            "void apple/buy-ada --reason fraud --ticket SUP-7 --actor kim",
            "grant issue ada --meter stories --amount 5 --id sorry --kind compensation --ticket SUP-7",
            "reverse ada s1 --ticket SUP-7", "reset ada stories", "alias bob ada",
            "timezone ada Europe/Amsterdam", "consume cy stories --ref s3",
            "void apple/buy-ada", "amend apple/buy-ada --set product=x", "reverse ada s9",
            "consume ada storys --ref s9",
        ])
    func same(_ line: String) throws {
        let before = try files()
        let dry = try tell("\(line) --idempotency-key k --json --dry-run")
        #expect(try files() == before)
        let wet = try tell("\(line) --idempotency-key k --json")
        #expect(dry.status == wet.status)
        guard dry.status == 0 else {
            #expect(dry.output == wet.output && dry.errors == wet.errors)
            return
        }
        var (promised, done) = (try dry.json, try wet.json)
        #expect(promised["dry_run"] == true && done["dry_run"] == false)
        #expect(try files() != before)
        // The clock goes on between the two.
        for name in ["changes", "restatements", "restatements_omitted", "positions", "key"] {
            #expect(
                Self.withoutClock(promised[name]) == Self.withoutClock(done[name]), "\(name)")
        }
        promised["dry_run"] = nil
        done["dry_run"] = nil
        #expect(promised.members.map(\.name) == done.members.map(\.name))
    }

    /// Moments of this year are the command's own.
    private static func withoutClock(_ value: JSONValue?) -> JSONValue? {
        let start = Int64(Date.now.timeIntervalSince1970 * 1_000) - 600_000
        return switch value {
        case .integer(let number)? where number > start: .integer(0)
        case .array(let values)?: .array(values.compactMap { withoutClock($0) })
        case .object(let object)?:
            .object(
                JSONObject(
                    object.members.compactMap { member in
                        withoutClock(member.value).map { .init(name: member.name, value: $0) }
                    }))
        default: value
        }
    }

    @Test("A dry run works on a ledger that cannot be written")
    func readOnly() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: ledger)
        let dry = try tell("void native/s1 --reason twice --dry-run")
        #expect(dry.status == 0, "\(dry.errors)")
        #expect(dry.output.has("nothing is written"))
    }
}
