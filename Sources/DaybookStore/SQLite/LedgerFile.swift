#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The path of a ledger and its companions, examined before SQLite touches them.
///
/// SQLite creates files beside whatever it opens, so a file is opened only after its own first
/// bytes say that it is a ledger.
struct LedgerFile: Sendable {
    /// How the file can be read.
    enum Access: Sendable, Equatable {
        case ordinary
        /// The folder cannot be written and nobody has the ledger open: SQLite is told that the
        /// file will not change, and whoever reads must check that this stays true.
        case immutable(FileIdentity)
    }

    /// Absolute, so that neither a change of folder nor a name like `file:x` gives it another
    /// meaning.
    let path: String

    init(path: String) {
        self.path = path.hasPrefix("/") ? path : Self.currentFolder() + "/" + path
    }

    var logPath: String { path + "-wal" }
    var lockPath: String { path + ".lock" }

    var folder: String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    var exists: Bool { identity != nil }
    var logByteCount: Int64 { Self.identity(logPath)?.byteCount ?? 0 }
    var hasLog: Bool { logByteCount > 0 }
    /// `nil` when there is no file, or nobody may know.
    var identity: FileIdentity? { Self.identity(path) }
    var isFolderWritable: Bool { access(folder, W_OK) == 0 }

    /// The path as SQLite's URI for a file that does not change.
    var immutableURI: String {
        let unreserved = Set(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
        var uri = "file:"
        for byte in path.utf8 {
            if unreserved.contains(byte) {
                uri.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                uri += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return uri + "?immutable=1"
    }

    /// Finds out whether this is a ledger and how it can be read.
    /// - Throws: `.notFound`, `.notALedger`, or `.failed` when the file cannot be read.
    func examine() throws -> Access {
        let header = try readHeader()
        guard header.count >= 100, header.starts(with: Array("SQLite format 3".utf8) + [0]) else {
            throw StoreError(
                .notALedger, "\(path) is no Daybook ledger: it is no SQLite database")
        }
        let application = header[68..<72].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard application == LedgerSchema.applicationID else {
            throw StoreError(
                .notALedger,
                "\(path) is no Daybook ledger: it is another program's SQLite database "
                    + "(application_id \(application), expected \(LedgerSchema.applicationID))")
        }
        guard !isFolderWritable, !hasLog, let identity else { return .ordinary }
        return .immutable(identity)
    }

    /// Whether bytes 18 and 19 say "write-ahead log".
    func isInLogMode() throws -> Bool {
        let header = try readHeader()
        return header.count >= 20 && header[18] == 2 && header[19] == 2
    }

    private func readHeader() throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw openingFailure(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError(.notALedger, "\(path) is no Daybook ledger: it is not a file")
        }
        var header = [UInt8](repeating: 0, count: 100)
        let count = read(descriptor, &header, header.count)
        guard count >= 0 else { throw openingFailure(errno) }
        guard count > 0 else {
            throw StoreError(.notALedger, "\(path) is no Daybook ledger: the file is empty")
        }
        return Array(header[..<count])
    }

    private func openingFailure(_ number: CInt) -> StoreError {
        switch number {
        case ENOENT, ENOTDIR:
            StoreError(.notFound, "there is no ledger at \(path); check the path, or create one")
        default:
            StoreError(
                .failed,
                "\(path) cannot be read: \(String(cString: strerror(number))); "
                    + "check its permissions"
            )
        }
    }

    /// Makes a new or renamed entry of the folder survive a power loss.
    func syncFolder() {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        // Some file systems refuse to sync a folder; they keep its entries in another way.
        _ = fsync(descriptor)
        close(descriptor)
    }

    private static func identity(_ path: String) -> FileIdentity? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let changed = status.st_mtimespec
        #else
            let changed = status.st_mtim
        #endif
        return FileIdentity(
            number: UInt64(status.st_ino), byteCount: Int64(status.st_size),
            changedSeconds: Int64(changed.tv_sec), changedNanoseconds: Int64(changed.tv_nsec))
    }

    private static func currentFolder() -> String {
        guard let buffer = getcwd(nil, 0) else { return "" }
        defer { free(buffer) }
        return String(cString: buffer)
    }
}

/// What is different when a file was replaced or written to.
struct FileIdentity: Sendable, Equatable {
    var number: UInt64
    var byteCount: Int64
    var changedSeconds: Int64
    var changedNanoseconds: Int64
}
