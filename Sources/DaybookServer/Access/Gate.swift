import DaybookEvents
import HTTPTypes

/// Who may use a route: every request but those of open routes shows a key.
package struct Gate: Sendable {
    /// `nil`: there are no keys, and no route that needs one is served.
    let ring: KeyRing?
    /// Milliseconds since 1970 UTC.
    package let clock: @Sendable () -> Int64

    /// - Parameters:
    ///   - scopes: Those of which the key needs one; empty: the route is open.
    ///   - app: The ledger that is asked.
    /// - Throws: `Problem` with 401 for a request without a good key, 403 for a key that may not do this.
    func admit(_ headers: HTTPFields, to scopes: Set<Scope>, app: String) async throws -> Caller {
        if scopes.isEmpty { return .open }
        guard let header = headers[.authorization] else {
            throw Self.unauthenticated("this route needs a key: send \"Authorization: Bearer KEY\"")
        }
        let words = header.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bearer", let text = APIKeyText(words[1])
        else { throw Self.unauthenticated("the authorization is not \"Bearer KEY\"") }
        let found = try caller(try key(of: text), to: scopes, app: app)
        guard found.granted == [.client], let key = found.key else { return found }
        return Caller(
            key: key, granted: found.granted, customer: try await customer(headers, app: app))
    }

    /// What a key that was shown may do.
    /// - Throws: `Problem` with 403 for a key that may not use a route of these scopes.
    package func caller(_ key: APIKey, to scopes: Set<Scope>, app: String) throws -> Caller {
        // Of another app's ledger nothing is told, not even whether it is there.
        try Problem.require(
            haveSameBytes(key.app, app), as: .forbidden, "other_app",
            "the key is not for \(ShownText.escaped(app))")
        // A key that is a client's is in every copy of an app, whatever else it was once given.
        let own: Set<Scope> = key.scopes.contains(.client) ? [.client] : key.scopes
        let granted = own.intersection(scopes)
        guard !granted.isEmpty else {
            let needed = scopes.map(\.rawValue).sorted().joined(separator: ", ")
            throw Problem(
                .forbidden, "scope_needed",
                "the key has none of the scopes that may do this: \(needed)")
        }
        return Caller(key: key, granted: granted)
    }

    /// The key of a text that was shown.
    /// - Throws: `Problem` with 401 for one that is none, is not known, or opens nothing any more.
    package func key(shown: some StringProtocol) throws -> APIKey {
        guard let text = APIKeyText(shown) else { throw Self.noKey }
        return try key(of: text)
    }

    private func key(of text: APIKeyText) throws -> APIKey {
        // An id that is unknown takes as long as a secret that is wrong, and both are told alike.
        let found = try ring?.key(text.id)
        let isRight = ConstantTime.areEqual(found?.digest ?? text.secret, text.digest)
        guard let found, isRight, found.isValid(at: clock()) else { throw Self.noKey }
        return found
    }

    /// The key of an id that was shown before, as it is now.
    /// - Throws: `Problem` with 401 for one that opens nothing any more.
    package func key(_ id: String) throws -> APIKey {
        guard let found = try ring?.key(id), found.isValid(at: clock()) else { throw Self.noKey }
        return found
    }

    private static let noKey = unauthenticated("the key is unknown, revoked or over")

    /// All keys of an app; `nil`: there are no keys.
    package func keys(app: String) throws -> [APIKey]? { try ring?.keys(app: app) }

    private func customer(_ headers: HTTPFields, app: String) async throws -> String {
        guard let token = headers[.customerToken] else {
            throw Problem(
                .unauthorized, "token_needed",
                "a client key acts for the customer of a token: send \"\(HTTPField.Name.customerToken.rawName)\""
            )
        }
        return try await CustomerToken.customer(
            token, app: app, keys: try ring?.tokenKeys(app: app) ?? [], now: clock())
    }

    private static func unauthenticated(_ detail: String) -> Problem {
        var problem = Problem(.unauthorized, "unauthenticated", detail)
        problem.headers[.wwwAuthenticate] = "Bearer"
        return problem
    }
}
