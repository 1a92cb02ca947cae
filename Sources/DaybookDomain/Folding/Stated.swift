import DaybookEvents

/// A value with the rank of the statement that gave it.
public struct Stated<Value: Sendable & Equatable>: Sendable, Equatable {
    public var rank = StatementRank.none
    public var value: Value
    /// When it happened.
    public var at = Event.absent

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
