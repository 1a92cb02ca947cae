import DaybookDomain
import DaybookEvents
import DaybookStore
import Synchronization

/// Folds every aggregate of a ledger from zero, one after the other.
///
/// Events are read once, in position order; each is handed, in that order, to the place of the aggregate that it
/// belongs to, which is a number in an array; then aggregate after aggregate is folded, while its events and its state
/// are in the processor's cache. One state is used again for all aggregates of a worker: no allocation, and no state is
/// held longer than `visit` needs it. Which worker folds an aggregate changes nothing.
package struct AggregatePass: Sendable {
    /// As many as there are cores, within reason.
    package static let workersDefault = min(8, Parallel.processorCount)
    /// Aggregates that a worker takes at a time.
    private static let aggregatesPerTurn = 1_024

    /// The last aggregate of the turn in which a worker folds this one; perhaps there is none of that number.
    package static func lastOfTurn(_ aggregate: UInt32) -> UInt32 {
        let turn = (Int(aggregate) - 1) / aggregatesPerTurn
        return UInt32(clamping: (turn + 1) * aggregatesPerTurn)
    }

    /// Identity, corrections and names of the ledger; its head is the last event that takes part.
    package let state: LedgerState
    package let workers: Int
    package var source = ReplaySource.segments
    /// Events per chunk of rows; it changes nothing but the speed.
    package var chunkCount = 1_024
    /// Aggregates of another kind are left out; `nil`: none are.
    package var kind: StreamKind?
    /// Usage and status that happened after it do not take part (rule 4).
    package var until = Int64.max

    package init(_ state: LedgerState, workers: Int) {
        self.state = state
        self.workers = max(1, workers)
    }

    /// - Parameters:
    ///   - initial: What each worker begins with.
    ///   - progress: Work done and work in all: an event counts when it is read from a row and when it is folded.
    ///   - visit: Is given every aggregate that has events and that is not the ledger's own, on the worker's thread.
    /// - Returns: What each worker made of its aggregates.
    package func run<Sum: Sendable>(
        _ initial: Sum, progress: @Sendable (Int64, Int64) throws -> Void = { _, _ in },
        _ visit: @Sendable (inout Sum, UInt32, borrowing AggregateState) throws -> Void
    ) throws -> [Sum] {
        let last = state.head.position
        return try EventPages.reading(
            state.log, through: last, source: source, workers: workers, chunkCount: chunkCount,
            progress: progress
        ) { try run($0, initial, progress: progress, visit) }
    }

    package func run<Sum: Sendable>(
        _ pages: EventPages, _ initial: Sum, progress: @Sendable (Int64, Int64) throws -> Void,
        _ visit: @Sendable (inout Sum, UInt32, borrowing AggregateState) throws -> Void
    ) throws -> [Sum] {
        try run(
            pages, try AggregateShares(state.streams, pages, workers: workers), initial,
            progress: progress, visit)
    }

    package func run<Sum: Sendable>(
        _ pages: EventPages, _ shares: AggregateShares, _ initial: Sum,
        progress: @Sendable (Int64, Int64) throws -> Void,
        _ visit: @Sendable (inout Sum, UInt32, borrowing AggregateState) throws -> Void
    ) throws -> [Sum] {
        let turnCount =
            (shares.aggregateCount + Self.aggregatesPerTurn - 1) / Self.aggregatesPerTurn
        let done = Atomic<Int64>(0)
        let workspaces = try Parallel.run(
            workers: workers, turns: turnCount,
            workspace: { worker in
                Workspace(
                    worker: worker, sum: initial,
                    folding: Folding(pass: self, pages: pages, shares: shares))
            },
            { workspace, number, _ in
                let first = number * Self.aggregatesPerTurn
                let turn = first..<min(first + Self.aggregatesPerTurn, shares.aggregateCount)
                for aggregate in turn {
                    try workspace.folding.fold(UInt32(aggregate + 1), &workspace.sum, visit)
                }
                let count = done.wrappingAdd(
                    Int64(shares.eventCount(of: turn)), ordering: .relaxed
                ).newValue
                if workspace.worker == 0 {
                    try progress(pages.rowCount + count, pages.rowCount + state.head.position)
                }
            })
        return workspaces.map(\.sum)
    }

    /// What a worker keeps from turn to turn.
    private struct Workspace<Sum: Sendable>: Sendable {
        let worker: Int
        var sum: Sum
        var folding: Folding
    }
}

/// One worker's folding: memory for an aggregate's events and its state, used again for each.
private struct Folding: Sendable {
    /// How many events ahead the memory of an event is asked for: it takes about as long as folding so many.
    private static let readAhead = 32

    let state: LedgerState
    let pages: EventPages
    let shares: AggregateShares
    private let names: NameTable
    private let hasCorrections: Bool
    private let streams: StreamTable
    private let kind: StreamKind?
    private let until: Int64
    private var events: [Event] = []
    private var folded = AggregateState(kind: .customer)

    init(pass: AggregatePass, pages: EventPages, shares: AggregateShares) {
        state = pass.state
        kind = pass.kind
        until = pass.until
        self.pages = pages
        self.shares = shares
        names = state.names
        streams = state.streams
        hasCorrections = !state.corrections.isEmpty
    }

    mutating func fold<Sum>(
        _ aggregate: UInt32, _ sum: inout Sum,
        _ visit: (inout Sum, UInt32, borrowing AggregateState) throws -> Void
    ) throws {
        let places = shares.range(of: aggregate)
        if places.isEmpty { return }
        let record = streams[aggregate].record
        if record.kind == .ledger || kind.map({ $0 != record.kind }) == true { return }
        folded.reset(record.kind)
        if try hasCorrections || !foldAsTheyCame(places) {
            try gather(places, record.environment)
            folded.reset(record.kind)
            for event in events { folded.evolve(event, names: names, until: until) }
        }
        try visit(&sum, aggregate, folded)
    }

    /// Folds an aggregate's events in the order in which they came, as long as that surely is the canonical one: the
    /// usual case. Brings the events that come next into the processor's cache, and their extensions once the events
    /// should be there.
    /// - Returns: Whether all were folded; else `folded` has those before the first that may belong elsewhere.
    private mutating func foldAsTheyCame(_ places: Range<Int>) throws -> Bool {
        let end = pages.count - 1
        var last = Int64.min
        for place in places {
            // Aggregates follow one another in the order of `shares`, so what comes after is the next one's.
            pages.willRead(shares.index(at: min(place + Self.readAhead, end)))
            if pages.hasExtensions {
                pages.willReadExtension(shares.index(at: min(place + Self.readAhead / 2, end)))
            }
            let index = shares.index(at: place)
            let packed = pages.packed(index)
            let occurredAt = packed.pointee.occurredAt
            guard try occurredAt > last || folded.accepts(pages.event(index)) else { return false }
            last = occurredAt
            if !packed.pointee.isWhole {
                folded.evolve(try pages.extendedEvent(index), names: names, until: until)
            } else if folded.kind == .lineage {
                folded.evolve(
                    packed.pointee.event(at: Int64(index + 1)), names: names, until: until)
            } else {
                folded.evolve(packed.pointee, at: Int64(index + 1), until: until)
            }
        }
        return true
    }

    /// Reads an aggregate's events as they count into `events`, where that takes a closer look.
    private mutating func gather(_ places: Range<Int>, _ environment: Environment) throws {
        events.removeAll(keepingCapacity: true)
        for place in places {
            events.append(try pages.event(shares.index(at: place)))
        }
        let isCorrected =
            hasCorrections
            && events.contains {
                state.corrections.concerns(EventKey(environment, $0.source, $0.key))
            }
        let folder = AggregateFold(state)
        if isCorrected {
            events = try folder.settled(events, environment)
        } else {
            try folder.sort(&events)
        }
    }
}
