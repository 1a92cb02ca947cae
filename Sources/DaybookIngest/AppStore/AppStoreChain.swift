import Crypto
import DaybookEvents
import Foundation
import SwiftASN1
import Synchronization
@_spi(FixedExpiryValidationTime) @preconcurrency import X509

/// Follows certificates to a configured root, and remembers those that it followed.
///
/// The root in the payload is never looked at: only the operator's own are believed. Validity is asked at the moment at
/// which the payload was signed: a leaf that expired since is fine for what it signed before.
final class AppStoreChain: Sendable {
    /// 1.2.840.113635.100.6.11.1 on the leaf: may sign App Store receipts and notifications.
    static let leafMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
    /// 1.2.840.113635.100.6.2.1 on the intermediate: Worldwide Developer Relations.
    static let intermediateMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]
    /// Apple uses a handful at a time.
    static let rememberedMax = 32

    private struct Followed {
        var key: P256.Signing.PublicKey
        /// When all of its certificates are valid, milliseconds since 1970, both included.
        var validity: ClosedRange<Int64>
    }

    private let roots: AppStoreRoots
    private let followed = Mutex<[[UInt8]: Followed]>([:])

    init(roots: AppStoreRoots) { self.roots = roots }

    /// The leaf's key, once the chain was found to be good at an instant.
    /// - Parameters:
    ///   - certificates: DER; leaf, intermediate, and one that is ignored.
    ///   - instant: Milliseconds since 1970 UTC.
    func key(
        of certificates: [[UInt8]], at instant: Int64
    ) async throws(AppStoreRefusal) -> P256.Signing.PublicKey {
        let name = Digest.sha256(Digest.sha256(certificates[0]) + Digest.sha256(certificates[1]))
        if let known = followed.withLock({ $0[name] }), known.validity.contains(instant) {
            return known.key
        }
        let leaf = try Self.certificate(certificates[0], "leaf")
        let intermediate = try Self.certificate(certificates[1], "intermediate")
        try Self.checkMarker(leaf, Self.leafMarker, "leaf")
        try Self.checkMarker(intermediate, Self.intermediateMarker, "intermediate")
        let chain = try await follow(leaf, intermediate, at: instant)
        guard let key = P256.Signing.PublicKey(leaf.publicKey) else {
            throw AppStoreRefusal(.chain, "the leaf's key is not on P-256, which ES256 needs")
        }
        let first = chain.map { Self.milliseconds($0.notValidBefore) }.max() ?? instant
        let last = chain.map { Self.milliseconds($0.notValidAfter) }.min() ?? instant
        if first <= last {
            remember(name, Followed(key: key, validity: first...last))
        }
        return key
    }

    private func remember(_ name: [UInt8], _ chain: Followed) {
        followed.withLock { followed in
            // A full memory begins anew: following a chain again takes a millisecond.
            if followed.count >= Self.rememberedMax { followed.removeAll() }
            followed[name] = chain
        }
    }

    private func follow(
        _ leaf: Certificate, _ intermediate: Certificate, at instant: Int64
    ) async throws(AppStoreRefusal) -> [Certificate] {
        let date = Date(timeIntervalSince1970: Double(instant) / 1_000)
        var verifier = Verifier(rootCertificates: CertificateStore(roots.certificates)) {
            RFC5280Policy(fixedExpiryValidationTime: date)
        }
        let result = await verifier.validate(
            leaf: leaf, intermediates: CertificateStore([intermediate]))
        switch result {
        case .validCertificate(let chain):
            let path = Array(chain)
            guard path.count == 3, path[1] == intermediate else {
                throw AppStoreRefusal(
                    .chain, "the path has \(path.count) certificates; leaf, intermediate and root are expected")
            }
            return path
        case .couldNotValidate(let failures):
            let reasons = failures.map { "\($0.policyFailureReason)" }
            throw AppStoreRefusal(
                .chain,
                reasons.isEmpty
                    ? "no path leads to a configured root"
                    : "no valid path to a configured root: \(reasons.joined(separator: "; ").prefix(300))")
        }
    }

    private static func certificate(
        _ der: [UInt8], _ name: String
    ) throws(AppStoreRefusal) -> Certificate {
        do {
            return try Certificate(derEncoded: der)
        } catch {
            throw AppStoreRefusal(.chain, "the \(name) is no DER certificate")
        }
    }

    private static func checkMarker(
        _ certificate: Certificate, _ marker: ASN1ObjectIdentifier, _ name: String
    ) throws(AppStoreRefusal) {
        guard certificate.extensions[oid: marker] != nil else {
            throw AppStoreRefusal(
                .chain, "the \(name) lacks Apple's extension \(marker); it was issued for something else")
        }
    }

    private static func milliseconds(_ date: Date) -> Int64 {
        Int64(clamping: Int((date.timeIntervalSince1970 * 1_000).rounded(.down)))
    }
}
