public import DaybookDomain
import DaybookEvents
import DaybookStore

/// What publishing a catalog, or going back to one, would come to.
public struct PublicationDryRun: Sendable, Equatable {
    /// The version that it would get, or that would rule again.
    public var version: Int64
    /// Milliseconds since 1970 UTC.
    public var effectiveAt: Int64
    /// The customers for whom it would take effect.
    public var scope: CatalogScope
    /// The same document rules already for the same customers; publishing it adds nothing.
    public var isInForceAlready: Bool
    /// When a catalog that is published already takes over from it; `nil`: none does.
    public var supersededAt: Int64?
    /// The times at which every customer's status was asked for: when it takes effect and, where that is past, now.
    public var moments: [Int64]
    /// How many persons were asked about; several ids of one person count once.
    public var customers: Int
    /// How many of them would get a different answer.
    public var changedCustomers: Int
    /// How many of the answers at these times would be different.
    public var changedAnswers: Int
    /// The last position that was seen.
    public var position: Int64
}
