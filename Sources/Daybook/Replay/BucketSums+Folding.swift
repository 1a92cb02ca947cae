import DaybookDomain
import DaybookEvents

extension BucketSums {
    /// The sums of everything that a state knows, by a pass over all its aggregates.
    package static func folding(
        _ state: LedgerState, workers: Int = AggregatePass.workersDefault,
        progress: @Sendable (Int64, Int64) throws -> Void = { _, _ in }
    ) throws -> BucketSums {
        let parts = try AggregatePass(state, workers: workers).run(
            BucketSums(), progress: progress
        ) { $0.add($1, $2, state) }
        var total = BucketSums()
        for part in parts { total.add(part) }
        for statement in state.identityStatements { total.add(statement) }
        return total
    }
}
