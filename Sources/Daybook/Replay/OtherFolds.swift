import DaybookDomain
import DaybookEvents
import DaybookStore

/// The other folds that a replay is compared with.
package struct OtherFolds: Sendable {
    /// States that the running ledger has at hand.
    package let cached: [UInt32: AggregateState]
    package let chains: ChainFolds
}

/// Folds aggregates by following each of their streams backwards from its last event: another way to an aggregate's
/// events than handing out all events in their order.
package struct ChainFolds: Sendable {
    /// Beyond so many aggregates, or events, only some are compared.
    private static let aggregateCountMax = 10_000
    private static let eventCountMax: Int64 = 1_000_000

    package let source: ReplaySource
    package let step: Int
    private let folder: AggregateFold
    private let isChosen: [Bool]

    /// - Parameters:
    ///   - source: Where the replay reads; the chains are followed in the other one.
    ///   - isWhole: No aggregate is left out.
    package init(_ state: LedgerState, besides source: ReplaySource, isWhole: Bool) {
        let segments = source == .rows ? state.log.segments : nil
        self.source = segments?.segments.isEmpty == false ? .segments : .rows
        let log = EventLog(
            store: state.log.store, segments: self.source == .rows ? nil : segments)
        folder = AggregateFold(state.goingOn(in: log, AggregateCache(byteCountMax: 32 << 20)))
        let aggregates = state.aggregateIDs
        let byAggregates = (aggregates.count + Self.aggregateCountMax - 1) / Self.aggregateCountMax
        let byEvents = Int((state.head.position + Self.eventCountMax - 1) / Self.eventCountMax)
        step = isWhole ? 1 : max(1, byAggregates, byEvents)
        var isChosen = [Bool](repeating: false, count: state.storedStreamCount + 1)
        for index in stride(from: 0, to: aggregates.count, by: step) {
            isChosen[Int(aggregates[index])] = true
        }
        self.isChosen = isChosen
    }

    /// - Returns: `nil` for an aggregate that is not among the chosen ones.
    package func fold(_ aggregate: UInt32, _ state: LedgerState) throws -> AggregateState? {
        guard Int(aggregate) < isChosen.count, isChosen[Int(aggregate)] else { return nil }
        let record = state.stream(aggregate)
        return try folder.fold(
            kind: record.kind, environment: record.environment,
            heads: state.streams(of: aggregate).map { state.headOf($0).position })
    }
}
