import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookServer
import Foundation
import Synchronization
import Testing

@Suite("Starting, working beside others, stopping")
struct OperationTests {
    /// What a test keeps of the time before the stop.
    private final class Seen: Sendable {
        let stream = Mutex<Task<Int, any Error>?>(nil)
    }

    @Test("A stop ends streams and answers what was begun, and writes a snapshot")
    func stop() async throws {
        let seen = Seen()
        try await ServerBench.serving { bench in
            let key = try bench.key(.analyst)
            _ = try await bench.post("/v1/dozzi/customers/ada/consume", ["meter": "stories"])
            let (lines, line) = AsyncStream<String>.makeStream()
            let stream = Task {
                try await bench.client.stream(
                    "/v1/dozzi/changes", headers: [key, ("accept", "text/event-stream")]
                ) { text in
                    line.yield(text)
                    return true
                }
            }
            seen.stream.withLock { $0 = stream }
            for await text in lines where text.hasPrefix("id: ") { break }
            let snapshots = bench.path() + ".snapshots"
            #expect(!Self.hasSnapshot(snapshots))
            bench.beforeRemoval { #expect(Self.hasSnapshot(snapshots)) }
        }
        #expect(try await seen.stream.withLock { $0 }?.value == 200)
    }

    private static func hasSnapshot(_ folder: String) -> Bool {
        // A folder that is not there holds none.
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).contains {
            $0.hasSuffix(".daysnap")
        }
    }

    @Test("What a command beside the server records is seen by the next request")
    func beside() async throws {
        try await ServerBench.serving { bench in
            #expect(
                try await bench.get("/v1/dozzi/customers/ada/checks/stories").json["used"]?.integer
                    == 0)
            let ledger = try Ledger.open(bench.path(), clock: { Fixtures.now })
            try await ledger.consume("stories", by: "ada")
            try ledger.close()
            #expect(
                try await bench.get("/v1/dozzi/customers/ada/checks/stories").json["used"]?.integer
                    == 1)
            let reply = try await bench.post(
                "/v1/dozzi/customers/ada/consume", ["meter": "stories"])
            #expect(reply.json["used"]?.integer == 2)
        }
    }
}
