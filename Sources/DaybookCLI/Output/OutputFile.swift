import Foundation

/// A file on its way. A regular one appears whole, or not at all: it is written beside its place and renamed into it. A
/// pipe, a device or the standard output by its name is written as it is, and a link stays a link.
final class OutputFile {
    let descriptor: Descriptor
    /// Where the bytes are until they are complete; `nil` for what is written as it is.
    private var temporary: String?
    private let target: String
    private var isOpen = true

    /// Which users may read a new file.
    enum Access {
        /// As the umask says.
        case usual
        /// Only the user who runs the command: for a key.
        case own
        /// At most the users who may read the ledger from which it is written; `nil`: one in memory.
        case like(ledger: String?)

        fileprivate var bits: mode_t {
            switch self {
            case .usual: return 0o666
            case .own: return 0o600
            case .like(let ledger):
                var found = stat()
                guard let ledger, stat(ledger, &found) == 0 else { return 0o666 }
                return found.st_mode & 0o666
            }
        }
    }

    /// - Throws: A `Failure` with the path and the reason.
    init(_ path: String, access: Access = .usual) throws {
        var found = stat()
        let isThere = stat(path, &found) == 0
        let kind = found.st_mode & S_IFMT
        try Failure.require(
            !isThere || kind != S_IFDIR, .environment, "is_folder",
            "\(path) is a folder; name a file in it")
        if isThere, kind != S_IFREG || Self.isStandardOutput(found) {
            let number = open(path, O_WRONLY | O_CLOEXEC)
            guard number >= 0 else { throw Descriptor.failure(path) }
            descriptor = Descriptor(number: number, name: path)
            target = path
            return
        }
        let target = Self.target(of: path)
        try LedgerGuard.check(path, target: target)
        self.target = target
        let folder = target.lastIndex(of: "/").map { String(target[...$0]) } ?? ""
        let name = folder + RandomName.make(".daybook")
        // A file that may not be written is not replaced either.
        guard !isThere || Foundation.access(target, W_OK) == 0 else {
            throw Descriptor.failure(path)
        }
        let number = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, access.bits)
        guard number >= 0 else { throw Descriptor.failure(path) }
        descriptor = Descriptor(number: number, name: path)
        temporary = name
        // A file that was there keeps its permissions.
        if isThere, fchmod(number, found.st_mode & 0o777) != 0 { throw Descriptor.failure(path) }
    }

    deinit { discard() }

    func write(_ bytes: [UInt8]) throws { try descriptor.write(bytes) }

    /// Everything is written: the file takes its place.
    func finish() throws {
        guard isOpen else { return }
        if let temporary {
            // Renamed only when it is on disk: after a power loss there is the old file or the new one.
            guard fsync(descriptor.number) == 0 else { throw Descriptor.failure(target) }
            guard rename(temporary, target) == 0 else { throw Descriptor.failure(target) }
            self.temporary = nil
        }
        isOpen = false
        guard close(descriptor.number) == 0 else { throw Descriptor.failure(target) }
    }

    private func discard() {
        guard isOpen else { return }
        isOpen = false
        close(descriptor.number)
        if let temporary { unlink(temporary) }
    }

    /// The same open file as ours, such as `/dev/stdout` with a file behind it: a shell holds it, so it stays.
    private static func isStandardOutput(_ found: stat) -> Bool {
        var output = stat()
        guard fstat(STDOUT_FILENO, &output) == 0 else { return false }
        return found.st_dev == output.st_dev && found.st_ino == output.st_ino
    }

    /// Where the links lead, also when nothing is there yet.
    private static func target(of path: String) -> String {
        var path = path
        // As many links as Linux follows (path_resolution(7)).
        for _ in 0..<40 {
            guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
                // No link any more, which is what we look for.
                return path
            }
            if link.hasPrefix("/") {
                path = link
            } else {
                let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
                path = folder + link
            }
        }
        return path
    }
}

extension OutputFile {
    /// Writes a whole file.
    static func write(_ bytes: [UInt8], to path: String, access: Access = .usual) throws {
        let file = try OutputFile(path, access: access)
        try file.write(bytes)
        try file.finish()
    }

    /// Whether a file may be written there, asked before what it will hold is known.
    /// - Throws: A `Failure` for what belongs to a ledger.
    static func check(_ path: String) throws {
        try LedgerGuard.check(path, target: target(of: path))
    }

    static func makeFolder(_ path: String) throws {
        try LedgerGuard.check(path, target: path)
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        } catch {
            throw Failure(
                .environment, "unwritable",
                "the folder \(path) cannot be made: \(error.localizedDescription)")
        }
    }
}

/// Lines on their way to a file or to the standard output, in large pieces.
final class LineWriter {
    private var pending: [UInt8] = []
    private let file: OutputFile?

    private static let pieceByteCount = 1 << 16

    /// - Parameter path: `nil` and `-`: the standard output.
    init(_ path: String?, access: OutputFile.Access = .usual) throws {
        file = try path.flatMap { $0 == "-" ? nil : try OutputFile($0, access: access) }
    }

    func write(_ line: [UInt8]) throws {
        pending += line
        if pending.count >= Self.pieceByteCount { try flush() }
    }

    /// Writes what is left; without it a file does not appear.
    func close() throws {
        try flush()
        try file?.finish()
    }

    private func flush() throws {
        defer { pending.removeAll(keepingCapacity: true) }
        guard let file else { return try Terminal.output.write(bytes: pending) }
        try file.write(pending)
    }
}
