public import DaybookDomain
public import DaybookEvents

/// What is different between two published catalogs.
public struct CatalogDifference: Sendable {
    /// The catalog that is compared with.
    public var from: CatalogVersion
    /// The catalog whose differences are told.
    public var to: CatalogVersion
    /// In the order of paths, such as `meters.stories.limit`: names in the order of their bytes.
    public var changes: [JSONDifference]
}
