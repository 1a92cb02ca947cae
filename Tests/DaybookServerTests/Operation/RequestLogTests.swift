import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookServer
import InMemoryLogging
import Logging
import NIOHTTP1
import Testing

/// What the log says of requests, and what it must never say.
@Suite("The log of requests")
struct RequestLogTests {
    /// The lines about requests, each as its message and metadata.
    private static func lines(_ log: InMemoryLogHandler) -> [InMemoryLogHandler.Entry] {
        log.entries.filter { "\($0.message)" == "request" }
    }

    private static func serving(
        _ options: ServerOptions = ServerOptions(),
        _ body: @escaping @Sendable (ServerBench, InMemoryLogHandler) async throws -> Void
    ) async throws {
        let log = InMemoryLogHandler()
        try await ServerBench.serving(
            options: options, log: Logger(label: "requests") { _ in log }
        ) { try await body($0, log) }
    }

    @Test("Each request is one line, with its trace, its key's id and nothing secret")
    func oneLine() async throws {
        try await Self.serving { bench, log in
            let client = try bench.client("ada")
            let key = try bench.key(.store)
            let id = try #require(
                try bench.keys.keys(app: "dozzi").first { $0.scopes == [.store] }?.id)
            let trace = "0af7651916cd43dd8448eb211c80319c"
            let reply = try await bench.post(
                "/v1/dozzi/customers/ada/consume", ["meter": "stories", "ref": "bedtime-42"],
                [key, ("traceparent", "00-\(trace)-b7ad6b7169203331-01")])
            #expect(reply.status == 200, "\(reply.text)")
            let line = try #require(Self.lines(log).first)
            #expect(Self.lines(log).count == 1)
            #expect(line.metadata["trace"] == "\(trace)")
            #expect(line.metadata["key"] == "\(id)")
            #expect(line.metadata["route"] == "consume")
            #expect(line.metadata["status"] == "200")
            #expect(line.metadata["request"] == "\(reply.headers["request-id"] ?? "")")
            // The app's backend acts for all its customers; whom, is in the history.
            #expect(line.metadata["customer"] == nil)
            // Refused, refused for its body, unknown, and a client's: a line each.
            let token = client[1].1
            _ = try await bench.post("/v1/dozzi/customers/ada/consume", ["meter": "x"], [key])
            _ = try await bench.get("/v1/dozzi/customers/ada/status", [("authorization", "x y")])
            _ = try await bench.get("/v1/dozzi/nowhere", [key])
            _ = try await bench.get("/v1/dozzi/customers/ada/checks/stories", client)
            _ = try await bench.get(
                "/v1/dozzi/customers/ada/status",
                [key, ("traceparent", "00-\(trace)-b7ad6b7169203331-01-more")])
            #expect(Self.lines(log).count == 6)
            #expect(Self.lines(log).last?.metadata["trace"] == nil)
            let text = "\(log.entries)"
            for secret in [key.1, String(key.1.suffix(20)), client[0].1, token, "bedtime-42"] {
                #expect(!text.contains(secret))
            }
        }
    }

    @Test(
        "Whom a person asked about is in the log, in the path, looked up or named in a body",
        arguments: [
            "/v1/dozzi/customers/ada%2Flovelace/status",
            "/v1/dozzi/customers?id=ada%2Flovelace",
            "/v1/dozzi/changes?subject=ada%2Flovelace",
        ])
    func customers(path: String) async throws {
        try await Self.serving { bench, log in
            // Only an admin reads changes of all.
            let key = try bench.key(.admin)
            #expect(try await bench.get(path, [key]).status == 200)
            let flag = try await bench.post(
                "/v1/dozzi/ofrep/v1/evaluate/flags/premiumVoices",
                ["context": ["targetingKey": "bob"]], [key])
            #expect(flag.status == 200, "\(flag.text)")
            #expect(Self.lines(log).map { $0.metadata["customer"] } == ["ada/lovelace", "bob"])
        }
    }

    @Test(
        "What comes to no route because it is no request is one line",
        arguments: [
            "GET\r\n\r\n", "GET / HTTP/2.0\r\n\r\n", "GET / HTTP/0.9\r\nhost: x\r\n\r\n",
            "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
            "GET /health HTTP/1.1\r\n" + String(repeating: "x: y\r\n", count: 10_000) + "\r\n",
        ])
    func noRequest(text: String) async throws {
        try await Self.serving { bench, log in
            let reply = try await bench.client.raw([Array(text.utf8)])
            #expect(!reply.hasPrefix("HTTP/1.1 200"))
            try await ServerBench.eventually { !Self.lines(log).isEmpty }
            #expect(try await bench.client.send(.GET, "/health").status == 200)
            let lines = Self.lines(log).filter { $0.metadata["route"] == "none" }
            #expect(lines.map { $0.metadata["error"] } == ["bad_http"])
            #expect(lines.map { $0.metadata["status"] } == ["400"])
        }
    }

    @Test("Headers that do not end are one line, a body that does not end another, silence none")
    func slow() async throws {
        var options = ServerOptions()
        options.requestTimeMax = .milliseconds(500)
        options.idleTimeMax = .milliseconds(500)
        try await Self.serving(options) { bench, log in
            // Half-open as well: the other side says nothing more, and never that it has gone.
            #expect(try await bench.client.raw([]).isEmpty)
            #expect(log.entries.filter { "\($0.message)" == "request" }.isEmpty)
            let head = Array("GET /health HTTP/1.1\r\nx: ".utf8)
            func errors(_ route: String) -> Set<String> {
                Set(
                    Self.lines(log).filter { $0.metadata["route"] == "\(route)" }
                        .compactMap { $0.metadata["error"].map { "\($0)" } })
            }
            // On a busy machine the half second may be over before the first byte is there.
            try await ServerBench.eventually {
                let reply = try await bench.client.raw([head])
                #expect(reply.isEmpty)
                return !errors("none").isEmpty
            }
            #expect(errors("none") == ["unfinished_headers"])
            let key = try bench.key(.store)
            let body = """
                POST /v1/dozzi/customers/ada/consume HTTP/1.1\r\nhost: x\r\n\(key.0): \(key.1)\r
                content-length: 100\r\n\r\n{
                """
            try await ServerBench.eventually {
                _ = try await bench.client.raw([Array(body.utf8)])
                return !errors("consume").isEmpty
            }
            #expect(errors("consume") == ["unfinished_body"])
        }
    }

    @Test("A client that closes its side after its request is answered")
    func halfClosed() async throws {
        try await Self.serving { bench, log in
            let text = "GET /health HTTP/1.1\r\nhost: x\r\n\r\n"
            let reply = try await bench.client.raw([Array(text.utf8)], closing: true)
            #expect(reply.hasPrefix("HTTP/1.1 200"), "\(reply)")
            #expect(Self.lines(log).count == 1)
        }
    }
}
