import Foundation

/// Who may read and write a file, as another one has it: files beside a ledger are for those who may read the ledger.
struct FileAccess: Sendable {
    /// Read and write bits alone.
    let fileBits: mode_t
    private let owner: uid_t?
    private let group: gid_t?

    /// Where a file is readable its folder can be entered too: 0600 gives 0700, 0640 gives 0750.
    var folderBits: mode_t { fileBits | (fileBits & 0o444) >> 2 }

    /// As a file has it; without one as files usually are.
    init(of path: String?) {
        var status = stat()
        if let path, stat(path, &status) == 0 {
            fileBits = status.st_mode & 0o666
            owner = status.st_uid
            group = status.st_gid
        } else {
            fileBits = 0o644
            owner = nil
            group = nil
        }
    }

    /// Fits a file or folder that the caller has just made, whatever the umask took away; the superuser gives it to
    /// the owner as well. Others cannot, and need not.
    func fit(_ descriptor: CInt, _ bits: mode_t) {
        var status = stat()
        guard let owner, let group, fstat(descriptor, &status) == 0 else { return }
        if geteuid() == 0, status.st_uid != owner || status.st_gid != group {
            _ = fchown(descriptor, owner, group)
        }
        if status.st_mode & 0o777 != bits { _ = fchmod(descriptor, bits) }
    }

    /// Makes one folder; one that is there already stays as it is.
    /// - Returns: 0, or the system's number for why it could not be made.
    func makeFolder(_ path: String) -> CInt {
        guard mkdir(path, folderBits) == 0 else { return errno == EEXIST ? 0 : errno }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        // One that is not there any more is reported by the next write into it.
        guard descriptor >= 0 else { return 0 }
        fit(descriptor, folderBits)
        close(descriptor)
        return 0
    }
}
