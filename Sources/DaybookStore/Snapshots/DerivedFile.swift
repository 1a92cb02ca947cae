#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Files that can be made again from the ledger at any time.
public enum DerivedFile {
    /// Writes the parts under a temporary name, syncs, renames, syncs the folder.
    static func replace(_ path: String, with parts: [[UInt8]]) throws {
        let temporary = "\(path).\(getpid()).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure("create", temporary) }
        do {
            for part in parts { try write(part, to: descriptor, temporary) }
            guard fsync(descriptor) == 0 else { throw failure("sync", temporary) }
        } catch {
            close(descriptor)
            unlink(temporary)
            throw error
        }
        close(descriptor)
        guard rename(temporary, path) == 0 else {
            let error = failure("rename", temporary)
            unlink(temporary)
            throw error
        }
        syncFolder(of: path)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws {
        try bytes.withUnsafeBytes { raw in
            var done = 0
            while done < raw.count {
                #if canImport(Darwin)
                    let count = Darwin.write(
                        descriptor, raw.baseAddress?.advanced(by: done), raw.count - done)
                #else
                    let count = Glibc.write(
                        descriptor, raw.baseAddress?.advanced(by: done), raw.count - done)
                #endif
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw failure("write", path) }
                done += count
            }
        }
    }

    private static func syncFolder(of path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    static func failure(_ what: String, _ path: String) -> StoreError {
        let reason = String(cString: strerror(errno))
        return StoreError(
            errno == ENOSPC ? .full : .failed, "cannot \(what) \(path): \(reason)")
    }

    /// Makes a folder and the ones above it.
    public static func createFolder(_ path: String) throws {
        var made = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            made += "/" + part
            if mkdir(made, 0o755) != 0, errno != EEXIST { throw failure("create the folder", made) }
        }
    }

    /// The names in a folder that end in `suffix`, sorted; empty when there is no such folder.
    public static func names(in folder: String, suffix: String) -> [String] {
        guard let handle = opendir(folder) else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(suffix) { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes a file; one that is not there is fine.
    public static func remove(_ path: String) { unlink(path) }
}
