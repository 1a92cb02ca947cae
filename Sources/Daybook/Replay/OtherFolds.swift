import DaybookDomain
import DaybookEvents
import DaybookStore

/// The other folds that a replay is compared with; a reference, because every aggregate is handed it.
package final class OtherFolds: Sendable {
    /// States that the running ledger has at hand.
    package let cached: [UInt32: AggregateState]
    package let chains: ChainFolds

    package init(cached: [UInt32: AggregateState], chains: ChainFolds) {
        self.cached = cached
        self.chains = chains
    }
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

    /// - Parameter ahead: What was read of the chosen aggregates that come next; of one caller, who asks for
    ///   aggregates in ascending order.
    /// - Returns: `nil` for an aggregate that is not among the chosen ones.
    package func fold(
        _ aggregate: UInt32, _ state: LedgerState, _ ahead: inout ChainsAhead
    ) throws -> AggregateState? {
        guard isChosen(aggregate) else { return nil }
        let record = state.stream(aggregate)
        if ahead.events[aggregate] == nil { try read(from: aggregate, state, &ahead) }
        let events = ahead.events.removeValue(forKey: aggregate) ?? []
        return folder.fold(record.kind, try folder.settled(events, record.environment))
    }

    private func isChosen(_ aggregate: UInt32) -> Bool {
        Int(aggregate) < isChosen.count && isChosen[Int(aggregate)]
    }

    /// Reads the chains of an aggregate and of those after it that the same worker is about to fold.
    private func read(
        from first: UInt32, _ state: LedgerState, _ ahead: inout ChainsAhead
    ) throws {
        var heads: [Int64] = []
        var owners: [UInt32] = []
        var eventCount: Int64 = 0
        for aggregate in first...AggregatePass.lastOfTurn(first) where isChosen(aggregate) {
            let streams = state.streams(of: aggregate).map { state.headOf($0) }
            eventCount += streams.reduce(0) { $0 + $1.version }
            guard aggregate == first || eventCount <= Self.aheadCountMax else { break }
            for head in streams where head.position > 0 {
                heads.append(head.position)
                owners.append(aggregate)
            }
        }
        ahead.events.removeAll(keepingCapacity: true)
        for (owner, events) in zip(owners, try folder.streams(endingAt: heads)) {
            ahead.events[owner, default: []] += events
        }
    }

    /// So many events are held ahead of their folding.
    private static let aheadCountMax: Int64 = 2_048
}

/// What one worker read of aggregates that it has not folded yet.
package struct ChainsAhead: Sendable {
    fileprivate var events: [UInt32: [Event]] = [:]

    package init() {}
}
