import Crypto
public import DaybookEvents
@preconcurrency import X509

/// An authority of one's own that signs as Apple does: root, intermediate and leaf with the same marks.
///
/// Its signatures are believed only by verifiers with its root configured, and only in the environment `test`:
/// verifiers know its root by the name and leave it out elsewhere. Every holder of the seed or the file can sign, so
/// neither may be trusted where real money is counted.
public struct SandboxAuthority: Sendable {
    /// What is wrong on purpose, so that tests can see it refused.
    package enum Flaw: String, Sendable, CaseIterable {
        case leafWithoutMarker, leafWithOtherMarker, leafExpired, leafOfAnotherAuthority
        case intermediateWithoutMarker, intermediateIsNoAuthority, pathTooLong
        /// Not a flaw of the path: the root is named as an operator's own would be.
        case unmarkedRoot
    }

    private let key: P256.Signing.PrivateKey
    /// DER: leaf, intermediate, root.
    public let certificates: [[UInt8]]

    /// The root to configure, as DER.
    public var root: [UInt8] { certificates[2] }
    /// The root to configure, as PEM.
    public var rootPEM: String { PEM.text(root, label: "CERTIFICATE") }

    /// Makes keys and certificates.
    ///
    /// The keys and names are the same for the same seed, so a verifier with the root configured believes what is
    /// signed after making the authority again. The bytes of certificates differ each time, because ECDSA signatures
    /// do.
    /// - Parameters:
    ///   - seed: Any bytes; without them the keys are random.
    ///   - from: When the certificates begin to be valid, milliseconds since 1970 UTC, cut to the second.
    ///   - until: When they end, likewise; the second is still valid.
    /// - Throws: What swift-certificates throws for times outside of the years 0 to 9999.
    public init(seed: [UInt8]? = nil, from: Int64, until: Int64) throws {
        try self.init(seed: seed, from: from, until: until, flaw: nil)
    }

    /// - Parameter responder: The address at which leaf and intermediate say that one may ask whether they were
    ///   withdrawn.
    package init(
        seed: [UInt8]? = nil, from: Int64, until: Int64, flaw: Flaw?, responder: String? = nil
    ) throws {
        let keys = try SandboxKeys(seed: seed)
        key = keys.leaf
        certificates = try SandboxCertificates(
            from: from, until: until, flaw: flaw, responder: responder
        ).issue(keys)
    }

    // MARK: Kept in a file

    /// Certificates and key, to be read again byte for byte.
    ///
    /// PEM of the three certificates, leaf first, then of the leaf's private key as PKCS #8. What it signs further is
    /// payloads alone: the keys of root and intermediate are not in it.
    public var file: String {
        certificates.map { PEM.text($0, label: "CERTIFICATE") }.joined()
            + PEM.text(Array(key.derRepresentation), label: "PRIVATE KEY")
    }

    /// Reads what `file` gave.
    /// - Throws: `PayloadRefusal` of class `chain` for anything else, and where key and leaf do not belong together.
    public init(file text: String) throws(PayloadRefusal) {
        let blocks = try PEM.blocks(in: text)
        try PayloadRefusal.require(
            blocks.map(\.label) == ["CERTIFICATE", "CERTIFICATE", "CERTIFICATE", "PRIVATE KEY"],
            .chain,
            "a sandbox authority's file has three certificates and a private key, this one has "
                + "\(blocks.isEmpty ? "nothing" : blocks.map(\.label).joined(separator: ", "))")
        let leaf = try AppStorePath.certificate(blocks[0].bytes, "leaf")
        // A key that cannot be read is told like one that belongs to something else.
        guard let key = try? P256.Signing.PrivateKey(derRepresentation: blocks[3].bytes),
            P256.Signing.PublicKey(leaf.publicKey)?.rawRepresentation
                == key.publicKey.rawRepresentation
        else {
            throw PayloadRefusal(.chain, "the private key is not the one of the first certificate")
        }
        self.key = key
        certificates = blocks.prefix(3).map(\.bytes)
    }

    // MARK: Signing

    /// Signs a payload as a compact JWS.
    public func sign(_ payload: JSONObject) throws -> String {
        try sign(payload.canonicalBytes, header: header)
    }

    /// Signs a transaction.
    public func sign(_ transaction: SandboxTransaction) throws -> String {
        try sign(transaction.payload)
    }

    /// Signs a renewal info.
    public func sign(_ renewal: SandboxRenewal) throws -> String { try sign(renewal.payload) }

    /// Signs a notification with what is nested in it.
    public func sign(_ notification: SandboxNotification) throws -> String {
        try sign(
            notification.payload(
                signedTransaction: try notification.toldTransaction.map(sign(_:)),
                signedRenewal: try notification.renewal.map(sign(_:))))
    }

    /// What the JWS begins with.
    package var header: JSONObject {
        [
            "alg": "ES256",
            "x5c": .array(certificates.map { .string(Base64.encode($0, .standard)) }),
        ]
    }

    /// Signs any bytes under any header, for tests of what must be refused.
    package func sign(_ payload: [UInt8], header: JSONObject) throws -> String {
        let signed = Base64.encode(header.canonicalBytes, .url) + "." + Base64.encode(payload, .url)
        return signed + "." + Base64.encode(try signature(of: signed), .url)
    }

    /// 64 bytes, r ‖ s.
    package func signature(of text: String) throws -> [UInt8] {
        Array(try key.signature(for: Array(text.utf8)).rawRepresentation)
    }
}
