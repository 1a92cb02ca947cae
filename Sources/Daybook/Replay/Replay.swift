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
    /// The digest of the running ledger.
    public var liveDigest: StateDigest
    public var milliseconds: Int64
    /// Units whose states differ, by name; at most 20.
    public var differences: [String]
    /// Further ones, which are not named.
    public var differencesOmitted = 0

    /// Law 2: replay equals live.
    public var agrees: Bool { digest == liveDigest }
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
        let start = clock()
        try refresh()
        return try translating {
            let frozen = state.withLock { $0 }
            let pass = UnitPass(frozen, workers: workers)
            let known = cache.states.filter { $0.stamp == frozen.stamp(of: $0.unit) }
            let live = Dictionary(
                known.map { ($0.unit, $0.state) }, uniquingKeysWith: { first, _ in first })
            let (sums, segmentEventCount) = try EventPages.reading(
                frozen.log, through: frozen.head.position, source: source, workers: pass.workers,
                chunkCount: batchCount, progress: progress
            ) { pages in
                let sums = try pass.run(pages, ReplaySum(), progress: progress) {
                    sum, unit, folded in
                    if isComparing {
                        sum.take(unit, folded, live: live[unit], frozen)
                    } else if folded.isInDigest {
                        sum.replayed.unitCount += 1
                    }
                }
                return (sums, pages.segmentEventCount)
            }
            let total = sums.reduce(into: ReplaySum()) { $0.add($1) }
            return ReplayReport(
                events: frozen.head.position, segmentEvents: segmentEventCount,
                units: total.replayed.unitCount, digest: total.replayed.digest,
                liveDigest: total.live.digest, milliseconds: clock() - start,
                differences: Array(total.differences.sorted(by: precedesInBytes).prefix(20)),
                differencesOmitted: max(0, total.differences.count - 20))
        }
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

/// What a replay finds, beside what the running ledger has at hand.
private struct ReplaySum: Sendable {
    var replayed = UnitSum()
    var live = UnitSum()
    var differences: [String] = []

    /// - Parameter live: The state at hand; `nil` where the running ledger would fold the unit too.
    mutating func take(
        _ unit: UInt32, _ folded: borrowing UnitState, live known: UnitState?,
        _ state: LedgerState
    ) {
        var sum = UnitSum()
        sum.add(unit, folded, state)
        replayed.add(sum)
        if let known, known != copy folded {
            differences.append(state.unitName(unit).description)
            sum = UnitSum()
            sum.add(unit, known, state)
        }
        live.add(sum)
    }

    mutating func add(_ other: ReplaySum) {
        replayed.add(other.replayed)
        live.add(other.live)
        differences += other.differences
    }
}
