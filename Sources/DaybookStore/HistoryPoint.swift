public import DaybookEvents

/// How a history is named: everything up to a position of one ledger.
public struct HistoryPoint: Sendable, Hashable, CustomStringConvertible {
    /// The last position that it covers, inclusive; 0: no event.
    public var position: Int64
    /// How often the ledger was restored before, plus 1; before the end it may be 0 (not known) or a later position's.
    public var epoch: Int64
    /// How many names of the ledger it covers.
    public var nameCount: Int64
    /// How many streams of the ledger it covers.
    public var streamCount: Int64
    /// Over everything before, and all of the above but the epoch, which follows from the events.
    public var hash: HistoryHash

    /// Creates a point; that the hash fits is not checked.
    public init(
        position: Int64, epoch: Int64, nameCount: Int64, streamCount: Int64, hash: HistoryHash
    ) {
        self.position = position
        self.epoch = epoch
        self.nameCount = nameCount
        self.streamCount = streamCount
        self.hash = hash
    }

    /// For people: `position 42 of epoch 1 (3f2a…)`.
    public var description: String { "position \(position) of epoch \(epoch) (\(hash.short)…)" }
}
