import DaybookStore
import Dispatch
import Synchronization

/// Many callers, one writer: requests wait here and share a commit (rule 17). Bounded: a full queue says
/// "overloaded" and never grows.
final class WriteQueue: Sendable {
    private struct Content {
        var waiting: [WriteRequest] = []
        var isDraining = false
        var isClosed = false
    }

    /// How many requests may wait.
    static let waitingMax = 10_000

    private let content = Mutex(Content())
    private let queue = DispatchQueue(label: "daybook.writer")
    /// Takes requests from the front, answers them, and returns the ones that must wait for the next commit.
    private let commit: @Sendable ([WriteRequest]) -> [WriteRequest]

    init(commit: @escaping @Sendable ([WriteRequest]) -> [WriteRequest]) { self.commit = commit }

    func submit(_ request: WriteRequest) {
        let refusal: StoreError? = content.withLock { content in
            if content.isClosed {
                return StoreError(.closed, "the ledger is closed; open it again")
            }
            guard content.waiting.count < Self.waitingMax else {
                return StoreError(
                    .overloaded,
                    "\(Self.waitingMax) requests wait already; try again in a moment")
            }
            content.waiting.append(request)
            if !content.isDraining {
                content.isDraining = true
                // Under the lock, so that `close` cannot come between.
                queue.async { self.drain() }
            }
            return nil
        }
        if let refusal { request.answer(.failure(.store(refusal))) }
    }

    private func drain() {
        while true {
            let batch: [WriteRequest] = content.withLock { content in
                let batch = content.waiting
                content.waiting = []
                if batch.isEmpty { content.isDraining = false }
                return batch
            }
            if batch.isEmpty { return }
            var rest = batch
            while !rest.isEmpty { rest = commit(rest) }
        }
    }

    /// Refuses new requests and waits for those that were taken.
    func close() {
        content.withLock { $0.isClosed = true }
        queue.sync {}
    }
}
