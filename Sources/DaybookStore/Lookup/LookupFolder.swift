import DaybookEvents

/// The files of sealed runs in the folder of derived files.
///
/// One file a run, `keys-<first>-<last>.daykeys` with positions of twelve digits. Where files overlap the longest
/// counts: the shorter ones are what it was merged from and had no time to be removed.
public struct LookupFolder: Sendable {
    private static let suffix = ".daykeys"

    /// The folder of the files, which may be missing before the first run is written.
    public let path: String
    /// The first 64 bits of the digest of the ledger's id.
    public let ledger: UInt64
    private let model: String?

    /// - Parameter model: The ledger's file: who may read it may read its runs.
    public init(path: String, like model: String? = nil, ledger: UInt64) {
        self.path = path
        self.model = model
        self.ledger = ledger
    }

    /// What the folder holds.
    public struct Contents: Sendable {
        /// In ascending order, without overlap; there may be gaps.
        public var runs: [LookupRun] = []
        /// Why files were not used, one sentence each.
        public var problems: [String] = []
        /// Files of another history than the ledger's.
        public var foreign: [String] = []
    }

    /// Reads the headers of all files that end at or before a position; later ones are passed over in silence.
    /// - Parameter confirms: Whether the ledger's history has another one for its beginning.
    public func contents(
        through head: Int64, confirms: (HistoryPoint) throws -> Bool
    ) throws -> Contents {
        // Another process may have merged some and removed them since the folder was read.
        var found = try files(through: head)
        if found.isAnyMissing { found = try files(through: head) }
        var contents = Contents(problems: found.problems)
        found.runs.sort {
            ($0.range.lowerBound, -$0.range.upperBound)
                < ($1.range.lowerBound, -$1.range.upperBound)
        }
        var next: Int64 = 1
        for run in found.runs where run.range.lowerBound >= next {
            guard let history = run.history, try confirms(history) else {
                contents.foreign.append(run.path ?? path)
                continue
            }
            contents.runs.append(run)
            next = run.range.upperBound + 1
        }
        return contents
    }

    private struct Found {
        var runs: [LookupRun] = []
        var problems: [String] = []
        /// Whether a file was gone when it was to be read.
        var isAnyMissing = false
    }

    private func files(through head: Int64) throws -> Found {
        var found = Found()
        for name in DerivedFile.names(in: path, suffix: Self.suffix) {
            do {
                let file = try ContainerFile(path: "\(path)/\(name)")
                let run = try LookupRun(file: file)
                try StoreError.require(
                    file.header.ledger == ledger, .damaged, "\(file.path) is of another ledger")
                try StoreError.require(
                    run.isAligned, .damaged,
                    "\(file.path) does not begin and end at multiples of \(LookupRun.alignment)")
                // A process that commits at this moment sealed it after the head was read: the next opening uses it.
                guard run.range.upperBound <= head else { continue }
                found.runs.append(run)
            } catch let error as StoreError {
                if error.code == .notFound {
                    found.isAnyMissing = true
                } else {
                    found.problems.append(error.message)
                }
            }
        }
        return found
    }

    /// Writes a run and removes the files of its parts.
    /// - Parameter isReplacing: Also where there is a file of this run, because it is damaged.
    public func write(
        _ run: LookupRun, history: HistoryPoint, isReplacing: Bool = false
    ) throws -> LookupRun {
        guard run.path == nil else { return run }
        return try write(run.range, history, isReplacing: isReplacing) { path in
            try run.written(to: path, like: model, ledger: ledger, history: history)
        }
    }

    /// Writes one run over neighbouring ones that lie in files, and removes these. It is of the history that the last
    /// of them is of.
    /// - Parameter isWanted: Whether to go on.
    /// - Precondition: The ranges follow one another.
    /// - Throws: `StoreError.damaged` when a part cannot be read; its `isDamaged` is set. `LookupMerge.GivenUp`.
    package func write(
        merged runs: [LookupRun], isWanted: @escaping @Sendable () -> Bool = { true }
    ) throws -> LookupRun {
        guard let first = runs.first, let last = runs.last, let history = last.history else {
            preconditionFailure("what is merged from file to file lies in files")
        }
        let range = first.range.lowerBound...last.range.upperBound
        return try write(range, history, isReplacing: false) { path in
            try LookupRun.writing(
                merged: runs, to: path, like: model, ledger: ledger, history: history,
                isWanted: isWanted)
        }
    }

    private func write(
        _ range: ClosedRange<Int64>, _ history: HistoryPoint, isReplacing: Bool,
        _ body: (String) throws -> LookupRun
    ) throws -> LookupRun {
        try DerivedFile.createFolder(path, like: model)
        let name = "\(path)/\(Self.name(range))"
        // Another process that shares the ledger comes to the same runs; a file that cannot be read is replaced.
        let known = isReplacing ? nil : known(name, range, history)
        let run = try known ?? body(name)
        for name in DerivedFile.names(in: path, suffix: Self.suffix) {
            guard let part = Self.range(of: name), part != range,
                range.contains(part.lowerBound), range.contains(part.upperBound)
            else { continue }
            DerivedFile.remove("\(path)/\(name)")
        }
        return run
    }

    private func known(
        _ name: String, _ range: ClosedRange<Int64>, _ history: HistoryPoint
    ) -> LookupRun? {
        guard let file = try? ContainerFile(path: name), file.header.ledger == ledger,
            file.header.history.hash == history.hash, let run = try? LookupRun(file: file)
        else { return nil }
        return run.range == range ? run : nil
    }

    private static func name(_ range: ClosedRange<Int64>) -> String {
        "keys-\(padded(range.lowerBound))-\(padded(range.upperBound))\(suffix)"
    }

    private static func padded(_ number: Int64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 12 - digits.count)) + digits
    }

    private static func range(of name: String) -> ClosedRange<Int64>? {
        let parts = name.dropLast(suffix.count).split(separator: "-")
        guard parts.count == 3, parts[0] == "keys", let first = Int64(parts[1]),
            let last = Int64(parts[2]), first <= last
        else { return nil }
        return first...last
    }
}
