import Foundation

/// Permissions in the way of a ledger, named with the file and its owner: SQLite's own words name neither.
extension LedgerFile {
    /// What keeps this process from using the files beside the ledger, and the remedy; `nil` when they do not.
    var obstacle: String? {
        if hasJournal {
            return
                "a change of \(path) outside of the log mode was cut short and must be undone from \(journalPath), "
                + "which readers may not; copy both files if the folder cannot be written, and let "
                + "\"sqlite3 FILE 'PRAGMA journal_mode = WAL'\" do it"
        }
        if !isFolderWritable, hasLog {
            return "the newest events of \(path) are still in \(logPath), which cannot be "
                + "read in a folder that cannot be written; "
                + "copy both files to another folder and open the copy"
        }
        // SQLite creates them for the first process that opens the ledger, also for a reader, and a reader leaves them
        // behind.
        for companion in [logPath, logIndexPath] {
            if let owner = Self.foreignOwner(companion) {
                return
                    "\(companion) belongs to \(owner) and may not be written here; give it the owner and the "
                    + "permissions of \(path) (chown, chmod), and do not remove it: it may hold the newest events"
            }
        }
        return nil
    }

    /// Who owns a file that is there and that this process may not write; `nil` otherwise.
    static func foreignOwner(_ path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, access(path, R_OK | W_OK) != 0 else { return nil }
        return userName(status.st_uid)
    }

    private static func userName(_ user: uid_t) -> String {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil,
            let name = entry.pw_name
        else { return "user \(user)" }
        return "\(String(cString: name)) (user \(user))"
    }
}
