import Foundation

/// A file that is read in pieces, or the standard input for `-`.
struct InputFile {
    let path: String
    private let handle: FileHandle

    private static let chunkByteCount = 1 << 20
    /// The most that is read at once, unless the caller says another bound.
    private static let allByteCountMax = 64 << 20

    init(_ path: String) throws {
        self.path = path
        guard path != "-" else {
            handle = FileHandle.standardInput
            return
        }
        var isFolder: ObjCBool = false
        try Failure.require(
            FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), .environment,
            "no_file", "there is no file \(path)")
        try Failure.require(
            !isFolder.boolValue, .environment, "is_folder", "\(path) is a folder; name a file in it"
        )
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
        try Failure.require(
            count >= 0, .environment, "unreadable",
            "\(path) cannot be read: \(String(cString: strerror(errno)))")
        return count == 0 ? nil : bytes
    }

    /// Everything, when that is not more than a bound.
    func all(byteCountMax: Int = allByteCountMax) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try next() {
            bytes += piece
            guard bytes.count <= byteCountMax else { throw tooLarge(byteCountMax) }
        }
        return bytes
    }

    private func tooLarge(_ byteCountMax: Int) -> Failure {
        Failure(.badInput, "too_large", "\(path) has more than \(byteCountMax) bytes")
    }

    /// Whether it can be opened and read once more: no pipe, and not the standard input.
    var isRegular: Bool {
        guard path != "-" else { return false }
        var status = stat()
        return fstat(handle.fileDescriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Whether anything but white space is in it; reads until it is found, at most to the bound of `all`.
    /// - Throws: `Failure` `too_large`, as `all` throws it.
    func holdsMoreThanSpace() throws -> Bool {
        if let byteCount, byteCount > Self.allByteCountMax { throw tooLarge(Self.allByteCountMax) }
        while let piece = try next() {
            if !piece.allSatisfy(Self.isSpace) { return true }
        }
        return false
    }

    /// A blank, a tab or the end of a line.
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
    }

    /// The size for a progress bar; `nil` for a pipe.
    var byteCount: Int? {
        guard path != "-" else { return nil }
        // Only the progress bar asks; without a size it shows counts.
        return try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    }
}
