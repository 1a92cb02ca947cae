import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookServer
import Foundation
import Synchronization
import Testing

/// Requirements of the five apps that are asked over HTTP.
@Suite("What the apps ask of a server")
struct ServedRowTests {
    private static func path(_ app: String, _ rest: String = "") -> String {
        "/v1/\(app)/customers/ada" + rest
    }

    @Test("DZ-26 The paywall's route has the document's words, benefits with icons and trust lines")
    func paywall() async throws {
        try await ServerBench.serving { bench in
            let reply = try await bench.get("/v1/dozzi/paywalls/usageLimitReached")
            #expect(reply.status == 200, "\(reply.text)")
            for words in [
                "Unlock Unlimited Stories", "Maybe Later", "Hi! I'm Dozzi!",
                "I can create unlimited magical bedtime stories just for your little one",
                "What you'll get:", "Create as many personalized stories as you want",
                "High-quality, age-appropriate narration",
                "Every story features your child as the hero",
                "Stories generated on-device, no data shared", "One-time purchase",
                "Restore Purchases", "✨ Join thousands of happy families",
                "No subscriptions • No recurring charges • No ads",
            ] {
                #expect(reply.text.contains(words), "\(words)")
            }
            let tag = try #require(reply.headers["etag"])
            let again = try await bench.get(
                "/v1/dozzi/paywalls/usageLimitReached",
                [bench.key(.store), ("if-none-match", tag)])
            #expect(again.status == 304)
        }
    }

    @Test(
        "DZ-45 MS-61 A status that was seen is stale after a use, and after the month's end alone")
    func staleTag() async throws {
        let clock = Mutex(try Self.milliseconds("2026-03-31T23:59:59Z"))
        try await ServerBench.serving(
            ["magical-stories"], clock: { clock.withLock { $0 } }
        ) { bench in
            let app = "magical-stories"
            let key = try bench.key(.store, app: app)
            func status(_ tag: String?) async throws -> HTTPReply {
                try await bench.get(
                    Self.path(app, "/status"), [key] + (tag.map { [("if-none-match", $0)] } ?? []))
            }
            let new = try await status(nil)
            let used = try await bench.post(
                Self.path(app, "/consume"), ["meter": "stories", "ref": "moon"], [key])
            #expect(used.status == 200, "\(used.text)")
            let first = try await status(new.headers["etag"])
            #expect(first.status == 200)
            // The same a moment later is the same.
            clock.withLock { $0 += 500 }
            let same = try await status(first.headers["etag"])
            #expect(same.status == 304)
            // Nothing is recorded, and yet April has other numbers.
            clock.withLock { $0 += 500 }
            let april = try await status(first.headers["etag"])
            #expect(april.status == 200)
            func count(_ reply: HTTPReply) -> JSONValue? {
                reply.json["meters"]?.object?["stories"]?.object?["used"]
            }
            #expect(count(first) == 1 && count(april) == 0, "\(april.text)")
        }
    }

    private static func milliseconds(_ text: String) throws -> Int64 {
        Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970 * 1_000)
    }

    @Test("MS-62 FR-29 A client who follows its customer is told of a change, and sees it at once")
    func following() async throws {
        let app = "fork-in-the-road"
        try await ServerBench.serving([app]) { bench in
            let key = try bench.key(.store, app: app)
            let place = try await bench.get("/v1/\(app)/place", [key]).json["place"]?.text ?? ""
            let told = Mutex<[String]>([])
            let status = try await bench.client.stream(
                Self.path(app, "/changes?after=\(place)"),
                headers: [key, ("accept", "text/event-stream")]
            ) { line in
                // The stream has begun: from here on every change is one to be told of.
                if line.hasPrefix("event: place") {
                    let given = try await bench.post(
                        Self.path(app, "/grants"),
                        ["entitlement": "premium", "id": "gift"], [key])
                    #expect(given.status == 200, "\(given.text)")
                }
                guard line.hasPrefix("data: "),
                    let event = try JSONReader.read(Array(line.utf8.dropFirst(6))).object,
                    event["type"] == "grant.issued", let seen = event["place"]?.text
                else { return true }
                told.withLock { $0.append(seen) }
                let now = try await bench.get(
                    Self.path(app, "/checks/adFree?min_position=\(seen)"), [key])
                #expect(now.json["allowed"] == true, "\(now.text)")
                return false
            }
            #expect(status == 200)
            #expect(told.withLock { $0.count } == 1)
        }
    }

    @Test("OL-09 A purchase that serves one dog is refused to the second with 409, and stays")
    func secondDog() async throws {
        try await ServerBench.serving(["ollie"]) { bench in
            let key = try bench.key(.store, app: "ollie")
            for dog in ["rex", "bo"] {
                let made = try await bench.post(
                    Self.path("ollie", "/profiles"),
                    ["profile": .string(dog), "kind": "puppy"], [key])
                #expect(made.status == 200, "\(made.text)")
            }
            let purchase: JSONObject = [
                "type": "purchase.completed", "v": 1, "subject": "ada",
                "occurred_at": .integer(Fixtures.now), "trust": "verified",
                "source": ["kind": "apple", "key": "buy-1"],
                "data": [
                    "product": .string(try Self.product(of: "ollie")), "kind": "non_consumable",
                    "transaction_id": "2000001", "price_milli": 19_000, "currency": "EUR",
                ],
            ]
            let recorded = try await bench.post("/v1/ollie/events", purchase, [key])
            #expect(recorded.status == 200, "\(recorded.text)")
            func assign(_ dog: String) async throws -> HTTPReply {
                try await bench.post(
                    Self.path("ollie", "/assign"),
                    ["transaction": "2000001", "profile": .string(dog)], [key])
            }
            let first = try await assign("rex")
            #expect(first.status == 200, "\(first.text)")
            let second = try await assign("bo")
            #expect(second.status == 409, "\(second.text)")
            #expect(second.code == "transaction_already_assigned", "\(second.text)")
            let history = try await bench.get(
                Self.path("ollie", "/history"), [bench.key(.support, app: "ollie")])
            let types = (history.json["events"]?.array ?? []).map { $0.object?["type"] }
            #expect(types.contains("assignment.conflict"))
        }
    }

    /// The product that the app's catalog names first.
    private static func product(of app: String) throws -> String {
        let catalog = String(decoding: try Fixtures.catalogDocument(app), as: UTF8.self)
        let products = try #require(catalog.components(separatedBy: "\nproducts:\n").last)
        return String(try #require(products.firstMatch(of: /(com\.[A-Za-z0-9._]+)/)).1)
    }

    @Test("OL-31 The review notes come with the products, as the document has them")
    func reviewNotes() async throws {
        try await ServerBench.serving(["ollie"]) { bench in
            let reply = try await bench.get(
                "/v1/ollie/products", [bench.key(.analyst, app: "ollie")])
            #expect(reply.status == 200, "\(reply.text)")
            let notes = try #require(
                reply.json["metadata"]?.object?["reviewNotes"]?.text, "\(reply.text)")
            let catalog = String(
                decoding: try Fixtures.catalogDocument("ollie"), as: UTF8.self)
            let flat = catalog.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(
                flat.contains(notes.split(whereSeparator: \.isWhitespace).joined(separator: " ")))
        }
    }

    @Test("FR-16 An app that says that it was launched is told the status in the same answer")
    func launched() async throws {
        let app = "fork-in-the-road"
        try await ServerBench.serving([app]) { bench in
            let key = try bench.key(.store, app: app)
            func launch(_ key: String, _ subject: String = "ada") -> JSONObject {
                [
                    "type": "app.launched", "subject": .string(subject),
                    "occurred_at": .integer(Fixtures.now), "source": ["key": .string(key)],
                ]
            }
            let reply = try await bench.post("/v1/\(app)/events?status=true", launch("l-1"), [key])
            #expect(reply.status == 200, "\(reply.text)")
            let status = try await bench.get(Self.path(app, "/status"), [key])
            var (told, asked) = (reply.json["status"]?.object, status.json)
            told?["as_of"] = nil
            asked["as_of"] = nil
            #expect(told == asked)
            // Of whom the status would be, is not said.
            let two = launch("l-2").canonicalBytes + [0x0A] + launch("l-3", "bob").canonicalBytes
            let refused = try await bench.client.send(
                .POST, "/v1/\(app)/events?status=true", headers: [key], body: two)
            #expect(refused.status == 422 && refused.code == "one_customer", "\(refused.text)")
            let without = try await bench.post("/v1/\(app)/events", launch("l-4"), [key])
            #expect(without.status == 200 && without.json["status"] == nil)
        }
    }

    @Test("FR-27 Usage lists every meter with what was used, the limit and what is left")
    func usage() async throws {
        let app = "fork-in-the-road"
        try await ServerBench.serving([app]) { bench in
            let key = try bench.key(.store, app: app)
            let reply = try await bench.get(Self.path(app, "/usage"), [key])
            let meters = try #require(reply.json["meters"]?.object)
            let ledger = try Ledger.open(bench.path(app), readOnly: true, clock: { Fixtures.now })
            let known = try #require(try ledger.catalogs().newest?.catalog)
            #expect(Set(meters.members.map(\.name)) == Set(known.meters.map(\.name)))
            try ledger.close()
            for meter in meters.members {
                let names = Set((meter.value.object?.members ?? []).map(\.name))
                #expect(names.isSuperset(of: ["used", "limit", "remaining"]), "\(meter.name)")
            }
        }
    }

    @Test("NZ-17 Forced Pro holds in the sandbox until it is cleared; production answers 403")
    func override() async throws {
        try await ServerBench.serving(["nuzzle"]) { bench in
            let key = try bench.key(.store, app: "nuzzle")
            func override(_ environment: String) async throws -> HTTPReply {
                try await bench.post(
                    Self.path("nuzzle", "/overrides"),
                    [
                        "kind": "force_entitlement", "value": "pro",
                        "environment": .string(environment),
                    ], [key])
            }
            func status() async throws -> JSONValue? {
                try await bench.get(Self.path("nuzzle", "/status?environment=sandbox"), [key])
                    .json["entitlements"]?.object?["pro"]?.object?["active"]
            }
            let refused = try await override("production")
            #expect(
                refused.status == 403 && refused.code == "override_forbidden", "\(refused.text)")
            #expect(try await status() == false)
            let forced = try await override("sandbox")
            #expect(forced.status == 200, "\(forced.text)")
            #expect(try await status() == true)
            let cleared = try await bench.post(
                Self.path("nuzzle", "/overrides/clear"), ["environment": "sandbox"], [key])
            #expect(cleared.status == 200, "\(cleared.text)")
            #expect(try await status() == false)
        }
    }

    @Test("NZ-23 X-15 What fails says by a stable key why, and whether and when to try again")
    func retries() async throws {
        try await ServerBench.serving(["nuzzle"]) { bench in
            let key = try bench.key(.store, app: "nuzzle")
            let purchase = try await bench.post(
                Self.path("nuzzle", "/transactions"), ["signed": ["a.b.c"]], [key])
            #expect(purchase.code == "not_configured" && purchase.status == 503)
            #expect(purchase.json["retryable"] == true, "\(purchase.text)")
            let after = try #require(purchase.json["retry_after_ms"]?.integer)
            #expect(purchase.headers["retry-after"] == "\(after / 1_000)")
            let final = try await bench.post(
                Self.path("nuzzle", "/redeem"), ["code": "none"], [key])
            #expect(final.code == "unknown_code" && final.json["retryable"] == false)
            #expect(final.json["retry_after_ms"] == .null, "\(final.text)")
            #expect(final.headers["retry-after"] == nil)
        }
    }
}
