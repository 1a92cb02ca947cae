import Dispatch
import Synchronization

/// Answers questions that go through all customers, one after another, on a thread of their own: those that answer
/// requests are few, and a check must not wait behind a funnel.
final class LongWork: Sendable {
    /// How many may wait; further ones are told to come later.
    private static let waitingMax = 16

    private let queue = DispatchQueue(label: "daybook.long")
    private let waiting = Mutex(0)

    /// - Throws: What the body throws; `Problem` with 503 where too many wait.
    func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let isFree = waiting.withLock { waiting in
            guard waiting < Self.waitingMax else { return false }
            waiting += 1
            return true
        }
        guard isFree else {
            throw Problem.tooMany(
                .serviceUnavailable, "overloaded",
                "\(Self.waitingMax) long questions wait already; try again later", after: 5)
        }
        defer { waiting.withLock { $0 -= 1 } }
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}
