import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookServer
import DaybookStore
import Foundation
import HTTPTypes
import InMemoryLogging
import Logging
import NIOHTTP1
import Synchronization
import Testing

/// What a request is told when the ledger's file or the clock fails it.
@Suite("Failures of the store over HTTP")
struct StoreFailureTests {
    private static let ada = "/v1/dozzi/customers/ada"

    @Test(
        "Each code of the store has a status, and says whether to try again",
        arguments: [
            (StoreError.Code.busy, 503, true), (.overloaded, 503, true), (.conflict, 503, true),
            (.full, 507, false), (.readOnly, 503, false), (.replaced, 503, true),
            (.otherHistory, 503, true), (.foreignLog, 503, true), (.wrongClock, 503, false),
            (.damaged, 500, false), (.failed, 500, false),
        ])
    func codes(code: StoreError.Code, status: Int, isRetryable: Bool) {
        let secret = "/var/lib/a.sqlite"
        let problem = Problem(LedgerError.store(StoreError(code, "of \(secret)")))
        #expect(problem.status.code == status)
        #expect(problem.code == code.rawValue)
        #expect((problem.headers[.retryAfter] != nil) == isRetryable)
        // Where a server keeps its files is not told.
        #expect(!problem.detail.contains(secret))
    }

    @Test("A clock that cannot be right stops writes and no questions, until it is set")
    func clock() async throws {
        let clock = SetClock()
        try await ServerBench.serving(clock: { clock.now }) { bench in
            let key = [try bench.key(.store)]
            let use: JSONObject = ["meter": "stories"]
            #expect(try await bench.post(Self.ada + "/consume", use, key).status == 200)
            clock.now = -1
            let refused = try await bench.post(Self.ada + "/consume", use, key)
            #expect(refused.status == 503 && refused.code == "wrong_clock", "\(refused.text)")
            clock.now = Fixtures.now
            let check = try await bench.get(Self.ada + "/checks/stories", key)
            #expect(check.json["used"] == 1, "\(check.text)")
            #expect(try await bench.post(Self.ada + "/consume", use, key).status == 200)
        }
    }

    private final class SetClock: Sendable {
        private let instant = Mutex(Fixtures.now)
        var now: Int64 {
            get { instant.withLock { $0 } }
            set { instant.withLock { $0 = newValue } }
        }
    }

    @Test("A file that is written over under the server is noticed, said, and gone on from")
    func writtenOver() async throws {
        let log = InMemoryLogHandler()
        try await ServerBench.serving(log: Logger(label: "failures") { _ in log }) { bench in
            let key = [try bench.key(.store)]
            #expect(
                try await bench.post(Self.ada + "/consume", ["meter": "stories"], key).status
                    == 200)
            let saved = bench.folder + "/saved.db"
            let ledger = try Ledger.open(bench.path(), clock: { Fixtures.now })
            _ = try ledger.backUp(to: saved)
            try ledger.close()
            #expect(
                try await bench.post(Self.ada + "/consume", ["meter": "stories"], key).status
                    == 200)
            // As an operator does who has no command for it: the bytes of another past, in the same file.
            let script =
                "cp '\(saved)' '\(bench.path())' && rm -f '\(bench.path())-wal' '\(bench.path())-shm'"
            #expect(try ChildCommand("/bin/sh", ["-c", script]).start().wait() == 0)
            let codes: Set = ["replaced", "other_history", "foreign_log"]
            try await ServerBench.eventually {
                let reply = try await bench.post(
                    Self.ada + "/consume", ["meter": "stories"], key)
                if reply.status == 200 { return true }
                // The file is looked at twice a second; until then the past that was read is gone by.
                if reply.code == "limit_reached" { return false }
                #expect(reply.status == 503 && codes.contains(reply.code ?? ""), "\(reply.text)")
                #expect(reply.headers["retry-after"] == "1")
                return false
            }
            let check = try await bench.get(Self.ada + "/checks/stories", key)
            #expect(check.json["used"] == 2, "\(check.text)")
            #expect(log.entries.contains { "\($0.message)".contains("the file is opened anew") })
        }
    }

    @Test("An open event stream is told of a restore, with the fork, and the log says it")
    func streamOverRestore() async throws {
        let log = InMemoryLogHandler()
        try await ServerBench.serving(log: Logger(label: "failures") { _ in log }) { bench in
            let key = try bench.key(.store)
            func consume() async throws {
                let reply = try await bench.post(
                    Self.ada + "/consume", ["meter": "stories"], [key])
                #expect(reply.status == 200, "\(reply.text)")
            }
            try await consume()
            let saved = bench.folder + "/saved.db"
            let ledger = try Ledger.open(bench.path(), clock: { Fixtures.now })
            _ = try ledger.backUp(to: saved)
            let fork = try ledger.place()
            try ledger.close()
            try await consume()
            let place = try await bench.get("/v1/dozzi/place", [key]).json["place"]?.text ?? ""
            let lines = Mutex<[String]>([])
            let path = bench.path()
            _ = try await bench.client.stream(
                "/v1/dozzi/changes",
                headers: [try bench.key(.analyst), ("accept", "text/event-stream")]
            ) { line in
                let isSeen = lines.withLock { lines in
                    lines.append(line)
                    return lines.contains { $0.contains(place) }
                }
                if isSeen, line.hasPrefix("id: ") {
                    _ = try Ledger.restore(
                        backup: saved, to: path, isReplacing: true, actor: "sam", reason: "test",
                        clock: { Fixtures.now })
                }
                return true
            }
            let told = lines.withLock { $0 }
            let index = try #require(told.firstIndex(of: "event: problem"), "\(told)")
            let problem = try #require(
                try JSONReader.read(Array(told[index + 1].utf8.dropFirst(6))).object)
            #expect(problem["code"] == "history_replaced", "\(problem)")
            #expect(problem["fork"]?.object?["place"]?.text == fork.description)
            #expect(
                log.entries.contains {
                    "\($0.message)".contains("another file has the ledger's name")
                })
        }
    }

    /// What one request under load was answered, and whether it was sent after the restore.
    private struct Sent: Sendable {
        var key: String
        var status: Int
        var code: String?
        var position: Int64?
        var isAfter: Bool
    }

    private final class Phase: Sendable {
        let isRestored = Mutex(false)
        let isOver = Mutex(false)
    }

    @Test(
        "A restore under load: told once it is noticed, and what is acknowledged after it is there")
    func restoreUnderLoad() async throws {
        try await ServerBench.serving(replacing: ["    limit: 2\n": "    limit: 1000000\n"]) {
            bench in
            let key = try bench.key(.store)
            let phase = Phase()
            @Sendable func use(_ name: String) async throws -> Sent {
                let isAfter = phase.isRestored.withLock { $0 }
                let reply = try await bench.post(
                    "/v1/dozzi/customers/\(name.prefix(2))/consume", ["meter": "stories"],
                    [key, ("idempotency-key", name)])
                return Sent(
                    key: name, status: reply.status, code: reply.code,
                    position: reply.json["positions"]?.array?.first?.integer, isAfter: isAfter)
            }
            let saved = bench.folder + "/saved.db"
            let path = bench.path()
            let sent = try await withThrowingTaskGroup(of: [Sent].self) { tasks in
                for number in 0..<8 {
                    tasks.addTask {
                        var sent: [Sent] = []
                        while !phase.isOver.withLock({ $0 }) {
                            sent.append(try await use("c\(number)/\(sent.count)"))
                        }
                        return sent
                    }
                }
                tasks.addTask {
                    try await Task.sleep(for: .milliseconds(200))
                    let ledger = try Ledger.open(path, clock: { Fixtures.now })
                    _ = try ledger.backUp(to: saved)
                    try ledger.close()
                    try await Task.sleep(for: .milliseconds(300))
                    _ = try Ledger.restore(
                        backup: saved, to: path, isReplacing: true, actor: "sam", reason: "test",
                        clock: { Fixtures.now })
                    phase.isRestored.withLock { $0 = true }
                    try await ServerBench.eventually {
                        try await use("c9/\(UUID())").status == 200
                    }
                    try await Task.sleep(for: .milliseconds(300))
                    phase.isOver.withLock { $0 = true }
                    return []
                }
                return try await tasks.reduce(into: []) { $0 += $1 }
            }
            let codes: Set = ["replaced", "other_history", "foreign_log", "closed", "busy"]
            for reply in sent where reply.status != 200 {
                #expect(reply.status == 503 && codes.contains(reply.code ?? ""), "\(reply)")
            }
            let after = sent.filter { $0.isAfter && $0.status == 200 }
            #expect(!after.isEmpty && sent.contains { !$0.isAfter && $0.status == 200 })
            let ledger = try Ledger.open(path, readOnly: true, clock: { Fixtures.now })
            for reply in after {
                let position = try #require(reply.position)
                #expect(try ledger.event(at: position)?.draft.source.key == reply.key, "\(reply)")
            }
            #expect(Set(after.compactMap(\.position)).count == after.count)
            #expect(try ledger.verify().filter { !$0.isClean } == [])
            try ledger.close()
        }
    }

    @Test("A full disk is 507, nothing of the request is kept, and questions are answered")
    func full() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A test that already failed must not fail again for leaving something behind.
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "dozzi.sqlite").path
        try await Ledger.create(at: path, catalog: Fixtures.catalogDocument("dozzi")).close()
        let keys = try KeyStore(folder: folder.path)
        let (_, text) = try keys.create([.store], app: "dozzi", label: "a", by: "test", now: 0)
        try keys.close()
        let headers = [("authorization", "Bearer \(text)")]
        // No file may grow beyond it, which is what a full disk is to the ledger.
        let server = try await ServerProcess(path, fileByteCountMax: 1 << 20)
        defer { server.kill() }
        func record(_ batch: Int) async throws -> HTTPReply {
            let lines = (0..<500).map { index in
                """
                {"type":"usage.recorded","v":1,"subject":"ada","occurred_at":1767225600000,\
                "source":{"kind":"native","key":"f\(batch)-\(index)"},"trust":"imported",\
                "data":{"meter":"stories","amount":1,"ref":"f\(batch)-\(index)"}}
                """
            }
            return try await server.client.send(
                .POST, "/v1/dozzi/events", headers: headers,
                body: Array(lines.joined(separator: "\n").utf8))
        }
        var kept: Int64 = 0
        var refused: HTTPReply?
        for batch in 0..<100 where refused == nil {
            let reply = try await record(batch)
            if reply.status == 200 { kept += 500 } else { refused = reply }
        }
        let problem = try #require(refused)
        #expect(problem.status == 507 && problem.code == "disk_full", "\(problem.text)")
        let check = try await server.client.send(
            .GET, "/v1/dozzi/customers/ada/checks/stories", headers: headers)
        #expect(check.status == 200 && check.json["used"]?.integer == kept, "\(check.text)")
        #expect(try String(contentsOfFile: server.log, encoding: .utf8).contains("disk_full"))
    }
}
