import Foundation

/// A file that is read in pieces, or the standard input for `-`.
struct InputFile {
    let path: String
    private let handle: FileHandle

    private static let chunkByteCount = 1 << 20

    init(_ path: String) throws {
        self.path = path
        guard path != "-" else {
            handle = FileHandle.standardInput
            return
        }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw Failure(.environment, "no_file", "there is no file \(path)")
        }
        guard !isFolder.boolValue else {
            throw Failure(.environment, "is_folder", "\(path) is a folder; name a file in it")
        }
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw Failure(
                .environment, "unreadable", "\(path) cannot be read; check its permissions")
        }
        self.handle = handle
    }

    /// What is there now, at most a chunk; `nil` at the end. A pipe is not waited for to fill up.
    func next() throws -> [UInt8]? {
        let descriptor = handle.fileDescriptor
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.chunkByteCount) { buffer, filled in
            // `read` writes at most the buffer's size, and says how much.
            repeat {
                count = read(descriptor, buffer.baseAddress, buffer.count)
            } while count < 0 && errno == EINTR
            filled = max(0, count)
        }
        guard count >= 0 else {
            throw Failure(
                .environment, "unreadable",
                "\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        return count == 0 ? nil : bytes
    }

    /// Everything, when that is not more than a bound.
    func all(byteCountMax: Int = 64 << 20) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try next() {
            bytes += piece
            guard bytes.count <= byteCountMax else {
                throw Failure(
                    .badInput, "too_large", "\(path) has more than \(byteCountMax) bytes")
            }
        }
        return bytes
    }

    /// The size for a progress bar; `nil` for a pipe.
    var byteCount: Int? {
        guard path != "-" else { return nil }
        // Only the progress bar asks; without a size it shows counts.
        return try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    }
}
