package import DaybookEvents

/// What a client may go on believing of a customer while it cannot ask: ids and ends, and nothing else.
public struct Lease: Sendable, Equatable {
    /// The app of the ledger that gave it.
    public var app: String
    /// The name under which the customer is shown.
    public var subject: String
    /// The profile that was asked about; `nil`: the customer as a whole.
    public var profile: String?
    /// The environment of the customer.
    public var environment: Environment
    /// Milliseconds since 1970 UTC.
    public var issuedAt: Int64
    /// Exclusive: from then on the lease says nothing.
    public var expiresAt: Int64
    /// What the lease was made from.
    public var place: Place
    /// Those that the customer has now, in the catalog's order.
    public var entitlements: [Entitlement]

    /// One entitlement that is on.
    public struct Entitlement: Sendable, Equatable {
        /// The entitlement's name in the catalog.
        public var name: String
        /// Exclusive end of unbroken access; `nil`: there is none.
        public var expiresAt: Int64?
    }

    /// The longest that a lease can be good for: what a store takes back is believed that long at most.
    public static let durationMax: Int64 = 7 * 86_400_000
    /// A day: an app that was offline overnight still opens.
    public static let durationDefault: Int64 = 86_400_000
}

extension Lease {
    package var json: JSONObject {
        [
            "app": .string(app), "subject": .string(subject), "profile": .orNull(profile),
            "environment": .string(environment.name), "issued_at": .integer(issuedAt),
            "expires_at": .integer(expiresAt), "place": .string(place.description),
            "entitlements": .array(
                entitlements.map {
                    .object(["name": .string($0.name), "expires_at": .time($0.expiresAt)])
                }),
        ]
    }
}
