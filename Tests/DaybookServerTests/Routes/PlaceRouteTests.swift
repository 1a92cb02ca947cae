import Crypto
import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookServer
import Foundation
import Testing

@Suite("Places and what clients take with them, over HTTP")
struct PlaceRouteTests {
    private static let ada = "/v1/dozzi/customers/ada"

    @Test("A receipt names the place after its event, and the same one when it is given again")
    func receipts() async throws {
        try await ServerBench.serving { bench in
            let key = [try bench.key(.store), ("idempotency-key", "tap-1")]
            let first = try await bench.post(Self.ada + "/consume", ["meter": "stories"], key)
            let place = try #require(first.json["place"]?.text)
            let end = try await bench.get("/v1/dozzi/place")
            #expect(end.json["place"]?.text == place)
            _ = try await bench.post(Self.ada + "/consume", ["meter": "stories"])
            let again = try await bench.post(Self.ada + "/consume", ["meter": "stories"], key)
            #expect(again.json["place"]?.text == place)
            let seen = try await bench.get(Self.ada + "/checks/stories?min_position=\(place)")
            #expect(seen.status == 200)
            let dry = try await bench.post(
                Self.ada + "/alias", ["canonical": "bob", "dry_run": true])
            #expect(dry.status == 200 && dry.json["place"] == .null, "\(dry.text)")
        }
    }

    @Test("A timeline comes page by page, each event once, in either order")
    func pages() async throws {
        try await ServerBench.serving { bench in
            let key = [try bench.key(.support)]
            for number in 0..<2 {
                _ = try await bench.post(
                    Self.ada + "/consume", ["meter": "stories", "ref": .string("s\(number)")])
                _ = try await bench.post(
                    Self.ada + "/grants",
                    ["meter": "stories", "amount": 1, "id": .string("g\(number)")])
            }
            for order in ["", "&newest_first=true"] {
                let all = try await bench.get(Self.ada + "/history?limit=100\(order)", key)
                let whole = try #require(all.json["events"]?.array)
                #expect(whole.count == 4 && all.json["next"] == .null)
                var (found, next): ([JSONValue], String?) = ([], "")
                while let place = next {
                    let after = place.isEmpty ? "" : "&after=\(place)"
                    let page = try await bench.get(
                        Self.ada + "/history?limit=3\(order)\(after)", key)
                    found += try #require(page.json["events"]?.array)
                    next = page.json["next"]?.text
                }
                #expect(found == whole)
            }
            let end = try await bench.get("/v1/dozzi/place?min_position=")
            #expect(end.status == 422)
            let catalog = try Ledger.open(bench.path(), readOnly: true)
            let first = try catalog.place(at: 1)
            try catalog.close()
            let strange = try await bench.get(Self.ada + "/history?after=\(first)", key)
            #expect(strange.status == 422 && strange.code == "bad_cursor", "\(strange.text)")
        }
    }

    @Test("An export is that of the library, and one that was cut goes on where it stopped")
    func export() async throws {
        try await ServerBench.serving { bench in
            let key = [try bench.key(.analyst)]
            for number in 0..<2 {
                _ = try await bench.post(
                    Self.ada + "/consume", ["meter": "stories", "ref": .string("s\(number)")])
            }
            let whole = try await bench.get("/v1/dozzi/export", key)
            let place = try #require(whole.headers["daybook-place"])
            var bytes: [UInt8] = []
            let ledger = try Ledger.open(bench.path(), readOnly: true)
            try ledger.export { bytes += $0 }
            try ledger.close()
            #expect(whole.body == bytes)
            _ = try await bench.post(
                Self.ada + "/grants", ["meter": "stories", "amount": 1, "id": "g"])
            let rest = try await bench.get("/v1/dozzi/export?after=1&through=\(place)", key)
            let first = whole.body.prefix { $0 != 0x0A }.count + 1
            #expect(rest.body == Array(whole.body.dropFirst(first)))
            #expect(rest.headers["daybook-place"] == place)
            let beyond = try await bench.get("/v1/dozzi/export?after=99", key)
            #expect(beyond.status == 422 && beyond.code == "bad_position")
        }
    }

    @Test("X-09 A client has a signed lease until it expires, with ids and ends alone (NZ-24)")
    func lease() async throws {
        try await ServerBench.serving { bench in
            let none = try await bench.get(Self.ada + "/lease")
            #expect(none.status == 503 && none.code == "not_configured")
            let made = try bench.keys.createLeaseKey(app: "dozzi", by: "kim", now: Fixtures.now)
            _ = try await bench.post(
                Self.ada + "/grants",
                [
                    "entitlement": "unlimited", "id": "g",
                    "expires_at": .integer(Fixtures.now + 5_000),
                ])
            let reply = try await bench.get(Self.ada + "/lease?for=PT1H")
            #expect(reply.status == 200, "\(reply.text)")
            #expect(reply.json["expires_at"]?.integer == Fixtures.now + 3_600_000)
            let text = try #require(reply.json["lease"]?.text)
            let claims = try await Self.verified(text, made.id, bench)
            #expect(claims["exp"]?.integer == (Fixtures.now + 3_600_000) / 1_000)
            #expect(
                claims["entitlements"]
                    == [["name": "unlimited", "expires_at": .integer(Fixtures.now + 5_000)]])
            #expect(
                Set(claims.members.map(\.name)) == [
                    "iss", "aud", "sub", "env", "iat", "exp", "place", "entitlements",
                ])
            let long = try await bench.get(Self.ada + "/lease?for=P8D")
            #expect(long.status == 422 && long.code == "duration_out_of_bounds", "\(long.text)")
            // A further key signs from now on; what the first one signed is still believed.
            let second = try bench.keys.createLeaseKey(app: "dozzi", by: "kim", now: Fixtures.now)
            let later = try await bench.get(Self.ada + "/lease")
            #expect(later.json["key_id"]?.text == second.id)
        }
    }

    /// The claims of a lease, whose signature is verified by the key that the server publishes.
    private static func verified(
        _ text: String, _ name: String, _ bench: ServerBench
    ) async throws -> JSONObject {
        let keys = try await bench.client.send(.GET, "/v1/dozzi/lease-keys", headers: [])
        let key = try #require(
            keys.json["keys"]?.array?.compactMap(\.object).first { $0["kid"]?.text == name })
        func bytes(_ text: String) throws -> [UInt8] { try #require(Base64.decode(text, .url)) }
        let point = try bytes(key["x"]?.text ?? "") + bytes(key["y"]?.text ?? "")
        let parts = text.split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: bytes(parts[2]))
        let signed = Data("\(parts[0]).\(parts[1])".utf8)
        let published = try P256.Signing.PublicKey(rawRepresentation: point)
        #expect(published.isValidSignature(signature, for: signed))
        #expect(!published.isValidSignature(signature, for: signed + [0]))
        let header = try JSONReader.read(bytes(parts[0])).object
        #expect(header?["kid"]?.text == name && header?["alg"] == "ES256")
        return try #require(try JSONReader.read(bytes(parts[1])).object)
    }
}
