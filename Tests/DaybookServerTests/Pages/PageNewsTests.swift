import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookServer
import Synchronization
import Testing

@Suite("News of pages")
struct PageNewsTests {
    private static func consume(_ bench: ServerBench, _ subject: String, _ ref: String) async throws
    {
        let reply = try await bench.post(
            "/v1/dozzi/customers/\(subject)/consume",
            ["meter": "stories", "ref": .string(ref)])
        try #require(reply.status == 200, "\(reply.text)")
    }

    @Test("A page is told that something is new, and not what it says")
    func told() async throws {
        try await ServerBench.serving { bench in
            try await Self.consume(bench, "zoe", "before")
            let page = try await PageClient.signedIn(bench, .support)
            for (path, others) in [
                ("/apps/dozzi/news", true), ("/apps/dozzi/customers/ada/news", false),
            ] {
                let headers = [
                    ("cookie", page.cookie ?? ""), ("host", "127.0.0.1:\(bench.client.port)"),
                ]
                let lines = Mutex<[String]>([])
                let status = try await bench.client.stream(path, headers: headers) { line in
                    // The stream's first message is where it stands; only then is something recorded.
                    if line.hasPrefix("event: place") {
                        try await Self.consume(bench, "bob", "b-\(others)")
                        try await Self.consume(bench, "ada", "a-\(others)")
                    }
                    lines.withLock { $0.append(line) }
                    let told = lines.withLock { $0.count { $0.contains("usage.recorded") } }
                    return told < (others ? 2 : 1)
                }
                #expect(status == 200)
                let all = lines.withLock { $0.joined(separator: "\n") }
                #expect(
                    !all.contains("before") && !all.contains("a-\(others)") && !all.contains("bob"))
            }
        }
    }

    @Test("What was recorded between a page and its stream is told")
    func between() async throws {
        try await ServerBench.serving { bench in
            let page = try await PageClient.signedIn(bench, .support)
            let text = try await page.whole("/apps/dozzi")
            let link = String(try #require(text.firstMatch(of: /data-news="([^"]*)"/)).1)
            try await Self.consume(bench, "ada", "between")
            let headers = [
                ("cookie", page.cookie ?? ""), ("host", "127.0.0.1:\(bench.client.port)"),
            ]
            let place = Mutex<String?>(nil)
            _ = try await bench.client.stream(
                link.replacing("&amp;", with: "&"), headers: headers
            ) { line in
                if line.hasPrefix("id: ") { place.withLock { $0 = String(line.dropFirst(4)) } }
                return !line.contains("usage.recorded")
            }
            // A browser that lost the stream says where it was, whatever the page's address said.
            let last = try #require(place.withLock { $0 })
            try await Self.consume(bench, "ada", "later")
            let told = Mutex(0)
            _ = try await bench.client.stream(
                link.replacing("&amp;", with: "&"), headers: headers + [("Last-Event-ID", last)]
            ) { line in
                if line.contains("usage.recorded") { told.withLock { $0 += 1 } }
                return !line.contains("event: place") && told.withLock { $0 } == 0
            }
            #expect(told.withLock { $0 } == 1)
        }
    }

    @Test("Listening keeps no session alive, and ends with it")
    func ends() async throws {
        let clock = Mutex(Fixtures.now)
        try await ServerBench.serving(clock: { clock.withLock { $0 } }) { bench in
            let page = try await PageClient.signedIn(bench, .support)
            let headers = [
                ("cookie", page.cookie ?? ""), ("host", "127.0.0.1:\(bench.client.port)"),
            ]
            let seen = Mutex(0)
            _ = try await bench.client.stream("/apps/dozzi/news", headers: headers) { line in
                if line.hasPrefix("event: place"), seen.withLock({ $0 }) == 0 {
                    clock.withLock { $0 += 3_500_000 }
                    try await Self.consume(bench, "ada", "one")
                }
                if line.contains("usage.recorded") {
                    seen.withLock { $0 += 1 }
                    // An hour after the sign-in, however lately something was told.
                    clock.withLock { $0 += 200_000 }
                    if seen.withLock({ $0 }) == 1 { try await Self.consume(bench, "ada", "two") }
                }
                return !line.contains("sign_in_needed")
            }
            #expect(seen.withLock { $0 } >= 1)
            #expect(try await page.get("/apps/dozzi").status == 303)
        }
    }
}
