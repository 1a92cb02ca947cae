/// Lets other processes write now and then, while this one writes again and again.
struct WriteTurn {
    private var start = ContinuousClock.now

    /// How long this process takes the right to write before it lets others have it.
    private static let length = Duration.milliseconds(100)
    /// Another process that waits asks every 5 ms or sooner (`LedgerLock`); between two writes it would hardly ever
    /// ask at the right moment.
    private static let pause = Duration.milliseconds(6)

    /// Waits where this turn is over, and begins another.
    mutating func giveWay() async throws {
        guard ContinuousClock.now - start > Self.length else { return }
        try await Task.sleep(for: Self.pause)
        start = .now
    }
}
