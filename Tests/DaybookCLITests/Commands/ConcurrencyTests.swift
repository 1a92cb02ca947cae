import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookStore
import Foundation
import Testing

@Suite("Command line: many processes")
struct ConcurrencyTests {
    private static let catalog = """
        app: crowd
        meters:
          tickets: { kind: counter, limit: 21 }

        """

    @Test("X-04 Of 8 processes that consume the last k units exactly k succeed")
    func lastUnits() throws {
        let bench = try Workbench()
        try bench.write(Self.catalog, to: "crowd.yaml")
        let ledger = try bench.begin(bench.path("crowd.yaml"))
        var results: [ToolResult] = []
        for wave in 0..<4 {
            let commands = try (0..<8).map { index in
                try bench.command([
                    "consume", "ada", "tickets", "--ref", "t\(wave)-\(index)", "--json",
                    "--ledger", ledger,
                ])
            }
            let running = try commands.map { ($0.name, try $0.command.start()) }
            results += try running.map { try bench.result(of: $1, $0) }
        }
        #expect(results.count { $0.status == 0 } == 21)
        #expect(results.count { $0.status == 1 } == 11, "\(results.map(\.errors))")
        let events = try bench.events()
        #expect(events.count { $0["type"] == "usage.recorded" } == 21)
        #expect(events.map { $0["position"]?.integer } == (1...events.count).map(Int64.init))
        let acknowledged = try results.filter { $0.status == 0 }.flatMap {
            try $0.json["positions"]?.array?.first?.integer.map { [$0] } ?? []
        }
        #expect(Set(acknowledged).count == 21)
        let check = try bench.run("check ada tickets --json --ledger \(ledger)")
        #expect(try check.json["remaining"] == 0)
        #expect(try check.json["overage"] == 0)
        #expect(try bench.run("verify --ledger \(ledger)").status == 0)
    }

    @Test(
        "Beside a process that never rests, every wait for the right to write ends within a few of its commits"
    )
    func turns() throws {
        let bench = try Workbench()
        let path = try bench.begin()
        let lines = (0..<50_000).map { number in
            #"{"type":"app.launched","subject":"ada","source":{"kind":"native","key":"l\#(number)"}}"#
        }
        let (command, _) = try bench.command(
            ["record", "-", "--stream", "--ledger", path],
            input: lines.joined(separator: "\n") + "\n")
        let busy = try command.start()
        defer {
            busy.signal(SIGTERM)
            busy.wait()
        }
        let store = try SQLiteEventStore(path: path)
        /// Waits until the other process has committed so many more events.
        func goesOn(_ count: Int64) throws {
            let wanted = try store.head().position + count
            while try store.head().position < wanted {
                try #require(busy.isRunning, "the other process has ended")
            }
        }
        try goesOn(10)
        var waits: [Int64] = []
        for _ in 0..<50 {
            let before = try store.head().position
            waits.append(try store.exclusively { _ in try store.head().position } - before)
            try goesOn(2)
        }
        try store.close()
        waits.sort()
        print("commits of another process while waiting: median \(waits[25]), longest \(waits[49])")
        // One before the wait began, one under way, one that had passed the gate; more only where this thread was kept
        // from running.
        #expect(waits[45] <= 6, "\(waits)")
    }

    @Test("8 processes with one idempotency key append once and print one receipt")
    func oneKey() throws {
        let bench = try Workbench()
        let ledger = try bench.begin()
        let commands = try (0..<8).map { _ in
            try bench.command([
                "consume", "ada", "stories", "--idempotency-key", "tap", "--json", "--ledger",
                ledger,
            ])
        }
        let running = try commands.map { ($0.name, try $0.command.start()) }
        let results = try running.map { try bench.result(of: $1, $0) }
        #expect(results.allSatisfy { $0.status == 0 })
        #expect(Set(results.map(\.output)).count == 1)
        #expect(try bench.events().count == 2)
    }

    @Test(
        "Two ledgers of one process on one file keep their locks when other processes come and go")
    func twoInOneProcess() async throws {
        let bench = try Workbench()
        let path = try bench.begin()
        let first = try Ledger.open(path)
        try await first.consume("stories", by: "ada", ref: "s1")
        let second = try Ledger.open(path, readOnly: true)
        // The process that closes last moves the log into the file and removes it: that is not this one.
        #expect(try bench.run("consume bob stories --ref s2 --ledger \(path)").status == 0)
        #expect(bench.exists("a.sqlite-wal"))
        #expect(try second.check("stories", for: "bob").usage?.used == 1)
        try await first.consume("stories", by: "cleo", ref: "s3")
        #expect(try bench.events().count { $0["type"] == "usage.recorded" } == 3)
        #expect(try bench.run("verify --ledger \(path)").status == 0)
        try second.close()
        try first.close()
        #expect(!bench.exists("a.sqlite-wal"))
        #expect(try bench.events().count == 4)
    }
}
