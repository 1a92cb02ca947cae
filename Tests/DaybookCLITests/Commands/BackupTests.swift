import DaybookEvents
import Foundation
import Testing

@Suite("Command line: backups")
struct BackupTests {
    let bench: Workbench
    let ledger: String

    init() throws {
        bench = try Workbench()
        ledger = try bench.begin()
    }

    private func consume(_ numbers: ClosedRange<Int>) throws {
        for number in numbers {
            let line = "consume u\(number) stories --ref r\(number) --idempotency-key k\(number)"
            #expect(try bench.run("\(line) --ledger \(ledger)").status == 0)
        }
    }

    private func backUp(_ options: String = "") throws -> ToolResult {
        try bench.run("backup saved.db --json \(options) --ledger \(ledger)")
    }

    @Test("A backup is whole, is carried on by the same command, and says where it ends")
    func carriedOn() throws {
        try consume(1...3)
        let first = try backUp()
        #expect(first.status == 0, "\(first.errors)")
        let position = try #require(try first.json["position"]?.integer)
        #expect(try first.json["events"] == .integer(position))
        try consume(4...6)
        let second = try backUp()
        #expect(try second.json["events"]?.integer == 3, "\(second.errors)")
        #expect(try second.json["position"] == .integer(position + 3))
        #expect(try backUp().json["events"] == 0)
        let check = try backUp("--check")
        #expect(check.status == 0)
        #expect(try check.json["clean"] == true)
        #expect(try check.json["history"] == second.json["history"])
        // A ledger of its own, with the same answers.
        let status = try bench.run("status u5 --json --at 2027-01-01T00:00:00Z --ledger saved.db")
        let live = try bench.run("status u5 --json --at 2027-01-01T00:00:00Z --ledger \(ledger)")
        #expect(status.status == 0 && status.output == live.output)
    }

    @Test("A backup that was changed is found to be damaged, and is never restored")
    func damaged() throws {
        try consume(1...3)
        #expect(try backUp().status == 0)
        let path = bench.path("saved.db")
        var bytes = try Data(contentsOf: URL(filePath: path))
        let place = try #require(bytes.firstRange(of: Data("k2".utf8)))
        bytes[place.lowerBound + 1] = UInt8(ascii: "9")
        try bytes.write(to: URL(filePath: path))
        let check = try backUp("--check")
        #expect(check.status == 1)
        #expect(try check.json["clean"] == false)
        let restored = try bench.run("restore saved.db new.db --reason test")
        #expect(restored.status == 4)
        #expect(!bench.exists("new.db"))
    }

    @Test("A backup of another past, of another ledger, or the ledger itself is not written to")
    func refused() throws {
        try consume(1...3)
        #expect(try backUp().status == 0)
        let before = try Data(contentsOf: URL(filePath: bench.path("saved.db")))
        try FileManager.default.copyItem(
            atPath: bench.path("saved.db"), toPath: bench.path("old.db"))
        try consume(4...6)
        #expect(try backUp().status == 0)
        // The ledger is put back, and goes on otherwise: the newer backup is of a future that it never had.
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: ledger + suffix)
        }
        try before.write(to: URL(filePath: ledger))
        try consume(7...9)
        let other = try backUp()
        #expect(other.status == 4)
        #expect(try other.error["code"] == "other_history")
        let itself = try bench.run("backup \(ledger) --ledger \(ledger)")
        #expect(itself.status == 4)
        #expect(try bench.run("init third.db --catalog \(Workbench.dozzi)").status == 0)
        let foreign = try bench.run("backup saved.db --json --ledger third.db")
        #expect(try foreign.error["code"] == "other_history")
        #expect(try backUp("--check").status == 0)
    }

    @Test("A restored ledger begins an epoch, frees abandoned keys, and keeps what it replaced")
    func restored() throws {
        try consume(1...3)
        #expect(try backUp().status == 0)
        try consume(4...6)
        #expect(try bench.run("snapshot --ledger \(ledger)").status == 0)
        let refused = try bench.run("restore saved.db \(ledger) --reason test --json")
        #expect(refused.status == 4)
        #expect(try refused.error["code"] == "already_exists")
        let restored = try bench.run(
            "restore saved.db \(ledger) --replace --actor sam --reason test --json")
        #expect(restored.status == 0, "\(restored.errors)")
        #expect(try restored.json["epoch"] == 2)
        #expect(try restored.json["removed_files"]?.integer ?? 0 >= 1)
        let kept = try #require(try restored.json["kept_at"]?.text)
        let names = try FileManager.default.contentsOfDirectory(atPath: bench.folder)
        #expect(names.filter { $0.hasSuffix(".new") || $0.has(".new.") || $0.has(".new-") } == [])
        #expect(try bench.run(["verify", "--ledger", kept]).status == 0)
        let again = try bench.run(
            "consume u5 stories --ref r5 --idempotency-key k5 --json --ledger \(ledger)")
        #expect(again.status == 0)
        #expect(try again.json["duplicate"] != true)
        let export = try bench.run("export --ledger \(ledger)")
        #expect(export.output.has("\"type\":\"ledger.restored\""))
        #expect(export.output.has("\"actor\":\"sam\""))
        #expect(!export.output.has("\"k6\""))
        #expect(try bench.run("verify --ledger \(ledger)").status == 0)
        // Restored once more, the epoch goes on counting.
        let second = try bench.run("restore saved.db \(ledger) --replace --reason again --json")
        #expect(try second.json["epoch"] == 3)
    }
}
