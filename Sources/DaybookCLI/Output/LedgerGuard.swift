import Foundation

/// What belongs to a ledger: no output takes its place, whatever the way to it is called.
///
/// Not the ledger of this command alone: any file that is a database has neighbours in which acknowledged events may
/// lie. Recognized by where a file is, also when it is not there yet, and by what is in it, for one with a second name.
enum LedgerGuard {
    /// What SQLite and Daybook keep beside a ledger.
    private static let suffixes = ["-wal", "-shm", "-journal", ".lock"]
    private static let derivedSuffix = ".snapshots"

    /// The first bytes of files that must not be lost: a database, its log (either byte order of checksums), its
    /// journal, a derived file.
    private static let beginnings: [[UInt8]] = [
        Array("SQLite format 3\0".utf8), [0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83],
        [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7], Array("DAYBOOK\u{1}".utf8),
    ]

    /// - Parameters:
    ///   - path: As the user wrote it, for the message.
    ///   - target: Where its links lead.
    /// - Throws: A `Failure` for what belongs to a ledger.
    static func check(_ path: String, target: String) throws {
        try Failure.require(
            !begins(target, with: beginnings), .environment, "is_ledger",
            "\(path) is a ledger or another database, or belongs to one; name a file of its own")
        try checkPlace(path, target: target)
    }

    /// The same for a new ledger, for which a file that is there is another error.
    static func checkPlace(_ path: String, target: String) throws {
        if let ledger = ledger(of: real(target)) {
            throw Failure(
                .environment, "is_ledger",
                "\(path) belongs to the ledger \(ledger), whose newest events could be in it; name a file of its own"
            )
        }
    }

    /// The database that a file, or a folder that it is in, belongs to; `nil` where there is none.
    private static func ledger(of path: String) -> String? {
        // Upper and lower case count as equal: on some file systems they are.
        for suffix in suffixes where path.lowercased().hasSuffix(suffix) {
            let ledger = String(path.dropLast(suffix.count))
            if isDatabase(ledger) { return ledger }
        }
        var folder = Substring(path)
        while let slash = folder.lastIndex(of: "/") {
            if let ledger = ledger(derivedIn: String(folder)) { return ledger }
            folder = folder[..<slash]
        }
        return nil
    }

    /// As `Ledger` finds the folder of a ledger's derived files, backwards.
    private static func ledger(derivedIn folder: String) -> String? {
        var found: [String] = []
        if folder.lowercased().hasSuffix(derivedSuffix) {
            found.append(String(folder.dropLast(derivedSuffix.count)))
        }
        let parts = folder.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count >= 2, parts[parts.count - 2].lowercased() == "snapshots" {
            let above = parts.dropLast(2) + ["events", parts[parts.count - 1]]
            found.append(above.joined(separator: "/"))
        }
        return found.first(where: isDatabase)
    }

    private static func isDatabase(_ path: String) -> Bool {
        begins(path, with: [beginnings[0]])
    }

    private static func begins(_ path: String, with beginnings: [[UInt8]]) -> Bool {
        var found = stat()
        // A pipe would have to be waited for.
        guard stat(path, &found) == 0, found.st_mode & S_IFMT == S_IFREG,
            let handle = FileHandle(forReadingAtPath: path)
        else { return false }
        defer { try? handle.close() }
        // One that cannot be read is reported when it is written.
        let begin = Array(((try? handle.read(upToCount: 16)) ?? nil) ?? Data())
        return beginnings.contains { begin.starts(with: $0) }
    }

    /// The path without links in its folders, which need not all be there.
    private static func real(_ path: String) -> String {
        var folder = path
        var rest: [Substring] = []
        while true {
            if let buffer = realpath(folder.isEmpty ? "." : folder, nil) {
                defer { free(buffer) }
                let found = String(cString: buffer)
                return ([found == "/" ? "" : Substring(found)] + rest).joined(separator: "/")
            }
            // Not even where we are is there any more: nothing can be written.
            if folder.isEmpty || folder == "/" { return path }
            guard let slash = folder.lastIndex(of: "/") else {
                rest.insert(Substring(folder), at: 0)
                folder = ""
                continue
            }
            rest.insert(folder[folder.index(after: slash)...], at: 0)
            folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
        }
    }
}
