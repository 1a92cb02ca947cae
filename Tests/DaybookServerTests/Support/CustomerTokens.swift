import Crypto
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookServer

/// Tokens as an app's backend makes them, and clients send them.
enum CustomerTokens {
    static let secret = Array(repeating: UInt8(7), count: 32)
    private static let now = Fixtures.now / 1_000

    /// Signed by HMAC with SHA-256.
    static func token(
        _ claims: JSONObject, secret: [UInt8], header: JSONObject = ["alg": "HS256", "kid": "b"]
    ) -> (String, String) {
        let text =
            Base64.encode(header.canonicalBytes, .url) + "."
            + Base64.encode(claims.canonicalBytes, .url)
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(text.utf8), using: SymmetricKey(data: secret))
        return ("daybook-customer-token", "\(text).\(Base64.encode(Array(code), .url))")
    }

    static func claims(
        _ subject: String, from: Int64 = now, until: Int64 = now + 600
    ) -> JSONObject {
        ["sub": .string(subject), "iat": .integer(from), "exp": .integer(until)]
    }
}

extension ServerBench {
    /// What a client of a customer sends with each request.
    func client(_ subject: String, app: String = "dozzi") throws -> [(String, String)] {
        try keys.trust(
            TokenKey(id: "b", algorithm: .hs256, reading: CustomerTokens.secret), app: app,
            by: "test", now: Fixtures.now)
        return [
            try key(.client, app: app),
            CustomerTokens.token(
                CustomerTokens.claims(subject), secret: CustomerTokens.secret),
        ]
    }
}
