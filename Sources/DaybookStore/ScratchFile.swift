import Foundation

/// A file without a name: whatever becomes of the process, nothing stays behind, and no other program can change it.
///
/// It lies in the folder that `TMPDIR` names; without one in `/var/tmp`, which is on a disk where `/tmp` may be memory,
/// and where there is no such folder in `/tmp`.
package final class ScratchFile: Sendable {
    /// Open for reading and writing until this object goes.
    package let descriptor: CInt
    private let folder: String

    /// - Parameters:
    ///   - purpose: A word that the name has as long as it has one.
    ///   - byteCount: How large the file is at first, in bytes; what is not written takes no space.
    /// - Throws: `StoreError.failed` where no file can be made, `.full` where it cannot be so large.
    package init(for purpose: String, byteCount: Int = 0) throws {
        folder = Self.folder
        let name = String(UInt64.random(in: .min ... .max), radix: 16)
        let path = "\(folder)/daybook-\(purpose)-\(name)"
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw StoreError(
                .failed,
                "cannot create a file in \(folder) (\(reason)); set TMPDIR to a folder with space"
            )
        }
        unlink(path)
        guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw failure(errno) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private static var folder: String {
        if let named = getenv("TMPDIR").map({ String(cString: $0) }), !named.isEmpty {
            return named
        }
        return access("/var/tmp", W_OK | X_OK) == 0 ? "/var/tmp" : "/tmp"
    }

    private func failure(_ number: CInt) -> StoreError {
        switch number {
        case ENOSPC, EDQUOT, EFBIG:
            StoreError(.full, "there is no space in \(folder); set TMPDIR to a folder that has")
        default:
            StoreError(
                .failed,
                "a temporary file in \(folder) cannot be written: \(String(cString: strerror(number)))"
            )
        }
    }

    /// Writes bytes at an offset, behind the end, too.
    /// - Throws: `StoreError.full` where there is no space, `.failed` where they cannot be written.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        guard let first = bytes.baseAddress else { return }
        var written = 0
        while written < bytes.count {
            let count = pwrite(
                descriptor, first + written, bytes.count - written, off_t(offset + written))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(count < 0 ? errno : ENOSPC) }
            written += count
        }
    }

    /// Reads so many bytes.
    /// - Throws: `StoreError.failed` where they are not there, or cannot be read.
    package func read(_ byteCount: Int, at offset: Int) throws -> [UInt8] {
        var isWhole = true
        let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            while count < byteCount {
                let got = pread(
                    descriptor, buffer.baseAddress.map { $0 + count }, byteCount - count,
                    off_t(offset + count))
                if got < 0, errno == EINTR { continue }
                guard got > 0 else {
                    isWhole = false
                    return
                }
                count += got
            }
        }
        try StoreError.require(
            isWhole, .failed, "a temporary file in \(folder) cannot be read any more")
        return bytes
    }
}
