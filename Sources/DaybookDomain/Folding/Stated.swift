import DaybookEvents

/// A value with the rank of the statement that gave it.
public struct Stated<Value: Sendable & Equatable>: Sendable, Equatable {
    /// Rank of the statement that won; `none` while none was made.
    public var rank = StatementRank.none
    /// What the winning statement says; the initial value while there is none.
    public var value: Value
    /// When it happened.
    public var at = Event.absent

    /// Makes a value that no statement gave: the first statement replaces it.
    public init(_ value: Value) { self.value = value }

    /// - Returns: Whether the statement won.
    @discardableResult
    mutating func state(
        _ newValue: Value, by event: Event, names: borrowing NameTable
    ) -> Bool {
        let newRank = StatementRank(event)
        guard rank.isNone || newRank.outranks(rank, names: names) else { return false }
        rank = newRank
        value = newValue
        at = event.occurredAt
        return true
    }
}
