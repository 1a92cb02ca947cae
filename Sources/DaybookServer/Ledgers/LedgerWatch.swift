import ServiceLifecycle

/// Waits for what a ledger records next, whichever process records it.
struct LedgerWatch: Sendable {
    /// Between two looks at the end of a ledger, each of microseconds.
    private static let interval = Duration.milliseconds(50)

    let ledger: ServedLedger

    /// Waits until the ledger ends elsewhere than at a position, the time is over, or the server stops.
    ///
    /// A ledger that was restored ends before, and that is news, too. One that cannot be read is left to the caller.
    func wait(beyond position: Int64, atMost duration: Duration) async throws {
        let end = ContinuousClock.now + duration
        while ContinuousClock.now < end, !Task.isShuttingDownGracefully {
            guard try ledger.asking({ try $0.head().position }) == position else { return }
            try await Task.sleep(for: min(Self.interval, end - ContinuousClock.now))
        }
    }
}
