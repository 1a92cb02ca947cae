/// Which part of a list is wanted, and in which order.
public struct PageOrder: Sendable, Equatable {
    /// At most so many; `nil`: all.
    public var limit: Int?
    /// The newest first, and with a limit the newest alone.
    public var isNewestFirst: Bool

    /// All entries, in the order of the list, unless told otherwise.
    public init(limit: Int? = nil, isNewestFirst: Bool = false) {
        self.limit = limit
        self.isNewestFirst = isNewestFirst
    }
}
