import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookServer
import Foundation
import NIOHTTP1
import Synchronization
import Testing

/// What a customer with a modified app would try. The key is in every copy of the app, the token is their own.
@Suite("Clients that serve themselves")
struct ClientAbuseTests {
    private static let now = Fixtures.now

    private static func event(
        _ type: String, _ data: JSONObject, at instant: Int64 = now, key: String = "k",
        subject: String = "mallory"
    ) -> JSONObject {
        [
            "type": .string(type), "subject": .string(subject), "occurred_at": .integer(instant),
            "source": ["kind": "native", "key": .string(key)], "trust": "client_asserted",
            "data": .object(data),
        ]
    }

    /// By type: what it would be worth to who makes it up.
    private static let forged: [JSONObject] = [
        // Another's purchase, by naming oneself first.
        event(
            "store.transaction_stated",
            [
                "product": "com.dozzi.unlimited_stories", "transaction_id": "2000000001",
                "original_transaction_id": "2000000001", "starts_at": 0,
            ], at: 0),
        event("refund.requested", ["transaction_id": "2000000001"], at: 0),
        event(
            "subscription.expired",
            [
                "original_transaction_id": "2000000001", "ended_at": .integer(now),
                "reason": "voluntary",
            ], at: 0),
        // Grace without end.
        event(
            "store.renewal_stated",
            [
                "original_transaction_id": "2000000001", "auto_renew": true,
                "in_billing_retry": true, "grace_expires_at": 253_402_300_799_999,
            ]),
        // A free period that begins anew.
        event(
            "profile.created",
            ["profile": "rex", "kind": "puppy", "free_started_at": .integer(now)], at: now - 1),
        // Units that something else paid for, or that count long ago.
        event("usage.recorded", ["meter": "stories", "amount": 1, "covered_by": "premium"]),
        event("usage.recorded", ["meter": "stories", "amount": 1], at: 0),
        // Periods that begin when it suits.
        event("subject.created", ["first_seen_at": 0], at: 0),
        event("subject.tz_changed", ["tz": "Pacific/Kiritimati"], at: 0),
        event("consent.given", [:]),
        event("experiment.exposed", ["experiment": "e", "variant": "b"]),
        event("grant.issued", ["id": "g", "meter": "stories", "amount": 100]),
    ]

    @Test("Nothing that access, units or ownership depend on comes from a client's word")
    func forgedEvents() async throws {
        try await ServerBench.serving { bench in
            let client = try bench.client("mallory")
            for event in Self.forged {
                let reply = try await bench.post("/v1/dozzi/events", event, client)
                #expect(reply.status >= 403 && reply.status <= 422, "\(event): \(reply.text)")
                #expect(
                    ["type_for_servers", "forbidden", "too_late"].contains(reply.code),
                    "\(event): \(reply.text)")
            }
            let end = try await bench.get("/v1/dozzi/place").json["position"]
            #expect(end == 1)
        }
    }

    @Test(
        "What its screens saw a client may tell, of its own customer, lately, and no person's name")
    func screens() async throws {
        try await ServerBench.serving { bench in
            let client = try bench.client("mallory")
            @Sendable func post(_ events: [JSONObject]) async throws -> HTTPReply {
                try await bench.client.send(
                    .POST, "/v1/dozzi/events", headers: client,
                    body: Array(events.map(\.canonicalBytes).joined(separator: [0x0A])))
            }
            let shown = Self.event("paywall.shown", ["context": "usageLimitReached"])
            let taken = try await post([shown])
            #expect(taken.status == 200 && taken.json["appended"] == 1, "\(taken.text)")
            let old = try await post([
                Self.event("app.launched", [:], at: Self.now - 8 * 86_400_000, key: "old")
            ])
            #expect(old.status == 403 && old.code == "too_late")
            let ahead = try await post([
                Self.event("app.launched", [:], at: 253_402_300_799_000, key: "ahead")
            ])
            #expect(ahead.status == 403 && ahead.code == "too_early")
            // By the app's own names: a screen, and a use in disguise.
            var own = Self.event("paywallShown", ["context": "usageLimitReached"], key: "own")
            let named = try await post([own])
            #expect(named.status == 200, "\(named.text)")
            own["type"] = "storyCreatedPremium"
            let disguised = try await post([own])
            #expect(disguised.status == 403 && disguised.code == "type_for_servers")
            let used = try await bench.post(
                "/v1/dozzi/customers/mallory/consume",
                ["meter": "stories", "client_at": .integer(Self.now - 8 * 86_400_000)], client)
            #expect(used.status == 403 && used.code == "too_late", "\(used.text)")
            let other = try await post([Self.event("app.launched", [:], subject: "ada")])
            #expect(other.status == 403 && other.code == "other_customer")
            var person = Self.event("app.launched", [:], key: "p")
            person["actor"] = "kim"
            let personal = try await post([person])
            #expect(personal.status == 403 && personal.code == "person_needed", "\(personal.text)")
            // Each counts as a request: what one customer may send in ten seconds is not more in one.
            let many = (0..<101).map { Self.event("app.launched", [:], key: "m\($0)") }
            let tooMany = try await post(many)
            #expect(tooMany.status == 422 && tooMany.code == "too_many_events")
            // At once: one after the other they could take so long that the rate allows all of them.
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for batch in 0..<8 {
                    group.addTask {
                        try await post(
                            (0..<100).map {
                                Self.event("app.launched", [:], key: "b\(batch)-\($0)")
                            }
                        ).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(statuses) == [200, 429], "\(statuses)")
        }
    }

    @Test(
        "A client names no actor, no reason and no ticket, so that no history names another person")
    func actors() async throws {
        try await ServerBench.serving { bench in
            let client = try bench.client("mallory")
            for name in ["actor", "reason", "ticket"] {
                let reply = try await bench.post(
                    "/v1/dozzi/customers/mallory/consume",
                    JSONObject([
                        .init(name: "meter", value: "stories"), .init(name: name, value: "kim"),
                    ]), client)
                #expect(reply.status == 403 && reply.code == "person_needed", "\(reply.text)")
            }
        }
    }

    @Test("Who restores another's purchase learns nothing of that customer")
    func restoring() async throws {
        let year: Int64 = 366 * 86_400_000
        let authority = try SandboxAuthority(
            seed: Array("abuse".utf8), from: Self.now - year, until: Self.now + year)
        let verifier = AppStoreVerifier(
            identity: AppStoreIdentity(bundleIDs: ["com.dozzi.app"], environment: .test),
            roots: try AppStoreRoots(der: [authority.root]))
        let settings = ServedApp.Settings(verifiers: [.test: verifier])
        try await ServerBench.serving(settings: settings) { bench in
            var bought = SandboxTransaction(
                bundleID: "com.dozzi.app", productID: "com.dozzi.unlimited_stories",
                type: .nonConsumable, transactionID: "2000000001", purchasedAt: Self.now - 1_000)
            bought.appAccountToken = "ada-7c1f"
            let signed: JSONObject = [
                "environment": "test", "signed": [.string(try authority.sign(bought))],
            ]
            let own = try await bench.post("/v1/dozzi/customers/ada-7c1f/transactions", signed)
            #expect(own.status == 200, "\(own.text)")
            let client = try bench.client("mallory")
            for dryRun in [true, false] {
                var body = signed
                body["dry_run"] = .bool(dryRun)
                let reply = try await bench.post(
                    "/v1/dozzi/customers/mallory/restore", body, client)
                #expect(
                    reply.status == 200 && reply.text.contains("owned_by_other"), "\(reply.text)")
                #expect(!reply.text.contains("ada-7c1f"), "\(reply.text)")
                #expect(reply.json["restored"] == false)
                let lineage = reply.json["lineages"]?.array?.first?.object
                #expect(lineage?["source"] == .null && lineage?["owner_after"] == .null)
            }
            let page: JSONObject = ["signedTransactions": ["a", "b", "c"]]
            for route in ["restore", "transactions"] {
                let reply = try await bench.post(
                    "/v1/dozzi/customers/mallory/\(route)",
                    [
                        "environment": "test",
                        "signed": [.string(JSONValue.object(page).canonicalText)],
                    ], client)
                #expect(reply.status == 422 && reply.code == "one_payload", "\(reply.text)")
            }
            let call = try await bench.post(
                "/v1/dozzi/calls/verifyPurchase?environment=test",
                [
                    "data": [
                        "receiptData": .string(JSONValue.object(page).canonicalText),
                        "productId": "com.dozzi.unlimited_stories",
                    ]
                ], client)
            #expect(call.status == 422, "\(call.text)")
            let ledger = try Ledger.open(bench.path(), readOnly: true)
            #expect(try ledger.deadLetters().isEmpty)
            try ledger.close()
            let posted = try await bench.post(
                "/v1/dozzi/customers/mallory/transactions", signed, client)
            #expect(!posted.text.contains("ada-7c1f"), "\(posted.text)")
            let check = try await bench.get(
                "/v1/dozzi/customers/mallory/checks/premiumVoices?environment=test", client)
            #expect(check.json["allowed"] == false)
            // Support is told.
            let seen = try await bench.post(
                "/v1/dozzi/customers/mallory/restore",
                signed.merging(["actor": "kim", "reason": "asked", "dry_run": true]),
                [bench.key(.support)])
            #expect(seen.text.contains("ada-7c1f"), "\(seen.text)")
        }
    }

    @Test("A claim that a client dates back does not take what another one claimed before")
    func claims() async throws {
        let app = "fork-in-the-road"
        try await ServerBench.serving([app]) { bench in
            func sync(_ headers: [(String, String)], _ purchasedAt: Int64) async throws -> Int {
                try await bench.post(
                    "/v1/\(app)/calls/syncPremium",
                    [
                        "transactionId": 2_000_000_000_123,
                        "productId": "com.forkintheroad.app.premium.monthly",
                        "purchaseDate": .integer(purchasedAt),
                        "expirationDate": .integer(Self.now + 30 * 86_400_000),
                    ], headers
                ).status
            }
            let (ada, mallory) = (
                try bench.client("ada", app: app), try bench.client("mallory", app: app)
            )
            #expect(try await sync(ada, Self.now - 1_000) == 200)
            #expect(try await sync(mallory, 0) == 200)
            for (name, headers, isAllowed) in [("ada", ada, true), ("mallory", mallory, false)] {
                let check = try await bench.get(
                    "/v1/\(app)/customers/\(name)/checks/adFree", headers)
                #expect(check.json["allowed"] == .bool(isAllowed), "\(name): \(check.text)")
            }
        }
    }

    @Test("A page of a thousand payloads is no notification, and is not kept")
    func pages() async throws {
        let verifier = AppStoreVerifier(
            identity: AppStoreIdentity(bundleIDs: ["com.dozzi.app"], environment: .sandbox),
            roots: try AppStoreRoots.apple())
        let settings = ServedApp.Settings(verifiers: [.sandbox: verifier])
        try await ServerBench.serving(settings: settings) { bench in
            let page: JSONObject = [
                "signedTransactions": .array((0..<1_000).map { .string("a\($0)") })
            ]
            let reply = try await bench.post(
                "/v1/dozzi/apple/notifications?environment=sandbox", page, [])
            #expect(reply.status == 422 && reply.code == "one_notification", "\(reply.text)")
            #expect(try await bench.get("/v1/dozzi/place").json["position"] == 1)
        }
    }

    @Test("A stream ends with the key that opened it, and with the customer's token")
    func streams() async throws {
        let clock = Mutex(Fixtures.now)
        try await ServerBench.serving(clock: { clock.withLock { $0 } }) { bench in
            let (key, text) = try bench.keys.create(
                [.analyst], app: "dozzi", label: "feed", by: "kim", now: Fixtures.now)
            let accept = ("accept", "text/event-stream")
            let client = try bench.client("token") + [accept]
            for (path, headers, end) in [
                ("/v1/dozzi/changes", [("authorization", "Bearer \(text)"), accept], "key"),
                ("/v1/dozzi/customers/token/changes", client, "token"),
            ] {
                let codes = Mutex<[String]>([])
                _ = try await bench.client.stream(path, headers: headers) { line in
                    // The stream has begun.
                    if line.hasPrefix("id: "), codes.withLock({ $0.isEmpty }) {
                        if end == "key" {
                            _ = try bench.keys.revoke(key.id, app: "dozzi", now: Fixtures.now)
                        } else {
                            clock.withLock { $0 += 601_000 }
                        }
                        codes.withLock { $0.append("begun") }
                        let used = try await bench.post(
                            "/v1/dozzi/customers/\(end)/consume", ["meter": "stories"])
                        #expect(used.status == 200, "\(used.text)")
                    }
                    if line.hasPrefix("data: "),
                        let object = try JSONReader.read(Array(line.utf8.dropFirst(6))).object
                    {
                        if let code = object["code"]?.text { codes.withLock { $0.append(code) } }
                        if object["type"] == "usage.recorded" {
                            codes.withLock { $0.append("told") }
                        }
                    }
                    return true
                }
                let expected = end == "key" ? "unauthenticated" : "bad_token"
                #expect(codes.withLock { $0 } == ["begun", expected], "\(end)")
            }
        }
    }

    @Test("One customer's clients have eight streams at most, and leave the others theirs")
    func streamsOfOne() async throws {
        try await ServerBench.serving { bench in
            let client = try bench.client("mallory") + [("accept", "text/event-stream")]
            let ada = try bench.client("ada") + [("accept", "text/event-stream")]
            let path = "/v1/dozzi/customers/mallory/changes"
            @Sendable func open(_ count: Int) async throws {
                _ = try await bench.client.stream(path, headers: client) { _ in
                    if count < 8 {
                        try await open(count + 1)
                    } else {
                        let ninth = try await bench.get(path, client)
                        #expect(ninth.status == 503 && ninth.code == "too_many_streams")
                        let status = try await bench.client.stream(
                            "/v1/dozzi/customers/ada/changes", headers: ada
                        ) { _ in false }
                        #expect(status == 200)
                    }
                    return false
                }
            }
            try await open(1)
        }
    }

    @Test("A client's key stands alone, and a backend's beside no person's")
    func scopes() throws {
        for scopes in [[Scope.client, .store], [.client, .support], [.store, .admin]] {
            #expect(Set(scopes).conflict != nil, "\(scopes)")
        }
        for scopes in [[Scope.client], [.store, .analyst], [.support, .analyst, .admin]] {
            #expect(Set(scopes).conflict == nil, "\(scopes)")
        }
    }
}

extension JSONObject {
    fileprivate func merging(_ other: JSONObject) -> JSONObject {
        var merged = self
        for member in other.members { merged[member.name] = member.value }
        return merged
    }
}
