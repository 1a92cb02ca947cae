import Foundation

/// A folder by its path.
enum Folder {
    /// The folder that a file is in; "." for a bare name.
    static func of(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes a new or renamed entry of the folder survive a power loss.
    static func sync(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        // Some file systems refuse to sync a folder; they keep its entries in another way.
        _ = fsync(descriptor)
        close(descriptor)
    }
}
