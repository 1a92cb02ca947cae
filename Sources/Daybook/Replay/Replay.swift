public import DaybookDomain
import DaybookEvents
import DaybookStore
import Dispatch
import Synchronization

/// What a replay from zero came to.
public struct ReplayReport: Sendable {
    public var events: Int64
    public var units: Int
    public var digest: StateDigest
    /// The digest of the running ledger.
    public var liveDigest: StateDigest
    public var milliseconds: Int64
    /// Units whose states differ, by name; at most 20.
    public var differences: [String]

    /// Law 2: replay equals live.
    public var agrees: Bool { digest == liveDigest }
}

extension Ledger {
    /// Folds every event again, from zero, and compares with the live state (law 2).
    /// - Parameters:
    ///   - workers: Threads that fold; units are shared out among them, and the digest is the same for any number.
    ///   - batchCount: Events per chunk; the digest is the same for any split.
    ///   - progress: Events done and events in all.
    public func replay(
        workers: Int = 1, batchCount: Int = 1_000, progress: (Int64, Int64) -> Void = { _, _ in }
    ) throws -> ReplayReport {
        let start = clock()
        try refresh()
        return try translating {
            try heal()
            let frozen = state.withLock { $0 }
            let fold = ReplayFold(
                store: store, frozen: frozen, workers: max(1, workers), batchCount: batchCount)
            let units = try fold.run(progress: progress)
            var digest = StateDigest()
            var differences: [String] = []
            var count = 0
            for (unit, folded) in units where folded.kind != .ledger {
                let name = frozen.unitName(unit)
                if folded.isInDigest {
                    digest.add(unit: name, folded, names: frozen.names)
                    count += 1
                }
                if case .found(let known) = frozen.units.lookup(unit), known == folded { continue }
                differences.append(name.description)
            }
            for unit in frozen.units.ids where units[unit] == nil {
                differences.append(frozen.unitName(unit).description)
            }
            let live = try Self.digest(of: frozen).digest
            differences.sort(by: precedesInBytes)
            return ReplayReport(
                events: frozen.head.position, units: count,
                digest: digest, liveDigest: live, milliseconds: clock() - start,
                differences: Array(differences.prefix(20)))
        }
    }
}

/// Folds all events of a store into fresh units: one scan, each event handed to the worker that owns its unit.
///
/// Who is who, and what is corrected, is read first and never changes during the fold (rules 7 and 20).
struct ReplayFold {
    let store: any EventStore
    /// Identity, corrections and names of the ledger; its folded units are not looked at.
    let frozen: LedgerState
    let workers: Int
    let batchCount: Int
    /// The projections that are folded; the others stay empty.
    var projections = Projections.all

    private struct Part {
        var units: [UInt32: UnitState] = [:]
        var late: Set<UInt32> = []
    }

    func run(progress: (Int64, Int64) -> Void) throws -> [UInt32: UnitState] {
        let parts = (0..<workers).map { _ in PartBox() }
        let end = frozen.head
        try store.scan(after: .start, through: end.checkpoint, chunkCount: batchCount) { events in
            fold(events, into: parts)
            if let last = events.last { progress(last.position, end.position) }
        }
        var units: [UInt32: UnitState] = [:]
        for part in parts {
            let (folded, late) = part.content.withLock { ($0.units, $0.late) }
            units.merge(folded) { first, _ in first }
            for unit in late { units[unit] = try refold(unit) }
        }
        return units
    }

    private final class PartBox: Sendable {
        let content = Mutex(Part())
    }

    private func fold(_ events: borrowing [Event], into parts: [PartBox]) {
        if parts.count == 1 {
            parts[0].content.withLock { take(events, &$0, 0) }
            return
        }
        let events = copy events
        DispatchQueue.concurrentPerform(iterations: parts.count) { worker in
            parts[worker].content.withLock { take(events, &$0, worker) }
        }
    }

    private func take(_ events: [Event], _ part: inout Part, _ worker: Int) {
        for event in events {
            let unit = frozen.unitOf[Int(event.stream) - 1]
            guard Int(unit) % workers == worker, !part.late.contains(unit) else { continue }
            let record = frozen.stream(event.stream)
            let key = EventKey(record.environment, event.source, event.key)
            guard !frozen.corrections.concerns(key),
                part.units[unit].map({ $0.accepts(event) }) ?? true
            else {
                part.late.insert(unit)
                part.units[unit] = nil
                continue
            }
            part.units[unit, default: UnitState(kind: record.kind)]
                .evolve(event, names: frozen.names, projections: projections)
        }
    }

    private func refold(_ unit: UInt32) throws -> UnitState? {
        let record = frozen.stream(unit)
        let state = try Refolder(frozen, store: store, cut: Int64.max, until: Int64.max).fold(
            kind: record.kind, environment: record.environment,
            heads: frozen.streams(of: unit).map { frozen.headOf($0).position })
        return state.eventCount == 0 && state.newest == .first ? nil : state
    }
}
