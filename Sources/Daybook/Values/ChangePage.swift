public import DaybookEvents

/// An event with the place after it.
public struct PlacedEvent: Sendable, Equatable {
    /// The event as it was recorded; corrections are not applied.
    public var event: RecordedEvent
    /// Where a reader goes on that has taken the event in.
    public var place: Place
}

/// Some of the events after a place, in the order of their positions.
public struct ChangePage: Sendable, Equatable {
    /// The most events of a page.
    public static let limitMax = 1_000
    /// The most positions that one page goes through, whether or not their events are asked for.
    public static let lookedAtMax: Int64 = 10_000

    /// The events that were asked for; empty where none of those looked at was.
    public var events: [PlacedEvent]
    /// After the last event that was looked at, which need not be among `events`: the next page begins here.
    public var place: Place
    /// Whether there were further events, asked for or not, when the page began.
    public var isMore: Bool
}
