import Crypto
import DaybookEvents
@preconcurrency import X509

/// The authorities whose signatures are believed.
public struct AppStoreRoots: Sendable {
    let certificates: [Certificate]
    /// Lower-case hexadecimal SHA-256 of each certificate's DER, in order.
    public let fingerprints: [String]

    /// Apple Root CA - G3 alone: https://www.apple.com/certificateauthority/, valid until 2039-04-30.
    public static func apple() throws(AppStoreRefusal) -> AppStoreRoots {
        let der = Base64.decode(appleRootG3.utf8.filter { $0 > 0x20 }, .standard) ?? []
        let roots = try AppStoreRoots(der: [der])
        precondition(
            roots.fingerprints == [appleRootG3SHA256], "the embedded root is not Apple's")
        return roots
    }

    /// - Parameter der: Certificates as DER.
    /// - Throws: `AppStoreRefusal` of class `chain` for what is no certificate.
    public init(der: [[UInt8]]) throws(AppStoreRefusal) {
        var certificates: [Certificate] = []
        for bytes in der {
            do {
                certificates.append(try Certificate(derEncoded: bytes))
            } catch {
                throw AppStoreRefusal(.chain, "a configured root is no DER certificate: \(error)")
            }
        }
        self.certificates = certificates
        fingerprints = der.map { Digest.hexadecimal(Digest.sha256($0)) }
    }

    /// Reads a file's bytes: DER, or any number of PEM blocks.
    public init(file bytes: [UInt8]) throws(AppStoreRefusal) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("-----BEGIN CERTIFICATE-----") else {
            try self.init(der: [bytes])
            return
        }
        var blocks: [[UInt8]] = []
        for part in text.components(between: "-----BEGIN CERTIFICATE-----", and: "-----END CERTIFICATE-----") {
            guard let der = Base64.decode(part.utf8.filter { $0 > 0x20 }, .standard) else {
                throw AppStoreRefusal(.chain, "a PEM block is not base64")
            }
            blocks.append(der)
        }
        try self.init(der: blocks)
    }

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

extension String {
    /// What stands between each pair of marks.
    fileprivate func components(between start: String, and end: String) -> [Substring] {
        var found: [Substring] = []
        var rest = self[...]
        while let opening = rest.firstRange(of: start) {
            rest = rest[opening.upperBound...]
            guard let closing = rest.firstRange(of: end) else { break }
            found.append(rest[..<closing.lowerBound])
            rest = rest[closing.upperBound...]
        }
        return found
    }
}
