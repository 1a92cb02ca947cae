import CDaybookFixtures
package import Foundation
import Synchronization

/// A program that is to run in a process of its own.
///
/// Not `Process` of Foundation: on Linux that class looks for the highest open descriptor by copying whole directory
/// entries, which reads beyond the end of the buffer once about 1,350 descriptors are open, as they are where many
/// tests run at once; and a child that lives long inherits the sockets by which it notices the end of other children.
package struct ChildCommand: Sendable {
    /// Where a stream of the child leads.
    package enum Stream: Sendable {
        /// Nothing is read, and what is written is dropped.
        case nothing
        /// Must exist; output is appended.
        case file(String)
        /// The child's end is closed here as soon as the child has it.
        case pipe(Pipe)
    }

    /// An absolute path.
    package var program: String
    package var arguments: [String]
    /// `nil`: as this process has it.
    package var environment: [String: String]?
    /// Where it runs; `nil`: where this process does.
    package var folder: String?
    package var input = Stream.nothing
    package var output = Stream.nothing
    package var errors = Stream.nothing

    package init(_ program: String, _ arguments: [String] = []) {
        self.program = program
        self.arguments = arguments
    }

    /// Starts the program with its three streams and no other descriptor of this process.
    /// - Throws: `POSIXError` when the program or the file of a stream is not there.
    package func start() throws -> ChildProcess {
        let streams = try opened()
        defer { for handle in streams { try? handle.close() } }
        var words: [UnsafeMutablePointer<CChar>?] =
            ([program] + arguments).map { strdup($0) } + [nil]
        let variables = environment ?? ProcessInfo.processInfo.environment
        var settings: [UnsafeMutablePointer<CChar>?] =
            variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + settings { free(text) } }
        var identifier: Int32 = 0
        let failure = daybook_spawn(
            &identifier, program, &words, &settings, folder, streams.map(\.fileDescriptor))
        guard failure == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EINVAL)
        }
        return ChildProcess(identifier)
    }

    /// The child's ends of its three streams.
    private func opened() throws -> [FileHandle] {
        try [input, output, errors].enumerated().map { descriptor, stream in
            let isInput = descriptor == 0
            switch stream {
            case .nothing: return try Self.open("/dev/null", isInput: isInput)
            case .file(let path): return try Self.open(path, isInput: isInput)
            case .pipe(let pipe):
                return isInput ? pipe.fileHandleForReading : pipe.fileHandleForWriting
            }
        }
    }

    private static func open(_ path: String, isInput: Bool) throws -> FileHandle {
        let mode = isInput ? O_RDONLY : O_WRONLY | O_APPEND
        let descriptor = Foundation.open(path, mode | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
}

/// A process that was started here.
package final class ChildProcess: Sendable {
    package let identifier: Int32
    /// Once its end was noticed; from then on its identifier may be another process's.
    private let status = Mutex<Int32?>(nil)

    fileprivate init(_ identifier: Int32) { self.identifier = identifier }

    package var isRunning: Bool { ended() == nil }

    /// Waits for its end, in this thread.
    /// - Returns: What it exited with, or the negated number of the signal that ended it.
    @discardableResult
    package func wait() -> Int32 {
        while true {
            if let status = ended() { return status }
            // Leaves the end to be noticed by the line above, under the lock.
            var information = siginfo_t()
            waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT)
        }
    }

    /// Waits for its end without a thread of the pool.
    package func end() async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: self.wait()) }
        }
    }

    /// Sends it a signal, unless it has ended.
    package func signal(_ number: Int32) {
        status.withLock { if $0 == nil { kill(identifier, number) } }
    }

    private func ended() -> Int32? {
        status.withLock { status in
            if status != nil { return status }
            var word: Int32 = 0
            let found = waitpid(identifier, &word, WNOHANG)
            // Ended and forgotten by the system, where this process ignores SIGCHLD.
            if found < 0, errno == ECHILD { status = -1 }
            guard found == identifier else { return status }
            let signal = word & 0x7F
            status = signal == 0 ? (word >> 8) & 0xFF : -signal
            return status
        }
    }
}
