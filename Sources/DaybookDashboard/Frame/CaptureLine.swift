import DaybookServer

/// One bundle after the other: to make one takes as long as to replay a customer, on the threads that answer requests.
actor CaptureLine {
    /// Further ones are told to come later.
    private static let waitingMax = 4

    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Throws: What the body throws; `Problem` with 503 where too many wait.
    func run<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        guard waiting.count < Self.waitingMax else {
            throw Problem.tooMany(
                .serviceUnavailable, "overloaded",
                "\(Self.waitingMax) bundles wait already; try again later", after: 5)
        }
        if isBusy { await withCheckedContinuation { waiting.append($0) } }
        isBusy = true
        defer {
            // The turn goes on to the next one without a gap in which another could begin.
            if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
        }
        return try await body()
    }
}
