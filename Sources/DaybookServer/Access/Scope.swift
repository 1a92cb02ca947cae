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
