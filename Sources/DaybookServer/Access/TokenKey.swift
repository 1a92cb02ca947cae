import DaybookIngest
import DaybookStore
import Foundation
import JWTKit

/// By what the tokens of an app's backend are verified. The algorithm is the key's: what a token says of it is not
/// believed, so a public key is never taken for a shared secret.
public struct TokenKey: Sendable, Equatable {
    /// By what a token is signed; each raw value is its name in `alg` (RFC 7518, RFC 8037).
    public enum Algorithm: String, Sendable, CaseIterable {
        /// ECDSA on P-256; the key is public, as PEM.
        case es256 = "ES256"
        /// Ed25519; the key is public, as PEM.
        case edDSA = "EdDSA"
        /// HMAC with SHA-256; the key is a secret of at least 32 bytes that the backend has, too.
        case hs256 = "HS256"
    }

    /// What tokens name in `kid`.
    public let id: String
    /// The only algorithm that tokens under this key may have.
    public let algorithm: Algorithm
    /// PEM, or of `HS256` the secret.
    let material: [UInt8]

    /// The shortest secret, as many bytes as the hash has (RFC 7518 §3.2).
    public static let secretByteCountMin = 32

    private var text: String { String(decoding: material, as: UTF8.self) }

    /// A collection of this key alone, so that no other one can have signed.
    func collection() async throws -> JWTKeyCollection {
        let keys = JWTKeyCollection()
        switch algorithm {
        case .es256: await keys.add(ecdsa: try ES256PublicKey(pem: text))
        case .edDSA: await keys.add(eddsa: try EdDSA.PublicKey(pem: text))
        case .hs256: await keys.add(hmac: HMACKey(from: Data(material)), digestAlgorithm: .sha256)
        }
        return keys
    }
}

extension TokenKey {
    /// - Throws: `StoreError` for a key that is none of the algorithm, or a secret that is too short.
    public init(id: String, algorithm: Algorithm, reading material: [UInt8]) throws {
        self.init(id: id, algorithm: algorithm, material: material)
        do {
            switch algorithm {
            case .es256: _ = try ES256PublicKey(pem: text)
            case .edDSA: _ = try EdDSA.PublicKey(pem: text)
            case .hs256 where material.count < Self.secretByteCountMin:
                throw StoreError(
                    .failed,
                    "a secret of \(material.count) bytes can be guessed; HS256 needs \(Self.secretByteCountMin) random bytes at least"
                )
            case .hs256: break
            }
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.failed, "this is no public key for \(algorithm.rawValue) as PEM")
        }
    }
}
