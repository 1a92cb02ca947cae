import Crypto
import DaybookEvents
import DaybookIngest
import Testing

/// Payloads that are not what Apple sends, or whose signature is not the leaf's.
@Suite("Hostile payloads")
struct HostileTextTests {
    let authority: SandboxAuthority
    let verifier: AppStoreVerifier
    let good: String
    let parts: [String]

    init() throws {
        authority = try Sandbox.authority()
        verifier = try Sandbox.verifier(authority)
        good = try authority.sign(Sandbox.transaction())
        parts = Sandbox.parts(good)
    }

    func reason(_ text: String) -> PayloadRefusal.Reason? {
        verifier.verify(text, as: .transaction, now: Sandbox.now).reason
    }

    /// Before and after the good one was seen, so that no remembered header lets anything through.
    func expectRefused(
        _ text: String, _ expected: PayloadRefusal.Reason, _ what: Comment? = nil,
        _ place: SourceLocation = #_sourceLocation
    ) {
        #expect(reason(text) == expected, what, sourceLocation: place)
        #expect(reason(good) == nil, what, sourceLocation: place)
        #expect(reason(text) == expected, what, sourceLocation: place)
    }

    func signed(_ header: JSONObject) throws -> String {
        try authority.sign(Sandbox.transaction().payload.canonicalBytes, header: header)
    }

    @Test("Exactly three parts, and nothing around them")
    func threeParts() {
        for text in [
            "", ".", "..", "...", "a.b.c.d", parts[0], "\(parts[0]).\(parts[1])", good + ".",
            "." + good, good + ".AAAA", "\(parts[0])..\(parts[2])", "\(parts[0]).\(parts[1]).",
            good + "\n", " " + good, good + " ", "\u{FEFF}" + good, good + "\u{0}",
            "\(parts[0]). \(parts[1]).\(parts[2])",
        ] { expectRefused(text, .format) }
    }

    @Test("Base64url without padding, in one spelling")
    func encoding() throws {
        for index in 0..<3 {
            var padded = parts
            padded[index] += String(repeating: "=", count: 4 - padded[index].count % 4)
            expectRefused(padded.joined(separator: "."), .format, "padding in part \(index)")
            var broken = parts
            broken[index].insert("\n", at: broken[index].startIndex)
            expectRefused(broken.joined(separator: "."), .format, "white space in part \(index)")
        }
        // 64 bytes leave four bits over in the last character.
        let last = try #require(parts[2].last)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let place = try #require(alphabet.firstIndex(of: last))
        #expect(place % 16 == 0)
        for bits in 1..<16 {
            let other = parts[2].dropLast() + String(alphabet[place + bits])
            expectRefused("\(parts[0]).\(parts[1]).\(other)", .format)
        }
        let header = try #require(Base64.decode(parts[0], .url))
        let standard = Base64.encode(header, .standard)
        if standard.contains("+") || standard.contains("/") {
            expectRefused("\(standard).\(parts[1]).\(parts[2])", .format)
        }
    }

    @Test("A signature of another length, of zeros, or of anything else is refused")
    func signatures() throws {
        let bytes = try #require(Base64.decode(parts[2], .url))
        func text(_ signature: [UInt8]) -> String {
            "\(parts[0]).\(parts[1]).\(Base64.encode(signature, .url))"
        }
        expectRefused(text(bytes.dropLast()), .format)
        expectRefused(text(bytes + [0]), .format)
        expectRefused(text([UInt8](repeating: 0, count: 64)), .signature)
        expectRefused(text([UInt8](repeating: 255, count: 64)), .signature)
        expectRefused(text(Array(bytes[32...] + bytes[..<32])), .signature, "s before r")
        for index in [0, 31, 32, 63] {
            var changed = bytes
            changed[index] ^= 1
            expectRefused(text(changed), .signature, "byte \(index)")
        }
        // The form that X.509 uses: a DER sequence of r and s.
        let der = try P256.Signing.ECDSASignature(rawRepresentation: bytes).derRepresentation
        expectRefused(text(Array(der)), .format)
    }

    @Test("A payload that was changed, or that another leaf signed, is refused")
    func changed() throws {
        var other = Sandbox.transaction()
        other.price = 0
        let payload = Base64.encode(other.payload.canonicalBytes, .url)
        expectRefused("\(parts[0]).\(payload).\(parts[2])", .signature)
        let foreign = try Sandbox.authority(seed: "somebody else")
        let stolen = try foreign.sign(
            other.payload.canonicalBytes, header: authority.header)
        expectRefused(stolen, .signature, "our certificates, another's key")
    }

    @Test("Another algorithm is refused before anything is computed")
    func algorithms() throws {
        let header = authority.header
        for algorithm: JSONValue? in [
            "none", "None", "NONE", "", "es256", "ES384", "ES512", "RS256", "PS256", "EdDSA",
            "HS256", nil, 256, ["ES256"], .null,
        ] {
            var changed = header
            changed["alg"] = algorithm
            expectRefused(try signed(changed), .format, "\(String(describing: algorithm))")
        }
        var none = header
        none["alg"] = "none"
        let unsigned = Base64.encode(none.canonicalBytes, .url) + "." + parts[1] + "."
        expectRefused(unsigned, .format, "alg none without a signature")
    }

    @Test("HS256 with the leaf's public key as the secret is refused")
    func confusion() throws {
        let leaf = try AppStorePath(
            from: authority.certificates, to: AppStoreRoots(der: [authority.root]),
            at: Sandbox.now)
        var header = authority.header
        header["alg"] = "HS256"
        let text = Base64.encode(header.canonicalBytes, .url) + "." + parts[1]
        for secret in [
            Array(leaf.key.derRepresentation), Array(leaf.key.pemRepresentation.utf8),
            Array(leaf.key.x963Representation), authority.certificates[0],
        ] {
            let code = HMAC<SHA256>.authenticationCode(
                for: Array(text.utf8), using: SymmetricKey(data: secret))
            expectRefused(text + "." + Base64.encode(Array(code), .url), .format)
        }
    }

    @Test("Members that stand twice are refused, in the header and in the payload")
    func duplicates() throws {
        let header = String(decoding: authority.header.canonicalBytes, as: UTF8.self)
        let payload = String(
            decoding: Sandbox.transaction().payload.canonicalBytes, as: UTF8.self)
        func signed(_ header: String, _ payload: String) throws -> String {
            let text =
                Base64.encode(Array(header.utf8), .url) + "."
                + Base64.encode(Array(payload.utf8), .url)
            return text + "." + Base64.encode(try authority.signature(of: text), .url)
        }
        #expect(reason(try signed(header, payload)) == nil)
        let open = String(header.dropLast())
        for (header, payload) in [
            (#"{"alg":"none","# + String(header.dropFirst()), payload),
            (open + #","alg":"ES256"}"#, payload), (open + #","x5c":[]}"#, payload),
            // The same name, spelled with an escape.
            (open + #","\u0061lg":"ES256"}"#, payload),
            (header, String(payload.dropLast()) + #","bundleId":"com.other"}"#),
        ] { expectRefused(try signed(header, payload), .format) }
        for (header, payload) in [
            (header + "{}", payload), (header, payload + " x"), ("[\(header)]", payload),
            (header, "[\(payload)]"), (header, "null"), ("\"\"", payload), ("", payload),
            (header, ""), ("\u{FEFF}" + header, payload), (header, "{\"a\":\"\u{1}\"}"),
        ] { expectRefused(try signed(header, payload), .format) }
    }

    @Test("Certificates that are no standard base64 are refused")
    func certificates() throws {
        let leaf = authority.certificates[0]
        let text = Base64.encode(leaf, .standard)
        for spelling: JSONValue in [
            .string(text + "="), .string(text + "\n"), .string(" " + text), .string(""),
            .string(String(text.dropLast())), .integer(1), .null, [.string(text)],
            .string("-----BEGIN CERTIFICATE-----" + text), .string(text + "AAAA===="),
        ] {
            var header = authority.header
            var values = header["x5c"]?.array ?? []
            values[0] = spelling
            header["x5c"] = .array(values)
            expectRefused(try signed(header), .format)
        }
        for value: JSONValue? in [nil, .null, .string(text), [:], 3] {
            var header = authority.header
            header["x5c"] = value
            expectRefused(try signed(header), .format)
        }
    }

    @Test("A critical extension of the header that is not understood is refused")
    func critical() throws {
        for value: JSONValue in [["b64"], [], ["exp"]] {
            var header = authority.header
            header["crit"] = value
            expectRefused(try signed(header), .format)
        }
        var harmless = authority.header
        harmless["kid"] = "anything"
        harmless["typ"] = "JWT"
        harmless["jku"] = "https://example.com/keys"
        #expect(reason(try signed(harmless)) == nil)
    }

    @Test("What is larger than anything that Apple sends is refused unread")
    func oversized() throws {
        var large = Sandbox.transaction()
        large.others = ["padding": .string(String(repeating: "x", count: 1 << 18))]
        expectRefused(try authority.sign(large), .format)
        large.others = ["padding": .string(String(repeating: "x", count: 150_000))]
        #expect(reason(try authority.sign(large)) == nil)
        var header = authority.header
        header["padding"] = .string(String(repeating: "x", count: 1 << 15))
        expectRefused(try signed(header), .format)
        header = authority.header
        var values = header["x5c"]?.array ?? []
        values[2] = .string(Base64.encode([UInt8](repeating: 0, count: (1 << 13) + 1), .standard))
        header["x5c"] = .array(values)
        expectRefused(try signed(header), .format)
        var deep = JSONValue.integer(1)
        for _ in 0..<40 { deep = ["a": deep] }
        var nested = Sandbox.transaction()
        nested.others = ["deep": deep]
        expectRefused(try authority.sign(nested), .format)
    }

    @Test("A moment that no calendar has is refused, not computed with")
    func moments() throws {
        for moment: JSONValue in [
            .integer(.max), .integer(.min), .integer(-1), .integer(253_402_300_800_000),
            .number("1e300"), .number("9223372036854775808"), .number("-62135769600000.5"),
            .number("1e-999999999"), .string("2026-01-15"), .bool(true), [], .null,
        ] {
            var transaction = Sandbox.transaction()
            transaction.others = ["signedDate": nil]
            var payload = transaction.payload
            payload["signedDate"] = moment
            expectRefused(try authority.sign(payload), .format, "\(moment)")
        }
    }
}
