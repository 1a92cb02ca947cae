public import DaybookEvents

/// What is asked of all customers together, and which part of the list is wanted.
public struct OverviewRequest: Sendable {
    /// The most rows of a page.
    public static let limitMax = 1_000

    /// The environment whose customers are listed.
    public var environment: Environment
    /// 1 to `limitMax`; held within.
    public var limit: Int { didSet { limit = Self.held(limit) } }
    /// The `next` of the page before; `nil`: the first page.
    public var after: String?
    /// When the rows are true, and by what was known.
    public var moment: Moment

    /// Creates a question; a limit outside of 1 to `limitMax` counts as the nearest of both.
    public init(
        environment: Environment = .production, limit: Int = 50, after: String? = nil,
        moment: Moment = .now
    ) {
        self.environment = environment
        self.limit = Self.held(limit)
        self.after = after
        self.moment = moment
    }

    private static func held(_ limit: Int) -> Int { min(max(1, limit), limitMax) }
}

/// Some rows of a list.
public struct OverviewPage<Row: Sendable>: Sendable {
    /// At most the question's `limit`, in the order of the list.
    public var rows: [Row]
    /// What the next page comes after; `nil`: there is none.
    public var next: String?
    /// The cut that the rows were made from.
    public var asOf: AsOf
}

/// A grant and its owner.
public struct GrantRow: Sendable, Equatable {
    /// The customer to whom it was given, by the name that is shown.
    public var subject: String
    /// Of the event that issued it.
    public var position: Int64
    /// When it was issued, milliseconds since 1970 UTC.
    public var issuedAt: Int64
    /// The grant as it stands at the asked time.
    public var grant: GrantAnswer
}

/// An open reservation and its owner.
public struct ReservationRow: Sendable, Equatable {
    /// The customer who holds the units, by the name that is shown.
    public var subject: String
    /// Of the event that set the units aside.
    public var position: Int64
    /// The reservation with its units and its end.
    public var reservation: ReservationAnswer
}

/// A transaction that a store took back, wholly or in part, or took back and gave again.
public struct RefundRow: Sendable, Equatable {
    /// How it was taken back.
    public enum Kind: String, Sendable {
        case refund
        case prorated
        /// Family sharing ended.
        case family
        /// The developer took it back.
        case developer
    }

    /// `nil`: the purchase has no owner.
    public var subject: String?
    /// Of the event whose word counts.
    public var position: Int64
    /// `apple:2000000123`.
    public var lineage: String
    /// The product's id at the store; `nil`: no statement names it.
    public var product: String?
    /// The store's id of the transaction; empty where it is not known.
    public var transaction: String
    /// `nil`: it was taken back, and the refund reversed since.
    public var kind: Kind?
    /// When access was taken back; `nil` where the refund was reversed.
    public var revokedAt: Int64?
    /// Thousandths of a percent of the price.
    public var refundedMilli: Int64
    /// As the store told it, in thousandths of the currency; `nil`: it did not.
    public var amountMilli: Int64?
    /// The currency as the store told it, such as `EUR`; `nil`: it did not.
    public var currency: String?
    /// The word of the event that gives the reason, such as `app_issue`; `nil`: it gives none.
    public var reason: String?
}

/// What ends soon: an entitlement, or units that were given.
public struct ExpiryRow: Sendable, Equatable {
    /// Whether access ends or units do.
    public enum Kind: String, Sendable {
        case entitlement
        case grant
    }

    /// The customer, by the name that is shown.
    public var subject: String
    /// What ends.
    public var kind: Kind
    /// The entitlement's name, or the grant's id.
    public var name: String
    /// The only profile that it serves; `nil`: the whole customer.
    public var profile: String?
    /// Exclusive end of unbroken access, or of the units.
    public var expiresAt: Int64
    /// Whether the store will renew it then, as far as is known.
    public var willRenew: Bool
    /// The product, the source or the meter that it comes from.
    public var source: String
    /// The source's state, such as `trial` or `grace`; of units `active`.
    public var state: String
    /// Units that are left; `nil` for access.
    public var left: Int64?
}
