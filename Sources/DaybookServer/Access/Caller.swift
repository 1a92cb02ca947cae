import DaybookEvents

/// Who asks: a key, and for clients the customer of their token.
struct Caller: Sendable {
    /// `nil`: a route that is open.
    let key: APIKey?
    /// Those of the key's scopes by which the route was opened.
    let granted: Set<Scope>
    /// The only customer this caller acts for; `nil`: any.
    let customer: String?

    static let open = Caller(key: nil, granted: [], customer: nil)

    /// Whether what this caller writes must name an actor and a reason: a person does it, and others will ask why.
    /// The app's own backend and its clients do what customers do.
    var isPerson: Bool {
        !granted.isDisjoint(with: [.support, .admin])
            && granted.isDisjoint(with: [.store, .client])
    }

    /// What a client is told of a purchase: what it came to for its own customer. Whose it is otherwise, and what that
    /// customer has, is not for a device that may be another's.
    func reduced(_ json: JSONObject) -> JSONObject {
        guard let customer else { return json }
        func isOwn(_ value: JSONValue?) -> Bool {
            value?.text.map { haveSameBytes($0, customer) } == true
        }
        func list(
            _ name: String, _ change: (JSONObject) -> JSONObject?
        ) -> JSONValue {
            .array(
                (json[name]?.array ?? []).compactMap(\.object).compactMap(change).map {
                    .object($0)
                })
        }
        var json = json
        if json["customers"] != nil {
            json["customers"] = list("customers") { isOwn($0["subject"]) ? $0 : nil }
        }
        for name in ["claims", "lineages"] where json[name] != nil {
            json[name] = list(name) { object in
                var object = object
                for owner in ["owner", "owner_before", "owner_after"]
                where object[owner] != nil && !isOwn(object[owner]) {
                    object[owner] = .null
                }
                return object
            }
        }
        return json
    }

    /// - Throws: `Problem` with 403 for another customer than the token's.
    func confirm(_ subject: String) throws {
        guard let customer, !haveSameBytes(customer, subject) else { return }
        throw Problem(
            .forbidden, "other_customer", "the token is another customer's than the one asked about"
        )
    }
}
