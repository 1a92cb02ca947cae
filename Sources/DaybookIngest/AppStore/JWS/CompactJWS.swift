import DaybookEvents

/// A compact JSON Web Signature taken apart, not yet verified (RFC 7515 §7.1).
///
/// ```
/// BASE64URL(header) "." BASE64URL(payload) "." BASE64URL(signature)
/// header     {"alg": "ES256", "x5c": [leaf, intermediate, root]}, certificates as standard base64 of DER
/// signature  64 bytes, r ‖ s (RFC 7518 §3.4)
/// ```
///
/// The header is read on demand: one that was already followed to a root need not be read again.
struct CompactJWS {
    /// A notification with everything nested in it takes about 20 KiB.
    static let byteCountMax = 1 << 18
    /// Three certificates of Apple's take about 4 KiB, in base64 twice 6 KiB.
    static let headerByteCountMax = 1 << 15
    /// A certificate of Apple's takes about 1 KiB.
    static let certificateByteCountMax = 1 << 13

    /// The first part as it came, base64url.
    let header: ArraySlice<UInt8>
    let payload: JSONObject
    /// What was signed: the first two parts with the dot between.
    let signedBytes: ArraySlice<UInt8>
    /// 64 bytes, r ‖ s.
    let signature: [UInt8]

    /// - Throws: `PayloadRefusal` of class `format`.
    init(_ bytes: [UInt8]) throws(PayloadRefusal) {
        try PayloadRefusal.require(
            bytes.count <= Self.byteCountMax, .format,
            "\(bytes.count) bytes; a signed payload has at most \(Self.byteCountMax)")
        let parts = bytes.split(
            separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        try PayloadRefusal.require(
            parts.count == 3, .format,
            "it has \(parts.count > 3 ? "more than 3 parts" : parts.count == 2 ? "2 parts" : "1 part"); "
                + "a compact JWS has 3")
        try PayloadRefusal.require(
            parts[0].count <= Self.headerByteCountMax, .format,
            "the header has \(parts[0].count) bytes; at most \(Self.headerByteCountMax) are read")
        header = parts[0]
        payload = try Self.object(parts[1], "payload")
        signedBytes = bytes[..<parts[1].endIndex]
        guard let signature = Base64.decode(parts[2], .url), signature.count == 64 else {
            throw PayloadRefusal(
                .format, "the signature is not 64 bytes in base64url without padding")
        }
        self.signature = signature
    }

    /// What the header states: DER, leaf first.
    /// - Parameter isOneEnough: A single certificate will do too, as Xcode signs with.
    /// - Throws: `PayloadRefusal` of class `format`; `chain` where the number of certificates is wrong.
    func certificates(allowingOne isOneEnough: Bool) throws(PayloadRefusal) -> [[UInt8]] {
        let header = try Self.object(header, "header")
        guard header["alg"]?.text == "ES256" else {
            let found = header["alg"]?.text.map { "\"\($0.prefix(16))\"" } ?? "missing"
            throw PayloadRefusal(.format, "alg is \(found); only ES256 is accepted")
        }
        // RFC 7515 §4.1.11: extensions that must be understood; none are.
        try PayloadRefusal.require(
            header["crit"] == nil, .format, "the header has crit, of which nothing is understood")
        guard let values = header["x5c"]?.array else {
            throw PayloadRefusal(.format, "the header has no x5c, so no signer is named")
        }
        try PayloadRefusal.require(
            values.count == 3 || isOneEnough && values.count == 1, .chain,
            "x5c has \(values.count) certificates; Apple sends exactly 3")
        return try values.map { (value) throws(PayloadRefusal) in
            guard let text = value.text, let bytes = Base64.decode(text, .standard) else {
                throw PayloadRefusal(.format, "a certificate in x5c is not standard base64")
            }
            try PayloadRefusal.require(
                (1...Self.certificateByteCountMax).contains(bytes.count), .format,
                "a certificate in x5c has \(bytes.count) bytes; 1 to \(Self.certificateByteCountMax) are read"
            )
            return bytes
        }
    }

    private static func object(
        _ part: ArraySlice<UInt8>, _ name: String
    ) throws(PayloadRefusal) -> JSONObject {
        guard let bytes = Base64.decode(part, .url) else {
            throw PayloadRefusal(.format, "the \(name) is not base64url without padding")
        }
        do {
            if let object = try JSONReader.read(bytes).object { return object }
        } catch {
            throw PayloadRefusal(.format, "the \(name) is not JSON: \(error)")
        }
        throw PayloadRefusal(.format, "the \(name) is not a JSON object")
    }
}
