import DaybookDomain
import DaybookEvents
import DaybookStore

/// What a replay was compared with: each of these is worked out in another way than the replay itself.
public struct ReplayComparison: Sendable, Equatable {
    /// How many units were folded once more along the chains of their streams, less those of evidence alone.
    public var chainUnits = 0
    /// 1: all units were; else one of so many, from the first on.
    public var chainStep = 1
    /// Where the chains were followed: not where the replay read, if there are segments at all.
    public var chainSource = ReplaySource.rows
    /// Of how many units the running ledger had the state at hand.
    public var cachedUnits = 0
    /// The position of the newest snapshot that was given a digest when it was written; `nil`: there is none.
    public var snapshotCut: Int64?
    /// Whether the events up to that position still have the digest that the snapshot says.
    public var isSnapshotSame = true
}

/// The other folds that a replay is compared with.
struct OtherFolds: Sendable {
    /// States that the running ledger has at hand.
    let cached: [UInt32: UnitState]
    let chains: ChainFolds
}

/// Folds units by following each of their streams backwards from its last event: another way to a unit's events than
/// handing out all events in their order.
struct ChainFolds: Sendable {
    /// Beyond so many units, or events, only some are compared.
    private static let unitCountMax = 10_000
    private static let eventCountMax: Int64 = 1_000_000

    let source: ReplaySource
    let step: Int
    private let folder: UnitFolder
    private let isChosen: [Bool]

    /// - Parameters:
    ///   - source: Where the replay reads; the chains are followed in the other one.
    ///   - isWhole: No unit is left out.
    init(_ state: LedgerState, besides source: ReplaySource, isWhole: Bool) {
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
    func fold(_ unit: UInt32, _ state: LedgerState) throws -> UnitState? {
        guard Int(unit) < isChosen.count, isChosen[Int(unit)] else { return nil }
        let record = state.stream(unit)
        return try folder.fold(
            kind: record.kind, environment: record.environment,
            heads: state.streams(of: unit).map { state.headOf($0).position })
    }
}
