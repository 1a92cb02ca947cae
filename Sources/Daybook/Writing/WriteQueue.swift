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
        enum Verdict { case start, wait, refuse(StoreError) }
        let verdict: Verdict = content.withLock { content in
            if content.isClosed {
                return .refuse(StoreError(.closed, "the ledger is closed; open it again"))
            }
            guard content.waiting.count < Self.waitingMax else {
                return .refuse(
                    StoreError(
                        .overloaded,
                        "\(Self.waitingMax) requests wait already; try again in a moment"))
            }
            content.waiting.append(request)
            if content.isDraining { return .wait }
            content.isDraining = true
            return .start
        }
        switch verdict {
        case .start: queue.async { self.drain() }
        case .wait: break
        case .refuse(let error): request.answer(.failure(.store(error)))
        }
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
