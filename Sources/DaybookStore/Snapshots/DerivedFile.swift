import CDaybook
import Foundation

/// Files that can be made again from the ledger at any time.
public enum DerivedFile {
    /// A temporary file of this age, in seconds, belongs to a writer that died.
    private static let staleSeconds = 3_600

    /// Writes a file under a temporary name, syncs, renames, syncs the folder.
    ///
    /// The name is random: threads, processes and containers that share a folder, and perhaps a process number, may
    /// write the same file at once, and each renames a whole one.
    /// - Parameters:
    ///   - model: Who may read this file may read the new one.
    ///   - body: Writes the file; after an error of it nothing is left.
    static func replace(
        _ path: String, like model: String?, _ body: (DerivedFileWriter) throws -> Void
    ) throws {
        let access = FileAccess(of: model)
        let temporary = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 16)).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, access.fileBits)
        guard descriptor >= 0 else { throw failure("create", temporary) }
        access.fit(descriptor, access.fileBits)
        do {
            try body(DerivedFileWriter(descriptor, path: temporary))
            guard fsync(descriptor) == 0 else { throw failure("sync", temporary) }
        } catch {
            close(descriptor)
            unlink(temporary)
            throw error
        }
        removeStale(like: path, than: descriptor)
        close(descriptor)
        guard rename(temporary, path) == 0 else {
            let error = failure("rename", temporary)
            unlink(temporary)
            throw error
        }
        Folder.sync(Folder.of(path))
    }

    /// Makes an empty file that is its owner's alone, from the first byte on.
    static func createPrivate(_ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("create", path) }
        close(descriptor)
    }

    /// Gives a file, which no other process has open, the permissions of another one, and its owner where it can.
    static func fit(_ path: String, like model: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        let access = FileAccess(of: model)
        access.fit(descriptor, access.fileBits)
    }

    /// Has the system write a file's bytes to the disk.
    static func sync(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("sync", path) }
    }

    /// Removes what writers of the same kind of file left behind when they were killed.
    /// - Parameter descriptor: A file that was written just now: its time is the file system's clock.
    private static func removeStale(like path: String, than descriptor: CInt) {
        var now = stat()
        guard let dot = path.lastIndex(of: "."), fstat(descriptor, &now) == 0 else { return }
        let folder = Folder.of(path)
        for name in names(in: folder, suffix: ".tmp") where isTemporary(name, path[dot...]) {
            var status = stat()
            guard stat("\(folder)/\(name)", &status) == 0 else { continue }
            if seconds(status) < seconds(now) - staleSeconds { remove("\(folder)/\(name)") }
        }
    }

    /// `<anything><suffix>.<digits>.tmp`
    private static func isTemporary(_ name: String, _ suffix: Substring) -> Bool {
        guard let dot = name.dropLast(4).lastIndex(of: ".") else { return false }
        return name[..<dot].hasSuffix(suffix)
    }

    private static func seconds(_ status: stat) -> Int {
        #if canImport(Darwin)
            Int(status.st_mtimespec.tv_sec)
        #else
            Int(status.st_mtim.tv_sec)
        #endif
    }

    static func failure(_ what: String, _ path: String) -> StoreError {
        let reason = String(cString: strerror(errno))
        return StoreError(
            errno == ENOSPC ? .full : .failed, "cannot \(what) \(path): \(reason)")
    }

    /// Makes a folder and the ones above it.
    /// - Parameter model: Who may read this file may look into the folders that are made.
    public static func createFolder(_ path: String, like model: String? = nil) throws {
        let access = FileAccess(of: model)
        var made = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            made += "/" + part
            let number = access.makeFolder(made)
            if number != 0 {
                errno = number
                throw failure("create the folder", made)
            }
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

    /// Gives a file a name under which it is never looked for; one that is not there is fine.
    /// - Returns: Whether it is out of the way.
    @discardableResult
    public static func setAside(_ path: String) -> Bool {
        rename(path, path + ".aside") == 0 || errno == ENOENT
    }

    /// Removes a file; one that is not there is fine.
    public static func remove(_ path: String) { unlink(path) }
}
