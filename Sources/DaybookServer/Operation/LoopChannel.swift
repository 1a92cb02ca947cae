import Daybook
import HummingbirdCore
import Logging
import NIOCore

/// A connection whose requests are answered on the thread that reads them.
///
/// A request that is read on one thread and answered on another costs two changes of threads, more than a check takes
/// in all. What may keep a thread for long leaves it (`ConnectionThread`), so that other connections are not kept
/// waiting.
struct LoopChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let base: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        base.setup(channel: channel, logger: logger)
    }

    func handle(value: Value, logger: Logger) async {
        await withTaskExecutorPreference(LoopExecutor(loop: value.channel.eventLoop)) {
            await CallerThread.$mayWrite.withValue(false) {
                await base.handle(value: value, logger: logger)
            }
        }
    }
}

/// Runs tasks on the thread of an event loop, between what that reads and writes.
final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
