public import DaybookDomain

/// A catalog on its way into the ledger.
public struct CatalogPublication: Sendable {
    /// The catalog as YAML; empty where an older version takes effect again.
    public var document: [UInt8]
    /// The customers for whom it takes effect.
    public var scope: CatalogScope
    /// `nil`: now.
    public var effectiveAt: Int64?
    /// Allows an effective time in the past.
    public var isRetroactive: Bool
    /// An older version takes effect again instead of a document.
    public var rollBackTo: Int64?
    /// Who publishes it, for the record.
    public var actor: String?

    /// Creates a publication; it is checked when it is published. By default it takes effect now and for all customers.
    public init(
        document: [UInt8] = [], scope: CatalogScope = .all, effectiveAt: Int64? = nil,
        isRetroactive: Bool = false, rollBackTo: Int64? = nil, actor: String? = nil
    ) {
        self.document = document
        self.scope = scope
        self.effectiveAt = effectiveAt
        self.isRetroactive = isRetroactive
        self.rollBackTo = rollBackTo
        self.actor = actor
    }
}
