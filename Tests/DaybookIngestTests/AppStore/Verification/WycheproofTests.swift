import Crypto
import DaybookEvents
import DaybookIngest
import Testing

/// Signatures that went wrong elsewhere.
@Suite("Wycheproof", .enabled(if: SharedVectors.areThere, "\(SharedVectors.absence)"))
struct WycheproofTests {
    struct Case {
        let id: Int64
        let comment: String
        let key: JSONObject
        let message: [UInt8]
        let signature: [UInt8]
        let isValid: Bool
    }

    static func cases(_ file: String) throws -> [Case] {
        let document = try SharedVectors.object("wycheproof/\(file)")
        var cases: [Case] = []
        for group in document["testGroups"]?.array ?? [] {
            let key = try #require(group.object?["publicKey"]?.object)
            for value in group.object?["tests"]?.array ?? [] {
                let test = try #require(value.object)
                let result = try #require(test["result"]?.text)
                #expect(["valid", "invalid"].contains(result))
                cases.append(
                    Case(
                        id: try #require(test["tcId"]?.integer),
                        comment: test["comment"]?.text ?? "", key: key,
                        message: try bytes(#require(test["msg"]?.text)),
                        signature: try bytes(#require(test["sig"]?.text)),
                        isValid: result == "valid"))
            }
        }
        #expect(Int64(cases.count) == document["numberOfTests"]?.integer)
        return cases
    }

    static func bytes(_ hexadecimal: String) throws -> [UInt8] {
        let digits = Array(hexadecimal)
        return try stride(from: 0, to: digits.count, by: 2).map {
            try #require(UInt8(String(digits[$0...$0 + 1]), radix: 16))
        }
    }

    @Test("ES256 with raw signatures: every valid one is accepted, every invalid one refused")
    func es256() throws {
        let cases = try Self.cases("ecdsa_secp256r1_sha256_p1363_test.json")
        #expect(cases.count == 262)
        for test in cases {
            let point = try Self.bytes(#require(test.key["uncompressed"]?.text))
            let key = try P256.Signing.PublicKey(x963Representation: point)
            let isValid = ES256.isValid(test.signature, of: test.message[...], by: key)
            #expect(isValid == test.isValid, "\(test.id): \(test.comment)")
        }
        #expect(cases.filter(\.isValid).count == 173)
    }

    @Test("Ed25519: every valid one is accepted, every invalid one refused")
    func ed25519() throws {
        let cases = try Self.cases("ed25519_test.json")
        #expect(cases.count == 151)
        for test in cases {
            let point = try Self.bytes(#require(test.key["pk"]?.text))
            let key = try Curve25519.Signing.PublicKey(rawRepresentation: point)
            let isValid = key.isValidSignature(test.signature, for: test.message)
            #expect(isValid == test.isValid, "\(test.id): \(test.comment)")
        }
        #expect(cases.filter(\.isValid).count == 88)
    }
}
