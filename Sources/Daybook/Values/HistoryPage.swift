/// A customer's timeline, or a part of it, in the order that was asked for.
public struct HistoryPage: RandomAccessCollection, Sendable, Equatable {
    /// In canonical order, or the newest first, as was asked for.
    public var entries: [HistoryEntry]
    /// What the next page comes after: the place after the last entry's event; `nil`: nothing follows.
    public var next: Place?

    /// Creates a page of entries as they are given.
    public init(_ entries: [HistoryEntry], next: Place? = nil) {
        self.entries = entries
        self.next = next
    }

    /// The place of the first entry: 0.
    public var startIndex: Int { entries.startIndex }
    /// The place after the last entry.
    public var endIndex: Int { entries.endIndex }
    /// The entry at a place, counted from 0; the place must be in the page.
    public subscript(index: Int) -> HistoryEntry { entries[index] }
}
