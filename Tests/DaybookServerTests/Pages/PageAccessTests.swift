import Daybook
import DaybookDashboard
import DaybookFixtures
import DaybookServer
import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import Testing

@Suite("Who may look at pages")
struct PageAccessTests {
    private static let ada = "/apps/dozzi/customers/ada"

    @Test("Without a session every page leads to the sign-in, and from there back")
    func signIn() async throws {
        try await ServerBench.serving { bench in
            let page = PageClient(bench.client)
            let first = try await page.get(Self.ada + "?name=stories")
            #expect(first.status == 303)
            let next = Self.ada + "?name=stories"
            #expect(
                first.headers["location"]
                    == "/sign-in?next=\(PageClient.encoded(next).replacing("%2D", with: "-").replacing("%5F", with: "_").replacing("%2E", with: "."))"
            )
            // A script is not led elsewhere.
            let script = try await page.get(Self.ada, [("sec-fetch-dest", "empty")])
            #expect(script.status == 401 && script.text.contains("sign_in_needed"))
            let (_, text) = try bench.keys.create(
                [.support], app: "dozzi", label: "kim", by: "test", now: 0)
            let reply = try await page.post("/sign-in", ["key": " \(text)\n", "next": next])
            #expect(reply.status == 303 && reply.headers["location"] == next)
            let cookie = try #require(reply.headers["set-cookie"])
            for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
                #expect(cookie.contains(part), "\(cookie)")
            }
            #expect(!cookie.contains("Secure"))
            #expect(!cookie.contains(text.suffix(20)))
            #expect(try await page.get("/").headers["location"] == "/apps/dozzi")
        }
    }

    @Test("What is no form, no page and no file is told as such, with a way on")
    func mistakes() async throws {
        try await ServerBench.serving { bench in
            let page = try await PageClient.signedIn(bench, .admin)
            let bytes = try await bench.client.send(
                .POST, "/sign-in", body: Array("key=".utf8) + [0xFF])
            #expect(bytes.status == 400 && bytes.text.contains("bad_form"))
            for (path, status, code) in [
                ("/apps/dozzi/events/999999", 404, "unknown_event"),
                ("/apps/dozzi/events/last", 404, "unknown_event"),
                ("/apps/dozzi/metrics/revenues", 404, "unknown_metric"),
                ("/apps/dozzi/metrics/mrr?by=fortnight", 422, "unknown_choice"),
                ("/assets/none.css", 404, "unknown_asset"),
                ("/apps/dozzi?att=2026-02-05", 422, "unknown_member"),
                ("/none", 404, "unknown_route"),
            ] {
                let reply = try await page.get(path, [("accept", "text/html")])
                #expect(reply.status == status, "\(path): \(reply.text)")
                #expect(reply.text.contains("<code>\(code)</code>"), "\(path)")
                #expect(reply.headers["content-type"] == "text/html; charset=utf-8")
            }
        }
    }

    @Test("Behind TLS the cookie goes over TLS alone, and no other host can set it")
    func secure() async throws {
        try await ServerBench.serving { bench in
            let page = PageClient(bench.client)
            let (_, text) = try bench.keys.create(
                [.analyst], app: "dozzi", label: "kim", by: "test", now: 0)
            let reply = try await page.post(
                "/sign-in", ["key": text], [("x-forwarded-proto", "https")])
            let cookie = try #require(reply.headers["set-cookie"])
            #expect(cookie.hasPrefix("__Host-") && cookie.contains("; Secure"))
        }
    }

    @Test(
        "No address leads from the sign-in to another site",
        arguments: [
            "//evil.test/", "https://evil.test/", "/\\evil.test", "/apps/\\evil.test",
            "javascript:alert(1)", "/apps/dozzi\r\nset-cookie: a=b", "",
        ])
    func redirects(next: String) async throws {
        try await ServerBench.serving { bench in
            let page = PageClient(bench.client)
            let (_, text) = try bench.keys.create(
                [.support], app: "dozzi", label: "kim", by: "test", now: 0)
            let reply = try await page.post("/sign-in", ["key": text, "next": next])
            #expect(reply.status == 303)
            #expect(reply.headers["location"] == "/apps/dozzi")
        }
    }

    @Test("A key that is wrong, no person's, or another app's opens no page")
    func wrongKeys() async throws {
        try await ServerBench.serving(["dozzi", "ollie"]) { bench in
            let page = PageClient(bench.client)
            for text in ["", "daybook_000000000000_" + String(repeating: "A", count: 43)] {
                let reply = try await page.post("/sign-in", ["key": text])
                #expect(reply.status == 401 && reply.text.contains("unknown, revoked or over"))
            }
            for scope in [Scope.client, .store] {
                let (_, text) = try bench.keys.create(
                    [scope], app: "dozzi", label: "app", by: "test", now: 0)
                #expect(try await page.post("/sign-in", ["key": text]).status == 403)
            }
            #expect(page.cookie == nil)
            let other = try await PageClient.signedIn(bench, .admin, app: "ollie")
            let refused = try await other.get(Self.ada)
            #expect(refused.status == 403 && refused.text.contains("other_app"))
            // The same for an app that is not served.
            #expect(try await other.get("/apps/nothing").status == 403)
            #expect(try await other.get("/apps/ollie").status == 200)
        }
    }

    @Test("An analyst sees numbers and no customer, support sees both, and keys are for admins")
    func scopes() async throws {
        try await ServerBench.serving { bench in
            let analyst = try await PageClient.signedIn(bench, .analyst)
            let support = try await PageClient.signedIn(bench, .support)
            let admin = try await PageClient.signedIn(bench, .admin)
            for path in ["", "/metrics", "/catalog", "/ledger"] {
                for page in [analyst, support, admin] {
                    #expect(try await page.get("/apps/dozzi" + path).status == 200, "\(path)")
                }
            }
            for path in [
                "/customers", "/customers/ada", "/customers/ada/explain/stories", "/events/1",
            ] {
                let refused = try await analyst.get("/apps/dozzi" + path)
                #expect(refused.status == 403, "\(path)")
                #expect(refused.text.contains("scope_needed"))
                #expect(try await support.get("/apps/dozzi" + path).status != 403, "\(path)")
            }
            #expect(try await !analyst.get("/apps/dozzi").text.contains("/apps/dozzi/customers"))
            #expect(try await admin.get("/apps/dozzi/ledger").text.contains("<code>"))
            let keys = try await support.get("/apps/dozzi/ledger").text
            #expect(keys.contains("An admin sees the names of keys here."))
            for key in try bench.keys.keys(app: "dozzi") { #expect(!keys.contains(key.id)) }
        }
    }

    @Test("A session ends with its key, after an hour without use, and after eight hours")
    func ends() async throws {
        let clock = Mutex(Fixtures.now)
        try await ServerBench.serving(clock: { clock.withLock { $0 } }) { bench in
            func status(_ page: PageClient) async throws -> Int {
                try await page.get("/apps/dozzi").status
            }
            let revoked = try await PageClient.signedIn(bench, .support)
            #expect(try await status(revoked) == 200)
            let now = clock.withLock { $0 }
            let key = try #require(try bench.keys.keys(app: "dozzi").last)
            _ = try bench.keys.revoke(key.id, app: "dozzi", now: now)
            #expect(try await status(revoked) == 303)

            let idle = try await PageClient.signedIn(bench, .support)
            clock.withLock { $0 += 3_599_000 }
            #expect(try await status(idle) == 200)
            clock.withLock { $0 += 3_600_000 }
            #expect(try await status(idle) == 303)

            let long = try await PageClient.signedIn(bench, .support)
            for _ in 0..<15 {
                clock.withLock { $0 += 1_900_000 }
                #expect(try await status(long) == 200)
            }
            clock.withLock { $0 += 1_900_000 }
            #expect(try await status(long) == 303)

            // A clock that is set back makes no session longer than its life.
            let back = try await PageClient.signedIn(bench, .support)
            clock.withLock { $0 -= 9 * 3_600_000 }
            #expect(try await status(back) == 303)
        }
    }

    @Test("Signing out needs the page's own form, from the page's own site")
    func signOut() async throws {
        try await ServerBench.serving { bench in
            let page = try await PageClient.signedIn(bench, .support)
            let token = try await page.formToken("/apps/dozzi")
            let cookie = page.cookie
            let wrong = try await page.post("/sign-out", ["form_token": "x" + token])
            #expect(wrong.status == 403 && wrong.text.contains("stale_form"))
            #expect(try await page.post("/sign-out", [:]).status == 403)
            for headers in [
                [("sec-fetch-site", "cross-site")], [("sec-fetch-site", "same-site")],
                [("origin", "https://evil.test")],
            ] {
                let reply = try await page.post("/sign-out", ["form_token": token], headers)
                #expect(reply.status == 403 && reply.text.contains("other_origin"), "\(headers)")
            }
            // Another session's token is none of this one's.
            let other = try await PageClient.signedIn(bench, .support)
            let foreign = try await other.formToken("/apps/dozzi")
            #expect(try await page.post("/sign-out", ["form_token": foreign]).status == 403)
            #expect(try await page.get("/apps/dozzi").status == 200)
            let done = try await page.post(
                "/sign-out", ["form_token": token], [("sec-fetch-site", "same-origin")])
            #expect(done.status == 303 && page.cookie == nil)
            page.take(cookie)
            #expect(try await page.get("/apps/dozzi").status == 303)
            #expect(try await other.get("/apps/dozzi").status == 200)
        }
    }

    @Test("A session of two keys opens two apps, under a new name from each sign-in on")
    func twoApps() async throws {
        try await ServerBench.serving(["dozzi", "ollie"]) { bench in
            let page = try await PageClient.signedIn(bench, .support)
            let before = page.cookie
            let (_, text) = try bench.keys.create(
                [.analyst], app: "ollie", label: "kim", by: "test", now: 0)
            _ = try await page.post("/sign-in", ["key": text])
            #expect(page.cookie != before)
            #expect(try await page.get("/apps/ollie").status == 200)
            #expect(try await page.get("/apps/dozzi/customers").status == 200)
            #expect(try await page.get("/apps/ollie/customers").status == 403)
            let old = PageClient(bench.client)
            old.take(before)
            #expect(try await old.get("/apps/dozzi").status == 303)
        }
    }

    @Test("No answer may be framed, run another's script or tell where it was, and none is kept")
    func headers() async throws {
        try await ServerBench.serving { bench in
            let page = try await PageClient.signedIn(bench, .admin)
            for path in ["/apps/dozzi", "/sign-in", "/apps/dozzi/customers/none", "/apps/none"] {
                let reply = try await page.get(path)
                let policy = try #require(reply.headers["content-security-policy"], "\(path)")
                #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
                #expect(policy.contains("frame-ancestors 'none'"))
                #expect(reply.headers["x-frame-options"] == "DENY")
                #expect(reply.headers["referrer-policy"] == "no-referrer")
                #expect(reply.headers["x-content-type-options"] == "nosniff")
                #expect(reply.headers["cache-control"] == "no-store", "\(path)")
            }
        }
    }

    @Test("The operator's pages open once, on this machine's names alone, and change nothing")
    func local() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "dozzi.sqlite").path
        try await Ledger.create(at: path, catalog: try Fixtures.catalogDocument("dozzi")).close()
        let before = try Data(contentsOf: URL(filePath: path))
        let dashboard = Dashboard.local()
        var options = ServerOptions()
        options.port = 0
        let (ports, port) = AsyncStream<Int>.makeStream()
        let log = Logger(label: "pages") { _ in SwiftLogNoOpLogHandler() }
        let server = LedgerServer(
            keys: nil, routes: dashboard.routes, options: options, log: log,
            opening: { _ in [try ServedApp(readOnly: path, log: log)] },
            onRunning: { port.yield($0) })
        let group = ServiceGroup(services: [server], logger: log)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { port.finish() }
                try await group.run()
            }
            var numbers = ports.makeAsyncIterator()
            let client = HTTPClient(port: try #require(await numbers.next()))
            let opening = try #require(dashboard.openingPath)
            let page = PageClient(client)
            #expect(try await page.get("/apps/dozzi").status == 303)
            let guess = try await page.get("/open?ticket=guess")
            #expect(guess.status == 403 && guess.text.contains("used_address"))
            #expect(try await page.get(opening).headers["location"] == "/")
            #expect(try await page.get("/apps/dozzi").status == 200)
            // Again in the same browser it leads to the pages, in another one nowhere.
            #expect(try await page.get(opening).status == 303)
            let other = PageClient(client)
            #expect(try await other.get(opening).status == 403)
            #expect(other.cookie == nil)
            // Another name that leads here is another site's.
            for host in [
                "evil.test", "evil.test:80", "127.0.0.1.evil.test", "localhost.evil.test:1",
            ] {
                let reply = try await client.send(
                    .GET, "/apps/dozzi",
                    headers: [("host", host), ("cookie", page.cookie ?? "")])
                #expect(reply.status == 421 && reply.text.contains("wrong_host"), "\(host)")
            }
            // No route of programs, no sign-in by key.
            #expect(try await page.get("/v1/dozzi/metrics").status == 404)
            #expect(try await page.post("/sign-in", ["key": "x"]).status == 405)
            let token = try await page.formToken("/apps/dozzi")
            #expect(try await page.post("/sign-out", ["form_token": token]).status == 303)
            #expect(try await page.get("/apps/dozzi").status == 303)
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }
}
