import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookServer
import Foundation
import Testing

/// What stores post and what devices hand over. Signed by an authority of our own, in the environment `test`.
@Suite("What stores say, over HTTP")
struct StoreRouteTests {
    private static let bundleID = "com.dozzi.app"
    private static let product = "com.dozzi.unlimited_stories"
    private static let ada = "/v1/dozzi/customers/ada"
    private static let notifications = "/v1/dozzi/apple/notifications?environment=test"
    private static let year: Int64 = 366 * 86_400_000

    private static func authority(_ seed: String = "server") throws -> SandboxAuthority {
        try SandboxAuthority(
            seed: Array(seed.utf8), from: Fixtures.now - year, until: Fixtures.now + year)
    }

    private static func settings(
        _ authority: SandboxAuthority, revenueCat: String? = nil
    ) throws -> ServedApp.Settings {
        let roots = try AppStoreRoots(der: [authority.root])
        return ServedApp.Settings(
            verifiers: [
                .test: AppStoreVerifier(
                    identity: AppStoreIdentity(bundleIDs: [bundleID], environment: .test),
                    roots: roots)
            ], revenueCatAuthorization: revenueCat)
    }

    private static func purchase(
        _ id: String = "2000000001", token: String? = nil, revokedAt: Int64? = nil
    ) -> SandboxTransaction {
        var transaction = SandboxTransaction(
            bundleID: bundleID, productID: product, type: .nonConsumable, transactionID: id,
            purchasedAt: Fixtures.now - 1_000)
        transaction.signedAt = Fixtures.now - (revokedAt == nil ? 1_000 : 0)
        transaction.appAccountToken = token
        transaction.revokedAt = revokedAt
        return transaction
    }

    private static func envelope(
        _ authority: SandboxAuthority, _ transaction: SandboxTransaction,
        _ type: AppStoreNotificationType = .oneTimeCharge, bundleID: String = bundleID
    ) throws -> [UInt8] {
        var notification = SandboxNotification(
            type: type, bundleID: bundleID, signedAt: transaction.signedAt ?? Fixtures.now)
        notification.transaction = transaction
        let text = try authority.sign(notification)
        return (["signedPayload": .string(text)] as JSONObject).canonicalBytes
    }

    private static func notify(_ bench: ServerBench, _ bytes: [UInt8]) async throws -> HTTPReply {
        try await bench.client.send(.POST, notifications, body: bytes)
    }

    private static func isAllowed(_ bench: ServerBench) async throws -> Bool? {
        try await bench.get(ada + "/checks/premiumVoices?environment=test").json["allowed"]?.bool
    }

    @Test("A notification is durable when it is answered, counts once, and its refund takes away")
    func notification() async throws {
        let authority = try Self.authority()
        try await ServerBench.serving(settings: try Self.settings(authority)) { bench in
            let bought = try Self.envelope(authority, Self.purchase(token: "ada"))
            let first = try await Self.notify(bench, bought)
            #expect(first.status == 200 && first.json["appended"]?.integer != 0, "\(first.text)")
            // Another process sees it in the file before anything else is asked.
            let ledger = try Ledger.open(bench.path(), readOnly: true, clock: { Fixtures.now })
            let check = try ledger.check(
                CheckQuestion("premiumVoices"), for: "ada", environment: .test
            ).decision
            #expect(check.allowed)
            try ledger.close()
            let again = try await Self.notify(bench, bought)
            #expect(again.status == 200 && again.json["appended"] == 0, "\(again.text)")
            let refund = try Self.envelope(
                authority, Self.purchase(token: "ada", revokedAt: Fixtures.now), .refund)
            #expect(try await Self.notify(bench, refund).status == 200)
            #expect(try await Self.isAllowed(bench) == false)
        }
    }

    @Test("What Apple need not send again is answered with 200, what it should with 503")
    func contract() async throws {
        let authority = try Self.authority()
        try await ServerBench.serving(settings: try Self.settings(authority)) { bench in
            let stranger = try Self.envelope(Self.authority("stranger"), Self.purchase())
            let otherApp = try Self.envelope(
                authority, Self.purchase(), bundleID: "com.example.other")
            for (bytes, why) in [
                (stranger, "chain"), (otherApp, "app_identity"), (Array("{}".utf8), "format"),
                (Array("no JSON".utf8), "format"), ([], "format"),
            ] {
                let reply = try await Self.notify(bench, bytes)
                #expect(reply.status == 200, "\(why): \(reply.text)")
                #expect(reply.json["refused"] == [.string(why)], "\(reply.text)")
            }
            #expect(try await Self.isAllowed(bench) == false)
            let other = try await bench.client.send(
                .POST, "/v1/dozzi/apple/notifications?environment=xcode", body: stranger)
            #expect(other.status == 422 && other.code == "environment_not_taken")
            let large = try await Self.notify(bench, Array(repeating: 0x20, count: 257 << 10))
            #expect(large.status == 413 && large.code == "body_too_large")
        }
    }

    @Test(
        "The open route keeps 16 MiB of what cannot be verified, then only what is Apple's; what is dismissed makes room"
    )
    func boundedBytes() async throws {
        let authority = try Self.authority()
        try await ServerBench.serving(settings: try Self.settings(authority)) { bench in
            func garbage(_ index: Int) -> [UInt8] {
                Array("\(index) ".utf8) + Array(repeating: UInt8(ascii: "x"), count: 250 << 10)
            }
            var kept = 0
            var refused: HTTPReply?
            while refused == nil, kept < 100 {
                let reply = try await Self.notify(bench, garbage(kept))
                if reply.status == 200 { kept += 1 } else { refused = reply }
            }
            #expect(kept == (16 << 20) / garbage(10).count)
            #expect(refused?.status == 503 && refused?.code == "dead_letters_full")
            #expect(refused?.json["retryable"] == true)
            let bought = try Self.envelope(authority, Self.purchase(token: "ada"))
            #expect(try await Self.notify(bench, bought).status == 200)
            #expect(try await Self.isAllowed(bench) == true)
            let ledger = try Ledger.open(bench.path(), clock: { Fixtures.now })
            let letters = try ledger.deadLetters()
            #expect(letters.count == kept)
            for letter in letters.prefix(2) {
                try await ledger.dismiss(letter, reason: "not Apple's", actor: "kim")
            }
            try ledger.close()
            // What waits is counted anew after a while, not for every request of a flood.
            try await ServerBench.eventually {
                try await Self.notify(bench, garbage(1_000)).status == 200
            }
        }
    }

    @Test("The same refused payload again takes no further room")
    func repeated() async throws {
        let authority = try Self.authority()
        try await ServerBench.serving(settings: try Self.settings(authority)) { bench in
            let bytes = Array(repeating: UInt8(ascii: "x"), count: 250 << 10)
            for _ in 0..<70 {
                let reply = try await Self.notify(bench, bytes)
                #expect(reply.status == 200, "\(reply.text)")
            }
        }
    }

    @Test("X-07 A client's unsigned or wrongly signed transaction is 401, and changes nothing")
    func unverified() async throws {
        let authority = try Self.authority()
        try await ServerBench.serving(settings: try Self.settings(authority)) { bench in
            func post(_ text: String) async throws -> HTTPReply {
                try await bench.post(
                    Self.ada + "/transactions",
                    ["environment": "test", "signed": [.string(text)]])
            }
            let good = try authority.sign(Self.purchase())
            var parts = good.split(separator: ".").map(String.init)
            parts[1] = String(
                try authority.sign(Self.purchase("2000000002")).split(separator: ".")[1])
            let altered = try await post(parts.joined(separator: "."))
            #expect(altered.status == 401 && altered.code == "signature", "\(altered.text)")
            #expect(altered.headers["www-authenticate"] != nil)
            let strange = try await post(try Self.authority("stranger").sign(Self.purchase()))
            #expect(strange.status == 401 && strange.code == "chain", "\(strange.text)")
            let none = try await post("a.b.c")
            #expect(none.status == 422 && none.code == "format", "\(none.text)")
            #expect(try await Self.isAllowed(bench) == false)
            let taken = try await post(good)
            #expect(taken.status == 200, "\(taken.text)")
            #expect(try await Self.isAllowed(bench) == true)
        }
    }

    @Test("NZ-16 A device with nothing restores nothing, and a dry run writes nothing")
    func restore() async throws {
        let authority = try Self.authority()
        try await ServerBench.serving(settings: try Self.settings(authority)) { bench in
            func restore(_ texts: [String], dryRun: Bool = false) async throws -> HTTPReply {
                try await bench.post(
                    Self.ada + "/restore",
                    [
                        "environment": "test", "signed": .array(texts.map { .string($0) }),
                        "dry_run": .bool(dryRun),
                    ])
            }
            let none = try await restore([])
            #expect(none.status == 200 && none.json["restored"] == false, "\(none.text)")
            #expect(none.text.contains("nothing_to_restore"), "\(none.text)")
            let text = try authority.sign(Self.purchase())
            let dry = try await restore([text], dryRun: true)
            #expect(dry.status == 200 && dry.json["dry_run"] == true, "\(dry.text)")
            #expect(try await Self.isAllowed(bench) == false)
            let done = try await restore([text])
            #expect(done.status == 200 && done.json["restored"] == true, "\(done.text)")
            #expect(try await Self.isAllowed(bench) == true)
        }
    }

    @Test("Kinds and numbers of what is posted are checked before anything is done")
    func posted() async throws {
        let authority = try Self.authority()
        try await ServerBench.serving(settings: try Self.settings(authority)) { bench in
            let text = JSONValue.string(try authority.sign(Self.purchase()))
            let kind = try await bench.post(
                Self.ada + "/transactions",
                ["environment": "test", "kind": "receipt", "signed": [text]])
            #expect(kind.status == 422 && kind.code == "unknown_kind")
            let many = try await bench.post(
                Self.ada + "/transactions",
                [
                    "environment": "test",
                    "signed": .array(
                        Array(repeating: "a.b.c", count: Ledger.restoredTextCountMax + 1)),
                ])
            #expect(many.status == 422 && many.code == "too_many_payloads", "\(many.text)")
            #expect(try await Self.isAllowed(bench) == false)
        }
    }

    @Test("RevenueCat's webhooks need the header that was agreed, and count once")
    func revenueCat() async throws {
        let path = "/v1/dozzi/revenuecat/webhooks"
        let event: JSONObject = [
            "api_version": "1.0",
            "event": [
                "type": "NON_RENEWING_PURCHASE", "id": "rc-1", "app_user_id": "ada",
                "event_timestamp_ms": .integer(Fixtures.now - 500),
                "product_id": .string(Self.product),
                "purchased_at_ms": .integer(Fixtures.now - 900),
                "environment": "PRODUCTION", "store": "APP_STORE",
                "transaction_id": "2000000009", "original_transaction_id": "2000000009",
                "price": .number("2.99"), "price_in_purchased_currency": .number("2.99"),
                "currency": "USD",
            ],
        ]
        let settings = try Self.settings(try Self.authority(), revenueCat: "Bearer s3cret")
        try await ServerBench.serving(settings: settings) { bench in
            for header in [[], [("authorization", "Bearer other")], [("authorization", "")]] {
                let reply = try await bench.post(path, event, header)
                #expect(reply.status == 401 && reply.code == "unauthenticated", "\(reply.text)")
            }
            let right = [("authorization", "Bearer s3cret")]
            let first = try await bench.post(path, event, right)
            #expect(first.status == 200 && first.json["appended"]?.integer == 1, "\(first.text)")
            let again = try await bench.post(path, event, right)
            #expect(again.status == 200 && again.json["appended"]?.integer == 0, "\(again.text)")
            let check = try await bench.get(Self.ada + "/checks/premiumVoices")
            #expect(check.json["allowed"] == true, "\(check.text)")
        }
        try await ServerBench.serving { bench in
            let reply = try await bench.post(path, event, [("authorization", "Bearer s3cret")])
            #expect(reply.status == 503 && reply.code == "not_configured")
        }
    }

    @Test(
        "DZ-07 DZ-25 Dozzi's verifyPurchase says unlimited, and of another product that the receipt is invalid"
    )
    func verifyPurchase() async throws {
        let authority = try Self.authority()
        try await ServerBench.serving(settings: try Self.settings(authority)) { bench in
            let receipt = JSONValue.string(try authority.sign(Self.purchase()))
            func call(_ name: String, _ data: JSONValue) async throws -> HTTPReply {
                try await bench.post(
                    "/v1/dozzi/calls/\(name)?customer=ada&environment=test", ["data": data])
            }
            let other = try await call(
                "verifyPurchase",
                ["receiptData": receipt, "productId": "com.dozzi.something_else"])
            #expect(
                other.text == #"{"result":{"error":"Invalid receipt","success":false}}"#,
                "\(other.text)")
            #expect(try await Self.isAllowed(bench) == false)
            let right = try await call(
                "verifyPurchase", ["receiptData": receipt, "productId": .string(Self.product)])
            #expect(
                right.text == #"{"result":{"status":"unlimited","success":true}}"#,
                "\(right.text)")
            let status = try await call("getSubscriptionStatus", .null)
            #expect(
                status.text
                    == #"{"result":{"purchaseDate":\#(Fixtures.now - 1_000),"status":"unlimited"}}"#,
                "\(status.text)")
        }
    }
}
