import Crypto
import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookServer
import Foundation
import InMemoryLogging
import Logging
import Synchronization
import Testing

@Suite("Who may ask for what")
struct AccessTests {
    private static let ada = "/v1/dozzi/customers/ada"
    private static let now = Fixtures.now / 1_000

    private static let secret = CustomerTokens.secret

    @Test("Without a good key nothing is told, and all bad ones are told alike")
    func keys() async throws {
        try await ServerBench.serving(["dozzi", "ollie"]) { bench in
            let good = try bench.key(.store)
            let none = try await bench.get(Self.ada + "/status", [])
            #expect(none.status == 401 && none.code == "unauthenticated")
            #expect(none.headers["www-authenticate"] == "Bearer")
            var wrong = good.1
            wrong.replaceSubrange(
                wrong.index(before: wrong.endIndex)..., with: wrong.hasSuffix("A") ? "E" : "A")
            var details: Set<String> = []
            for text in [wrong, "Bearer daybook_000000000000_" + String(good.1.suffix(43))] {
                let reply = try await bench.get(Self.ada + "/status", [("authorization", text)])
                #expect(reply.status == 401 && reply.code == "unauthenticated", "\(text)")
                details.insert(reply.json["detail"]?.text ?? "")
            }
            #expect(details.count == 1)
            for text in ["", "Bearer", "Basic YTpi", "Bearer x", "bearer"] {
                let reply = try await bench.get(Self.ada + "/status", [("authorization", text)])
                #expect([401].contains(reply.status), "\(text)")
            }
            // Of another app's ledger, not even whether it is there.
            let other = try await bench.get("/v1/ollie/customers/ada/status", [good])
            let missing = try await bench.get("/v1/other/customers/ada/status", [good])
            #expect(other.status == 403 && other.code == "other_app")
            #expect(missing.status == 403 && missing.code == "other_app")
        }
    }

    @Test("A key that is revoked, over or replaced opens nothing from then on, in a running server")
    func revoked() async throws {
        let clock = Mutex(Fixtures.now)
        try await ServerBench.serving(clock: { clock.withLock { $0 } }) { bench in
            func status(_ text: String) async throws -> Int {
                try await bench.get(
                    Self.ada + "/status", [("authorization", "Bearer \(text)")]
                ).status
            }
            let now = clock.withLock { $0 }
            let (key, text) = try bench.keys.create(
                [.store], app: "dozzi", label: "one", by: "kim", now: now)
            #expect(try await status(text) == 200)
            let (_, next, nextText) = try bench.keys.rotate(
                key.id, app: "dozzi", overlapMilliseconds: 1_000, by: "kim", now: now)
            #expect(try await status(text) == 200)
            #expect(try await status(nextText) == 200)
            clock.withLock { $0 += 1_000 }
            #expect(try await status(text) == 401)
            #expect(try await status(nextText) == 200)
            _ = try bench.keys.revoke(next.id, app: "dozzi", now: now + 1_000)
            #expect(try await status(nextText) == 401)
            let (_, short) = try bench.keys.create(
                [.store], app: "dozzi", label: "two", by: "kim", expiresAt: now + 2_000,
                now: now)
            #expect(try await status(short) == 200)
            clock.withLock { $0 += 1_000 }
            #expect(try await status(short) == 401)
        }
    }

    @Test("A client acts for the customer of its token and for no other")
    func clients() async throws {
        try await ServerBench.serving { bench in
            let key = try bench.key(.client)
            try bench.keys.trust(
                TokenKey(id: "b", algorithm: .hs256, reading: Self.secret), app: "dozzi",
                by: "kim", now: Fixtures.now)
            let ada = CustomerTokens.token(CustomerTokens.claims("ada"), secret: Self.secret)
            let bob = CustomerTokens.token(CustomerTokens.claims("bob"), secret: Self.secret)
            #expect(try await bench.get(Self.ada + "/status", [key, ada]).status == 200)
            let other = try await bench.get(Self.ada + "/status", [key, bob])
            #expect(other.status == 403 && other.code == "other_customer")
            let none = try await bench.get(Self.ada + "/status", [key])
            #expect(none.status == 401 && none.code == "token_needed")
            // The same key of two customers is two keys, so that no receipt is another's.
            for token in [ada, bob] {
                let subject = token == ada ? "ada" : "bob"
                let reply = try await bench.post(
                    "/v1/dozzi/customers/\(subject)/consume", ["meter": "stories"],
                    [key, token, ("idempotency-key", "tap-1")])
                #expect(reply.status == 200 && reply.json["used"]?.integer == 1, "\(reply.text)")
            }
            // What would let a customer take another one's.
            for path in ["/alias", "/grants", "/history"] {
                let reply =
                    path == "/history"
                    ? try await bench.get(Self.ada + path, [key, ada])
                    : try await bench.post(Self.ada + path, [:], [key, ada])
                #expect(reply.status == 403 && reply.code == "scope_needed", "\(path)")
            }
        }
    }

    @Test("Tokens by public keys of both kinds open, each by its own key alone")
    func publicKeys() async throws {
        try await ServerBench.serving { bench in
            let key = try bench.key(.client)
            let curve = P256.Signing.PrivateKey()
            let edwards = Curve25519.Signing.PrivateKey()
            // SubjectPublicKeyInfo of an Ed25519 key (RFC 8410 §4): this prefix, and the key.
            let prefix: [UInt8] = [0x30, 0x2A, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 3, 0x21, 0]
            let body = Base64.encode(prefix + Array(edwards.publicKey.rawRepresentation), .standard)
            let pem = "-----BEGIN PUBLIC KEY-----\n\(body)\n-----END PUBLIC KEY-----\n"
            for (id, algorithm, text) in [
                ("p", TokenKey.Algorithm.es256, curve.publicKey.pemRepresentation),
                ("d", .edDSA, pem),
            ] {
                try bench.keys.trust(
                    TokenKey(id: id, algorithm: algorithm, reading: Array(text.utf8)),
                    app: "dozzi", by: "kim", now: Fixtures.now)
            }
            func token(_ id: String, _ name: String, signed: (Data) throws -> Data) rethrows
                -> (String, String)
            {
                let header: JSONObject = ["alg": .string(name), "kid": .string(id)]
                let text =
                    Base64.encode(header.canonicalBytes, .url) + "."
                    + Base64.encode(CustomerTokens.claims("ada").canonicalBytes, .url)
                let signature = try signed(Data(text.utf8))
                return (
                    "daybook-customer-token", "\(text).\(Base64.encode(Array(signature), .url))"
                )
            }
            let byCurve = { (text: Data) in try curve.signature(for: text).rawRepresentation }
            let byEdwards = { (text: Data) in try edwards.signature(for: text) }
            func status(_ token: (String, String)) async throws -> Int {
                try await bench.get(Self.ada + "/status", [key, token]).status
            }
            #expect(try await status(token("p", "ES256", signed: byCurve)) == 200)
            #expect(try await status(token("d", "EdDSA", signed: byEdwards)) == 200)
            #expect(try await status(token("p", "ES256", signed: byEdwards)) == 401)
            #expect(try await status(token("d", "EdDSA", signed: byCurve)) == 401)
            let stranger = Curve25519.Signing.PrivateKey()
            let strange = try token("d", "EdDSA") { try stranger.signature(for: $0) }
            #expect(try await status(strange) == 401)
        }
    }

    @Test("A token that is not the backend's, not of now, or good for too long is refused")
    func badTokens() async throws {
        try await ServerBench.serving { bench in
            let key = try bench.key(.client)
            let signer = P256.Signing.PrivateKey()
            let pem = Array(signer.publicKey.pemRepresentation.utf8)
            try bench.keys.trust(
                TokenKey(id: "b", algorithm: .hs256, reading: Self.secret), app: "dozzi",
                by: "kim", now: Fixtures.now)
            try bench.keys.trust(
                TokenKey(id: "e", algorithm: .es256, reading: pem), app: "dozzi", by: "kim",
                now: Fixtures.now)
            let good = CustomerTokens.claims("ada")
            var audience = good
            audience["aud"] = "ollie"
            let tokens: [(String, (String, String))] = [
                (
                    "another secret",
                    CustomerTokens.token(good, secret: Array(repeating: 8, count: 32))
                ),
                (
                    "over",
                    CustomerTokens.token(
                        CustomerTokens.claims("ada", until: Self.now), secret: Self.secret)
                ),
                (
                    "of the future",
                    CustomerTokens.token(
                        CustomerTokens.claims("ada", from: Self.now + 61, until: Self.now + 90),
                        secret: Self.secret)
                ),
                (
                    "for too long",
                    CustomerTokens.token(
                        CustomerTokens.claims("ada", until: Self.now + 3_601), secret: Self.secret)
                ),
                ("for another app", CustomerTokens.token(audience, secret: Self.secret)),
                (
                    "without a customer",
                    CustomerTokens.token(CustomerTokens.claims(""), secret: Self.secret)
                ),
                (
                    "without an algorithm",
                    CustomerTokens.token(
                        good, secret: Self.secret, header: ["alg": "none", "kid": "b"])
                ),
                // The public key taken for a shared secret, as a token that lies about its algorithm would have it.
                (
                    "by the public key",
                    CustomerTokens.token(good, secret: pem, header: ["alg": "HS256", "kid": "e"])
                ),
                (
                    "by an unknown key",
                    CustomerTokens.token(
                        good, secret: Self.secret, header: ["alg": "HS256", "kid": "x"])
                ),
                (
                    "without a key's id",
                    CustomerTokens.token(good, secret: Self.secret, header: ["alg": "HS256"])
                ),
                ("of three dots", ("daybook-customer-token", "a.b.c")),
                ("empty", ("daybook-customer-token", "")),
                ("endless", ("daybook-customer-token", String(repeating: "a", count: 5_000))),
            ]
            for (name, token) in tokens where name != "without an algorithm" {
                let reply = try await bench.get(Self.ada + "/status", [key, token])
                #expect(reply.status == 401 && reply.code == "bad_token", "\(name): \(reply.text)")
            }
            // The algorithm is the key's, so what the header says of it opens and closes nothing.
            let none = try await bench.get(
                Self.ada + "/status",
                [key, (tokens.first { $0.0 == "without an algorithm" })?.1 ?? ("", "")])
            #expect([200, 401].contains(none.status))
            let header: JSONObject = ["alg": "ES256", "kid": "e"]
            let text =
                Base64.encode(header.canonicalBytes, .url) + "."
                + Base64.encode(good.canonicalBytes, .url)
            let signature = try signer.signature(for: Array(text.utf8)).rawRepresentation
            let signed = (
                "daybook-customer-token", "\(text).\(Base64.encode(Array(signature), .url))"
            )
            #expect(try await bench.get(Self.ada + "/status", [key, signed]).status == 200)
        }
    }

    @Test("The file of keys is its owner's, and holds no secret")
    func file() async throws {
        try await ServerBench.serving { bench in
            let (_, text) = try bench.key(.store)
            let attributes = try FileManager.default.attributesOfItem(atPath: bench.keys.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let bytes = Array(try Data(contentsOf: URL(filePath: bench.keys.path)))
            let secret = try #require(Base64.decode(String(text.suffix(43)), .url))
            func contains(_ part: [UInt8]) -> Bool {
                bytes.indices.contains { bytes[$0...].starts(with: part) }
            }
            #expect(!contains(secret) && !contains(Array(text.suffix(43).utf8)))
            #expect(contains(Digest.sha256(secret)))
        }
    }

    @Test("A file of keys that was exchanged under a running server holds from the next request on")
    func exchanged() async throws {
        let lines = InMemoryLogHandler()
        try await ServerBench.serving(log: Logger(label: "keys") { _ in lines }) { bench in
            let files = FileManager.default
            let key = [try bench.key(.store)]
            #expect(try await bench.get(Self.ada + "/status", key).status == 200)
            // Of the same app, with another key, written as often.
            let other = bench.folder + "/other"
            try files.createDirectory(atPath: other, withIntermediateDirectories: true)
            let keys = try KeyStore(folder: other)
            let (_, text) = try keys.create(
                [.store], app: "dozzi", label: "other", by: "kim", now: Fixtures.now)
            try keys.close()
            try files.removeItem(atPath: bench.keys.path)
            let missing = try await bench.get(Self.ada + "/status", key)
            #expect(missing.status == 503 && missing.code == "not_found", "\(missing.text)")
            try files.moveItem(atPath: other + "/" + KeyStore.fileName, toPath: bench.keys.path)
            #expect(try await bench.get(Self.ada + "/status", key).status == 401)
            let found = [("authorization", "Bearer \(text)")]
            #expect(try await bench.get(Self.ada + "/status", found).status == 200)
            #expect(lines.entries.contains { "\($0.message)".contains("another file") })
        }
    }
}
