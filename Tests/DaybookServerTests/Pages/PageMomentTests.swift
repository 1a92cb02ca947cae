import Daybook
import DaybookDashboard
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookServer
import Foundation
import InMemoryLogging
import Logging
import Synchronization
import Testing

/// Pages at moments at which little or something else was known, and what their links keep.
@Suite("Moments of pages")
struct PageMomentTests {
    private typealias Content = PageContentTests

    private static func record(_ bench: ServerBench, _ lines: [String]) async throws {
        let reply = try await bench.client.send(
            .POST, "/v1/dozzi/events", headers: [try bench.key(.store)],
            body: Array(lines.joined(separator: "\n").utf8))
        try #require(reply.status == 200, "\(reply.text)")
    }

    private static func seen(_ customer: String, at instant: Int64) -> String {
        """
        {"type":"app.launched","v":1,"subject":"\(customer)","occurred_at":\(instant),\
        "source":{"kind":"native","key":"l-\(customer)"},"trust":"imported","data":{}}
        """
    }

    private static func bought(_ customer: String, at instant: Int64, milli: Int64, _ id: Int)
        -> String
    {
        """
        {"type":"purchase.completed","v":1,"subject":"\(customer)","occurred_at":\(instant),\
        "source":{"kind":"apple","key":"p-\(id)"},"trust":"imported","data":{\
        "product":"com.dozzi.unlimited_stories","kind":"non_consumable","transaction_id":"\(id)",\
        "price_milli":\(milli),"currency":"USD"}}
        """
    }

    @Test("A day of a filter begins at the midnight of the zone that periods have")
    func zones() async throws {
        try await Content.serving("dozzi") { _, page, _ in
            for (zone, first) in [
                ("America/New_York", "2026-02-01T05:00:00Z"),
                ("Europe/Amsterdam", "2026-01-31T23:00:00Z"),
            ] {
                let query = "tz=\(zone)&from=2026-02-01&until=2026-03"
                let text = try await page.whole("/apps/dozzi/metrics/new_customers?\(query)")
                let periods = text.matches(of: /<tr><td>(\d{4}-\d\d)<\/td>/).map { String($0.1) }
                #expect(periods == ["2026-02"], "\(zone)")
                // What a program reads is the time itself.
                #expect(text.contains("--from \(first)"), "\(zone)")
                #expect(text.contains("from=\(Link.encoded(first))&amp;"))
                #expect(text.contains("name=\"from\" value=\"2026-02-01\""))
            }
        }
    }

    @Test("The list of customers is of now, says so, and hands the moment on")
    func customers() async throws {
        try await Content.serving("nuzzle") { _, page, subjects in
            let text = try await page.get("/apps/nuzzle/customers?at=2026-02-05&known_at=@40").text
            #expect(!text.contains("You are looking at") && text.contains("as it is now"))
            #expect(text.contains("type=\"hidden\" name=\"known_at\" value=\"@40\""))
            #expect(text.contains("/customers/\(Link.encoded(subjects[0]))?at=2026-02-05"))
        }
    }

    @Test("Before there was a catalog pages say so, and show what was known")
    func noCatalog() async throws {
        try await Content.serving("nuzzle") { _, page, subjects in
            let board = try await page.whole("/apps/nuzzle?known_at=@0")
            #expect(board.contains("The catalog has no targets"))
            let own = "/apps/nuzzle/customers/\(Link.encoded(subjects[0]))"
            let customer = try await page.get("\(own)?known_at=@0")
            #expect(customer.status == 200 && customer.text.contains("No catalog was known then"))
            #expect(customer.text.contains("Nothing was recorded by then"))
        }
    }

    @Test("A feature that the catalog of a moment does not have is no error")
    func laterFeature() async throws {
        let clock = Mutex(Fixtures.now)
        try await ServerBench.serving(clock: { clock.withLock { $0 } }) { bench in
            try await Self.record(bench, [Self.seen("ada", at: Fixtures.now - 1_000)])
            clock.withLock { $0 += 86_400_000 }
            let document = String(decoding: try Fixtures.catalogDocument("dozzi"), as: UTF8.self)
            let ledger = try Ledger.open(bench.path(), clock: { clock.withLock { $0 } })
            let next = document.replacing(
                "  premiumVoices:\n", with: "  storyShelves:\n    isFree: true\n  premiumVoices:\n")
            try #require(next != document)
            try await ledger.publish(
                CatalogPublication(
                    document: Array(next.utf8), effectiveAt: clock.withLock { $0 }))
            try ledger.close()
            clock.withLock { $0 += 86_400_000 }
            let page = try await PageClient.signedIn(bench, .support)
            let now = try await page.get("/apps/dozzi/customers/ada?name=storyShelves").text
            #expect(now.contains(">may use</b> <b>storyShelves</b>"))
            let past = try await page.get(
                "/apps/dozzi/customers/ada?name=storyShelves&at=\(Fixtures.now)")
            #expect(past.status == 200, "\(past.text)")
            #expect(past.text.contains("The catalog of that moment had no <b>storyShelves</b>"))
            #expect(past.text.contains("data-plane"))
        }
    }

    @Test("Sums of cohorts that nearly leave the range of numbers are shown")
    func largeSums() async throws {
        try await ServerBench.serving { bench in
            let start = Fixtures.now - 86_400_000
            let most: Int64 = 1_000_000_000_000_000
            try await Self.record(
                bench,
                [Self.seen("ada", at: start)]
                    + (1...4).map { Self.bought("ada", at: start + Int64($0), milli: most, $0) })
            let page = try await PageClient.signedIn(bench, .analyst)
            for metric in Metric.all where metric.hasAges {
                let text = try await page.whole("/apps/dozzi/metrics/\(metric.name)")
                #expect(text.contains("</html>"), "\(metric.name)")
            }
            #expect(try await page.get("/apps/dozzi").status == 200)
        }
    }

    @Test("An id that a spreadsheet would compute is written as a text")
    func formula() async throws {
        try await ServerBench.serving { bench in
            let start = Fixtures.now - 86_400_000
            try await Self.record(
                bench, [Self.seen("-2+3", at: start), Self.seen("=cmd()", at: start)])
            let page = try await PageClient.signedIn(bench, .analyst)
            let file = try await page.get(
                "/apps/dozzi/metrics/new_customers/customers?by=whole&form=csv"
            ).text
            #expect(file.contains("\n'-2+3,,1.000000,") && file.contains("\n'=cmd(),,1.000000,"))
        }
    }

    @Test("Links to events, the search and the timeline keep moment, environment and choice")
    func links() async throws {
        try await Content.serving("nuzzle") { _, page, subjects in
            let own = "/apps/nuzzle/customers/\(Link.encoded(subjects[0]))"
            let text = try await page.get("\(own)?name=cryInsights&at=2026-03-05").text
            let events = text.matches(of: /href="([^"]*\/events\/[^"]*)"/).map { String($0.1) }
            #expect(!events.isEmpty)
            for link in events { #expect(link.contains("at=2026-03-05"), "\(link)") }
            let times = text.matches(of: /<td><a href="([^"]*)"><time/).map { String($0.1) }
            #expect(!times.isEmpty)
            for link in times { #expect(link.contains("name=cryInsights"), "\(link)") }
            let search = try #require(
                text.firstMatch(of: /<form class="search".*?<\/form>/.dotMatchesNewlines()))
            #expect(search.0.contains("name=\"at\" value=\"2026-03-05T00:00:00Z\""))
        }
    }

    @Test("A page that follows keeps no session alive")
    func follows() async throws {
        let clock = Mutex(Fixtures.now)
        try await ServerBench.serving(clock: { clock.withLock { $0 } }) { bench in
            let page = try await PageClient.signedIn(bench, .support)
            for minutes in [50, 15] {
                clock.withLock { $0 += Int64(minutes) * 60_000 }
                let reply = try await page.get("/apps/dozzi", [("X-Daybook-Follows", "1")])
                #expect(reply.status == (minutes == 50 ? 200 : 303))
            }
        }
    }

    @Test("A look at an event, and one by an id, is logged with the customer")
    func looks() async throws {
        let lines = InMemoryLogHandler()
        var log = Logger(label: "looks") { _ in lines }
        log.logLevel = .info
        try await ServerBench.serving(log: log) { bench in
            try await Self.record(bench, [Self.seen("ada", at: Fixtures.now - 1_000)])
            let page = try await PageClient.signedIn(bench, .support)
            let reply = try await page.get("/apps/dozzi/events/2")
            try #require(reply.status == 200 && reply.text.contains("ada"))
            _ = try await page.get("/apps/dozzi/customers?q=l-ada")
            let told = lines.entries.map { "\($0.message) \($0.metadata)" }
            #expect(told.contains { $0.contains("eventPage") && $0.contains("ada") }, "\(told)")
            #expect(told.contains { $0.contains("customersPage") && $0.contains("l-ada") })
        }
    }
}
