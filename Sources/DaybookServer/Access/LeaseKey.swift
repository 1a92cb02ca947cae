public import Daybook
package import DaybookEvents
import DaybookIngest
import JWTKit

/// By what leases are signed (ES256). Clients have its public half and believe no other.
public struct LeaseKey: Sendable, Equatable {
    /// What a lease names in `kid`.
    public let id: String
    /// When it was made, milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// Who made it.
    public let createdBy: String
    /// Since when another key signs; its leases are believed until they are over. `nil`: it signs.
    public let retiredAt: Int64?
    /// PEM of the private key.
    let material: [UInt8]

    static func random(by actor: String, now: Int64) -> LeaseKey {
        LeaseKey(
            id: APIKeyText.random().id, createdAt: now, createdBy: actor, retiredAt: nil,
            material: Array(ES256PrivateKey().pemRepresentation.utf8))
    }

    /// Whether a lease that it signed may still be good.
    func isOfUse(at now: Int64) -> Bool {
        retiredAt.map { now < $0 + Lease.durationMax } ?? true
    }

    private func privateKey() throws -> ES256PrivateKey { try ES256PrivateKey(pem: material) }

    // Claims of a lease; times are in seconds (RFC 7519 §2), those of Daybook in milliseconds.
    private struct Claims: JWTPayload {
        struct Entitlement: Codable {
            var name: String
            var expiresAt: Int64?

            enum CodingKeys: String, CodingKey {
                case name
                case expiresAt = "expires_at"
            }
        }

        var iss = "daybook"
        var aud: String
        var sub: String
        var profile: String?
        var env: String
        var iat: Int64
        var exp: Int64
        var place: String
        var entitlements: [Entitlement]

        init(_ lease: Lease) {
            aud = lease.app
            sub = lease.subject
            profile = lease.profile
            env = lease.environment.name
            iat = lease.issuedAt / 1_000
            exp = lease.expiresAt / 1_000
            place = lease.place.description
            entitlements = lease.entitlements.map {
                Entitlement(name: $0.name, expiresAt: $0.expiresAt)
            }
        }

        /// Only ever signed here.
        func verify(using algorithm: some JWTAlgorithm) {}
    }

    /// The lease as a JSON Web Token (RFC 7519).
    public func sign(_ lease: Lease) async throws -> String {
        let keys = JWTKeyCollection()
        let name = JWKIdentifier(string: id)
        await keys.add(ecdsa: try privateKey(), kid: name)
        return try await keys.sign(
            Claims(lease), kid: name, header: ["typ": "daybook-lease+jwt"])
    }

    /// The public key (RFC 7517).
    package func publicJSON() throws -> JSONObject {
        guard let (x, y) = try privateKey().parameters else { return JSONObject() }
        func base64url(_ text: String) -> String {
            Base64.encode(Base64.decode(text, .standard) ?? [], .url)
        }
        return [
            "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": .string(id),
            "x": .string(base64url(x)), "y": .string(base64url(y)),
        ]
    }

    package var json: JSONObject {
        [
            "kind": "lease", "id": .string(id), "created_at": .integer(createdAt),
            "created_by": .string(createdBy), "retired_at": .orNull(retiredAt),
        ]
    }
}

extension [LeaseKey] {
    /// The JSON Web Key set of those whose leases may still be good.
    package func publicSet(at now: Int64) throws -> JSONObject {
        ["keys": .array(try filter { $0.isOfUse(at: now) }.map { .object(try $0.publicJSON()) })]
    }
}
