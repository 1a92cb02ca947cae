import Daybook
import DaybookEvents
import DaybookFixtures
import Testing

/// The requests that the apps' documents write down, in the words of these documents.
@Suite("Requests in the apps' own forms")
struct CallRouteTests {
    private static func call(
        _ bench: ServerBench, _ name: String, _ body: JSONObject = ["data": .null],
        app: String = "dozzi", customer: String = "ada", headers: [(String, String)] = []
    ) async throws -> HTTPReply {
        try await bench.post(
            "/v1/\(app)/calls/\(name)?customer=\(customer)", body,
            [bench.key(.store, app: app)] + headers)
    }

    @Test(
        "DZ-08 The first contact says free with two stories and is recorded, the second appends nothing"
    )
    func firstContact() async throws {
        try await ServerBench.serving { bench in
            let key = try bench.key(.store)
            func place() async throws -> Int64? {
                try await bench.get("/v1/dozzi/place", [key]).json["position"]?.integer
            }
            let before = try #require(try await place())
            let first = try await Self.call(bench, "getSubscriptionStatus")
            #expect(first.status == 200, "\(first.text)")
            #expect(first.text == #"{"result":{"status":"free","storiesRemaining":2}}"#)
            #expect(try await place() == before + 1)
            let second = try await Self.call(bench, "getSubscriptionStatus")
            #expect(second.body == first.body)
            #expect(try await place() == before + 1)
        }
    }

    @Test("DZ-09 A call without a key is refused as unauthenticated")
    func unauthenticated() async throws {
        try await ServerBench.serving { bench in
            let reply = try await bench.post(
                "/v1/dozzi/calls/getSubscriptionStatus?customer=ada", ["data": .null], [])
            #expect(reply.status == 401 && reply.code == "unauthenticated")
        }
    }

    @Test("DZ-11 Creating stories counts down, and the third is refused in the app's words")
    func stories() async throws {
        try await ServerBench.serving { bench in
            for remaining in [1, 0] {
                let reply = try await Self.call(bench, "trackStoryCreation")
                #expect(
                    reply.text
                        == #"{"result":{"canCreate":true,"storiesRemaining":\#(remaining),"success":true}}"#
                )
            }
            let refused = try await Self.call(bench, "trackStoryCreation")
            #expect(refused.status == 200)
            #expect(
                refused.text
                    == #"{"result":{"canCreate":false,"error":"No stories remaining","success":false}}"#
            )
        }
    }

    @Test("Two taps with one key are one story")
    func repeated() async throws {
        try await ServerBench.serving { bench in
            let key = ("idempotency-key", "tap-1")
            let first = try await Self.call(bench, "trackStoryCreation", headers: [key])
            let again = try await Self.call(bench, "trackStoryCreation", headers: [key])
            #expect(first.status == 200 && again.body == first.body)
            let status = try await Self.call(bench, "getSubscriptionStatus")
            #expect(status.text.contains(#""storiesRemaining":1"#))
        }
    }

    @Test("A member that the catalog does not name, and a call that it does not have, are told so")
    func unknown() async throws {
        try await ServerBench.serving { bench in
            let member = try await Self.call(
                bench, "trackStoryCreation", ["data": ["storyID": "s-1"]])
            #expect(member.status == 422)
            #expect(member.json["error"]?.object?["status"] == "INVALID_ARGUMENT")
            let call = try await Self.call(bench, "trackStoryCreated")
            #expect(call.status == 404 && call.code == "unknown_call")
            #expect(call.text.contains("trackStoryCreation"))
            let bare = try await Self.call(bench, "verifyPurchase", ["data": ["productId": "p"]])
            #expect(bare.status == 422 && bare.text.contains("receiptData"))
        }
    }

    @Test(
        "FR-13 What the app syncs opens Premium for the web, once, and as the client's word alone")
    func syncPremium() async throws {
        try await ServerBench.serving(["fork-in-the-road"]) { bench in
            let app = "fork-in-the-road"
            let premium: JSONObject = [
                "transactionId": 2_000_000_000_123,
                "productId": "com.forkintheroad.app.premium.monthly",
                "purchaseDate": .integer(Fixtures.now - 1_000),
                "expirationDate": .integer(Fixtures.now + 30 * 86_400_000),
            ]
            for _ in 1...2 {
                let reply = try await Self.call(bench, "syncPremium", premium, app: app)
                #expect(reply.status == 200 && reply.text == "{}", "\(reply.text)")
            }
            let support = try bench.key(.support, app: app)
            let check = try await bench.get(
                "/v1/\(app)/customers/ada/checks/adFree", [bench.key(.store, app: app)])
            #expect(check.json["allowed"] == true, "\(check.text)")
            let history = try await bench.get("/v1/\(app)/customers/ada/history", [support])
            let trusts = (history.json["events"]?.array ?? []).map { $0.object?["trust"]?.text }
            #expect(trusts == ["client_asserted"], "\(history.text)")
        }
    }
}
