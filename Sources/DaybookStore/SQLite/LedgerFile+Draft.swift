import Foundation

/// Files that are made under another name, so that no process ever sees half of one.
extension LedgerFile {
    private static let draftSuffix = ".new"

    /// A name beside this one that no other file has.
    func draft() -> LedgerFile {
        LedgerFile(
            path:
                "\(path).\(String(UInt64.random(in: .min ... .max), radix: 16))\(Self.draftSuffix)"
        )
    }

    /// - Throws: `.alreadyExists` where the name is taken, or something is left of a file that had it.
    func checkIsFree() throws {
        guard !isTaken else { throw existsAlready }
        // SQLite would read the log of a ledger that was deleted into the new one, and undo the journal in it.
        for (isThere, left) in [(hasLog, logPath), (hasJournal, journalPath)] where isThere {
            throw StoreError(
                .alreadyExists,
                "\(left) holds changes of a ledger that is gone; move it away first")
        }
    }

    /// Gives a draft its name without taking the name from whatever appeared there meanwhile: `rename` would replace
    /// it.
    func move(to target: LedgerFile) throws {
        if link(path, target.path) == 0 {
            unlink(path)
            return
        }
        switch errno {
        case EEXIST: throw target.existsAlready
        case EPERM, EOPNOTSUPP, ENOTSUP, ENOSYS, EMLINK:
            // A file system without hard links, such as FAT: asked once more, and then trusted.
            guard !target.isTaken else { throw target.existsAlready }
            guard rename(path, target.path) == 0 else { throw target.creationFailure(errno) }
        case let number: throw target.creationFailure(number)
        }
    }

    /// Removes the file with everything that SQLite and the lock leave beside it.
    func remove() {
        for path in [path, logPath, logIndexPath, journalPath, lockPath] { unlink(path) }
    }

    /// Removes drafts of this name whose makers died; no process makes one now.
    func removeDrafts() {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        for found in DerivedFile.names(in: folder, suffix: Self.draftSuffix)
        where found.hasPrefix(name + ".") {
            let middle = found.dropFirst(name.utf8.count + 1).dropLast(Self.draftSuffix.utf8.count)
            if UInt64(middle, radix: 16) != nil {
                LedgerFile(path: "\(folder)/\(found)").remove()
            }
        }
    }

    private var existsAlready: StoreError {
        StoreError(.alreadyExists, "\(path) exists already; open it, or choose another name")
    }

    private func creationFailure(_ number: CInt) -> StoreError {
        StoreError(.failed, "\(path) cannot be created: \(String(cString: strerror(number)))")
    }
}
