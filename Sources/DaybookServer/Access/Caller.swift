import DaybookEvents

/// Who asks: a key, and for clients the customer of their token.
struct Caller: Sendable {
    /// `nil`: a route that is open.
    let key: APIKey?
    /// The only customer this caller acts for; `nil`: any.
    let customer: String?

    static let open = Caller(key: nil, customer: nil)

    var scopes: Set<Scope> { key?.scopes ?? [] }

    /// Whether what this caller writes must name an actor and a reason: a person does it, and others will ask why.
    /// The app's own backend and its clients do what customers do.
    var isPerson: Bool {
        !scopes.isDisjoint(with: [.support, .admin]) && scopes.isDisjoint(with: [.store, .client])
    }

    /// - Throws: `Problem` with 403 for another customer than the token's.
    func confirm(_ subject: String) throws {
        guard let customer, !haveSameBytes(customer, subject) else { return }
        throw Problem(
            .forbidden, "other_customer", "the token is another customer's than the one asked about"
        )
    }
}
