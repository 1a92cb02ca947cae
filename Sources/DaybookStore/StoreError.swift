package import DaybookEvents

/// The store could not do what it was asked: what failed, where, expected and actual, and the remedy.
public struct StoreError: Error, CustomStringConvertible, CustomDebugStringConvertible {
    /// What kind of failure; new kinds may join.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The word that stands in errors as they are sent and logged, such as `not_found`.
        public let rawValue: String
        /// Creates a kind of failure; every word is allowed.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No ledger at this path.
        public static let notFound = Code(rawValue: "not_found")
        /// A file is there already.
        public static let alreadyExists = Code(rawValue: "already_exists")
        /// The file is no Daybook ledger.
        public static let notALedger = Code(rawValue: "not_a_ledger")
        /// A newer Daybook wrote the file.
        public static let newerSchema = Code(rawValue: "newer_schema")
        /// The folder or file cannot be written.
        public static let readOnly = Code(rawValue: "read_only")
        /// The disk, or the bound set for the file, is full.
        public static let full = Code(rawValue: "disk_full")
        /// Another writer held the lock for too long.
        public static let busy = Code(rawValue: "busy")
        /// Another writer appended first.
        public static let conflict = Code(rawValue: "conflict")
        /// The file has another past than the one that this process, or a file made from it, goes on from.
        public static let otherHistory = Code(rawValue: "other_history")
        /// Another file has the ledger's name now.
        public static let replaced = Code(rawValue: "replaced")
        /// The log beside the file was written upon another state of it.
        public static let foreignLog = Code(rawValue: "foreign_log")
        /// The file is damaged.
        public static let damaged = Code(rawValue: "damaged")
        /// Another version wrote a derived file; it is written anew.
        public static let outdated = Code(rawValue: "outdated")
        /// SQLite or the operating system said no.
        public static let failed = Code(rawValue: "io_failed")
        /// Too much is waiting.
        public static let overloaded = Code(rawValue: "overloaded")
        /// The clock cannot be right.
        public static let wrongClock = Code(rawValue: "wrong_clock")
        /// The ledger was closed.
        public static let closed = Code(rawValue: "closed")
    }

    /// What kind of failure it is, for programs.
    public let code: Code
    /// Safe to log: ids, numbers and paths, no payloads, in one line without control characters.
    public let message: String
    /// The error that led to it, such as one of SQLite; `nil`: there is none.
    public let cause: (any Error)?
    /// Where in the source it was made: `DaybookStore/LedgerHeader.swift:23`.
    public let place: String

    /// Creates an error; control characters of the message are spelled out, so that it is one line.
    public init(
        _ code: Code, _ message: String, cause: (any Error)? = nil, file: String = #fileID,
        line: Int = #line
    ) {
        self.code = code
        // Here, because paths are in nearly all of them, and a folder may be called anything.
        self.message = ShownText.escaped(message)
        self.cause = cause
        place = "\(file):\(line)"
    }

    /// The message alone.
    public var description: String { message }

    /// Code, place in the source, message and cause, for logs and developers.
    public var debugDescription: String {
        "\(code.rawValue) at \(place): \(message)"
            + (cause.map { " (\(ShownText.escaped("\($0)")))" } ?? "")
    }
}

extension StoreError {
    /// Fails where a condition does not hold.
    package static func require(
        _ holds: Bool, _ code: Code, _ message: @autoclosure () -> String, file: String = #fileID,
        line: Int = #line
    ) throws(StoreError) {
        if !holds { throw StoreError(code, message(), file: file, line: line) }
    }

    /// Fails where a condition does not hold that holds of every whole ledger file.
    static func requireIntact(
        _ holds: Bool, _ path: String, _ reason: @autoclosure () -> String, file: String = #fileID,
        line: Int = #line
    ) throws(StoreError) {
        if !holds { throw damaged(path, reason(), file: file, line: line) }
    }

    /// A ledger file that does not hold what was committed.
    static func damaged(
        _ path: String, _ reason: String, file: String = #fileID, line: Int = #line
    ) -> StoreError {
        StoreError(
            .damaged, "\(path) is damaged: \(reason); restore a backup", file: file, line: line)
    }

    /// The refusal to go on from a past that the file does not have.
    /// - Parameter what: What goes on from another past, with its verb.
    package static func otherHistory(
        _ path: String, _ what: String, _ hash: HistoryHash, at position: Int64,
        _ found: HistoryPoint?
    ) -> StoreError {
        let there = found.map { "the file is at \($0)" } ?? "the file holds another one now"
        return StoreError(
            .otherHistory,
            "\(path) has another history: \(what) position \(position) (\(hash.short)…), and \(there); it was restored, "
                + "copied over or replaced; nothing was written; open it again and look at what it holds now"
        )
    }
}
