import DaybookDomain
public import DaybookEvents
import DaybookStore

/// One entry of a customer's timeline.
public struct HistoryEntry: Sendable, Equatable {
    /// The event as it was recorded; corrections are not applied.
    public var event: RecordedEvent
    /// A label in plain words: "story created", "subscription renewed".
    public var label: String
    /// A correction within the cut voids it.
    public var isVoid: Bool
    /// Positions of the amendments that hold within the cut.
    public var amendments: [Int64]
    /// Recorded after something that happened later.
    public var isLate: Bool
}
