import Crypto
import Foundation
import SwiftASN1
@preconcurrency import X509

/// Issues the certificates of a sandbox authority: root, intermediate and leaf, marked as Apple marks its own.
struct SandboxCertificates {
    /// When all of them are valid, milliseconds since 1970 UTC, cut to whole seconds.
    let from: Int64
    let until: Int64
    var flaw: SandboxAuthority.Flaw?
    /// Where leaf and intermediate are asked about (RFC 5280 §4.2.2.1).
    var responder: String?

    /// - Returns: DER: leaf, intermediate, root.
    func issue(_ keys: SandboxKeys) throws -> [[UInt8]] {
        // For tests of the other environments: this root cannot be told from an operator's own.
        let organization = flaw == .unmarkedRoot ? "Another authority" : SandboxMark.organization
        let (root, intermediate) = (keys.root, keys.intermediate)
        let rootName = try SandboxMark.name("Root", organization)
        let intermediateName = try SandboxMark.name("Relations", organization)
        return [
            try certificate(
                keys.leaf, try SandboxMark.name("Signing", organization),
                by: flaw == .leafOfAnotherAuthority ? keys.leaf : intermediate, intermediateName,
                authoritiesBelow: nil, until: flaw == .leafExpired ? from + 1_000 : until,
                marker: flaw == .leafWithoutMarker
                    ? nil
                    : flaw == .leafWithOtherMarker
                        ? AppStorePath.intermediateMarker : AppStorePath.leafMarker),
            try certificate(
                intermediate, intermediateName, by: root, rootName,
                authoritiesBelow: flaw == .intermediateIsNoAuthority ? nil : 0, until: until,
                marker: flaw == .intermediateWithoutMarker ? nil : AppStorePath.intermediateMarker),
            try certificate(
                root, rootName, by: root, rootName,
                authoritiesBelow: flaw == .pathTooLong ? 0 : 1, until: until, marker: nil),
        ]
    }

    /// - Parameter authoritiesBelow: How many authorities may stand below this one; `nil` for what is none.
    private func certificate(
        _ key: P256.Signing.PrivateKey, _ name: DistinguishedName,
        by issuerKey: P256.Signing.PrivateKey, _ issuer: DistinguishedName, authoritiesBelow: Int?,
        until: Int64, marker: ASN1ObjectIdentifier?
    ) throws -> [UInt8] {
        let certificate = try Certificate(
            version: .v3,
            // Twenty bytes at most, positive (RFC 5280 §4.1.2.2).
            serialNumber: .init(
                bytes: [0x01] + SHA256.hash(data: key.publicKey.rawRepresentation).prefix(15)),
            publicKey: .init(key.publicKey),
            notValidBefore: Date(timeIntervalSince1970: Double(from / 1_000)),
            notValidAfter: Date(timeIntervalSince1970: Double(until / 1_000)),
            issuer: issuer, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try extensions(authoritiesBelow, marker, isRoot: name == issuer),
            issuerPrivateKey: .init(issuerKey))
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }

    private func extensions(
        _ authoritiesBelow: Int?, _ marker: ASN1ObjectIdentifier?, isRoot: Bool
    ) throws -> Certificate.Extensions {
        var extensions = try Certificate.Extensions {
            if let authoritiesBelow {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: authoritiesBelow))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            } else {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
            }
        }
        if let marker {
            // Apple's marks hold an ASN.1 NULL.
            try extensions.append(.init(oid: marker, critical: false, value: [0x05, 0x00]))
        }
        if let responder, !isRoot {
            let access = AuthorityInformationAccess([
                .init(method: .ocspServer, location: .uniformResourceIdentifier(responder))
            ])
            try extensions.append(.init(access, critical: false))
        }
        return extensions
    }
}
