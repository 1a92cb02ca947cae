import Crypto
import DaybookDomain
import DaybookEvents

/// What came of a signed payload.
public enum AppStoreOutcome: Sendable {
    /// It is what it claims to be.
    case verified(AppStoreStatement)
    /// Nothing of it may be used.
    case refused(PayloadRefusal)
}

/// A payload that passed, and the root that vouches for it.
public struct AppStoreStatement: Sendable, Equatable {
    /// The payload, with what is nested in it verified as well.
    public let document: AppStoreDocument
    /// Lower-case hexadecimal SHA-256 of the configured root's DER; `nil` for what Xcode signed with a certificate of
    /// its own, which only the environments `xcode` and `test` take and which any developer could have made.
    public let root: String?
}

/// Verifies what Apple signed: format, chain, signature, app, environment, in this order.
///
/// Rule: a payload is used when a configured root vouches for it, it is about this app and of this environment, and so
/// is everything that is nested in it. Why: the same certificates sign for every app and for the sandbox. Validity is
/// judged at the moment of signing. Whether certificates were withdrawn since is asked by `confirm` alone, and only
/// where the verifier was given a `revocation` to ask; that needs the network. But for a bounded memory of paths
/// `verify` is pure.
public struct AppStoreVerifier: Sendable {
    /// How far ahead of the ledger's clock a payload may be signed; more is refused until the clock is there, because
    /// the latest statement about a transaction wins, and one from the future would win for long (rule 3).
    public static let leadMaxMilliseconds: Int64 = 86_400_000

    /// The app and the environment that payloads must be of.
    public let identity: AppStoreIdentity
    private let roots: AppStoreRoots
    private let revocation: AppStoreRevocation?
    private let chains = AppStoreChains()

    /// - Parameters:
    ///   - roots: The only authorities whose signatures are believed. The root of a sandbox authority is left out in
    ///     every environment but `test`.
    ///   - revocation: Asked by `confirm` whether certificates were withdrawn; `nil`: that is not asked.
    public init(
        identity: AppStoreIdentity, roots: AppStoreRoots, revocation: AppStoreRevocation? = nil
    ) {
        self.identity = identity
        self.revocation = revocation
        self.roots = identity.environment == .test ? roots : roots.withoutSandbox
    }

    /// Verifies a compact JWS and everything nested in it, without the network.
    /// - Parameters:
    ///   - text: UTF-8 without white space around it, at most 256 KiB.
    ///   - kind: What it must state.
    ///   - now: The ledger's clock, milliseconds since 1970 UTC; certificates are judged by it only where the payload
    ///     does not say when it was signed.
    public func verify(
        _ text: [UInt8], as kind: AppStorePayloadKind, now: Int64
    ) -> AppStoreOutcome {
        examine(text, kind, now).outcome
    }

    /// Verifies a compact JWS and everything nested in it.
    public func verify(_ text: String, as kind: AppStorePayloadKind, now: Int64) -> AppStoreOutcome
    {
        verify(Array(text.utf8), as: kind, now: now)
    }

    /// Verifies a compact JWS and everything nested in it; then, where the verifier has a `revocation`, whether the
    /// certificates that signed it were withdrawn.
    /// - Parameter now: As for `verify`; answers about certificates must be current then.
    public func confirm(
        _ text: [UInt8], as kind: AppStorePayloadKind, now: Int64
    ) async -> AppStoreOutcome {
        let (outcome, paths) = examine(text, kind, now)
        guard let revocation else { return outcome }
        do throws(PayloadRefusal) {
            for path in paths { try await revocation.check(path, at: now) }
        } catch {
            return .refused(error)
        }
        return outcome
    }

    /// How many paths are remembered.
    package var rememberedCount: Int { chains.count }

    // MARK: One text

    /// - Returns: The paths of the text and of those nested in it; none where it is refused.
    private func examine(
        _ text: [UInt8], _ kind: AppStorePayloadKind, _ now: Int64
    ) -> (outcome: AppStoreOutcome, paths: [AppStorePath]) {
        do throws(PayloadRefusal) {
            let (payload, outer) = try payload(of: text, kind, now)
            var paths = outer.map { [$0] } ?? []
            let document = try AppStoreDocument(payload, kind) {
                (text, kind) throws(PayloadRefusal) in
                let (payload, path) = try self.payload(of: text, kind, now)
                if let path { paths.append(path) }
                return payload
            }
            let statement = AppStoreStatement(document: document, root: outer?.root)
            return (.verified(statement), paths)
        } catch {
            return (.refused(error), [])
        }
    }

    private func payload(
        of text: [UInt8], _ kind: AppStorePayloadKind, _ now: Int64
    ) throws(PayloadRefusal) -> (payload: JSONObject, path: AppStorePath?) {
        let jws = try CompactJWS(text)
        try kind.check(jws.payload)
        let signedAt = try kind.signedAt(jws.payload)
        let path = try vouch(for: jws, at: signedAt ?? now)
        try identity.check(jws.payload, kind)
        // On a developer's machine time may be invented too.
        if let signedAt, !identity.takesUnvouched, signedAt - Self.leadMaxMilliseconds > now {
            throw PayloadRefusal(
                .retryable,
                "it was signed at \(RFC3339.format(signedAt)), the clock says \(RFC3339.format(now)); "
                    + "set the clock right or try again later")
        }
        return (jws.payload, path)
    }

    /// Follows the certificates and checks the signature.
    /// - Returns: The path to a root; `nil` where none was needed.
    private func vouch(
        for jws: CompactJWS, at instant: Int64
    ) throws(PayloadRefusal) -> AppStorePath? {
        if let path = chains.path(of: jws.header, at: instant) {
            try check(jws, path.key)
            return path
        }
        let certificates = try jws.certificates(allowingOne: identity.takesUnvouched)
        guard certificates.count > 1 else {
            // The bytes are at least what the certificate's owner signed; who that is, is not known.
            let own = try AppStorePath.certificate(certificates[0], "certificate")
            guard let key = P256.Signing.PublicKey(own.publicKey) else {
                throw PayloadRefusal(
                    .chain, "the certificate's key is not on P-256, which ES256 needs")
            }
            try check(jws, key)
            return nil
        }
        let path = try AppStorePath(from: certificates, to: roots, at: instant)
        try check(jws, path.key)
        chains.remember(path, of: jws.header)
        return path
    }

    private func check(
        _ jws: CompactJWS, _ key: P256.Signing.PublicKey
    ) throws(PayloadRefusal) {
        guard ES256.isValid(jws.signature, of: jws.signedBytes, by: key)
        else { throw PayloadRefusal(.signature, "the signature is not the leaf certificate's") }
    }
}
