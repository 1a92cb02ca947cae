import DaybookDomain
import DaybookEvents
import DaybookStore

/// Where the event of every key stands, for ever (rule 16), and where every id is named, without an index on the append
/// path (decision 0003).
///
/// The newest keys are in a map, the newest ids in a list, of which copies share all but what was changed since.
/// Whenever a unit of 16,384 positions is full they become a sorted run; eight neighbouring runs of one size become one
/// of the next: small ones at once, those of more than `countMaxHere` positions by the caller (`due`). So a ledger of
/// any length has seven runs of each size, or few more while some wait, some thirty bytes an event, and the map stays
/// small. Runs are the same for every process that reads the same ledger, whether they lie in memory or in files, but
/// for those that wait.
package struct KeyIndex {
    package static let mergeCount: Int64 = 8

    private var recent = PartitionedMap<EventKey, Int64>()
    /// Of positions that are in no run yet, in order.
    private var recentIDs = PagedArray<LookupRun.Entry>()
    /// In ascending order; together with `recent` they hold every position up to `last` exactly once.
    package private(set) var runs: [LookupRun] = []
    private var last: Int64 = 0
    private var hasGap = false
    /// Of the ledger, so that a sender of keys cannot choose what they hash to.
    private let hashKey: SipHash.Key

    /// Runs of more positions are not put together here: a commit would wait for it, and memory be taken by all of
    /// their keys.
    private let countMaxHere: Int64

    /// - Parameter countMaxHere: How many positions the runs may have that are put together here; the caller does it
    ///   with those that have more (`due`).
    /// - Precondition: The runs begin at position 1 and have no gap.
    package init(
        runs: [LookupRun] = [], hashKey: SipHash.Key, countMaxHere: Int64 = .max
    ) {
        self.hashKey = hashKey
        self.countMaxHere = countMaxHere
        var next: Int64 = 1
        for run in runs {
            precondition(run.range.lowerBound == next, "runs have a gap")
            next = run.range.upperBound + 1
        }
        self.runs = runs
        last = next - 1
        compact()
    }

    /// The last position that is in a run.
    package var sealedThrough: Int64 { runs.last?.range.upperBound ?? 0 }
    /// The last position whose key is known.
    package var through: Int64 { last }

    /// Takes the key and the ids of the next position; those that files brought are known already.
    mutating func note(_ key: EventKey, _ ids: EventIDs, at position: Int64) {
        guard position > last else { return }
        // Positions without a gap are the store's promise. Where it is broken nothing is sealed any more, and `verify`
        // can still tell what is wrong.
        if position != last + 1 { hasGap = true }
        last = position
        recent[key] = position
        ids.forEachHash(hashKey) { recentIDs.append(($0, position)) }
        if position % LookupRun.alignment == 0, !hasGap { seal() }
    }

    /// Turns the full unit into a run and merges what lies together.
    private mutating func seal() {
        let range = last - LookupRun.alignment + 1...last
        var entries: [LookupRun.Entry] = []
        entries.reserveCapacity(range.count)
        recent.forEach { entries.append(($0.lookupHash(hashKey), $1)) }
        if entries.count < range.count {
            // A second event under one key cannot be appended; a file that was tampered with may hold one all the same,
            // and `verify` tells of it. A run still has one entry per position.
            let taken = Set(entries.map(\.position))
            entries += range.filter { !taken.contains($0) }.map { (UInt64.max, $0) }
        }
        recent = PartitionedMap()
        runs.append(LookupRun(range, entries: entries, ids: recentIDs.all))
        recentIDs = PagedArray()
        compact()
    }

    /// Merges the runs of every block that is complete and not too large. Blocks are as large as their place allows: a
    /// block of 8^k units begins at a multiple of its size, so every process comes to the same runs.
    private mutating func compact() {
        var merged: [LookupRun] = []
        var start: Int64 = 0
        var rest = runs[...]
        while start < sealedThrough {
            var size = LookupRun.alignment
            while start % (size * Self.mergeCount) == 0,
                start + size * Self.mergeCount <= sealedThrough,
                size * Self.mergeCount <= countMaxHere
            { size *= Self.mergeCount }
            // A run of a file may be larger than what is put together here.
            if let first = rest.first { size = max(size, Int64(first.range.count)) }
            let parts = rest.prefix { $0.range.upperBound <= start + size }
            rest = rest.dropFirst(parts.count)
            start += size
            if parts.count > 1, let run = try? LookupRun.merged(Array(parts)) {
                merged.append(run)
            } else {
                // One run already, or a damaged one among them, which the next writer makes anew.
                merged += parts
            }
        }
        runs = merged
    }

    /// How many runs lie in files.
    package var fileCount: Int { runs.count { $0.path != nil } }

    /// The runs of the first complete block that is larger than what is put together here, all of them in files; `nil`:
    /// there is none.
    /// - Parameter countMax: Of the positions of the block.
    package func due(countMax: Int64 = .max) -> [LookupRun]? {
        var size = countMaxHere
        while size <= sealedThrough / Self.mergeCount, size <= countMax / Self.mergeCount {
            size *= Self.mergeCount
            for start in stride(from: 0, through: sealedThrough - size, by: Int(size)) {
                let parts = runs.filter {
                    $0.range.lowerBound > start && $0.range.upperBound <= start + size
                }
                let isWhole = parts.reduce(0) { $0 + $1.range.count } == size
                if parts.count > 1, isWhole, parts.allSatisfy({ $0.path != nil && !$0.isDamaged }) {
                    return parts
                }
            }
        }
        return nil
    }

    /// Positions that may hold the event; the caller confirms all but the exact one.
    package enum Candidates {
        case exact(Int64)
        /// Events whose key has the same hash, and ranges of positions whose file cannot be read.
        case perhaps([Int64], unread: [ClosedRange<Int64>])
    }

    /// - Parameter freeThrough: No event up to this position has the key.
    package func candidates(_ key: EventKey, freeThrough: Int64 = 0) -> Candidates {
        if let position = recent[key] { return .exact(position) }
        if freeThrough >= sealedThrough { return .perhaps([], unread: []) }
        let hash = key.lookupHash(hashKey)
        var positions: [Int64] = []
        var unread: [ClosedRange<Int64>] = []
        for run in runs where run.range.upperBound > freeThrough {
            do {
                positions += try run.positions(of: hash)
            } catch {
                // Damage costs a scan, never an answer (law 3).
                unread.append(run.range)
            }
        }
        return .perhaps(positions, unread: unread)
    }

    /// Whether no event has the key whose position is in a run; `false` also where a file cannot be read.
    package func isSurelyNew(_ key: EventKey) -> Bool {
        let hash = key.lookupHash(hashKey)
        return runs.allSatisfy { (try? $0.positions(of: hash).isEmpty) == true }
    }

    /// Positions whose event may name an id, the newest ones, ascending; the caller looks at each.
    /// - Parameter limit: At most so many.
    /// - Returns: Also the ranges of positions whose file cannot be read.
    func candidates(
        _ id: EventIDs.ID, limit: Int
    ) -> (positions: [Int64], unread: [ClosedRange<Int64>]) {
        let hash = id.hash(hashKey)
        var newest: [Int64] = []
        recentIDs.forEach { if $0.hash == hash { newest.append($0.position) } }
        var positions = Array(newest.suffix(limit))
        var unread: [ClosedRange<Int64>] = []
        for run in runs.reversed() where positions.count < limit {
            do {
                let older = try run.positions(ofID: hash).suffix(limit - positions.count)
                positions = Array(older) + positions
            } catch {
                unread.append(run.range)
            }
        }
        return (positions, unread)
    }

    /// Puts a run in the place of an equal one, or of those that it was put together from: its file, or what was read
    /// from the events again.
    package mutating func replace(_ run: LookupRun) {
        guard let first = runs.firstIndex(where: { $0.range.lowerBound == run.range.lowerBound }),
            let last = runs.lastIndex(where: { $0.range.upperBound == run.range.upperBound }),
            first <= last
        else { return }
        runs.replaceSubrange(first...last, with: [run])
    }
}

extension EventKey: Partitioned {
    package var partition: UInt32 {
        let word = key.high ^ key.low
        return UInt32(truncatingIfNeeded: word ^ word >> 32)
    }
}

extension EventKey {
    /// 64 bits that only the ledger's secret tells; the same in every process and for ever, because files hold them.
    package func lookupHash(_ hashKey: SipHash.Key) -> UInt64 {
        SipHash.hash64(
            hashKey, key.high, key.low, UInt64(source) << 8 | UInt64(environment.rawValue))
    }
}
