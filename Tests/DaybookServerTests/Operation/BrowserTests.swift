import DaybookEvents
import DaybookFixtures
import DaybookServer
import Testing

/// What pages in browsers, proxies and busy clients meet.
@Suite("Origins, methods and rates")
struct BrowserTests {
    private static let status = "/v1/dozzi/customers/ada/status"

    private static func options(_ change: (inout ServerOptions) -> Void) -> ServerOptions {
        var options = ServerOptions()
        change(&options)
        return options
    }

    @Test("A listed origin may ask from a browser, another one is told nothing")
    func origins() async throws {
        let options = Self.options { $0.origins = ["https://app.example"] }
        try await ServerBench.serving(options: options) { bench in
            let key = try bench.key(.store)
            let asked = [
                ("access-control-request-method", "GET"),
                ("access-control-request-headers", "authorization"),
            ]
            let listed = ("origin", "https://app.example")
            let other = ("origin", "https://app.example.evil.test")
            let preflight = try await bench.client.send(
                .OPTIONS, Self.status, headers: [listed] + asked)
            #expect(preflight.status == 204, "\(preflight.text)")
            #expect(preflight.headers["access-control-allow-origin"] == listed.1)
            #expect(preflight.headers["access-control-allow-methods"] == "GET")
            let allowed = preflight.headers["access-control-allow-headers"] ?? ""
            #expect(allowed.contains("Authorization") && allowed.contains("Daybook-Customer-Token"))
            let reply = try await bench.get(Self.status, [key, listed])
            #expect(reply.headers["access-control-allow-origin"] == listed.1)
            #expect(reply.headers["vary"] == "Origin")
            for headers in [[key, other], [key]] {
                let reply = try await bench.get(Self.status, headers)
                #expect(reply.status == 200)
                #expect(reply.headers["access-control-allow-origin"] == nil)
            }
            let refused = try await bench.client.send(
                .OPTIONS, Self.status, headers: [other] + asked)
            #expect(refused.status == 405)
        }
    }

    @Test("A method that a path does not have is told with those that it has")
    func methods() async throws {
        try await ServerBench.serving { bench in
            let reply = try await bench.client.send(
                .DELETE, Self.status, headers: [try bench.key(.store)])
            #expect(reply.status == 405 && reply.code == "wrong_method")
            #expect(reply.headers["allow"] == "GET")
        }
    }

    @Test("A key that asks too often is told when to come back, and others are not held up")
    func rates() async throws {
        let options = Self.options { $0.keyRateMax = 1 }
        try await ServerBench.serving(options: options) { bench in
            let key = try bench.key(.store)
            // At once: one after the other they could take so long that the rate allows all of them.
            let replies = try await withThrowingTaskGroup(of: HTTPReply.self) { group in
                for _ in 1...40 {
                    group.addTask { try await bench.get(Self.status, [key]) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for reply in replies {
                #expect(reply.headers["ratelimit-policy"] == #""requests";q=10;w=10"#)
            }
            #expect(Set(replies.map(\.status)) == [200, 429])
            #expect(replies.filter { $0.status == 200 }.count >= 10)
            let refused = try #require(replies.first { $0.status == 429 })
            #expect(refused.code == "too_many_requests" && refused.json["retryable"] == true)
            #expect(refused.headers["retry-after"] == "1")
            #expect(refused.headers["ratelimit"]?.contains("r=0") == true)
            #expect(refused.json["retry_after_ms"]?.integer == 1_000)
            #expect(try await bench.get(Self.status, [bench.key(.admin)]).status == 200)
            #expect(try await bench.get("/health", []).status == 200)
        }
    }
}
