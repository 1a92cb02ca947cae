/// What a key may do. A route names the scopes that it takes; a key has one or several.
public enum Scope: String, Sendable, CaseIterable, Codable {
    /// The app's own backend: brings facts in, and uses and asks for any customer.
    case store
    /// The app on a device: only for the customer of a token that the app's backend made.
    case client
    /// Support: asks about any customer, and acts with a name and a reason.
    case support
    /// Analysts: lists, funnels, changes and exports.
    case analyst
    /// The operator: everything.
    case admin
}

extension Set<Scope> {
    /// Why a key must not have all of these; `nil`: it may.
    ///
    /// A client's key is in every copy of an app, and with another scope beside would open more than its customer's
    /// own; what a person does must name the person, and what an app's backend does cannot.
    public var conflict: String? {
        if contains(.client), count > 1 {
            return "client stands alone: such a key is in every copy of the app"
        }
        if contains(.store), !isDisjoint(with: [.support, .admin]) {
            return
                "store does not go with support or admin: those name who acts, a backend does not"
        }
        return nil
    }
}
