/// How reports are taken in.
public struct ReportOptions: Sendable, Equatable {
    /// Keep the `recorded_at` that each event carries (rule 28).
    public var isAsRecorded = false
    /// The line of each event in its file, in the order of the events, for messages; 1-based. Events beyond the last
    /// one have no line.
    public var lines: [Int] = []
    /// Also compute what the events changed about the past, after the commit (rule 24).
    public var isRestating = false
    /// Refuse new events with something that this does not know; `nil`: keep them.
    package var names: UnknownNames?

    /// By default events get new recorded times and nothing is restated.
    public init(isAsRecorded: Bool = false, lines: [Int] = [], isRestating: Bool = false) {
        self.isAsRecorded = isAsRecorded
        self.lines = lines
        self.isRestating = isRestating
    }
}
