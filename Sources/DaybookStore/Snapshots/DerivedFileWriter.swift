import CDaybook
import Foundation

/// The bytes of a file that is not under its name yet, written slice by slice, each to the disk before the next.
final class DerivedFileWriter {
    /// So much is written out at once: a commit that syncs its log meanwhile waits for hardly more.
    private static let sliceByteCount = 1 << 18

    private let descriptor: CInt
    private let path: String
    /// How many bytes were appended.
    private(set) var end = 0
    /// What comes after it is in the system's memory alone.
    private var writtenOut = 0

    /// - Parameters:
    ///   - descriptor: Of an empty file; stays the caller's.
    ///   - path: For messages.
    init(_ descriptor: CInt, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// - Throws: `StoreError`, of code `.full` where there is no space.
    func append(_ bytes: UnsafeRawBufferPointer) throws {
        var done = 0
        while done < bytes.count {
            let slice = min(bytes.count - done, Self.sliceByteCount)
            let count = write(descriptor, bytes.baseAddress?.advanced(by: done), slice)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw DerivedFile.failure("write", path) }
            done += count
            end += count
            let waiting = end - writtenOut
            guard waiting >= Self.sliceByteCount else { continue }
            let number = daybook_write_out(descriptor, Int64(writtenOut), Int64(waiting))
            guard number == 0 else {
                errno = number
                throw DerivedFile.failure("write", path)
            }
            writtenOut = end
        }
    }

    func append(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try append($0) } }

    /// Puts bytes in the place of the file's first ones.
    /// - Precondition: So many were appended.
    func replaceFront(by bytes: [UInt8]) throws {
        precondition(bytes.count <= end, "the front is longer than the file")
        try bytes.withUnsafeBytes { raw in
            var done = 0
            while done < raw.count {
                let count = pwrite(
                    descriptor, raw.baseAddress?.advanced(by: done), raw.count - done, off_t(done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw DerivedFile.failure("write", path) }
                done += count
            }
        }
    }
}
