import DaybookEvents
import Synchronization

/// What must be looked up for ever, for one range of positions: the hash of every event's key, and of every id that
/// the events name, sorted, each with its position.
///
/// A run holds exactly one key for each position of its range, and as many ids as the events have. It lies in memory
/// until it is written; then its file is mapped. A hash only proposes positions: the event there is looked at.
///
/// ```
/// filter      32-byte blocks (LookupFilter)
/// hashes      8 bytes each, ascending
/// offsets     4 bytes each, in the order of the hashes: position - first position of the range
/// id-filter, id-hashes, id-offsets: the same of ids
/// ```
public final class LookupRun: Sendable {
    /// A hash and where it stands.
    public typealias Entry = (hash: UInt64, position: Int64)

    /// Runs begin and end at multiples of this many positions.
    public static let alignment: Int64 = 16_384
    /// Says how the bytes of a run and the hashes of keys, which hash references, are to be read. Layout 1 had a filter
    /// that knew no key, in layout 2 hashes had none, layout 3 had no ids.
    static let fingerprint: UInt64 = 4 << 8 | Reference.layoutVersion

    /// First and last position, both included.
    public let range: ClosedRange<Int64>
    private let keys: LookupArray
    private let ids: LookupArray
    private let file: ContainerFile?
    private let damage = Atomic<Bool>(false)

    /// - Parameters:
    ///   - entries: The keys: one per position of the range, in any order.
    ///   - ids: Any number per position, in any order.
    public convenience init(
        _ range: ClosedRange<Int64>, entries: [Entry], ids: [Entry] = []
    ) {
        self.init(
            range, keys: LookupArray(entries, first: range.lowerBound),
            ids: LookupArray(ids, first: range.lowerBound))
    }

    private init(_ range: ClosedRange<Int64>, keys: LookupArray, ids: LookupArray) {
        self.range = range
        self.keys = keys
        self.ids = ids
        file = nil
    }

    /// Opens a run's file.
    /// - Throws: `StoreError.damaged` when it does not have the shape of one.
    package init(file: ContainerFile) throws {
        let header = file.header
        guard header.kind == .keys, header.fingerprint == Self.fingerprint,
            header.firstPosition >= 1, header.firstPosition <= header.cut,
            header.cut - header.firstPosition < Int64(UInt32.max)
        else { throw StoreError(.damaged, "\(file.path): no key lookup array of this version") }
        range = header.firstPosition...header.cut
        keys = try LookupArray(
            file, .keys, first: header.firstPosition, count: range.count)
        ids = try LookupArray(file, .ids, first: header.firstPosition)
        self.file = file
    }

    /// Whether the run begins and ends where runs of a ledger do.
    var isAligned: Bool {
        range.lowerBound % Self.alignment == 1 && range.upperBound % Self.alignment == 0
    }

    /// The file that holds the run; `nil` while it is in memory.
    public var path: String? { file?.path }

    /// The history that the file was made from; `nil` in memory.
    public var history: HistoryPoint? { file?.header.history }

    /// Set when a block could not be read: the range must be read from the events again.
    public var isDamaged: Bool { damage.load(ordering: .relaxed) }

    /// Every position whose key has this hash.
    /// - Throws: `StoreError.damaged`; `isDamaged` is set from then on.
    /// - Complexity: One block of the filter for nearly all unknown keys; else O(log *n*), mostly within one block.
    public func positions(of hash: UInt64) throws -> [Int64] {
        try noting { try keys.positions(of: hash) }
    }

    /// Every position whose event names an id with this hash, ascending.
    /// - Throws: `StoreError.damaged`; `isDamaged` is set from then on.
    public func positions(ofID hash: UInt64) throws -> [Int64] {
        try noting { try ids.positions(of: hash) }
    }

    private func noting<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            damage.store(true, ordering: .relaxed)
            throw error
        }
    }

    /// What is looked up.
    enum Content {
        case keys, ids
    }

    private func array(_ content: Content) -> LookupArray { content == .keys ? keys : ids }

    func count(of content: Content) -> Int { array(content).count }

    /// Some entries, in the order of their hashes.
    /// - Parameter last: The greatest hash of those before.
    /// - Throws: `StoreError.damaged`, also for hashes that do not ascend; `isDamaged` is set from then on.
    func entries(
        _ range: Range<Int>, of content: Content, after last: UInt64
    ) throws -> LookupArray.Columns {
        try noting {
            let entries = try array(content).entries(range)
            var last = last
            for hash in entries.hashes {
                try StoreError.require(
                    hash >= last, .damaged, "\(path ?? "a run"): its hashes do not ascend")
                last = hash
            }
            return entries
        }
    }

    /// One run over neighbouring ones, in memory.
    /// - Precondition: The ranges follow one another.
    /// - Throws: `StoreError.damaged` when a part cannot be read; its `isDamaged` is set.
    public static func merged(_ runs: [LookupRun]) throws -> LookupRun {
        LookupRun(
            range(of: runs), keys: try .merged(LookupMerge(runs, of: .keys)),
            ids: try .merged(LookupMerge(runs, of: .ids)))
    }

    private static func range(of runs: [LookupRun]) -> ClosedRange<Int64> {
        precondition(!runs.isEmpty, "nothing to merge")
        return runs[0].range.lowerBound...runs[runs.count - 1].range.upperBound
    }

    /// Writes a run of memory under its final name and maps it.
    package func written(
        to path: String, like model: String? = nil, ledger: UInt64, history: HistoryPoint
    ) throws -> LookupRun {
        guard file == nil else { return self }
        return try Self.write(
            range, keys.sections(.keys) + ids.sections(.ids), to: path, like: model, ledger: ledger,
            history: history)
    }

    /// Writes one run over neighbouring ones under its final name and maps it: the same bytes as of one that was merged
    /// in memory.
    /// - Parameter isWanted: Whether to go on.
    /// - Precondition: The ranges follow one another.
    /// - Throws: `StoreError.damaged` when a part cannot be read; its `isDamaged` is set. `LookupMerge.GivenUp`.
    package static func writing(
        merged runs: [LookupRun], to path: String, like model: String? = nil, ledger: UInt64,
        history: HistoryPoint, isWanted: @escaping @Sendable () -> Bool = { true }
    ) throws -> LookupRun {
        let keys = LookupMerge(runs, of: .keys, isWanted: isWanted)
        let ids = LookupMerge(runs, of: .ids, isWanted: isWanted)
        return try write(
            range(of: runs),
            LookupArray.sections(.keys, merging: keys) + LookupArray.sections(.ids, merging: ids),
            to: path, like: model, ledger: ledger, history: history)
    }

    private static func write(
        _ range: ClosedRange<Int64>, _ sections: [ContainerSection], to path: String,
        like model: String?, ledger: UInt64, history: HistoryPoint
    ) throws -> LookupRun {
        precondition(history.position == range.upperBound, "a history of another position")
        try ContainerWriter.write(
            ContainerHeader(
                kind: .keys, fingerprint: fingerprint, ledger: ledger,
                firstPosition: range.lowerBound, history: history),
            sections, to: path, like: model)
        return try LookupRun(file: try ContainerFile(path: path))
    }
}
