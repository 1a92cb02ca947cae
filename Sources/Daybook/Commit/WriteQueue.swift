import DaybookStore
import Dispatch
import Synchronization

/// Many callers, one writer: requests wait here and share a commit (rule 17). Bounded: a full queue says
/// "overloaded" and never grows.
final class WriteQueue: Sendable {
    private struct Content {
        var waiting: [WriteRequest] = []
        /// Requests that were taken while the commit before theirs is written.
        var takenCount = 0
        var isDraining = false
        var isClosed = false
    }

    /// How many requests may wait.
    static let waitingMax = 10_000

    private let content = Mutex(Content())
    private let queue = DispatchQueue(label: "daybook.writer")
    /// Held by a caller that writes on its own thread, so that `close` can wait for it.
    private let writing = Mutex(())

    /// Commits requests from the front, answers them, and returns those of the next commit: the ones that must wait for
    /// it, or those that it took.
    typealias Commit = @Sendable (WriteGroup, _ taking: () -> [WriteRequest]) -> WriteGroup

    private let commit: Commit

    init(commit: @escaping Commit) { self.commit = commit }

    /// What becomes of a request that was submitted.
    private enum Reception {
        case refused(StoreError)
        case waits
        /// No thread writes, so the caller's own does.
        case isFirst
    }

    var waitingCount: Int { content.withLock { $0.waiting.count + $0.takenCount } }

    func submit(_ request: WriteRequest) {
        let reception: Reception = content.withLock { content in
            if content.isClosed {
                return .refused(StoreError(.closed, "the ledger is closed; open it again"))
            }
            guard content.waiting.count + content.takenCount < Self.waitingMax else {
                return .refused(
                    StoreError(
                        .overloaded,
                        "\(Self.waitingMax) requests wait already; try again in a moment"))
            }
            content.waiting.append(request)
            if content.isDraining { return .waits }
            content.isDraining = true
            if Self.mayBorrow() { return .isFirst }
            // Under the lock, so that `close` cannot come between.
            queue.async { self.drain() }
            return .waits
        }
        switch reception {
        case .refused(let error): request.answer(.failure(.store(error)))
        case .waits: break
        case .isFirst: writeHere()
        }
    }

    /// Whether some caller's thread is writing for its ledger.
    private static let isBorrowing = Atomic<Bool>(false)

    /// Whether the caller's thread may write: with one processor it is all that tasks have, and never more than one
    /// thread of the process may wait for a disk or another process.
    private static func mayBorrow() -> Bool {
        Parallel.processorCount > 1
            && isBorrowing.compareExchange(
                expected: false, desired: true, ordering: .acquiringAndReleasing
            ).exchanged
    }

    /// Writes what waits now on the caller's own thread; what came meanwhile is the writer's.
    ///
    /// Why: a client that is alone would wait for two changes of threads besides its commit, and on a machine with idle
    /// processors each takes a good part of what the commit itself takes.
    private func writeHere() {
        writing.withLock { _ in
            let batch: [WriteRequest] = content.withLock { content in
                defer { content.waiting = [] }
                return content.waiting
            }
            var group = WriteGroup(batch)
            while !group.requests.isEmpty { group = commit(group) { [] } }
        }
        Self.isBorrowing.store(false, ordering: .releasing)
        content.withLock { content in
            if content.waiting.isEmpty {
                content.isDraining = false
            } else {
                queue.async { self.drain() }
            }
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
            var group = WriteGroup(batch)
            while !group.requests.isEmpty {
                content.withLock { $0.takenCount = 0 }
                group = commit(group, takeWaiting)
            }
        }
    }

    /// Takes all that wait, where they can be decided ahead; else others may yet come to their commit.
    private func takeWaiting() -> [WriteRequest] {
        content.withLock { content in
            guard Foresight.isUseful(for: content.waiting) else { return [] }
            defer { content.waiting = [] }
            content.takenCount = content.waiting.count
            return content.waiting
        }
    }

    /// Refuses new requests and waits for those that were taken.
    func close() {
        content.withLock { $0.isClosed = true }
        // A caller that writes on its own thread hands on what is left before it is done.
        while content.withLock({ $0.isDraining }) {
            writing.withLock { _ in }
            queue.sync {}
        }
    }
}
