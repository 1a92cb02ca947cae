import Dispatch
import Synchronization

/// Answers questions that go through all customers, or through all that one did, one after another for each app and
/// lane, on threads of their own: those that answer requests are few, and a check must not wait behind a funnel.
package final class LongWork: Sendable {
    /// How many of an app may wait; further ones are told to come later.
    package static let waitingMax = 16

    /// What waits for what: questions about all customers take seconds, those about one do not wait behind them.
    package enum Lane: String, Sendable {
        case all, customers
    }

    private struct Line {
        let queue: DispatchQueue
        var waiting = 0
    }

    /// By lane and app; the apps that are served are few.
    private let lines = Mutex<[String: Line]>([:])

    package init() {}

    /// - Throws: What the body throws; `Problem` with 503 where too many wait; `CancellationError` where the
    ///   server stops before its turn came.
    package func run<Result: Sendable>(
        of app: String, in lane: Lane = .all, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let name = "\(lane.rawValue)/\(app)"
        let queue: DispatchQueue? = lines.withLock { lines in
            var line = lines[name] ?? Line(queue: DispatchQueue(label: "daybook.long"))
            guard line.waiting < Self.waitingMax else { return nil }
            line.waiting += 1
            lines[name] = line
            return line.queue
        }
        guard let queue else {
            throw Problem.tooMany(
                .serviceUnavailable, "overloaded",
                "\(Self.waitingMax) long questions wait already; try again later", after: 5)
        }
        defer { lines.withLock { $0[name]?.waiting -= 1 } }
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
