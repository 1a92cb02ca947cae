import Daybook
import DaybookDashboard
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookServer
import Foundation
import Testing

/// Numbers on pages, the customers behind them, and the same as files.
@Suite("Numbers of pages")
struct PageNumberTests {
    private typealias Content = PageContentTests

    @Test(
        "Every value leads to its customers, whose page shows the same value",
        arguments: PageContentTests.apps)
    func behind(app: String) async throws {
        try await Content.serving(app) { bench, page, _ in
            let ledger = try Ledger.open(bench.path(app), readOnly: true, clock: { Content.now })
            defer { try? ledger.close() }
            var count = 0
            for name in ["new_customers", "net_revenue", "uses", "refund_rate", "retention"] {
                let text = try await page.whole("/apps/\(app)/metrics/\(name)")
                let shape = try #require(Metric.named(name)).shape
                let report = try ledger.metrics(MetricsRequest([name]), workers: 1)
                let values = report.series[0].values.filter { $0.numerator != 0 }
                for value in values.prefix(3) {
                    let word = MetricWords.number(value.micros, shape)
                    let period = report.periods[value.bucket].name
                    let link = try #require(
                        text.matches(of: /href="([^"]*\/customers\?[^"]*)"/).map { String($0.1) }
                            .first { link in
                                link.contains("of=\(period)")
                                    && (value.group.isEmpty
                                        || link.contains("group=\(Link.encoded(value.group))"))
                                    && (value.age.map { link.hasSuffix("age=\($0)") } ?? true)
                            }, "\(name) \(period)")
                    let shown = try await page.whole(link.replacing("&amp;", with: "&"))
                    #expect(shown.contains("<h2>\(word) "), "\(link)")
                    var asked = ContributionsRequest(MetricsRequest([name]))
                    asked.period = period
                    asked.group = value.group
                    asked.age = value.age
                    let found = try ledger.contributions(asked, workers: 1)
                    for row in found.rows.prefix(200) {
                        #expect(shown.contains("<bdi>\(Markup.escaped(row.name))</bdi>"))
                    }
                    let file = try await page.get(link.replacing("&amp;", with: "&") + "&form=csv")
                    #expect(file.text == found.csv, "\(link)")
                    count += 1
                }
            }
            #expect(count > 3, "\(count)")
        }
    }

    @Test("Files have the bytes of the command, and a name", arguments: ["csv", "ndjson", "json"])
    func files(form: String) async throws {
        try await Content.serving("dozzi") { bench, page, _ in
            let ledger = try Ledger.open(
                bench.path("dozzi"), readOnly: true, clock: { Content.now })
            defer { try? ledger.close() }
            for (path, names) in [
                ("metrics/net_revenue", ["net_revenue"]),
                ("boards/trials", Metric.parts.first { $0.title == "Trials" }?.metrics.map(\.name)),
            ] {
                var request = MetricsRequest(try #require(names))
                request.resolution = .quarter
                request.rules.filter.countries = ["DE"]
                let report = try ledger.metrics(request, workers: 1)
                let reply = try await page.get(
                    "/apps/dozzi/\(path)?by=quarter&countries=DE&cohort=&form=\(form)")
                let expected: [UInt8] =
                    switch form {
                    case "csv": Array(report.csv.utf8)
                    case "ndjson": Array(report.lines.utf8)
                    default: report.json.canonicalBytes + [0x0A]
                    }
                #expect(reply.body == expected, "\(path)")
                let name = path.split(separator: "/").last ?? ""
                #expect(
                    reply.headers["content-disposition"]
                        == "attachment; filename=\"\(name).\(form)\"")
            }
        }
    }

    @Test("Filters are kept by every link of a page, told in its head, and can be taken off")
    func filters() async throws {
        try await Content.serving("dozzi") { bench, page, _ in
            let ledger = try Ledger.open(
                bench.path("dozzi"), readOnly: true, clock: { Content.now })
            defer { try? ledger.close() }
            var request = MetricsRequest(["new_customers"])
            request.rules.filter.cohort = try PeriodText.read("2026-02", "cohort")
            let report = try ledger.metrics(request, workers: 1)
            #expect(report != (try ledger.metrics(MetricsRequest(["new_customers"]), workers: 1)))
            let path = "/apps/dozzi/metrics/new_customers?cohort=2026-02&countries=&products="
            let text = try await page.whole(path)
            #expect(text.contains("Filters: cohort 2026-02"))
            #expect(text.contains("daybook metrics new_customers --cohort 2026-02"))
            for match in text.matches(of: /href="([^"]*\/customers\?[^"]*)"/) {
                #expect(match.1.contains("cohort=2026-02"), "\(match.1)")
            }
            #expect(text.contains("href=\"/apps/dozzi/metrics/new_customers\">Without filters"))
            let total = report.series[0].values.reduce(0) { $0 + $1.numerator }
            let shown = text.matches(of: />(\d+)<span class="hidden">: the customers/)
                .compactMap { Int64($0.1) }.reduce(0, +)
            #expect(shown == total && total > 0)
            let bad = try await page.ended("/apps/dozzi/metrics/new_customers?countries=Atlantis")
            #expect(bad.status == 422 && bad.text.contains("bad_country"))
            let other = try await page.get("/apps/dozzi/boards/nothing")
            #expect(other.status == 404 && other.text.contains("unknown_board"))
            let form = try await page.get("/apps/dozzi/metrics/new_customers?form=pdf")
            #expect(form.status == 422 && form.text.contains("unknown_choice"))
        }
    }

    @Test("Steps of a funnel and variants of an experiment lead to their customers")
    func steps() async throws {
        try await Content.serving("dozzi") { bench, page, _ in
            let ledger = try Ledger.open(
                bench.path("dozzi"), readOnly: true, clock: { Content.now })
            defer { try? ledger.close() }
            let text = try await page.whole("/apps/dozzi/funnels/paywall_to_purchase")
            let links = text.matches(of: /href="([^"]*\/customers\?[^"]*)"/).map { String($0.1) }
            #expect(!links.isEmpty)
            for link in links {
                let step = try #require(link.firstMatch(of: /step=([A-Za-z]+)/)).1
                var asked = FunnelStepRequest("paywall_to_purchase", step: String(step))
                asked.isStopped = link.contains("stopped=true")
                let found = try ledger.customers(at: asked, workers: 1)
                let shown = try await page.whole(link.replacing("&amp;", with: "&"))
                #expect(shown.contains("<h2>\(found.count) "), "\(link)")
                for row in found.rows { #expect(shown.contains("<bdi>\(row.name)</bdi>")) }
            }
            let none = try await page.get("/apps/dozzi/funnels/paywall_to_purchase/customers")
            #expect(none.status == 422 && none.text.contains("missing_member"))

            let experiment = try #require(try Fixtures.catalog("dozzi").experiments.first?.name)
            let variants = try ledger.experiment(experiment, workers: 1).variants
            let shown = try await page.whole("/apps/dozzi/experiments/\(experiment)")
            let behind = shown.matches(of: /href="([^"]*\/customers\?[^"]*)"/)
                .map { String($0.1).replacing("&amp;", with: "&") }
            let seen = variants.filter { $0.denominator > 0 }
            #expect(behind.count == seen.count)
            for (link, variant) in zip(behind, seen) {
                let customers = try await page.whole(link)
                #expect(
                    customers.contains("\(variant.numerator) of \(variant.denominator) "),
                    "\(link)")
            }
        }
    }

    @Test("An analyst sees who is behind a number, and no customer's page")
    func analyst() async throws {
        try await Content.serving("dozzi") { bench, _, _ in
            let page = try await PageClient.signedIn(bench, .analyst, app: "dozzi")
            let text = try await page.whole(
                "/apps/dozzi/metrics/new_customers/customers?of=2026-02")
            #expect(text.contains("<bdi>") && !text.contains("/customers/"))
        }
    }
}
