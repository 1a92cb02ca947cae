/// Which time zones exist where a catalog is read: the domain has no zone database of its own (rule 31).
public struct ZoneDirectory {
    /// Whether a table can be had for a name.
    public var exists: (String) -> Bool
    /// Names to suggest.
    public var names: () -> [String]

    /// Makes a directory of two functions, which are called while documents are read.
    public init(exists: @escaping (String) -> Bool, names: @escaping () -> [String]) {
        self.exists = exists
        self.names = names
    }
}
