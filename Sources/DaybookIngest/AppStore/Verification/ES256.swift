package import Crypto

/// ECDSA on P-256 with SHA-256 and raw signatures (RFC 7518 §3.4).
package enum ES256 {
    /// Whether a signature of 64 bytes, r ‖ s, is that key's over these bytes; any other length is no signature.
    package static func isValid(
        _ signature: [UInt8], of bytes: ArraySlice<UInt8>, by key: P256.Signing.PublicKey
    ) -> Bool {
        // What has no representation is no signature; there is nothing more to say about it.
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else {
            return false
        }
        return key.isValidSignature(signature, for: bytes)
    }
}
