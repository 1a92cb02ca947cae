import DaybookDomain
import DaybookEvents

/// Who asks: a key, and for clients the customer of their token.
package struct Caller: Sendable {
    /// A browser's session, of which the caller is.
    package struct Session: Sendable {
        /// What each form of its pages must bring along.
        package var formToken: String
        /// The apps that it opens; `nil`: all that are served.
        package var apps: [String]?

        package init(formToken: String, apps: [String]?) {
            self.formToken = formToken
            self.apps = apps
        }
    }

    /// `nil`: a route that is open, or the session of the operator of this machine.
    package let key: APIKey?
    /// Those of the key's scopes by which the route was opened.
    package let granted: Set<Scope>
    /// The only customer this caller acts for; `nil`: any.
    let customer: String?
    /// `nil`: the caller is a program.
    package var session: Session?

    package static let open = Caller(key: nil, granted: [])

    /// - Parameter customer: The only customer this caller acts for; `nil`: any.
    package init(
        key: APIKey?, granted: Set<Scope>, customer: String? = nil, session: Session? = nil
    ) {
        self.key = key
        self.granted = granted
        self.customer = customer
        self.session = session
    }

    /// Whether what this caller writes must name an actor and a reason: a person does it, and others will ask why.
    /// The app's own backend and its clients do what customers do.
    var isPerson: Bool {
        !granted.isDisjoint(with: [.support, .admin])
            && granted.isDisjoint(with: [.store, .client])
    }

    /// What a client is told of purchases: what they came to for its own customer. Whose they are otherwise, and what
    /// that customer has, is not for a device that may be another's.
    func reduced(_ json: JSONObject) -> JSONObject {
        guard let customer else { return json }
        var own = [customer]
        var json = json
        for name in ["claims", "lineages"] {
            guard let list = json[name]?.array else { continue }
            json[name] = .array(
                list.map { value in
                    guard var object = value.object else { return value }
                    // Names are those that are shown, of which the token's may be another spelling.
                    let owner = object["owner_after"] ?? object["owner"]
                    if Self.isTheirs(object["outcome"]), let name = owner?.text {
                        own.append(name)
                        // Whose it was before it moved.
                        if object["owner_before"] != owner {
                            Self.clear("owner_before", in: &object)
                        }
                    } else {
                        for member in Self.ofOwners { Self.clear(member, in: &object) }
                    }
                    return .object(object)
                })
        }
        if let changes = json["customers"]?.array {
            json["customers"] = .array(
                changes.filter { change in
                    let subject = change.object?["subject"]?.text
                    return own.contains { haveSameBytes($0, subject) }
                })
        }
        return json
    }

    /// What tells of the owner of a purchase.
    private static let ofOwners = [
        "owner", "owner_before", "owner_after", "source", "reversible_until",
    ]

    private static func isTheirs(_ outcome: JSONValue?) -> Bool {
        outcome == "theirs" || RestoreOutcome(rawValue: outcome?.text ?? "")?.isTheirs == true
    }

    private static func clear(_ member: String, in object: inout JSONObject) {
        if object[member] != nil { object[member] = .null }
    }

    /// - Throws: `Problem` with 403 for another customer than the token's.
    func confirm(_ subject: String) throws {
        guard let customer, !haveSameBytes(customer, subject) else { return }
        throw Problem(
            .forbidden, "other_customer", "the token is another customer's than the one asked about"
        )
    }
}
