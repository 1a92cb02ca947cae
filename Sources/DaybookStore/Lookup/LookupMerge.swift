/// Goes through the arrays of neighbouring runs in the order of one array over all of them.
///
/// A few thousand entries of each are in memory, wherever the runs lie, so that runs of any length are merged in the
/// same memory.
package struct LookupMerge: Sendable {
    /// Entries of a run that are read at once.
    private static let readCount = 4_096

    /// The outcome is not wanted any more.
    package struct GivenUp: Error {}

    private let runs: [LookupRun]
    private let content: LookupRun.Content
    /// Asked every few thousand entries.
    private let isWanted: @Sendable () -> Bool
    /// The first position of all of them.
    let first: Int64
    /// How many entries there are.
    let count: Int

    /// - Parameter isWanted: Whether the merge is to go on.
    /// - Precondition: The ranges of the runs follow one another.
    init(
        _ runs: [LookupRun], of content: LookupRun.Content,
        isWanted: @escaping @Sendable () -> Bool = { true }
    ) {
        precondition(!runs.isEmpty, "nothing to merge")
        for (left, right) in zip(runs, runs.dropFirst()) {
            precondition(left.range.upperBound + 1 == right.range.lowerBound, "runs have a gap")
        }
        self.runs = runs
        self.content = content
        self.isWanted = isWanted
        first = runs[0].range.lowerBound
        count = runs.reduce(0) { $0 + $1.count(of: content) }
    }

    /// Reads one run from its beginning to its end.
    private struct Cursor {
        let run: LookupRun
        let content: LookupRun.Content
        /// What its offsets count from, less what those of the whole do.
        let shift: UInt32
        private let count: Int
        private var part = LookupArray.Columns()
        /// How many entries were read before `part`.
        private var start = 0
        private var index = 0
        private var last: UInt64 = 0

        /// - Throws: `StoreError.damaged`.
        init(_ run: LookupRun, _ content: LookupRun.Content, first: Int64) throws {
            self.run = run
            self.content = content
            shift = UInt32(truncatingIfNeeded: run.range.lowerBound - first)
            count = run.count(of: content)
            try read()
        }

        /// The next hash; `nil` at the end.
        var hash: UInt64? { index < part.hashes.count ? part.hashes[index] : nil }

        /// Goes past the next entry.
        /// - Returns: Its position less the first one of all runs.
        mutating func take() throws -> UInt32 {
            let offset = part.offsets[index] &+ shift
            index += 1
            if index == part.hashes.count { try read() }
            return offset
        }

        private mutating func read() throws {
            start += part.hashes.count
            index = 0
            let end = min(count, start + LookupMerge.readCount)
            part = .init()
            if start == end { return }
            part = try run.entries(start..<end, of: content, after: last)
            last = part.hashes[part.hashes.count - 1]
        }
    }

    /// - Parameter body: Is given every entry: its hash, and its position less the first one. Of equal hashes the
    ///   earlier position comes first, so that equal contents give equal bytes.
    /// - Throws: `StoreError.damaged` where a run cannot be read; its `isDamaged` is set. `GivenUp`.
    func forEach(_ body: (UInt64, UInt32) throws -> Void) throws {
        var cursors = try runs.map { try Cursor($0, content, first: first) }
        var givenCount = 0
        while true {
            givenCount += 1
            if givenCount % Self.readCount == 0, !isWanted() { throw GivenUp() }
            var best: (index: Int, hash: UInt64)?
            for index in cursors.indices {
                guard let hash = cursors[index].hash else { continue }
                if best.map({ hash < $0.hash }) ?? true { best = (index, hash) }
            }
            guard let best else { return }
            try body(best.hash, try cursors[best.index].take())
        }
    }
}
