import Daybook
import DaybookAudit
import DaybookDashboard
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookServer
import Foundation
import Testing

/// Pages about what is not so: other catalogs, and histories without an event.
@Suite("What-if on pages")
struct PageWhatIfTests {
    private typealias Content = PageContentTests

    /// Nuzzle's catalog with one cry insight in the place of three.
    private static func stricter() throws -> String {
        let document = String(decoding: try Fixtures.catalogDocument("nuzzle"), as: UTF8.self)
        let changed = document.replacing("limit: 3", with: "limit: 1")
        try #require(changed != document)
        return changed
    }

    @Test("A catalog that is typed in is tried out upon all customers, and nothing is recorded")
    func typedIn() async throws {
        try await Content.serving("nuzzle") { bench, page, _ in
            let ledger = try Ledger.open(
                bench.path("nuzzle"), readOnly: true, clock: { Content.now })
            defer { try? ledger.close() }
            let before = try ledger.head()
            let path = "/apps/nuzzle/catalog/what-if"
            let form = try await page.get(path).text
            #expect(form.contains("app: nuzzle"))
            let catalog = try Self.stricter()
            let reply = try await page.post(
                path,
                [
                    "form_token": try await page.formToken(path),
                    "catalog": catalog.replacing("\n", with: "\r\n"),
                ])
            #expect(reply.status == 303)
            let shown = try await page.whole(try #require(reply.headers["location"]))
            let report = try ledger.whatIf(
                WhatIf(catalog: Array(catalog.utf8)), topCountMax: 100, workers: 1)
            #expect(report.changed > 0)
            #expect(
                shown.contains("\(report.changed) of \(report.customers) customers would differ"))
            for customer in report.top {
                #expect(shown.contains("/customers/\(Link.encoded(customer.subject))\""))
                for sentence in customer.sentences {
                    #expect(shown.contains(Markup.escaped(sentence)), "\(sentence)")
                }
            }
            // What the catalog itself says otherwise.
            #expect(shown.contains("<bdi>meters.cry_insights.limit</bdi>"))
            #expect(try ledger.head() == before)

            let wrong = try await page.post(
                path,
                [
                    "form_token": try await page.formToken(path),
                    "catalog": catalog.replacing("app: nuzzle", with: "app: dozzi"),
                ])
            let refused = try await page.ended(try #require(wrong.headers["location"]))
            #expect(refused.status == 422 && refused.text.contains("other_app"))
            #expect(refused.text.contains("app: dozzi"), "What was typed stays in the form.")
            let gone = try await page.get("\(path)?draft=nothing")
            #expect(gone.status == 404 && gone.text.contains("unknown_draft"))
            let foreign = try await page.post(path, ["catalog": catalog])
            #expect(foreign.status == 403)
        }
    }

    @Test("Two versions are compared part by part, and an older one is tried out")
    func versions() async throws {
        try await Content.serving("nuzzle") { bench, page, _ in
            let writer = try Ledger.open(bench.path("nuzzle"), clock: { Content.now })
            try await writer.publish(
                CatalogPublication(
                    document: Array(try Self.stricter().utf8), effectiveAt: Content.now))
            let found = try writer.catalogDifference(from: 1, to: 2)
            try writer.close()
            #expect(
                found.changes.map(\.path) == ["meters.cry_insights.limit"]
                    && found.changes.map(\.before) == ["3"] && found.changes.map(\.after) == ["1"])
            let catalog = try await page.get("/apps/nuzzle/catalog").text
            #expect(catalog.contains("/apps/nuzzle/catalog/2/changes"))
            let text = try await page.get("/apps/nuzzle/catalog/2/changes").text
            #expect(text.contains("what changed since 1") && text.contains("cry_insights.limit"))
            let back = try await page.get("/apps/nuzzle/catalog/1/changes?from=2").text
            #expect(back.contains("what changed since 2"))
            let old = try await page.whole("/apps/nuzzle/catalog/what-if?version=1")
            #expect(old.contains("What if catalog 1 ruled for all customers"))
            #expect(old.contains("customers would differ"))
            let unknown = try await page.get("/apps/nuzzle/catalog/7/changes")
            #expect(unknown.status == 404 && unknown.text.contains("unknown_version"))
            let key = try bench.key(.analyst, app: "nuzzle")
            let reply = try await bench.get("/v1/nuzzle/catalogs/newest/difference?from=1", [key])
            #expect(reply.json["changes"]?.array?.count == 1, "\(reply.text)")
            let missing = try await bench.get("/v1/nuzzle/catalogs/2/difference", [key])
            #expect(missing.status == 422 && missing.text.contains("is missing"))
        }
    }

    @Test("A customer without an event has what the library says")
    func without() async throws {
        try await Content.serving("nuzzle") { bench, page, _ in
            let ledger = try Ledger.open(
                bench.path("nuzzle"), readOnly: true, clock: { Content.now })
            defer { try? ledger.close() }
            var count = 0
            for entry in try ledger.history(of: "u_3090") {
                let event = entry.event
                let text = try await page.get("/apps/nuzzle/events/\(event.position)").text
                let link = try #require(
                    text.firstMatch(of: /href="([^"#]*without=[^"#]*)#what-if"/),
                    "\(event.position)"
                ).1
                let shown = try await page.whole(String(link).replacing("&amp;", with: "&"))
                let key = try #require(event.draft.source.key)
                let report = try ledger.whatIf(
                    WhatIf(drops: [
                        .init(
                            source: event.draft.source.kind, key: key,
                            environment: event.draft.environment)
                    ]), topCountMax: 100, workers: 1)
                for customer in report.top {
                    for sentence in customer.sentences {
                        #expect(shown.contains(Markup.escaped(sentence)), "\(sentence)")
                        count += 1
                    }
                }
            }
            #expect(count > 0)
        }
    }

    @Test("Beside a customer events are put in and another catalog is tried, upon them alone")
    func panel() async throws {
        try await Content.serving("nuzzle") { bench, page, _ in
            let writer = try Ledger.open(bench.path("nuzzle"), clock: { Content.now })
            try await writer.publish(
                CatalogPublication(
                    document: Array(try Self.stricter().utf8), effectiveAt: Content.now))
            defer { try? writer.close() }
            let own = "/apps/nuzzle/customers/u_3090"
            let history = try writer.history(of: "u_3090")
            let use = try #require(history.last).event
            let text = try await page.get("\(own)?what_if=open").text
            #expect(text.contains("without=\(use.position)#what-if"))
            #expect(text.contains("like=\(use.position)#what-if"))
            let like = try await page.get("\(own)?like=\(use.position)").text
            #expect(like.contains("what-if/\(use.position)"))

            var more = use.draft
            more.source.key = "one-more"
            var json = EventJSON.object(of: use)
            json["source"] = ["kind": .string(more.source.kind), "key": "one-more"]
            let given = ["position", "recorded_at", "version"]
            json = JSONObject(json.members.filter { !given.contains($0.name) })
            let reply = try await page.post(
                own + "/what-if",
                [
                    "form_token": try await page.formToken("\(own)?what_if=open"),
                    "events": JSONValue.object(json).canonicalText + "\r\n", "rules": "1",
                    "without": "\(history[0].event.position)",
                ])
            #expect(reply.status == 303, "\(reply.text)")
            let shown = try await page.whole(
                String(try #require(reply.headers["location"]).prefix { $0 != "#" }))
            let report = try writer.whatIf(
                WhatIf(
                    catalog: try writer.catalogDocument(version: 1).document,
                    drops: [
                        .init(
                            source: history[0].event.draft.source.kind,
                            key: history[0].event.draft.source.key ?? "", environment: .production)
                    ], inserts: [more]), of: "u_3090", topCountMax: 100)
            let sentences = report.top.flatMap(\.sentences)
            #expect(!sentences.isEmpty)
            for sentence in sentences { #expect(shown.contains(Markup.escaped(sentence))) }
            #expect(shown.contains("--subject u_3090 --drop") && shown.contains("--catalog"))
            #expect(try writer.history(of: "u_3090").count == history.count)

            let taken = try await page.post(
                own + "/what-if",
                [
                    "form_token": try await page.formToken("\(own)?what_if=open"),
                    "events": "{\"type\":1}",
                ])
            let refused = try await page.ended(
                String(try #require(taken.headers["location"]).prefix { $0 != "#" }))
            #expect(refused.status == 422)
            for sentence in sentences {
                #expect(!refused.text.contains(Markup.escaped(sentence)), "Nothing was tried")
            }
            #expect(refused.text.contains("id=\"what-if\"") && refused.text.contains("line 1"))
            for (query, code) in [
                ("with=nothing", "unknown_draft"), ("without=a", "bad_position"),
                ("without=999999", "unknown_event"), ("rules=x", "unknown_version"),
                ("rules=77", "unknown_version"),
            ] {
                let wrong = try await page.ended("\(own)?\(query)")
                #expect(wrong.text.contains(code), "\(query) \(wrong.status)")
                #expect(wrong.text.contains("id=\"what-if\""), "The page stays: \(query)")
            }
            let foreign = try await page.post(own + "/what-if", ["events": "x"])
            #expect(foreign.status == 403)
        }
    }

    @Test(
        "Outside production a state is pretended and ended again; in production it is not offered")
    func pretend() async throws {
        try await ServerBench.serving(["nuzzle"]) { bench in
            let line = """
                {"type":"app.launched","v":1,"subject":"ada","environment":"sandbox","occurred_at":\
                \(Fixtures.now - 1_000),"source":{"kind":"native","key":"l"},"trust":"imported","data":{}}
                """
            let recorded = try await bench.client.send(
                .POST, "/v1/nuzzle/events", headers: [try bench.key(.store, app: "nuzzle")],
                body: Array(line.utf8))
            try #require(recorded.status == 200, "\(recorded.text)")
            let page = try await PageClient.signedIn(bench, .support, .admin, app: "nuzzle")
            let own = "/apps/nuzzle/customers/ada"
            let text = try await page.get(own + "?environment=sandbox").text
            #expect(text.contains("actions/pretend?environment=sandbox"))
            let path = own + "/actions/pretend"
            let fields = [
                "form_token": try await page.formToken(path + "?environment=sandbox"),
                "kind": "force_entitlement", "value": "pro", "actor": "kim", "reason": "to try",
                "key": "k-1", "environment": "sandbox",
            ]
            let tried = try await page.post(path, fields.merging(["step": "try"]) { $1 })
            #expect(tried.status == 200 && tried.text.contains("What it would change"))
            let done = try await page.post(path, fields.merging(["step": "do"]) { $1 })
            #expect(done.status == 303, "\(done.text)")
            let after = try await page.get(try #require(done.headers["location"])).text
            #expect(after.contains("Take it back") && after.contains("actions/stop-pretending"))
            let fresh = try Ledger.open(
                bench.path("nuzzle"), readOnly: true, clock: { Fixtures.now })
            let held = try fresh.status(of: "ada", environment: .sandbox).status.entitlements
            try fresh.close()
            #expect(held.first { $0.name == "pro" }?.isActive == true)
            let row = /✓<span class="hidden">yes<\/span><\/span><\/td><td><a href="[^"]*">pro<\/a>/
            #expect(after.firstMatch(of: row) != nil)
            let production = try await page.post(
                path, fields.merging(["step": "do", "environment": "production"]) { $1 })
            #expect(production.text.contains("override_forbidden"))
        }
    }

    @Test("A dead letter is tried again and dismissed by an admin alone")
    func deadLetters() async throws {
        try await ServerBench.serving { bench in
            let ledger = try Ledger.open(bench.path(), clock: { Fixtures.now })
            _ = try await ledger.ingestRevenueCat(Array("{\"event\":1}".utf8))
            let letter = try #require(try ledger.deadLetters().first)
            let support = try await PageClient.signedIn(bench, .support)
            #expect(!(try await support.get("/apps/dozzi/ledger").text.contains("Try again")))
            let page = try await PageClient.signedIn(bench, .admin)
            let text = try await page.get("/apps/dozzi/ledger").text
            #expect(text.contains("Try again") && text.contains("events in the last hour"))
            let path = "/apps/dozzi/ledger/dead-letters/\(letter.position)"
            let token = try await page.formToken("/apps/dozzi/ledger")
            let own = try await support.formToken("/apps/dozzi/ledger")
            let forbidden = try await support.post(path, ["form_token": own, "step": "retry"])
            #expect(forbidden.status == 403)
            let again = try await page.post(path, ["form_token": token, "step": "retry"])
            let told = try await page.get(try #require(again.headers["location"])).text
            #expect(told.contains("It was refused again"))
            let bare = try await page.post(path, ["form_token": token, "step": "dismiss"])
            #expect(bare.status == 422, "\(bare.text)")
            let dismissed = try await page.post(
                path, ["form_token": token, "step": "dismiss", "reason": "another app's"])
            #expect(dismissed.status == 303)
            #expect(try ledger.deadLetters().first?.dismissal?.reason == "another app's")
            try ledger.close()
            let none = try await page.post(
                "/apps/dozzi/ledger/dead-letters/999", ["form_token": token, "step": "retry"])
            #expect(none.status == 404 && none.text.contains("unknown_dead_letter"))
        }
    }

    @Test("A ledger is verified and looked over by its pages, for admins alone")
    func checks() async throws {
        try await Content.serving("dozzi") { bench, page, _ in
            let text = try await page.whole("/apps/dozzi/ledger/verify")
            let ledger = try Ledger.open(
                bench.path("dozzi"), readOnly: true, clock: { Content.now })
            defer { try? ledger.close() }
            for finding in try ledger.verify() {
                #expect(text.contains(Markup.escaped(finding.check)), "\(finding.check)")
                #expect(text.contains(Markup.escaped(finding.detail)), "\(finding.detail)")
            }
            #expect(!text.contains("not clean"))
            let doctor = try await page.whole("/apps/dozzi/ledger/doctor")
            #expect(doctor.contains("schema version"))
            let none = try await page.get("/apps/dozzi/ledger/nothing")
            #expect(none.status == 404 && none.text.contains("unknown_check"))
            let support = try await PageClient.signedIn(bench, .support, app: "dozzi")
            #expect(try await support.get("/apps/dozzi/ledger/verify").status == 403)
        }
    }
}
