import DaybookDomain
import DaybookEvents
import DaybookStore

/// The other folds that a replay is compared with.
package struct OtherFolds: Sendable {
    /// States that the running ledger has at hand.
    package let cached: [UInt32: UnitState]
    package let chains: ChainFolds
}

/// Folds units by following each of their streams backwards from its last event: another way to a unit's events than
/// handing out all events in their order.
package struct ChainFolds: Sendable {
    /// Beyond so many units, or events, only some are compared.
    private static let unitCountMax = 10_000
    private static let eventCountMax: Int64 = 1_000_000

    package let source: ReplaySource
    package let step: Int
    private let folder: UnitFolder
    private let isChosen: [Bool]

    /// - Parameters:
    ///   - source: Where the replay reads; the chains are followed in the other one.
    ///   - isWhole: No unit is left out.
    package init(_ state: LedgerState, besides source: ReplaySource, isWhole: Bool) {
        let segments = source == .rows ? state.log.segments : nil
        self.source = segments?.segments.isEmpty == false ? .segments : .rows
        let log = EventLog(
            store: state.log.store, segments: self.source == .rows ? nil : segments)
        folder = UnitFolder(state.goingOn(in: log, UnitCache()))
        let units = state.unitIDs
        let byUnits = (units.count + Self.unitCountMax - 1) / Self.unitCountMax
        let byEvents = Int((state.head.position + Self.eventCountMax - 1) / Self.eventCountMax)
        step = isWhole ? 1 : max(1, byUnits, byEvents)
        var isChosen = [Bool](repeating: false, count: state.storedStreamCount + 1)
        for index in stride(from: 0, to: units.count, by: step) {
            isChosen[Int(units[index])] = true
        }
        self.isChosen = isChosen
    }

    /// - Returns: `nil` for a unit that is not among the chosen ones.
    package func fold(_ unit: UInt32, _ state: LedgerState) throws -> UnitState? {
        guard Int(unit) < isChosen.count, isChosen[Int(unit)] else { return nil }
        let record = state.stream(unit)
        return try folder.fold(
            kind: record.kind, environment: record.environment,
            heads: state.streams(of: unit).map { state.headOf($0).position })
    }
}
