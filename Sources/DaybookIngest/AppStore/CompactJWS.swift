import DaybookEvents

/// A compact JSON Web Signature taken apart, not yet verified (RFC 7515 §7.1).
///
/// ```
/// BASE64URL(header) "." BASE64URL(payload) "." BASE64URL(signature)
/// header     {"alg": "ES256", "x5c": [leaf, intermediate, root]}, certificates as standard base64 of DER
/// signature  64 bytes, r ‖ s (RFC 7518 §3.4)
/// ```
struct CompactJWS {
    /// A notification with everything nested in it takes about 20 KiB.
    static let byteCountMax = 1 << 20

    /// DER, leaf first; the third is carried along and trusted for nothing.
    let certificates: [[UInt8]]
    let payload: JSONObject
    /// What was signed: the first two parts with the dot between.
    let signedBytes: [UInt8]
    let signature: [UInt8]

    /// - Throws: `AppStoreRefusal` of class `format`; `chain` where the number of certificates is wrong.
    init(_ text: some Collection<UInt8>) throws(AppStoreRefusal) {
        guard text.count <= Self.byteCountMax else {
            throw AppStoreRefusal(
                .format, "\(text.count) bytes; a signed payload has at most \(Self.byteCountMax)")
        }
        let bytes = Array(text)
        let parts = bytes.split(
            separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw AppStoreRefusal(
                .format, "it has \(parts.count > 3 ? "more than 3" : "\(parts.count)") parts; a compact JWS has 3")
        }
        let header = try Self.object(parts[0], "header")
        guard header["alg"]?.text == "ES256" else {
            let found = header["alg"]?.text.map { "\"\($0.prefix(16))\"" } ?? "missing"
            throw AppStoreRefusal(.format, "alg is \(found); only ES256 is accepted")
        }
        // RFC 7515 §4.1.11: extensions that must be understood; none are.
        guard header["crit"] == nil else {
            throw AppStoreRefusal(.format, "the header has crit, of which nothing is understood")
        }
        certificates = try Self.certificates(header)
        payload = try Self.object(parts[1], "payload")
        signedBytes = Array(bytes[..<parts[1].endIndex])
        guard let signature = Base64.decode(parts[2], .url), signature.count == 64 else {
            throw AppStoreRefusal(.format, "the signature is not 64 bytes in base64url")
        }
        self.signature = signature
    }

    private static func object(
        _ part: ArraySlice<UInt8>, _ name: String
    ) throws(AppStoreRefusal) -> JSONObject {
        guard let bytes = Base64.decode(part, .url) else {
            throw AppStoreRefusal(.format, "the \(name) is not base64url without padding")
        }
        do {
            if let object = try JSONReader.read(bytes).object { return object }
        } catch {
            throw AppStoreRefusal(.format, "the \(name) is not JSON: \(error)")
        }
        throw AppStoreRefusal(.format, "the \(name) is not a JSON object")
    }

    private static func certificates(
        _ header: JSONObject
    ) throws(AppStoreRefusal) -> [[UInt8]] {
        guard let values = header["x5c"]?.array else {
            throw AppStoreRefusal(.format, "the header has no x5c, so nobody signed this")
        }
        guard values.count == 3 else {
            throw AppStoreRefusal(
                .chain, "x5c has \(values.count) certificates; Apple sends exactly 3")
        }
        var certificates: [[UInt8]] = []
        for value in values {
            guard let text = value.text, let bytes = Base64.decode(text.utf8, .standard) else {
                throw AppStoreRefusal(.format, "a certificate in x5c is not standard base64")
            }
            certificates.append(bytes)
        }
        return certificates
    }
}
