/// A catalog made of a StoreKit configuration, and what of the file is not in it.
public struct StoreKitImport: Sendable, Equatable {
    /// The file's format, such as `5.0`.
    public var format: String
    /// A catalog document that `CatalogReader` takes: products, prices, groups and names.
    public var catalog: String
    /// Products in it; one that must be completed first counts too, and stands in the document as a comment.
    public var productCount: Int
    /// In document order.
    public var notCarried: [StoreKitOmission]
}

/// Something in the file that a catalog cannot say, or that is not known here.
public struct StoreKitOmission: Sendable, Equatable {
    /// Where it stands: `subscriptionGroups[0].subscriptions[2].codeOffers[0]`.
    public var path: String
    /// What it is and, where there is one, what to do.
    public var reason: String

    /// Creates an omission; nothing is checked.
    public init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }
}
