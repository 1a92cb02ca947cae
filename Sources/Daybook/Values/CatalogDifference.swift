public import DaybookDomain
public import DaybookEvents

/// What is different between two published catalogs.
public struct CatalogDifference: Sendable {
    public var from: CatalogVersion
    public var to: CatalogVersion
    /// In the order of paths, such as `meters.stories.limit`: names in the order of their bytes.
    public var changes: [JSONDifference]
}
