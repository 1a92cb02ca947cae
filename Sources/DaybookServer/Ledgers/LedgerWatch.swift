import DaybookEvents

/// Waits for what a ledger records next, whichever process records it.
struct LedgerWatch: Sendable {
    let ledger: ServedLedger
    /// The only customer of whom news is wanted; `nil`: any.
    var subject: String?
    var environment: Environment?

    /// Between two looks, each of microseconds. Those who follow one customer each are many.
    private var interval: Duration { .milliseconds(subject == nil ? 50 : 200) }

    /// Waits until there may be something new after a position, the time is over, or the server stops.
    ///
    /// A ledger that was restored ends before, and that is news, too. One that cannot be read is left to the caller.
    func wait(beyond position: Int64, atMost duration: Duration) async throws {
        let end = ContinuousClock.now + duration
        while ContinuousClock.now < end, !Task.isShuttingDownGracefully {
            let isNews = try await ledger.askingPatiently { ledger in
                let head = try ledger.head().position
                guard let subject, head > position else { return head != position }
                return try ledger.lastPosition(of: subject, environment: environment) > position
            }
            if isNews { return }
            try await Task.sleep(for: min(interval, end - ContinuousClock.now))
        }
    }
}
