import Daybook
import DaybookAudit
import DaybookDashboard
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookServer
import Foundation
import Synchronization
import Testing

/// What pages show is what the library answers, for every app of the repository.
@Suite("Contents of pages")
struct PageContentTests {
    static let apps = ["dozzi", "magical-stories", "ollie", "fork-in-the-road", "nuzzle"]

    /// Serves an app with its recorded streams.
    static func serving(
        _ app: String,
        _ body: @escaping @Sendable (ServerBench, PageClient, [String]) async throws -> Void
    ) async throws {
        // The catalog was published before anything happened, and now is after all of it.
        let clock = Mutex<Int64>(1_700_000_000_000)
        try await ServerBench.serving([app], clock: { clock.withLock { $0 } }) { bench in
            try await fill(bench.path(app), app)
            clock.withLock { $0 = Self.now }
            let ledger = try Ledger.open(bench.path(app), readOnly: true)
            let subjects = try ledger.subjects()
            try ledger.close()
            try #require(!subjects.isEmpty)
            let page = try await PageClient.signedIn(bench, .admin, app: app)
            try await body(bench, page, subjects)
        }
    }

    static let now: Int64 = 1_780_000_000_000

    /// Takes in what is recorded of an app, in the order and with the times at which it was recorded.
    private static func fill(_ path: String, _ app: String) async throws {
        let ledger = try Ledger.open(path)
        defer { try? ledger.close() }
        let lines = try StreamGolden.pairs().filter { $0.app == app && !$0.diverges }
            .flatMap { try Data(contentsOf: $0.stream).split(separator: 0x0A) }
            .map { line in
                (try JSONReader.read(Array(line)).object?["recorded_at"]?.integer ?? 0, line)
            }
            .sorted { $0.0 < $1.0 }
        var rest = lines.map { Array($0.1) + [0x0A] }[...]
        _ = try await ledger.importLines(
            { rest.popFirst() }, options: ImportOptions(isAsRecorded: true, keepsGoing: true))
    }

    @Test("Every page of every app is there, whole and without a gap", arguments: apps)
    func loads(app: String) async throws {
        try await Self.serving(app) { bench, page, subjects in
            let catalog = try Fixtures.catalog(app)
            var paths = ["", "/customers", "/metrics", "/catalog", "/ledger", "/events/1"]
            paths += Metric.all.map { "/metrics/\($0.name)" }
            paths += Metric.parts.map {
                "/boards/\($0.title.lowercased().replacing(" ", with: "-"))"
            }
            paths += catalog.experiments.map { "/experiments/\(Link.encoded($0.name))" }
            paths += catalog.funnels.map { "/funnels/\(Link.encoded($0.name))" }
            for subject in subjects.prefix(4) {
                let own = "/customers/\(Link.encoded(subject))"
                paths += ["\(own)/compare?at=2026-02-01&known_at=2026-02-01&to=2026-03-01"]
                paths += [own, own + "/timeline", own + "?scale=time", own + "?scale=rows"]
                paths += catalog.features.prefix(2).map {
                    "\(own)/explain/\(Link.encoded($0.name))"
                }
                paths += catalog.entitlements.map { "\(own)?name=\(Link.encoded($0.name))" }
                paths += ["\(own)?at=2026-02-01&known_at=2026-02-01", "\(own)?known_at=@3"]
            }
            for path in paths {
                let reply = try await page.get("/apps/\(app)\(path)")
                // Before the first event of a customer nothing was known.
                let isEarly = path.contains("at=")
                #expect(
                    reply.status == 200 || isEarly && reply.status == 404, "\(path): \(reply.text)")
                let text = reply.text
                #expect(text.hasPrefix("<!doctype html>") && text.contains("</html>"), "\(path)")
                // A template that was not filled, and a value that Swift describes.
                for leftover in ["{{", "}}", "Optional(", "nil,", "TemplateText"] {
                    #expect(!text.contains(leftover), "\(path) has \(leftover)")
                }
                try Self.expectNested(text, path)
            }
        }
    }

    /// Fails where an element is closed that is not open, or one stays open.
    private static func expectNested(_ text: String, _ path: String) throws {
        let empty: Set = ["meta", "link", "input", "br", "!doctype"]
        var open: [Substring] = []
        for match in text.matches(of: /<(\/?)([a-z0-9!]+)([^>]*)>/) {
            let name = match.2
            if empty.contains(String(name)) || match.3.hasSuffix("/") { continue }
            if match.1.isEmpty {
                open.append(name)
            } else if open.last == name {
                open.removeLast()
            } else {
                // Cells, rows and options are all closed here, so nothing may be left open.
                Issue.record("\(path): </\(name)> closes <\(open.last ?? "")>")
                return
            }
        }
        #expect(open.isEmpty, "\(path) leaves open \(open)")
    }

    @Test(
        "A customer's page says what check, status and history say, at any moment", arguments: apps)
    func customers(app: String) async throws {
        try await Self.serving(app) { bench, page, subjects in
            let ledger = try Ledger.open(bench.path(app), readOnly: true, clock: { Self.now })
            defer { try? ledger.close() }
            let catalog = try #require(try ledger.catalogs().newest?.catalog)
            var count = 0
            for subject in subjects.prefix(6) {
                let times = try ledger.history(of: subject).compactMap(
                    \.event.draft.occurredAt)
                for at in [nil, times.first, times[times.count / 2], times.last.map { $0 + 1 }] {
                    let moment = Moment(at: at)
                    let query = at.map { "?at=\($0)" } ?? ""
                    let path = "/apps/\(app)/customers/\(Link.encoded(subject))\(query)"
                    let text = try await page.get(path).text
                    for feature in catalog.features {
                        let (decision, _) = try ledger.check(
                            CheckQuestion(feature.name), for: subject, moment: moment)
                        let row = try #require(
                            Self.row(of: feature.name, in: text), "\(path): \(feature.name)")
                        #expect(
                            row.contains(decision.allowed ? ">yes<" : ">no<"), "\(path): \(row)")
                        let reason = decision.reason.rawValue.replacing("_", with: " ")
                            .replacing(".", with: " ")
                        #expect(row.contains(reason), "\(path): \(row)")
                        count += 1
                    }
                    let (status, _) = try ledger.status(of: subject, moment: moment)
                    for entitlement in status.entitlements {
                        let row = try #require(Self.row(of: entitlement.name, in: text))
                        let word = entitlement.isActive ? ">yes<" : ">no<"
                        #expect(row.contains(word), "\(row)")
                    }
                    for entry in try ledger.history(of: subject, moment: moment).suffix(100) {
                        let link = "/events/\(entry.event.position)"
                        #expect(
                            text.contains(link + "\"") || text.contains(link + "?"), "\(path)")
                    }
                }
            }
            #expect(count > 40)
        }
    }

    /// The row of a table whose link has a name.
    private static func row(of name: String, in text: String) -> Substring? {
        text.split(separator: "<tr").first { $0.contains(">\(name)</a>") }
    }

    @Test("The drawing of the plane has the answers of the plane at every cell", arguments: apps)
    func plane(app: String) async throws {
        try await Self.serving(app) { bench, page, subjects in
            let ledger = try Ledger.open(bench.path(app), readOnly: true, clock: { Self.now })
            defer { try? ledger.close() }
            let catalog = try #require(try ledger.catalogs().newest?.catalog)
            var count = 0
            for subject in subjects.prefix(8) {
                for name in catalog.features.prefix(3).map(\.name) {
                    let path =
                        "/apps/\(app)/customers/\(Link.encoded(subject))?name=\(Link.encoded(name))&scale=rows"
                    let text = try await page.get(path).text
                    for match in text.matches(
                        of:
                            /data-word="([^"]*)" data-from="(-?\d+)" data-until="(-?\d+)" data-low="(-?\d+)" data-high="(-?\d+)"/
                    ) {
                        let from = try #require(Int64(match.2))
                        let until = try #require(Int64(match.3))
                        let low = try #require(Int64(match.4))
                        let high = try #require(Int64(match.5))
                        // Its corners, to the millisecond, as check answers them.
                        for at in [from, until - 1] {
                            for known in [low, high - 1] where known >= 0 && known < Self.now {
                                let answer = try? ledger.check(
                                    CheckQuestion(name), for: subject,
                                    moment: Moment(at: at, knownAt: .instant(known)))
                                guard let answer else { continue }
                                let word = answer.decision.allowed ? "yes" : "no"
                                #expect(
                                    match.1.hasPrefix(word),
                                    "\(path) at \(at), \(known): \(match.1)")
                                count += 1
                            }
                        }
                    }
                }
            }
            #expect(count > 20, "\(count)")
        }
    }

    @Test("The board has the values and verdicts of the targets", arguments: apps)
    func board(app: String) async throws {
        try await Self.serving(app) { bench, page, _ in
            let ledger = try Ledger.open(bench.path(app), readOnly: true, clock: { Self.now })
            defer { try? ledger.close() }
            for at in [Self.now, Self.now - 60 * 86_400_000] {
                var request = MetricsRequest()
                request.moment = Moment(at: at)
                let report = try ledger.kpis(request)
                let text = try await page.whole("/apps/\(app)?at=\(at)")
                let board = text.split(separator: "class=\"kpis\"").last ?? ""
                let cells = board.split(separator: "<div><div").dropFirst()
                #expect(cells.count == report.rows.count)
                for (cell, row) in zip(cells, report.rows) {
                    #expect(cell.contains(row.target.name))
                    let word =
                        row.isMet.map { $0 ? "met" : "missed" } ?? "no value"
                    #expect(cell.contains(word), "\(cell)")
                    if let top = row.numerator, let bottom = row.denominator, bottom > 0,
                        Metric.named(row.target.metric)?.shape == .ratio
                    {
                        #expect(cell.contains("\(top) of \(bottom)"), "\(cell)")
                    }
                }
            }
        }
    }

    @Test("NZ-30 The board has subscriptions, trials, recurring revenue, churn and cancellations")
    func subscriptionBoard() async throws {
        try await Self.serving("nuzzle") { bench, page, _ in
            let ledger = try Ledger.open(
                bench.path("nuzzle"), readOnly: true, clock: { Self.now })
            defer { try? ledger.close() }
            // The recorded months begin in 2024; a subscription ended before this one.
            let at = Self.now - 100 * 86_400_000
            let text = try await page.whole("/apps/nuzzle?at=\(at)")
            for name in [
                "mrr", "active_subscriptions", "active_trials", "trial_conversion", "churn_rate",
                "churned_subscriptions",
            ] {
                var request = MetricsRequest([name])
                request.moment = Moment(at: at)
                let series = try ledger.metrics(request, workers: 1).series[0]
                let last = try #require(series.values.last, "\(name)")
                let row = try #require(
                    text.split(separator: "<tr").first { $0.contains("/metrics/\(name)?") },
                    "\(name)")
                #expect(
                    row.contains("\(MetricWords.number(last.micros, series.metric.shape))"),
                    "\(name): \(row)")
            }
        }
    }

    @Test("DZ-42 Where nothing recurs the board has no numbers of subscriptions")
    func boardWithoutSubscriptions() async throws {
        try await Self.serving("dozzi") { _, page, _ in
            let text = try await page.whole("/apps/dozzi")
            for name in ["mrr", "active_subscriptions", "active_trials", "churn_rate"] {
                #expect(!text.contains("/metrics/\(name)"), "\(name)")
            }
            #expect(text.contains("/metrics/net_revenue"))
        }
    }

    @Test("The board of a moment has no event that was recorded or happened later")
    func lastEvents() async throws {
        try await Self.serving("nuzzle") { bench, page, _ in
            let ledger = try Ledger.open(bench.path("nuzzle"), readOnly: true)
            defer { try? ledger.close() }
            for (query, last, at) in [
                ("known_at=@60", Int64(60), Int64.max),
                ("at=2026-02-05", Int64.max, 1_770_249_600_000),
                ("", Int64.max, Int64.max),
            ] {
                let text = try await page.whole("/apps/nuzzle?\(query)")
                let shown = text.matches(of: /\/events\/(\d+)["?]/).compactMap { Int64($0.1) }
                #expect(shown.count == 12, "\(query)")
                for position in shown {
                    let event = try #require(try ledger.event(at: position))
                    #expect(position <= last && event.draft.occurredAt ?? 0 <= at, "\(query)")
                }
            }
        }
    }

    @Test("A page of another moment than now says so, and every link of it keeps the moment")
    func moments() async throws {
        try await Self.serving("nuzzle") { _, page, subjects in
            let subject = Link.encoded(subjects[0])
            let now = try await page.get("/apps/nuzzle/customers/\(subject)").text
            #expect(!now.contains("You are looking at"))
            let past = try await page.get(
                "/apps/nuzzle/customers/\(subject)?at=2026-02-05+21:04&known_at=@40"
            ).text
            #expect(
                past.contains(
                    "You are looking at 5 Feb 2026, 21:04 UTC, as it was known at position @40"))
            let nav = try #require(
                past.firstMatch(of: /<nav[^>]*>(.*?)<\/nav>/.dotMatchesNewlines()))
            for match in nav.1.matches(of: /href="([^"]*)"/) {
                #expect(
                    match.1.contains("at=2026-02-05T21%3A04%3A00Z&amp;known_at=%4040"), "\(match.1)"
                )
            }
            let bad = try await page.get("/apps/nuzzle/customers/\(subject)?at=yesterday")
            #expect(bad.status == 422 && bad.text.contains("yesterday is no time"))
            let sandbox = try await page.get("/apps/nuzzle?environment=sandbox").text
            #expect(sandbox.contains("These are sandbox events"))
        }
    }

    @Test("Two moments are compared, and a bundle of a customer is what capture makes of one")
    func compare() async throws {
        try await Self.serving("nuzzle") { bench, page, _ in
            let ledger = try Ledger.open(
                bench.path("nuzzle"), readOnly: true, clock: { Self.now })
            defer { try? ledger.close() }
            let own = "/apps/nuzzle/customers/u_3090"
            // The renewal of 1 February was told on the 3rd.
            let (first, second) = ("2026-02-02T12:00:00Z", "2026-02-04T12:00:00Z")
            let at = try #require(RFC3339.parse(first))
            let known = try #require(RFC3339.parse(second))
            let text = try await page.get(
                "\(own)/compare?at=\(first)&known_at=\(first)&to=\(first)&to_known_at=\(second)"
            ).text
            let found = try ledger.difference(
                of: "u_3090", from: Moment(at: at, knownAt: .instant(at)),
                to: Moment(at: at, knownAt: .instant(known)))
            #expect(!found.difference.changes.isEmpty)
            for change in found.difference.changes {
                #expect(text.contains("<td>\(Markup.escaped(change.path))</td>"), "\(change.path)")
            }
            #expect(text.contains("subscription renewed"))
            let same = try await page.get("\(own)/compare?at=\(first)&to=\(first)").text
            #expect(same.contains("nothing is different"))

            let reply = try await page.get("\(own)/bundle?name=smartPredictions&at=\(first)")
            #expect(reply.status == 200)
            #expect(
                reply.headers["content-disposition"]?.hasPrefix("attachment; filename=") == true)
            let bundle = try await ledger.capture(
                CaptureRequest(
                    ["u_3090"], moment: Moment(at: at),
                    questions: [.init("smartPredictions", amount: 1, profile: nil)],
                    isRedacted: false, version: DaybookVersion.current))
            #expect(reply.body == bundle.bytes)
            let redacted = try await page.get("\(own)/bundle?redact=true")
            #expect(redacted.status == 200 && !redacted.text.contains("u_3090"))
            let none = try await page.get("/apps/nuzzle/customers/nothing/bundle")
            #expect(none.status == 422 && none.text.contains("no_bundle"))
        }
    }

    @Test("A meter that counts for a feature is answered as check answers it")
    func meters() async throws {
        try await Self.serving("nuzzle") { bench, page, subjects in
            let ledger = try Ledger.open(
                bench.path("nuzzle"), readOnly: true, clock: { Self.now })
            defer { try? ledger.close() }
            for subject in subjects.prefix(5) {
                let decision = try ledger.check("cry_insights", for: subject)
                let text = try await page.get(
                    "/apps/nuzzle/customers/\(Link.encoded(subject))?name=cry_insights"
                ).text
                let verb = decision.allowed ? "may use" : "may not use"
                #expect(text.contains(">\(verb)</b> <b>cry_insights</b>"), "\(subject)")
            }
        }
    }

    @Test("An id of a transaction leads to its customer, and an unknown one says what to do")
    func search() async throws {
        try await Self.serving("nuzzle") { bench, page, _ in
            let ledger = try Ledger.open(bench.path("nuzzle"), readOnly: true)
            defer { try? ledger.close() }
            let found = try ledger.customers(withID: "400000900100")
            let subject = try #require(found.matches.first?.customer?.subject)
            let reply = try await page.get("/apps/nuzzle/customers?q=400000900100")
            #expect(reply.status == 303)
            #expect(reply.headers["location"] == "/apps/nuzzle/customers/\(Link.encoded(subject))")
            let none = try await page.get("/apps/nuzzle/customers?q=nobody-1")
            #expect(none.status == 200 && none.text.contains("Nothing was found"))
            let unknown = try await page.get("/apps/nuzzle/customers/nobody-1")
            #expect(unknown.status == 404 && unknown.text.contains("Nothing is known"))
        }
    }
}
