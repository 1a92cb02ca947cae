import DaybookEvents
import Dispatch
import Synchronization

/// Answers questions that go through all customers, one after another for each app, on threads of their own: those that
/// answer requests are few, and a check must not wait behind a funnel.
package final class LongWork: Sendable {
    /// How many of an app may wait; further ones are told to come later.
    package static let waitingMax = 16

    private struct Line {
        let queue: DispatchQueue
        var waiting = 0
    }

    /// By the names of apps that are served, which are few.
    private let lines = Mutex<[String: Line]>([:])

    package init() {}

    /// - Throws: What the body throws; `Problem` with 503 where too many wait; `CancellationError` where the
    ///   server stops before its turn came.
    package func run<Result: Sendable>(
        of app: String, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let queue: DispatchQueue? = lines.withLock { lines in
            var line = lines[app] ?? Line(queue: DispatchQueue(label: "daybook.long"))
            guard line.waiting < Self.waitingMax else { return nil }
            line.waiting += 1
            lines[app] = line
            return line.queue
        }
        guard let queue else {
            throw Problem.tooMany(
                .serviceUnavailable, "overloaded",
                "\(Self.waitingMax) long questions wait already; try again later", after: 5)
        }
        defer { lines.withLock { $0[app]?.waiting -= 1 } }
        let isGone = Atomic(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async {
                    continuation.resume(
                        with: Swift.Result {
                            if isGone.load(ordering: .relaxed) { throw CancellationError() }
                            return try body()
                        })
                }
            }
        } onCancel: {
            isGone.store(true, ordering: .relaxed)
        }
    }
}
