import Foundation

/// Which file has a name: another one of the same name has another identity.
struct FileIdentity: Equatable {
    private let device: dev_t
    private let inode: ino_t

    /// `nil` where no file has the name.
    init?(of path: String) {
        var found = stat()
        guard stat(path, &found) == 0 else { return nil }
        device = found.st_dev
        inode = found.st_ino
    }
}
