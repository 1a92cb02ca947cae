import DaybookEvents
import DaybookIngest
import Foundation
import JWTKit

/// Says which customer a client acts for: a JSON Web Token (RFC 7519) that the app's own backend has signed.
///
///     header  {"alg": …, "kid": id of the configured key; may be left out where there is one}
///     claims  {"sub": id of the customer, "iat": …, "exp": at most an hour later, "aud": the app; may be left out}
enum CustomerToken {
    /// How long a token may be good for, in seconds: one that is lost is worth little.
    static let lifetimeMax: Double = 3_600
    /// How far the clocks of two machines may be apart, in seconds.
    static let clockSkewMax: Double = 60
    /// A token of more bytes is not looked at.
    static let byteCountMax = 4_096

    private struct Claims: JWTPayload {
        var sub: String
        var iat: Double
        var exp: Double
        var aud: AudienceClaim?

        /// Times are compared with the server's clock by the caller.
        func verify(using algorithm: some JWTAlgorithm) {}
    }

    /// The customer whom a token names.
    /// - Parameters:
    ///   - now: Milliseconds since 1970 UTC.
    ///   - keys: Of the app; the token's `kid` says which one.
    /// - Throws: `Problem` with 401 for a token that is not signed by one of the keys, is over, or is good for too
    ///   long.
    static func customer(
        _ token: String, app: String, keys: [TokenKey], now: Int64
    ) async throws -> String {
        guard token.utf8.count <= byteCountMax else { throw refusal("it is too long") }
        let claims: Claims
        do {
            guard let key = try key(of: token, among: keys) else {
                throw refusal("its \"kid\" names no key that this app's tokens are verified by")
            }
            claims = try await key.collection().verify(token, as: Claims.self)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw refusal("its signature or its form is wrong")
        }
        try check(claims, app: app, now: Double(now) / 1_000)
        return claims.sub
    }

    private static func check(_ claims: Claims, app: String, now: Double) throws {
        guard claims.iat <= now + clockSkewMax else { throw refusal("it is of the future") }
        guard now < claims.exp else { throw refusal("it is over; ask the backend for another one") }
        guard claims.exp - claims.iat <= lifetimeMax else {
            throw refusal("it is good for longer than an hour")
        }
        if let audience = claims.aud, !audience.value.contains(app) {
            throw refusal("it is for another app")
        }
        guard !claims.sub.isEmpty else { throw refusal("it names no customer") }
    }

    private static func key(of token: String, among keys: [TokenKey]) throws -> TokenKey? {
        let header = token.prefix { $0 != "." }
        guard let bytes = Base64.decode(String(header), .url),
            let object = try JSONReader.read(bytes).object
        else { return nil }
        guard let id = object["kid"]?.text else { return keys.count == 1 ? keys[0] : nil }
        return keys.first { haveSameBytes($0.id, id) }
    }

    private static func refusal(_ why: String) -> Problem {
        Problem(.unauthorized, "bad_token", "the token of the customer is refused: \(why)")
    }
}
