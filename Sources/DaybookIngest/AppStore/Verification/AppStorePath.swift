package import Crypto
import DaybookDomain
import DaybookEvents
import Foundation
import SwiftASN1
@preconcurrency import X509

/// A way from a leaf over an intermediate to a configured root, found good.
///
/// The path has a fixed length, so it is checked step by step here instead of being searched for: each step signs the
/// one below, may do so (RFC 5280 §4.2.1.3, §4.2.1.9), bears Apple's mark, and has no critical extension that is not
/// understood here. The root in the payload is never looked at: only configured ones are believed.
package struct AppStorePath: Sendable {
    /// 1.2.840.113635.100.6.11.1 on the leaf: may sign App Store receipts and notifications.
    static let leafMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
    /// 1.2.840.113635.100.6.2.1 on the intermediate: Worldwide Developer Relations.
    static let intermediateMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]

    /// The leaf's key.
    package let key: P256.Signing.PublicKey
    /// When all three certificates are valid, milliseconds since 1970 UTC, both included.
    package let validity: ClosedRange<Int64>
    /// Lower-case hexadecimal SHA-256 of the root's DER.
    package let root: String
    /// Leaf, intermediate, and the configured root.
    let certificates: [Certificate]

    /// Follows certificates as they came.
    /// - Parameters:
    ///   - certificates: DER; leaf, intermediate, and one that is ignored.
    ///   - instant: When they must be valid, milliseconds since 1970 UTC: a leaf that expired since is fine for what
    ///     it signed before.
    /// - Throws: `PayloadRefusal` of class `chain`.
    package init(
        from certificates: [[UInt8]], to roots: AppStoreRoots, at instant: Int64
    ) throws(PayloadRefusal) {
        let leaf = try Self.certificate(certificates[0], "leaf")
        let intermediate = try Self.certificate(certificates[1], "intermediate")
        try Self.check(leaf, "leaf", Self.leafMarker)
        try Self.check(intermediate, "intermediate", Self.intermediateMarker)
        try Self.checkAuthority(intermediate, "intermediate", authoritiesBelow: 0)
        try Self.checkUsage(leaf, "leaf", "sign data") { $0.digitalSignature }
        guard leaf.issuer == intermediate.subject,
            intermediate.publicKey.isValidSignature(leaf.signature, for: leaf)
        else { throw PayloadRefusal(.chain, "the leaf is not signed by the intermediate") }
        let root = try Self.root(of: intermediate, among: roots)
        guard let key = P256.Signing.PublicKey(leaf.publicKey) else {
            throw PayloadRefusal(.chain, "the leaf's key is not on P-256, which ES256 needs")
        }
        self.key = key
        self.root = root.fingerprint
        self.certificates = [leaf, intermediate, root.certificate]
        validity = try Self.validity(
            [(leaf, "leaf"), (intermediate, "intermediate"), (root.certificate, "root")],
            at: instant)
    }

    // MARK: Each step

    static func certificate(
        _ der: [UInt8], _ name: String
    ) throws(PayloadRefusal) -> Certificate {
        do {
            return try Certificate(derEncoded: der)
        } catch {
            throw PayloadRefusal(.chain, "the \(name) is no DER certificate")
        }
    }

    private static func root(
        of intermediate: Certificate, among roots: AppStoreRoots
    ) throws(PayloadRefusal) -> AppStoreRoots.Root {
        for root in roots.roots
        where root.certificate.subject == intermediate.issuer
            && root.certificate.publicKey.isValidSignature(
                intermediate.signature, for: intermediate)
        {
            if root.certificate.version == .v3 {
                try checkCriticalExtensions(root.certificate, "root")
                try checkAuthority(root.certificate, "root", authoritiesBelow: 1)
            }
            return root
        }
        throw PayloadRefusal(
            .chain,
            "the intermediate is not signed by a configured root (there are \(roots.roots.count); that of a sandbox "
                + "authority counts in the environment test alone)")
    }

    private static func check(
        _ certificate: Certificate, _ name: String, _ marker: ASN1ObjectIdentifier
    ) throws(PayloadRefusal) {
        try PayloadRefusal.require(
            certificate.version == .v3, .chain, "the \(name) is not a version 3 certificate")
        try PayloadRefusal.require(
            certificate.extensions[oid: marker] != nil, .chain,
            "the \(name) lacks Apple's extension \(marker); it was issued for something else")
        try checkCriticalExtensions(certificate, name)
    }

    /// Name constraints are about names of hosts and are not evaluated, so a path that has them is not believed.
    private static func checkCriticalExtensions(
        _ certificate: Certificate, _ name: String
    ) throws(PayloadRefusal) {
        for found in certificate.extensions
        where found.oid == .X509ExtensionID.nameConstraints
            || found.critical
                && found.oid != .X509ExtensionID.basicConstraints
                && found.oid != .X509ExtensionID.keyUsage
        {
            throw PayloadRefusal(
                .chain,
                "the \(name) has the extension \(found.oid), which must be understood and is not")
        }
    }

    private static func checkAuthority(
        _ certificate: Certificate, _ name: String, authoritiesBelow count: Int
    ) throws(PayloadRefusal) {
        // An extension that cannot be read grants nothing.
        guard
            case .isCertificateAuthority(let countMax)? = try? certificate.extensions
                .basicConstraints
        else { throw PayloadRefusal(.chain, "the \(name) is no authority, so it may not issue") }
        if let countMax, countMax < count {
            throw PayloadRefusal(
                .chain,
                "the path is too long: the \(name) allows \(countMax) authorities below itself, there are \(count)"
            )
        }
        try checkUsage(certificate, name, "sign certificates") { $0.keyCertSign }
    }

    /// Where a certificate says what its key is for, it must be that; a certificate that is silent may do anything.
    private static func checkUsage(
        _ certificate: Certificate, _ name: String, _ purpose: String,
        _ isAllowed: (KeyUsage) -> Bool
    ) throws(PayloadRefusal) {
        do {
            guard let usage = try certificate.extensions.keyUsage, !isAllowed(usage) else { return }
        } catch {
            throw PayloadRefusal(.chain, "the \(name)'s key usage cannot be read")
        }
        throw PayloadRefusal(.chain, "the \(name)'s key may not \(purpose)")
    }

    // MARK: When

    private static func validity(
        _ path: [(certificate: Certificate, name: String)], at instant: Int64
    ) throws(PayloadRefusal) -> ClosedRange<Int64> {
        var (first, last) = (Int64.min, Int64.max)
        for (certificate, name) in path {
            let from = milliseconds(certificate.notValidBefore)
            // The whole of the last second is valid: certificates count in seconds (RFC 5280 §4.1.2.5).
            let until = milliseconds(certificate.notValidAfter) + 999
            try PayloadRefusal.require(
                from <= instant && instant <= until, .chain,
                "the \(name) is valid from \(RFC3339.format(from)) to \(RFC3339.format(until)), "
                    + "the payload is of \(RFC3339.format(instant))")
            first = max(first, from)
            last = min(last, until)
        }
        return first...last
    }

    /// The certificates that are valid at a moment together with everything above them; the root comes last.
    func standing(at instant: Int64) -> [Certificate] {
        let standing = certificates.reversed().prefix { certificate in
            Self.milliseconds(certificate.notValidBefore) <= instant
                && instant <= Self.milliseconds(certificate.notValidAfter) + 999
        }
        return standing.reversed()
    }

    /// Whole seconds in, so nothing is rounded.
    private static func milliseconds(_ date: Date) -> Int64 {
        Int64(date.timeIntervalSince1970) * 1_000
    }
}
