import DaybookEvents
@preconcurrency import X509

/// The authorities whose signatures are believed.
public struct AppStoreRoots: Sendable {
    /// More are refused: each one is another way in.
    public static let countMax = 16

    struct Root: Sendable {
        let certificate: Certificate
        /// Lower-case hexadecimal SHA-256 of the DER.
        let fingerprint: String
    }

    let roots: [Root]

    /// Lower-case hexadecimal SHA-256 of each certificate's DER, in the order given.
    public var fingerprints: [String] { roots.map(\.fingerprint) }

    /// Apple Root CA - G3 alone: https://www.apple.com/certificateauthority/, valid until 2039-04-30.
    /// - Throws: `PayloadRefusal` of class `chain` when the certificate built in is not Apple's any more.
    public static func apple() throws(PayloadRefusal) -> AppStoreRoots {
        let der = Base64.decode(appleRootG3.filter { !$0.isWhitespace }, .standard) ?? []
        let roots = try AppStoreRoots(der: [der])
        try PayloadRefusal.require(
            roots.fingerprints == [appleRootG3SHA256], .chain,
            "the certificate built in has SHA-256 \(roots.fingerprints[0]), Apple Root CA - G3 has \(appleRootG3SHA256)"
        )
        return roots
    }

    /// - Parameter der: One certificate or more, each as DER.
    /// - Throws: `PayloadRefusal` of class `chain` for what is no certificate, for none, and for too many.
    public init(der: [[UInt8]]) throws(PayloadRefusal) {
        try Self.checkCount(der.count)
        roots = try der.map { (bytes) throws(PayloadRefusal) in
            Root(
                certificate: try AppStorePath.certificate(bytes, "configured root"),
                fingerprint: Digest.hexadecimal(Digest.sha256(bytes)))
        }
    }

    /// All of several, each once.
    /// - Throws: As for DER.
    public init(joining others: [AppStoreRoots]) throws(PayloadRefusal) {
        var roots: [Root] = []
        for root in others.flatMap(\.roots)
        where !roots.contains(where: { $0.fingerprint == root.fingerprint }) {
            roots.append(root)
        }
        try Self.checkCount(roots.count)
        self.roots = roots
    }

    /// Reads a file's bytes: one certificate as DER, or PEM blocks (RFC 7468), text around them ignored.
    /// - Throws: As for DER.
    public init(file bytes: [UInt8]) throws(PayloadRefusal) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("-----BEGIN CERTIFICATE-----") else {
            try self.init(der: [bytes])
            return
        }
        try self.init(
            der: try PEM.blocks(in: text).filter { $0.label == "CERTIFICATE" }.map(\.bytes))
    }

    private init(_ roots: [Root]) { self.roots = roots }

    private static func checkCount(_ count: Int) throws(PayloadRefusal) {
        guard !(1...countMax).contains(count) else { return }
        throw PayloadRefusal(.chain, "\(count) roots are configured; 1 to \(countMax) can be")
    }

    /// The same without those of sandbox authorities.
    var withoutSandbox: AppStoreRoots {
        .init(roots.filter { !SandboxMark.isOn($0.certificate) })
    }

    /// As Apple publishes it beside the certificate.
    static let appleRootG3SHA256 =
        "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"
    private static let appleRootG3 = """
        MIICQzCCAcmgAwIBAgIILcX8iNLFS5UwCgYIKoZIzj0EAwMwZzEbMBkGA1UEAwwSQXBwbGUgUm9v
        dCBDQSAtIEczMSYwJAYDVQQLDB1BcHBsZSBDZXJ0aWZpY2F0aW9uIEF1dGhvcml0eTETMBEGA1UE
        CgwKQXBwbGUgSW5jLjELMAkGA1UEBhMCVVMwHhcNMTQwNDMwMTgxOTA2WhcNMzkwNDMwMTgxOTA2
        WjBnMRswGQYDVQQDDBJBcHBsZSBSb290IENBIC0gRzMxJjAkBgNVBAsMHUFwcGxlIENlcnRpZmlj
        YXRpb24gQXV0aG9yaXR5MRMwEQYDVQQKDApBcHBsZSBJbmMuMQswCQYDVQQGEwJVUzB2MBAGByqG
        SM49AgEGBSuBBAAiA2IABJjpLz1AcqTtkyJygRMc3RCV8cWjTnHcFBbZDuWmBSp3ZHtfTjjTuxxE
        tX/1H7YyYl3J6YRbTzBPEVoA/VhYDKX1DyxNB0cTddqXl5dvMVztK517IDvYuVTZXpmkOlEKMaNC
        MEAwHQYDVR0OBBYEFLuw3qFYM4iapIqZ3r6966/ayySrMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0P
        AQH/BAQDAgEGMAoGCCqGSM49BAMDA2gAMGUCMQCD6cHEFl4aXTQY2e3v9GwOAEZLuN+yRhHFD/3m
        eoyhpmvOwgPUnPWTxnS4at+qIxUCMG1mihDK1A3UT82NQz60imOlM27jbdoXt2QfyFMm+YhidDkL
        F1vLUagM6BgD56KyKA==
        """
}
