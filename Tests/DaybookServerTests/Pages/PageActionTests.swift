import Daybook
import DaybookDashboard
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookServer
import Testing

@Suite("What support does through pages")
struct PageActionTests {
    private static let customer = "/apps/dozzi/customers/ada"

    /// Serves Dozzi with a customer who has used up the free stories.
    private static func serving(
        _ body: @escaping @Sendable (ServerBench, PageClient) async throws -> Void
    ) async throws {
        try await ServerBench.serving { bench in
            let ledger = try Ledger.open(bench.path(), clock: { Fixtures.now })
            for ref in ["one", "two"] {
                try await ledger.perform(
                    CommandRequest(
                        .consume(meter: "stories", amount: 1, ref: ref), subject: "ada"))
            }
            try ledger.close()
            try await body(bench, try await PageClient.signedIn(bench, .support))
        }
    }

    private static func asking<Answer>(
        _ bench: ServerBench, _ body: (Ledger) throws -> Answer
    ) throws -> Answer {
        let ledger = try Ledger.open(bench.path(), readOnly: true, clock: { Fixtures.now })
        defer { try? ledger.close() }
        return try body(ledger)
    }

    /// What a form has, as a browser would send it.
    private static func fields(
        _ page: PageClient, _ path: String, _ values: [String: String]
    ) async throws -> [String: String] {
        let text = try await page.get(path).text
        var fields = values
        for match in text.matches(of: /<input type="hidden" name="([a-z_]+)" value="([^"]*)">/)
        where fields[String(match.1)] == nil {
            fields[String(match.1)] = String(match.2)
        }
        return fields
    }

    @Test(
        "A grant is tried, done once however often it is sent, told with actor and reason, and taken back"
    )
    func grant() async throws {
        try await Self.serving { bench, page in
            let path = Self.customer + "/actions/grant"
            #expect(try await page.get(Self.customer).text.contains(path))
            var fields = try await Self.fields(
                page, path,
                [
                    "target": "meter stories", "amount": "3", "actor": "kim",
                    "reason": "story came out <empty>", "ticket": "SUP-77", "step": "try",
                ])
            let before = try Self.asking(bench) { try $0.head().position }
            let tried = try await page.post(path, fields)
            #expect(tried.status == 200 && tried.text.contains("What it would change"))
            #expect(tried.text.contains("meters.stories.remaining"), "\(tried.text)")
            #expect(tried.text.contains("story came out &lt;empty&gt;"))
            #expect(try Self.asking(bench) { try $0.head().position } == before)

            fields["step"] = "do"
            let done = try await page.post(path, fields)
            #expect(done.status == 303, "\(done.text)")
            let again = try await page.post(path, fields)
            #expect(again.headers["location"] == done.headers["location"])
            let events = try Self.asking(bench) { ledger in
                try ledger.history(of: "ada").filter { $0.event.draft.type == .grantIssued }
            }
            #expect(events.count == 1)
            let event = try #require(events.first?.event)
            #expect(event.draft.extras["actor"] == "kim")
            #expect(event.draft.extras["reason"] == "story came out <empty>")
            #expect(event.draft.extras["ticket"] == "SUP-77")
            #expect(try Self.asking(bench) { try $0.check("stories", for: "ada").allowed })

            let shown = try await page.get(try #require(done.headers["location"])).text
            #expect(shown.contains("<b>Recorded</b>"))
            let undo = try #require(
                shown.firstMatch(of: /href="([^"]*void-grant[^"]*)">Take it back/))
            let undoPath = String(undo.1).replacing("&amp;", with: "&")
            var back = try await Self.fields(
                page, undoPath, ["actor": "kim", "reason": "was a mistake", "step": "do"])
            back["grant"] = event.draft.data["grant_id"]?.text
            let undone = try await page.post(Self.customer + "/actions/void-grant", back)
            #expect(undone.status == 303, "\(undone.text)")
            #expect(try Self.asking(bench) { try !$0.check("stories", for: "ada").allowed })
        }
    }

    @Test("An event is voided from its page, and what it had used is free again")
    func void() async throws {
        try await Self.serving { bench, page in
            let position = try #require(
                try Self.asking(bench) { ledger in
                    try ledger.history(of: "ada").last {
                        $0.event.draft.type == .usageRecorded
                    }?.event.position
                })
            let event = try await page.get("/apps/dozzi/events/\(position)").text
            let link = try #require(event.firstMatch(of: /href="([^"]*void-event[^"]*)"/))
            let path = String(link.1).replacing("&amp;", with: "&")
            let form = try await page.get(path).text
            var fields = try await Self.fields(
                page, path, ["actor": "kim", "reason": "counted twice", "step": "do"])
            for name in ["source", "event"] {
                let value = try #require(
                    form.firstMatch(of: try Regex("name=\"\(name)\" value=\"([^\"]*)\"")))
                fields[name] = value.output[1].substring.map(String.init)
            }
            let done = try await page.post(Self.customer + "/actions/void-event", fields)
            #expect(done.status == 303, "\(done.text)")
            #expect(try Self.asking(bench) { try $0.check("stories", for: "ada").allowed })
        }
    }

    @Test(
        "What is missing or wrong is told on the form, which keeps what was written",
        arguments: [
            ("reason", "", "“reason” is empty"), ("actor", "", "“actor” is empty"),
            ("amount", "three", "write a number above 0"), ("amount", "-1", "above 0"),
            ("target", "meter storys", "storys"), ("target", "", "“target” is empty"),
            ("target", "planet mars", "choose one of the list"),
            ("expires", "soon", "soon is no time"), ("kind", "because", "because"),
        ])
    func mistakes(name: String, value: String, message: String) async throws {
        try await Self.serving { bench, page in
            let path = Self.customer + "/actions/grant"
            let before = try Self.asking(bench) { try $0.head().position }
            for step in ["try", "do"] {
                var values = [
                    "target": "meter stories", "amount": "3", "actor": "kim", "reason": "sorry",
                    "ticket": "SUP-\(step)", "step": step,
                ]
                values[name] = value
                let reply = try await page.post(
                    path, try await Self.fields(page, path, values))
                #expect(reply.status >= 400 && reply.status < 500, "\(step): \(reply.status)")
                #expect(reply.text.contains(message), "\(step): \(reply.text)")
                #expect(reply.text.contains("value=\"SUP-\(step)\""))
                if message.contains("above 0") { #expect(reply.text.contains("bad_field")) }
            }
            #expect(try Self.asking(bench) { try $0.head().position } == before)
        }
    }

    @Test("Without the form's token, from another site, or without the scope nothing is done")
    func forgery() async throws {
        try await Self.serving { bench, page in
            let path = Self.customer + "/actions/grant"
            var fields = try await Self.fields(
                page, path,
                [
                    "target": "meter stories", "amount": "3", "actor": "kim", "reason": "sorry",
                    "step": "do",
                ])
            let before = try Self.asking(bench) { try $0.head().position }
            let foreign = try await page.post(path, fields, [("sec-fetch-site", "cross-site")])
            #expect(foreign.status == 403)
            let analyst = try await PageClient.signedIn(bench, .analyst)
            let refused = try await analyst.post(path, fields)
            #expect(refused.status == 403)
            let form = try await analyst.get(path)
            #expect(form.status == 403)
            let stranger = PageClient(bench.client)
            let unknown = try await stranger.post(path, fields)
            #expect(unknown.status == 401)
            fields["form_token"] = nil
            let stale = try await page.post(path, fields)
            #expect(stale.status == 403 && stale.text.contains("stale_form"))
            #expect(try Self.asking(bench) { try $0.head().position } == before)
            let none = try await page.get(Self.customer + "/actions/delete")
            #expect(none.status == 404 && none.text.contains("unknown_action"))
        }
    }
}
