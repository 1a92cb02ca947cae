import Foundation

/// The reader of our output has closed it: nothing is wrong, and there is nothing more to say.
struct ReaderIsGone: Error {}

/// An open file, pipe or device to which everything is written or an error thrown.
struct Descriptor: Sendable {
    let number: Int32
    /// For messages.
    let name: String

    static let output = Descriptor(number: STDOUT_FILENO, name: "the standard output")
    static let errors = Descriptor(number: STDERR_FILENO, name: "the standard error")

    /// Unbuffered: what a script reads after a kill is what was acknowledged before it.
    /// - Throws: `ReaderIsGone`, or a `Failure` with the system's reason.
    func write(_ bytes: [UInt8]) throws {
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { buffer in
                // The pointer is used inside this closure only, and not beyond its count.
                Foundation.write(number, buffer.baseAddress, buffer.count)
            }
            if count >= 0 {
                start += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: waitForSpace()
            case EPIPE: throw ReaderIsGone()
            default: throw Self.failure(name)
            }
        }
    }

    /// Whether the reader has closed it, told without writing.
    var isReaderGone: Bool {
        var request = pollfd(fd: number, events: 0, revents: 0)
        return poll(&request, 1, 0) > 0 && Int32(request.revents) & (POLLERR | POLLHUP) != 0
    }

    /// Another process made the descriptor non-blocking, and the pipe is full.
    private func waitForSpace() {
        var request = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        _ = poll(&request, 1, -1)
    }

    /// What the system said last about a file.
    static func failure(_ name: String) -> Failure {
        Failure(
            .environment, "unwritable",
            "\(name) cannot be written: \(String(cString: strerror(errno)))")
    }
}
