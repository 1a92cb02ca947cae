import DaybookDomain
import DaybookEvents
import DaybookStore

/// Folds every event again, from zero, and compares.
package struct Replaying {
    let core: LedgerCore

    package init(core: LedgerCore) { self.core = core }

    /// Folds a state's events again and compares with what else gives its aggregates.
    /// - Parameters:
    ///   - frozen: The ledger as it was at one moment; others may write on.
    ///   - isComparingAll: Every aggregate is compared by chains, whatever that takes.
    package func replay(
        of frozen: LedgerState, workers: Int, source: ReplaySource, isComparing: Bool = true,
        isComparingAll: Bool,
        batchCount: Int = 1_024,
        progress: @Sendable (Int64, Int64) throws -> Void = { _, _ in }
    ) throws -> ReplayReport {
        let start = core.clock()
        return try core.translating {
            var pass = AggregatePass(frozen, workers: workers)
            pass.chunkCount = batchCount
            pass.source = source
            let others = isComparing ? others(frozen, source, isComparingAll) : nil
            let (sums, segmentEventCount) = try EventPages.reading(
                frozen.log, through: frozen.head.position, source: source, workers: pass.workers,
                chunkCount: batchCount, progress: progress
            ) { pages in
                let sums = try pass.run(pages, ReplaySum(), progress: progress) {
                    sum, aggregate, folded in
                    if let others {
                        try sum.take(aggregate, folded, others, frozen)
                    } else if folded.isInDigest {
                        sum.replayed.aggregateCount += 1
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
                aggregates: total.replayed.aggregateCount, digest: total.replayed.digest,
                liveDigest: total.live.digest, milliseconds: core.clock() - start,
                differences: Array(differences.prefix(20)),
                differencesOmitted: max(0, total.differences.count - 20),
                comparison: total.comparison)
        }
    }

    /// What a replay of a state is compared with, besides snapshots.
    private func others(
        _ frozen: LedgerState, _ source: ReplaySource, _ isComparingAll: Bool
    ) -> OtherFolds {
        let known = core.cache.states.filter { $0.stamp == frozen.stamp(of: $0.aggregate) }
        return OtherFolds(
            cached: Dictionary(
                known.map { ($0.aggregate, $0.state) }, uniquingKeysWith: { first, _ in first }),
            chains: ChainFolds(frozen, besides: source, isWhole: isComparingAll))
    }

    /// Compares with the digest that the newest snapshot was given when it was written.
    private func compareSnapshot(
        _ comparison: inout ReplayComparison, _ digest: StateDigest, _ head: Int64,
        _ pass: AggregatePass
    ) throws {
        guard let snapshot = core.snapshots.digested(through: head) else { return }
        comparison.snapshotCut = snapshot.cut
        guard let state = snapshot.state else {
            comparison.isSnapshotSame = snapshot.digest == digest.bytes
            return
        }
        var past = AggregatePass(state, workers: pass.workers)
        past.chunkCount = pass.chunkCount
        past.source = pass.source
        let total = try past.run(AggregateSum()) { $0.add($1, $2, state) }
            .reduce(into: AggregateSum()) { $0.add($1) }
        comparison.isSnapshotSame = snapshot.digest == total.digest.bytes
    }
}

/// What a replay finds, beside the same aggregates folded in other ways.
private struct ReplaySum: Sendable {
    var replayed = AggregateSum()
    var live = AggregateSum()
    var differences: [String] = []
    var comparison = ReplayComparison()
    private var ahead = ChainsAhead()

    mutating func take(
        _ aggregate: UInt32, _ folded: borrowing AggregateState, _ others: OtherFolds,
        _ state: LedgerState
    ) throws {
        var sum = AggregateSum()
        sum.add(aggregate, folded, state)
        replayed.add(sum)
        var isSame = true
        if let chained = try others.chains.fold(aggregate, state, &ahead) {
            if folded.isInDigest { comparison.chainAggregates += 1 }
            if chained != copy folded {
                isSame = false
                sum = AggregateSum()
                sum.add(aggregate, chained, state)
            }
        }
        if let known = others.cached[aggregate] {
            comparison.cachedAggregates += 1
            if known != copy folded {
                isSame = false
                sum = AggregateSum()
                sum.add(aggregate, known, state)
            }
        }
        if !isSame { differences.append(state.aggregateName(aggregate).description) }
        live.add(sum)
    }

    mutating func add(_ other: ReplaySum) {
        replayed.add(other.replayed)
        live.add(other.live)
        differences += other.differences
        comparison.chainAggregates += other.comparison.chainAggregates
        comparison.cachedAggregates += other.comparison.cachedAggregates
    }
}
