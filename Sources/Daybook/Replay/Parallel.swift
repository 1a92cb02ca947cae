import Dispatch
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Runs one body on several threads until all have returned.
enum Parallel {
    /// How many threads can run at once.
    static let processorCount = max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN))))

    /// - Parameters:
    ///   - workers: How many threads; with one, the caller's.
    ///   - body: Is given the worker's number, from 0 on.
    /// - Throws: The first error of any of them; the others end what they are at.
    static func run(workers: Int, _ body: @Sendable (Int) throws -> Void) throws {
        guard workers > 1 else { return try body(0) }
        let failure = Mutex<(any Error)?>(nil)
        DispatchQueue.concurrentPerform(iterations: workers) { worker in
            do {
                try body(worker)
            } catch {
                failure.withLock { $0 = $0 ?? error }
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
