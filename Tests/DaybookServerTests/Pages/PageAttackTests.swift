import Daybook
import DaybookDashboard
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookServer
import Testing

/// What customers, stores and catalogs may send to run in the browser of the person who looks at them.
@Suite("Attacks on pages")
struct PageAttackTests {
    /// Each would run where it stands in a text, in an attribute or in a drawing, if it came through as it is.
    private static let attacks = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'><svg onload=alert(1)>",
        "\"\u{301} onmouseover=alert(1) x=\"\u{301}", "<\u{338}script>", "{{form_token}}{{{svg}}}",
        "</title></svg><script>alert(1)</script>", "javascript:alert(1)", "&lt;script&gt;",
    ]

    /// Fails where markup of an attack is in a page.
    private static func expectHarmless(_ text: String, _ path: String) {
        let page = text.replacing(
            /<script type="module" src="\/assets\/page\.js\?v=[0-9a-f]+"><\/script>/, with: "")
        for mark in ["<script", "<img", "onerror=", "onload=", "<\u{338}"] {
            // Its words may be shown; what makes them markup may not come with them.
            for range in page.ranges(of: mark) where mark.hasPrefix("<") {
                Issue.record("\(path): \(page[range.lowerBound...].prefix(60))")
            }
        }
        for match in page.unicodeScalarAttributes {
            #expect(
                !match.hasPrefix("onmouseover") && !match.hasPrefix("onerror"), "\(path): \(match)")
        }
    }

    @Test("Scripts in every text of an event are shown as texts", arguments: attacks)
    func events(attack: String) async throws {
        try await ServerBench.serving { bench in
            let ledger = try Ledger.open(bench.path(), clock: { Fixtures.now })
            let subject = "c" + attack
            try await ledger.record([
                EventDraft(
                    type: .featureUsed, subject: subject,
                    occurredAt: Fixtures.now - 1_000,
                    source: EventSource(kind: "native", key: attack),
                    trust: .imported, data: ["feature": .string(attack), "note": .string(attack)],
                    extras: ["correlation": .string(attack)])
            ])
            try await ledger.perform(
                CommandRequest(
                    .issueGrant(.init(id: attack, target: .meter("stories"), amount: 3)),
                    subject: subject, key: "g" + attack, actor: attack, reason: attack,
                    ticket: attack))
            try await ledger.perform(
                CommandRequest(
                    .consume(meter: "stories", amount: 1, ref: attack), subject: subject))
            let authority = try SandboxAuthority(
                seed: Array("pages".utf8), from: 0, until: Fixtures.now + 1_000)
            let verifier = AppStoreVerifier(
                identity: AppStoreIdentity(bundleIDs: ["com.dozzi.app"], environment: .test),
                roots: try AppStoreRoots(der: [authority.root]))
            let payload: JSONObject = ["signedPayload": .string(attack), "note": .string(attack)]
            _ = try await ledger.ingest(payload.canonicalBytes, by: verifier)
            #expect(try ledger.deadLetters().count == 1)
            let head = try ledger.head().position
            try ledger.close()
            let page = try await PageClient.signedIn(bench, .admin)
            let own = "/apps/dozzi/customers/\(Link.encoded(subject))"
            var paths = [
                own, own + "?name=stories", own + "/timeline", own + "/explain/stories",
                "/apps/dozzi", "/apps/dozzi/ledger", "/apps/dozzi/customers",
                "/apps/dozzi/customers?q=\(Link.encoded(attack))",
                own + "?name=\(Link.encoded(attack))", own + "?profile=\(Link.encoded(attack))",
                own + "?at=\(Link.encoded(attack))", "/apps/\(Link.encoded(attack))",
                "/apps/dozzi/metrics/\(Link.encoded(attack))", "/\(Link.encoded(attack))",
                "/apps/dozzi/customers/\(Link.encoded("x" + attack))",
                "/sign-in?next=\(Link.encoded(attack))", own + "?\(Link.encoded(attack))=1",
            ]
            paths += (2...head).map { "/apps/dozzi/events/\($0)" }
            for path in paths {
                let reply = try await page.get(path, [("accept", "text/html")])
                #expect(reply.status < 500, "\(path)")
                Self.expectHarmless(reply.text, path)
            }
            // It is there, as a text.
            #expect(try await page.get(own).text.contains(Markup.escaped(subject)))
        }
    }

    @Test("Scripts in the texts of a catalog are shown as texts")
    func catalogs() async throws {
        let script = "<script>alert(1)</script>"
        try await ServerBench.serving(
            replacing: ["Unlock Unlimited Stories": script, "Stories": "S" + script]
        ) { bench in
            let page = try await PageClient.signedIn(bench, .admin)
            let text = try await page.get("/apps/dozzi/catalog").text
            Self.expectHarmless(text, "catalog")
        }
    }

    @Test("Files of the machine and templates are no assets")
    func paths() async throws {
        try await ServerBench.serving { bench in
            let page = PageClient(bench.client)
            let style = try await page.get("/assets/style.css")
            #expect(style.status == 200)
            for name in [
                "page.mustache", "..", "../server.sqlite", "%2e%2e%2fserver.sqlite",
                "..%2F..%2Fetc%2Fpasswd", "style.css%2F", "STYLE.CSS",
                "%2Fetc%2Fpasswd",
            ] {
                let reply = try await page.get("/assets/\(name)")
                #expect(reply.status == 404, "\(name)")
            }
        }
    }
}

extension String {
    /// The attributes that a browser would find: by scalars, as it reads.
    fileprivate var unicodeScalarAttributes: [String] {
        var found: [String] = []
        var isTag = false
        var quote: Unicode.Scalar?
        var name = ""
        for scalar in unicodeScalars {
            if let open = quote {
                if scalar == open { quote = nil }
            } else if isTag {
                switch scalar {
                case "\"", "'": quote = scalar
                case ">":
                    isTag = false
                    found.append(name)
                case " ", "\n", "/", "=":
                    found.append(name)
                    name = ""
                default: name.unicodeScalars.append(scalar)
                }
            } else if scalar == "<" {
                isTag = true
                name = ""
            }
        }
        return found
    }
}
