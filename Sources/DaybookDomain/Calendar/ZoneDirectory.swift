/// Which time zones exist where a catalog is read: the domain has no zone database of its own (rule 31).
public struct ZoneDirectory {
    /// Whether a table can be had for a name.
    public var exists: (String) -> Bool
    /// Names to suggest.
    public var names: () -> [String]

    public init(exists: @escaping (String) -> Bool, names: @escaping () -> [String]) {
        self.exists = exists
        self.names = names
    }
}
