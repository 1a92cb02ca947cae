import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookIngest
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

    @Test("Metrics have requests by route, commits with their sizes, and no customer's name")
    func metrics() async throws {
        try await ServerBench.serving(["dozzi", "ollie"]) { bench in
            for _ in 0..<2 {
                _ = try await bench.post("/v1/dozzi/customers/ada/consume", ["meter": "stories"])
            }
            _ = try await bench.post("/v1/dozzi/customers/ada/consume", ["meter": "stories"])
            _ = try await bench.get("/v1/dozzi/secret%22%0Aapp=x/nowhere")
            let text = try await bench.get("/v1/dozzi/prometheus", [bench.key(.analyst)]).text
            for line in [
                #"daybook_http_requests_total{app="dozzi",route="consume",status="200"} 2"#,
                #"daybook_http_requests_total{app="dozzi",route="consume",status="409"} 1"#,
                #"daybook_http_request_seconds_count{app="dozzi",route="consume"} 3"#,
                #"daybook_commit_requests_bucket{app="dozzi",le="1"} 2"#,
                #"daybook_commit_requests_bucket{app="dozzi",le="+Inf"} 2"#,
                #"daybook_commit_requests_sum{app="dozzi"} 2"#,
                #"daybook_committed_events_total{app="dozzi"} 3"#,
                #"daybook_ledger_position{app="dozzi"} 4"#,
                #"daybook_dead_letters_waiting{app="dozzi"} 0"#,
                #"daybook_stream_lag_events{app="dozzi"} 0"#, "daybook_streams_open 0",
                "# TYPE daybook_commit_requests histogram",
            ] {
                #expect(text.split(separator: "\n").contains { $0 == line }, "\(line)")
            }
            #expect(!text.contains("ada") && !text.contains("ollie") && !text.contains("secret"))
            // Each line is a comment, or a name with labels and one number.
            let form = /[a-z_]+(\{([a-z_]+="[^"\\]*",?)+\})? [0-9.e+-]+/
            for line in text.split(separator: "\n") where !line.hasPrefix("#") {
                #expect(line.wholeMatch(of: form) != nil, "\(line)")
            }
        }
    }

    @Test("With --apps each app is believed by its own settings")
    func apps() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A test that already failed must not fail again for leaving something behind.
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "dozzi.sqlite").path
        try await Ledger.create(at: path, catalog: Fixtures.catalogDocument("dozzi")).close()
        let now = Int64(Date.now.timeIntervalSince1970 * 1_000)
        let authority = try SandboxAuthority(from: now - 86_400_000, until: now + 86_400_000)
        func write(_ text: String, _ name: String) throws {
            try text.write(
                to: folder.appending(path: name), atomically: true, encoding: .utf8)
        }
        try write(authority.rootPEM, "root.pem")
        try write("Bearer agreed\n", "revenuecat")
        try write(
            """
            dozzi:
              bundle_ids: [com.dozzi.app]
              roots: [root.pem]
              revenuecat_authorization_file: revenuecat

            """, "apps.yaml")
        let server = try await ServerProcess(
            path, ["--apps", folder.appending(path: "apps.yaml").path])
        var transaction = SandboxTransaction(
            bundleID: "com.dozzi.app", productID: "com.dozzi.unlimited_stories",
            type: .nonConsumable, transactionID: "1", purchasedAt: now)
        transaction.appAccountToken = "ada"
        var notification = SandboxNotification(
            type: .oneTimeCharge, bundleID: "com.dozzi.app", signedAt: now)
        notification.transaction = transaction
        let envelope: JSONObject = ["signedPayload": .string(try authority.sign(notification))]
        let taken = try await server.client.send(
            .POST, "/v1/dozzi/apple/notifications?environment=test", body: envelope.canonicalBytes)
        #expect(taken.status == 200 && taken.json["refused"] == [], "\(taken.text)")
        #expect(taken.json["appended"] != 0)
        let event = Array(#"{"event":{"type":"TEST","id":"t"}}"#.utf8)
        for (header, isAgreed) in [("Bearer agreed", true), ("Bearer other", false)] {
            let hook = try await server.client.send(
                .POST, "/v1/dozzi/revenuecat/webhooks", headers: [("authorization", header)],
                body: event)
            #expect((hook.status != 401) == isAgreed, "\(hook.text)")
        }
        #expect(server.stop() == 0)
    }

    @Test("What an operator sets for the C library's memory stands")
    func freeMemory() {
        #expect(!FreeMemory.bound(["MALLOC_ARENA_MAX": "4"]))
        #expect(!FreeMemory.bound(["GLIBC_TUNABLES": "glibc.malloc.arena_max=4"]))
        // What it does of its own accord is for a process of its own: the soak weighs a server.
    }
}
