public import DaybookDomain
import DaybookEvents
import DaybookStore

/// What a replay from zero came to.
public struct ReplayReport: Sendable {
    public var events: Int64
    /// How many of them were read from segments; the others from rows.
    public var segmentEvents: Int64
    public var units: Int
    public var digest: StateDigest
    /// The digest of what the replay was compared with: states at hand, else states folded along the chains of streams;
    /// of a unit that was not compared its own.
    public var liveDigest: StateDigest
    public var milliseconds: Int64
    /// Units whose states differ, by name, and a snapshot that says another digest; at most 20.
    public var differences: [String]
    /// Further ones, which are not named.
    public var differencesOmitted = 0
    /// What the outcome was compared with.
    public var comparison = ReplayComparison()

    /// Law 2: replay equals live, and what was live when the snapshot was written.
    public var agrees: Bool { digest == liveDigest && comparison.isSnapshotSame }
}

extension Ledger {
    /// Folds every event again, from zero, and compares with the states that the running ledger has at hand (law 2).
    /// - Parameters:
    ///   - workers: Threads that read and fold; the digest is the same for any number.
    ///   - source: Where events are read from; the digest is the same for any.
    ///   - isComparing: Whether every unit is digested and compared; else it is folded and counted, and the digests
    ///     are those of nothing.
    ///   - batchCount: Events per chunk; the digest is the same for any split.
    ///   - progress: Work done and work in all: an event counts when it is read from a row and when it is folded.
    ///     It may throw to end the replay, which leaves nothing behind.
    public func replay(
        workers: Int = 1, source: ReplaySource = .segments, isComparing: Bool = true,
        batchCount: Int = 1_024,
        progress: @Sendable (Int64, Int64) throws -> Void = { _, _ in }
    ) throws -> ReplayReport {
        try refresh()
        return try replay(
            of: state.withLock { $0 }, workers: workers, source: source, isComparing: isComparing,
            isComparingAll: false, batchCount: batchCount, progress: progress)
    }

    /// - Parameters:
    ///   - frozen: The ledger as it was at one moment; others may write on.
    ///   - isComparingAll: Every unit is compared by chains, whatever that takes.
    func replay(
        of frozen: LedgerState, workers: Int, source: ReplaySource, isComparing: Bool = true,
        isComparingAll: Bool,
        batchCount: Int = 1_024,
        progress: @Sendable (Int64, Int64) throws -> Void = { _, _ in }
    ) throws -> ReplayReport {
        let start = clock()
        return try translating {
            var pass = UnitPass(frozen, workers: workers)
            pass.chunkCount = batchCount
            pass.source = source
            let others = isComparing ? others(frozen, source, isComparingAll) : nil
            let (sums, segmentEventCount) = try EventPages.reading(
                frozen.log, through: frozen.head.position, source: source, workers: pass.workers,
                chunkCount: batchCount, progress: progress
            ) { pages in
                let sums = try pass.run(pages, ReplaySum(), progress: progress) {
                    sum, unit, folded in
                    if let others {
                        try sum.take(unit, folded, others, frozen)
                    } else if folded.isInDigest {
                        sum.replayed.unitCount += 1
                    }
                }
                return (sums, pages.segmentEventCount)
            }
            var total = sums.reduce(into: ReplaySum()) { $0.add($1) }
            total.comparison.chainSource = others?.chains.source ?? .rows
            total.comparison.chainStep = others?.chains.step ?? 1
            if isComparing {
                try compareSnapshot(
                    &total.comparison, total.replayed.digest, frozen.head.position, pass)
            }
            var differences = Array(total.differences.sorted(by: precedesInBytes).prefix(20))
            if !total.comparison.isSnapshotSame, let cut = total.comparison.snapshotCut {
                differences.insert("the digest that the snapshot of position \(cut) says", at: 0)
            }
            return ReplayReport(
                events: frozen.head.position, segmentEvents: segmentEventCount,
                units: total.replayed.unitCount, digest: total.replayed.digest,
                liveDigest: total.live.digest, milliseconds: clock() - start,
                differences: Array(differences.prefix(20)),
                differencesOmitted: max(0, total.differences.count - 20),
                comparison: total.comparison)
        }
    }

    /// What a replay of a state is compared with, besides snapshots.
    private func others(
        _ frozen: LedgerState, _ source: ReplaySource, _ isComparingAll: Bool
    ) -> OtherFolds {
        let known = cache.states.filter { $0.stamp == frozen.stamp(of: $0.unit) }
        return OtherFolds(
            cached: Dictionary(
                known.map { ($0.unit, $0.state) }, uniquingKeysWith: { first, _ in first }),
            chains: ChainFolds(frozen, besides: source, isWhole: isComparingAll))
    }

    /// Compares with the digest that the newest snapshot was given when it was written.
    private func compareSnapshot(
        _ comparison: inout ReplayComparison, _ digest: StateDigest, _ head: Int64,
        _ pass: UnitPass
    ) throws {
        guard let snapshot = digestedSnapshot(through: head) else { return }
        comparison.snapshotCut = snapshot.cut
        guard let state = snapshot.state else {
            comparison.isSnapshotSame = snapshot.digest == digest.bytes
            return
        }
        var past = UnitPass(state, workers: pass.workers)
        past.chunkCount = pass.chunkCount
        past.source = pass.source
        let total = try past.run(UnitSum()) { $0.add($1, $2, state) }
            .reduce(into: UnitSum()) { $0.add($1) }
        comparison.isSnapshotSame = snapshot.digest == total.digest.bytes
    }
}

/// The digest of some units.
struct UnitSum: Sendable {
    var digest = StateDigest()
    var unitCount = 0

    /// Takes a unit in; one to which nothing happened besides evidence is none (rule 23).
    mutating func add(_ unit: UInt32, _ folded: borrowing UnitState, _ state: LedgerState) {
        guard folded.isInDigest else { return }
        digest.add(unit: state.unitName(unit), folded, names: state.names)
        unitCount += 1
    }

    mutating func add(_ other: UnitSum) {
        digest.add(other.digest)
        unitCount += other.unitCount
    }
}

/// What a replay finds, beside what the same units are otherwise.
private struct ReplaySum: Sendable {
    var replayed = UnitSum()
    var live = UnitSum()
    var differences: [String] = []
    var comparison = ReplayComparison()

    mutating func take(
        _ unit: UInt32, _ folded: borrowing UnitState, _ others: OtherFolds, _ state: LedgerState
    ) throws {
        var sum = UnitSum()
        sum.add(unit, folded, state)
        replayed.add(sum)
        var isSame = true
        if let chained = try others.chains.fold(unit, state) {
            if folded.isInDigest { comparison.chainUnits += 1 }
            if chained != copy folded {
                isSame = false
                sum = UnitSum()
                sum.add(unit, chained, state)
            }
        }
        if let known = others.cached[unit] {
            comparison.cachedUnits += 1
            if known != copy folded {
                isSame = false
                sum = UnitSum()
                sum.add(unit, known, state)
            }
        }
        if !isSame { differences.append(state.unitName(unit).description) }
        live.add(sum)
    }

    mutating func add(_ other: ReplaySum) {
        replayed.add(other.replayed)
        live.add(other.live)
        differences += other.differences
        comparison.chainUnits += other.comparison.chainUnits
        comparison.cachedUnits += other.comparison.cachedUnits
    }
}
