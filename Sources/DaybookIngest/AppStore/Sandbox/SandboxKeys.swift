package import Crypto

/// The three private keys of a sandbox authority.
package struct SandboxKeys: Sendable {
    package let root: P256.Signing.PrivateKey
    package let intermediate: P256.Signing.PrivateKey
    package let leaf: P256.Signing.PrivateKey

    /// - Parameter seed: The same keys for the same seed; `nil`: new ones, from the system's randomness.
    package init(seed: [UInt8]?) throws {
        root = try Self.key("root", seed)
        intermediate = try Self.key("intermediate", seed)
        leaf = try Self.key("leaf", seed)
    }

    private static func key(_ name: String, _ seed: [UInt8]?) throws -> P256.Signing.PrivateKey {
        guard let seed else { return P256.Signing.PrivateKey() }
        // A digest is a key unless it is 0 or not below the order, which happens once in 2^32.
        var failure: (any Error)?
        for attempt in UInt8(0)..<8 {
            let digest = SHA256.hash(data: Array("daybook sandbox \(name)".utf8) + [attempt] + seed)
            do {
                return try P256.Signing.PrivateKey(rawRepresentation: Array(digest))
            } catch {
                failure = error
            }
        }
        throw failure ?? CryptoKitError.incorrectParameterSize
    }
}
