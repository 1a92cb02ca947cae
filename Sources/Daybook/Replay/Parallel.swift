import CDaybook
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Runs one body on several threads until all have returned.
package enum Parallel {
    /// How many threads can run at once.
    package static let processorCount = max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN))))

    /// Every worker has a thread of its own, on Linux as urgent as the caller's.
    /// - Parameters:
    ///   - workers: How many threads; with one, the caller's.
    ///   - body: Is given the worker's number, from 0 on.
    /// - Throws: The first error of any of them; the others end what they are at.
    package static func run(workers: Int, _ body: @Sendable (Int) throws -> Void) throws {
        guard workers > 1 else { return try body(0) }
        let failure = Mutex<(any Error)?>(nil)
        onThreads(workers, givesWay: false) { worker in
            do {
                try body(worker)
            } catch {
                failure.withLock { $0 = $0 ?? error }
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// Runs work that must keep no commit waiting: on a thread that the system runs when no other one wants the
    /// processor, and with it every worker that the work calls for.
    ///
    /// Why: where as many threads are busy as there are processors, a commit that wakes up waits for the end of a slice
    /// of the scheduler's, some milliseconds.
    /// - Parameters:
    ///   - givesWay: `false`: on the caller's thread, as when nothing else is left to do.
    ///   - body: Must take no lock that a commit waits for, but for a moment.
    package static func givingWay<Result>(
        _ givesWay: Bool = true, _ body: () throws -> Result
    ) throws -> Result {
        guard givesWay else { return try body() }
        var outcome: Swift.Result<Result, any Error>?
        onThreads(1, givesWay: true) { _ in outcome = Swift.Result { try body() } }
        guard let outcome else { preconditionFailure("the work was not done") }
        return try outcome.get()
    }

    /// Invariant of the unsafe pointer: the work lives until all threads have returned, and the caller waits for them.
    private static func onThreads(_ count: Int, givesWay: Bool, _ work: (Int) -> Void) {
        withoutActuallyEscaping(work) { work in
            let job = Job(work)
            daybook_on_threads(
                CInt(count), givesWay,
                { context, worker in
                    guard let context else { return }
                    Unmanaged<Job>.fromOpaque(context).takeUnretainedValue().work(Int(worker))
                }, Unmanaged.passUnretained(job).toOpaque())
            withExtendedLifetime(job) {}
        }
    }

    private final class Job {
        let work: (Int) -> Void
        init(_ work: @escaping (Int) -> Void) { self.work = work }
    }

    /// Hands out turns in ascending order to the next free worker, until there are none left or one of them failed.
    /// - Parameters:
    ///   - workers: How many threads; with one, the caller's.
    ///   - workspace: Makes what a worker keeps from turn to turn, on its thread; is given its number, from 0 on.
    ///   - turn: Is given the workspace, its number from 0 on, and the turns, which say whether to go on.
    /// - Returns: What each worker was left with, in no order.
    /// - Throws: The first error of any of them. No worker begins another turn after it.
    package static func run<Workspace: Sendable>(
        workers: Int, turns count: Int,
        workspace: @Sendable (_ worker: Int) throws -> Workspace,
        _ turn: @Sendable (inout Workspace, _ number: Int, Turns) throws -> Void
    ) throws -> [Workspace] {
        let turns = Turns(count: count)
        let workspaces = Mutex<[Workspace]>([])
        try run(workers: workers) { worker in
            do {
                var own = try workspace(worker)
                while let number = turns.next() { try turn(&own, number, turns) }
                workspaces.withLock { $0.append(own) }
            } catch {
                turns.stop(error)
            }
        }
        if let error = turns.failure { throw error }
        return workspaces.withLock { $0 }
    }
}

/// The turns of one parallel run: which comes next, and whether any does.
package final class Turns: Sendable {
    private let count: Int
    private let begun = Atomic<Int>(0)
    private let stopped = Atomic<Bool>(false)
    private let first = Mutex<(any Error)?>(nil)

    fileprivate init(count: Int) { self.count = count }

    /// Whether a turn failed: a long one may look now and then, and give up what will not be used.
    package var isStopped: Bool { stopped.load(ordering: .relaxed) }

    fileprivate func next() -> Int? {
        guard !isStopped else { return nil }
        let number = begun.wrappingAdd(1, ordering: .relaxed).oldValue
        return number < count ? number : nil
    }

    fileprivate var failure: (any Error)? { first.withLock { $0 } }

    fileprivate func stop(_ error: any Error) {
        first.withLock { $0 = $0 ?? error }
        stopped.store(true, ordering: .relaxed)
    }
}
