import Foundation

/// Which file has a name: another one of the same name has another identity.
struct FileIdentity: Equatable {
    private let device: dev_t
    private let inode: ino_t

    fileprivate init(_ found: stat) {
        device = found.st_dev
        inode = found.st_ino
    }

    /// `nil` where no file has the name.
    init?(of path: String) {
        var found = stat()
        guard stat(path, &found) == 0 else { return nil }
        self.init(found)
    }
}

/// Which file has a name, and when it was changed last.
struct FileStamp: Equatable {
    let file: FileIdentity
    private let byteCount: Int64
    /// Seconds and nanoseconds since 1970, by the clock of the system; unlike `mtime` it cannot be set back.
    private let changedSeconds: Int
    private let changedNanoseconds: Int

    /// `nil` where no file has the name.
    init?(of path: String) {
        var found = stat()
        guard stat(path, &found) == 0 else { return nil }
        file = FileIdentity(found)
        byteCount = Int64(found.st_size)
        #if canImport(Darwin)
            (changedSeconds, changedNanoseconds) = (
                found.st_ctimespec.tv_sec, found.st_ctimespec.tv_nsec
            )
        #else
            (changedSeconds, changedNanoseconds) = (found.st_ctim.tv_sec, found.st_ctim.tv_nsec)
        #endif
    }

    /// Whether a change that comes now has another stamp: the times of files go on in steps of some milliseconds.
    func isSettled() -> Bool { time(nil) - changedSeconds > 2 }
}
