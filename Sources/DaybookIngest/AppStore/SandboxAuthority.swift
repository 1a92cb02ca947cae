import Crypto
public import DaybookEvents
import Foundation
import SwiftASN1
@preconcurrency import X509

/// An authority of one's own that signs like Apple: root, intermediate and leaf with the same marks.
///
/// Its signatures are believed only by whoever configures its root, and only in the `test` environment.
public struct SandboxAuthority: Sendable {
    /// What goes wrong on purpose, so that tests can see it refused.
    public enum Flaw: String, Sendable, CaseIterable {
        case leafWithoutMarker, intermediateWithoutMarker, intermediateIsNoAuthority, leafExpired
        case leafOfAnotherAuthority
    }

    private let leafKey: P256.Signing.PrivateKey
    /// DER: leaf, intermediate, root.
    public let certificates: [[UInt8]]

    /// The root to configure, as DER.
    public var root: [UInt8] { certificates[2] }

    /// Makes new keys and certificates.
    /// - Parameters:
    ///   - from: When they begin to be valid, milliseconds since 1970 UTC.
    ///   - until: When they end.
    public init(from: Int64, until: Int64, flaw: Flaw? = nil) throws {
        let rootKey = P256.Signing.PrivateKey()
        let intermediateKey = P256.Signing.PrivateKey()
        leafKey = P256.Signing.PrivateKey()
        let issuer = Issuer(from: from, until: until)
        let root = try issuer.certificate(
            "Daybook Sandbox Root", rootKey, by: "Daybook Sandbox Root", rootKey, authority: 1)
        let intermediate = try issuer.certificate(
            "Daybook Sandbox Relations", intermediateKey, by: "Daybook Sandbox Root", rootKey,
            authority: flaw == .intermediateIsNoAuthority ? nil : 0,
            marker: flaw == .intermediateWithoutMarker ? nil : AppStoreChain.intermediateMarker)
        let leaf = try Issuer(
            from: from, until: flaw == .leafExpired ? from + 1_000 : until
        ).certificate(
            "Daybook Sandbox Signing", leafKey, by: "Daybook Sandbox Relations",
            flaw == .leafOfAnotherAuthority ? P256.Signing.PrivateKey() : intermediateKey,
            authority: nil,
            marker: flaw == .leafWithoutMarker ? nil : AppStoreChain.leafMarker)
        certificates = [leaf, intermediate, root]
    }

    /// Signs a payload as a compact JWS.
    public func sign(_ payload: JSONObject) throws -> String {
        let header: JSONObject = [
            "alg": "ES256",
            "x5c": .array(certificates.map { .string(Base64.encode($0, .standard)) }),
        ]
        let signed =
            Base64.encode(header.canonicalBytes, .url) + "."
            + Base64.encode(payload.canonicalBytes, .url)
        let signature = try leafKey.signature(for: Array(signed.utf8))
        return signed + "." + Base64.encode(Array(signature.rawRepresentation), .url)
    }

    private struct Issuer {
        let from: Int64
        let until: Int64

        /// - Parameter authority: How many authorities may stand below; `nil` for a leaf.
        func certificate(
            _ name: String, _ key: P256.Signing.PrivateKey, by issuer: String,
            _ issuerKey: P256.Signing.PrivateKey, authority: Int?,
            marker: ASN1ObjectIdentifier? = nil
        ) throws -> [UInt8] {
            let certificate = try Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(),
                publicKey: Certificate.PublicKey(key.publicKey),
                notValidBefore: Date(timeIntervalSince1970: Double(from / 1_000)),
                notValidAfter: Date(timeIntervalSince1970: Double(until / 1_000)),
                issuer: try DistinguishedName { CommonName(issuer) },
                subject: try DistinguishedName { CommonName(name) },
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: try extensions(authority, marker),
                issuerPrivateKey: Certificate.PrivateKey(issuerKey))
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            return serializer.serializedBytes
        }

        private func extensions(
            _ authority: Int?, _ marker: ASN1ObjectIdentifier?
        ) throws -> Certificate.Extensions {
            var extensions = try Certificate.Extensions {
                if let authority {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: authority))
                    Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                } else {
                    Critical(BasicConstraints.notCertificateAuthority)
                    Critical(KeyUsage(digitalSignature: true))
                }
            }
            if let marker {
                // Apple's marks hold an ASN.1 NULL.
                try extensions.append(
                    Certificate.Extension(oid: marker, critical: false, value: [0x05, 0x00]))
            }
            return extensions
        }
    }
}
