import Foundation

/// Runs every step of its tasks on a new thread.
///
/// Why: all tests of a process share as few threads as there are processors. A step that waits for another one takes a
/// thread from all of them, and a task of many steps waits for its turn behind every other test at each of them.
public final class OwnThreads: TaskExecutor {
    /// Creates an executor that has no thread yet.
    public init() {}

    /// Runs a step on a thread that ends with it.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        Thread.detachNewThread { job.runSynchronously(on: executor) }
    }
}
