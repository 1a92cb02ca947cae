/// A customer's timeline, or a part of it, in the order that was asked for.
public struct HistoryPage: RandomAccessCollection, Sendable, Equatable {
    public var entries: [HistoryEntry]
    /// What the next page comes after: the place after the last entry's event; `nil`: nothing follows.
    public var next: Place?

    public init(_ entries: [HistoryEntry], next: Place? = nil) {
        self.entries = entries
        self.next = next
    }

    public var startIndex: Int { entries.startIndex }
    public var endIndex: Int { entries.endIndex }
    public subscript(index: Int) -> HistoryEntry { entries[index] }
}
