/// One id of a customer, with answers about the person that it belongs to.
public struct CustomerRow: Sendable, Equatable {
    /// The id that is listed or was looked for.
    public var id: String
    /// The name under which the person is shown; the id itself where the person has no other.
    public var subject: String
    /// All ids of the person, by their bytes.
    public var ids: [String]
    /// The catalog's word for what they have; `nil` without a catalog.
    public var status: String?
    /// Entitlements that hold now, in the catalog's order: of the customer as a whole, and of every profile that was
    /// not deleted. One that serves a single profile is listed like one that serves the whole customer, and once for
    /// any number of profiles; `Ledger.status` tells which profiles have it.
    public var entitlements: [String]
    /// When the customer was first seen; `nil`: no event that names them has happened so far.
    public var firstSeenAt: Int64?
}

/// A customer whom an id leads to, and how.
public struct CustomerMatch: Sendable, Equatable {
    /// What an id names.
    public enum Kind: String, Sendable, CaseIterable {
        /// A customer's own id, or one of their other ids.
        case customer
        /// An original transaction: a lineage such as `apple:2000000123`.
        case lineage
        case transaction
        case grant
        case reservation
        /// What a use was for, or another reference of an event.
        case reference
        case profile
        /// The idempotency key of an event.
        case key
    }

    /// `nil`: the purchase has no owner.
    public var customer: CustomerRow?
    /// What the id names.
    public var kind: Kind
    /// The event that names the id, the newest of those of one kind and customer; `nil` for customers and lineages.
    public var position: Int64?
    /// Where it stands, such as `production/line/apple:2000000123`; `nil` for customers.
    public var stream: String?
}
