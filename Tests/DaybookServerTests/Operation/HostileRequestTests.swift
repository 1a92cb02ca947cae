import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookServer
import Foundation
import Synchronization
import Testing

/// Requests that no well-meaning client sends.
@Suite("Hostile requests")
struct HostileRequestTests {
    private static func head(
        _ bench: ServerBench, _ line: String, _ fields: [String]
    ) throws -> [UInt8] {
        let key = try bench.key(.store)
        let lines = [line, "host: x", "\(key.0): \(key.1)"] + fields
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    private static let consume = "POST /v1/dozzi/customers/ada/consume HTTP/1.1"

    private static func expectUnused(_ bench: ServerBench) async throws {
        let check = try await bench.get("/v1/dozzi/customers/ada/checks/stories")
        #expect(check.status == 200 && check.json["used"]?.integer == 0, "\(check.text)")
    }

    @Test("A sender who is slow with the body or the headers is cut off, and others are served")
    func slow() async throws {
        var options = ServerOptions()
        options.requestTimeMax = .milliseconds(500)
        options.idleTimeMax = .milliseconds(500)
        try await ServerBench.serving(options: options) { bench in
            let body = try Self.head(bench, Self.consume, ["content-length: 3000"])
            // Five minutes, if they were let.
            let drops = Array(repeating: [UInt8(ascii: " ")], count: 3_000)
            async let slowBody = bench.client.raw([body] + drops, pause: .milliseconds(100))
            async let slowHead = bench.client.raw(
                [Array("GET /health HTTP/1.1\r\nx: ".utf8)] + drops, pause: .milliseconds(100))
            async let silent = bench.client.raw([])
            // On a busy machine a request may itself be slower than that.
            var isServed = false
            while !isServed {
                isServed = (try? await bench.client.send(.GET, "/health"))?.status == 200
            }
            let replies = try await [slowBody, slowHead, silent]
            #expect(replies == ["", "", ""])
        }
        try await ServerBench.serving { bench in
            try await Self.expectUnused(bench)
        }
    }

    @Test(
        "Two lengths, a length beside chunks, and what is no HTTP are refused, and nothing is done")
    func smuggling() async throws {
        try await ServerBench.serving { bench in
            let body = #"{"meter":"stories"}"#
            for fields in [
                ["content-length: \(body.utf8.count)", "content-length: 5"],
                ["content-length: \(body.utf8.count)", "transfer-encoding: chunked"],
                ["content-length: -1"], ["content-length: 9999999999999999999999"],
                ["transfer-encoding: gzip, chunked", "content-length: 3"],
                ["content-length: 5, 5"],
            ] {
                let head = try Self.head(bench, Self.consume, fields + ["connection: close"])
                let reply = try await bench.client.raw([head + Array(body.utf8)])
                #expect(reply.isEmpty || reply.hasPrefix("HTTP/1.1 400"), "\(fields): \(reply)")
            }
            for text in ["\u{16}\u{3}\u{1}", "GET\r\n\r\n", "GET /health HTTP/9.9\r\n\r\n"] {
                let reply = try await bench.client.raw([Array(text.utf8)])
                #expect(!reply.hasPrefix("HTTP/1.1 200"), "\(text.debugDescription): \(reply)")
            }
            try await Self.expectUnused(bench)
        }
    }

    @Test("10,000 headers and a header of a megabyte are refused")
    func headers() async throws {
        try await ServerBench.serving { bench in
            let many = try Self.head(
                bench, "GET /v1/dozzi/products HTTP/1.1", (0..<10_000).map { "x-\($0): y" })
            let long = try Self.head(
                bench, "GET /v1/dozzi/products HTTP/1.1",
                ["x: " + String(repeating: "y", count: 1 << 20)])
            for bytes in [many, long] {
                let reply = try await bench.client.raw([bytes])
                #expect(!reply.hasPrefix("HTTP/1.1 200"), "\(reply.prefix(200))")
            }
            try await Self.expectUnused(bench)
        }
    }

    @Test("A body that is announced or sent too large is refused, and the connection ends")
    func large() async throws {
        try await ServerBench.serving { bench in
            let announced = try Self.head(
                bench, Self.consume, ["content-length: \(100 << 20)"])
            let reply = try await bench.client.raw([announced])
            #expect(reply.hasPrefix("HTTP/1.1 413"), "\(reply)")
            let chunk =
                Array("10000\r\n".utf8) + Array(repeating: 0x20, count: 0x10000)
                + Array("\r\n".utf8)
            let head = try Self.head(bench, Self.consume, ["transfer-encoding: chunked"])
            let sent = try await bench.client.raw([head] + Array(repeating: chunk, count: 100))
            #expect(sent.isEmpty || sent.hasPrefix("HTTP/1.1 413"), "\(sent.prefix(200))")
            try await Self.expectUnused(bench)
        }
    }

    @Test("Requests that are sent ahead are answered in their order")
    func pipelining() async throws {
        try await ServerBench.serving { bench in
            let lines = ["GET /health", "GET /v1/dozzi/nowhere", "GET /health"]
            let bytes = try lines.enumerated().flatMap { index, line in
                try Self.head(
                    bench, "\(line) HTTP/1.1", index == 2 ? ["connection: close"] : [])
            }
            let reply = try await bench.client.raw([bytes])
            let statuses = reply.matches(of: /HTTP\/1\.1 (\d+)/).map { String($0.1) }
            #expect(statuses == ["200", "404", "200"])
        }
    }

    private final class Answered: Sendable {
        let isSo = Mutex(false)
    }

    @Test("A connection more than there may be waits until one ends, and is answered then")
    func connections() async throws {
        var options = ServerOptions()
        options.connectionsMax = 1
        try await ServerBench.serving(options: options) { bench in
            let answered = Answered()
            let second = try await bench.client.connected { connection in
                #expect(try await connection.send(.GET, "/health").status == 200)
                let second = Task {
                    let reply = try await bench.client.send(.GET, "/health")
                    answered.isSo.withLock { $0 = true }
                    return reply.status
                }
                try await Task.sleep(for: .milliseconds(300))
                #expect(!answered.isSo.withLock { $0 })
                #expect(try await connection.send(.GET, "/health").status == 200)
                return second
            }
            #expect(try await second.value == 200)
        }
    }

    @Test("A reader who takes nothing is cut off, its stream is over, and others get theirs whole")
    func slowReader() async throws {
        var options = ServerOptions()
        options.writeTimeMax = .seconds(2)
        try await ServerBench.serving(options: options) { bench in
            // More than the buffers of both ends hold together.
            let ledger = try Ledger.open(bench.path(), clock: { Fixtures.now })
            for batch in 0..<60 {
                try await ledger.record(
                    (0..<1_000).map { Self.use("k\(batch)-\($0)") })
            }
            let end = try ledger.head().position
            try ledger.close()
            let key = try bench.key(.analyst)
            try await bench.client.ignoring("/v1/dozzi/export", headers: [key]) {
                try await ServerBench.eventually {
                    try await Self.metric(
                        "daybook_http_requests_total{app=\"dozzi\",route=\"export\",status=\"200\"}",
                        bench) == "1"
                }
                try await ServerBench.eventually {
                    try await Self.metric("daybook_streams_open", bench) == "0"
                }
            }
            // On a busy machine this reader, too, may take nothing for two seconds; then it asks again.
            try await ServerBench.eventually {
                guard let whole = try? await bench.get("/v1/dozzi/export", [key]) else {
                    return false
                }
                #expect(whole.body.count { $0 == 0x0A } == Int(end))
                #expect(whole.body.count > 10 << 20)
                return true
            }
        }
    }

    private static func use(_ key: String) -> EventDraft {
        EventDraft(
            type: .usageRecorded, subject: "ada", occurredAt: Fixtures.now,
            source: EventSource(kind: "native", key: key), trust: .imported,
            data: ["meter": "stories", "amount": 1, "ref": .string(key)])
    }

    private static func metric(_ name: String, _ bench: ServerBench) async throws -> String? {
        let reply = try await bench.get("/v1/dozzi/prometheus", [bench.key(.analyst)])
        return reply.text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
            .map { String($0.dropFirst(name.count + 1)) }
    }
}
