import DaybookDomain
import DaybookEvents
import DaybookStore
import Synchronization

/// Takes the next event of an aggregate in canonical order: `AggregateState.evolve`, or what a test plants in its
/// place.
package typealias AggregateStep =
    @Sendable (inout AggregateState, Event, borrowing NameTable) -> Void

/// Digests a ledger after each of its events in one pass, aggregate by aggregate.
///
/// A digest is a sum over aggregates (rule 23), so what an event changes about it is what it changes about its own
/// aggregate: the digest of that aggregate after it less the one before. Each worker adds these differences up where
/// the event stands; running sums over all positions are the digests.
package struct TracePass: Sendable {
    /// A longer aggregate is digested at checkpoints alone from here on: every digest costs the whole aggregate.
    package static let eventsPerAggregateMax = 4_096
    private static let aggregatesPerTurn = 256

    package let state: LedgerState
    package let every: Int64
    package let workers: Int
    package let fold: AggregateStep

    package init(
        state: LedgerState, every: Int64, workers: Int, fold: @escaping AggregateStep
    ) {
        self.state = state
        self.every = every
        self.workers = workers
        self.fold = fold
    }

    /// What one worker adds up.
    private struct Sum: Sendable {
        var digests: [StateDigest]
        var lowBits: [UInt32]
        var coarse: Set<Int> = []

        init(_ count: Int, every: Int64) {
            digests = Array(repeating: StateDigest(), count: (count + Int(every) - 1) / Int(every))
            lowBits = Array(repeating: 0, count: count)
        }

        mutating func add(_ change: FamilyTrace.Change, _ every: Int64) {
            let checkpoint = Int((change.position - 1) / every)
            if !change.isExact { coarse.insert(checkpoint) }
            guard change.before != change.after else { return }
            lowBits[Int(change.position) - 1] &+= change.after.lowBits &- change.before.lowBits
            digests[checkpoint].add(change.after)
            digests[checkpoint].subtract(change.before)
        }

        mutating func add(_ other: Sum) {
            for index in digests.indices { digests[index].add(other.digests[index]) }
            for index in lowBits.indices { lowBits[index] &+= other.lowBits[index] }
            coarse.formUnion(other.coarse)
        }
    }

    package func run(
        app: String, ledgerID: String, progress: @Sendable (Int64, Int64) throws -> Void
    ) throws -> DigestTrace {
        try EventPages.reading(
            state.log, through: state.head.position, workers: workers, chunkCount: 1_024,
            progress: progress
        ) { try run($0, app: app, ledgerID: ledgerID, progress: progress) }
    }

    private func run(
        _ pages: EventPages, app: String, ledgerID: String,
        progress: @Sendable (Int64, Int64) throws -> Void
    ) throws -> DigestTrace {
        let last = state.head.position
        let shares = try AggregateShares(state.streams, pages, workers: workers)
        let families = Families(state, try correctionPoints(pages))
        let done = Atomic<Int64>(0)
        let turnCount =
            (shares.aggregateCount + Self.aggregatesPerTurn - 1) / Self.aggregatesPerTurn
        let sums = try Parallel.run(
            workers: workers, turns: turnCount,
            workspace: { (worker: $0, sum: Sum(pages.count, every: every)) },
            { workspace, number, _ in
                let first = number * Self.aggregatesPerTurn
                let turn = first..<min(first + Self.aggregatesPerTurn, shares.aggregateCount)
                for aggregate in turn {
                    try add(UInt32(aggregate + 1), pages, shares, families, &workspace.sum)
                }
                let count = done.wrappingAdd(
                    Int64(shares.eventCount(of: turn)), ordering: .relaxed
                ).newValue
                if workspace.worker == 0 {
                    try progress(pages.rowCount + count, pages.rowCount + last)
                }
            })
        var total = Sum(pages.count, every: every)
        for sum in sums { total.add(sum.sum) }
        for index in total.digests.indices.dropFirst() {
            total.digests[index].add(total.digests[index - 1])
        }
        for index in total.lowBits.indices.dropFirst() {
            total.lowBits[index] &+= total.lowBits[index - 1]
        }
        var trace = DigestTrace(
            app: app, ledgerID: ledgerID, every: every, events: last, digests: total.digests,
            histories: histories(pages), lowBits: total.lowBits)
        trace.coarse = total.coarse
        return trace
    }

    /// Of the keys of the events up to each checkpoint, in order: the FNV-1a step on words.
    private func histories(_ pages: EventPages) -> [UInt64] {
        var histories: [UInt64] = []
        var history: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in 0..<pages.count {
            let key = pages.packed(index).pointee.key
            history = (history ^ key.high) &* 0x100_0000_01B3
            history = (history ^ key.low) &* 0x100_0000_01B3
            history ^= history >> 29
            let isCheckpoint = (index + 1) % Int(every) == 0 || index + 1 == pages.count
            if isCheckpoint { histories.append(history) }
        }
        return histories
    }

    /// Where corrections stand that concern an event of a stream, those of corrections among them.
    private func correctionPoints(_ pages: EventPages) throws -> [UInt32: [Int64]] {
        var points: [UInt32: [Int64]] = [:]
        let book = state.corrections
        for target in book.targets {
            guard let position = try state.position(of: target, in: state.log.store),
                position <= state.head.position
            else { continue }
            let stream = pages.packed(Int(position) - 1).pointee.stream
            if state.stream(stream).kind == .ledger { continue }
            var found: Set<Int64> = []
            var waiting = [target]
            while let next = waiting.popLast() {
                for entry in book.entries(of: next) where entry.position > 0 {
                    if found.insert(entry.position).inserted { waiting.append(entry.own) }
                }
            }
            points[stream, default: []] += found
        }
        return points
    }

    private func add(
        _ aggregate: UInt32, _ pages: EventPages, _ shares: AggregateShares, _ families: Families,
        _ sum: inout Sum
    ) throws {
        let record = state.stream(aggregate)
        guard record.kind != .ledger, let streams = families.streams(ledBy: aggregate, state) else {
            return
        }
        var events: [Event] = []
        for own in Set(streams.map { state.aggregate(of: $0) }) {
            for place in shares.range(of: own) {
                events.append(try pages.event(shares.index(at: place)))
            }
        }
        if events.isEmpty { return }
        if streams.count > 1 { events.sort { $0.position < $1.position } }
        var family = FamilyTrace(
            state: state, fold: fold, record: record, streams: streams, events: events,
            changes: families.changes(of: streams))
        try family.run(checkpoint: { ($0 - 1) / every }) { sum.add($0, every) }
    }
}

/// Streams that were ever one person, or may have been: no event of others changes who they are.
private struct Families: Sendable {
    /// Of every customer's stream that was ever linked: the streams of its family, ascending.
    private var families: [UInt32: [UInt32]] = [:]
    /// Where a correction stands that concerns an event of a stream, or where an event of any stream named the other
    /// spelling of the customer's UUID.
    private var points: [UInt32: [Int64]]

    init(_ state: LedgerState, _ points: [UInt32: [Int64]]) {
        self.points = points
        guard !state.identity.isEmpty else { return }
        var linked: [CustomerKey: Set<CustomerKey>] = [:]
        state.identity.forEachLink { key, link in
            guard link.other != 0 else { return }
            let other = CustomerKey(key.environment, link.other)
            if link.isSpelling, let stream = state.streamID(key.environment, .customer, key.name) {
                self.points[stream, default: []].append(link.position)
            }
            linked[key, default: []].insert(other)
            linked[other, default: []].insert(key)
        }
        var seen: Set<CustomerKey> = []
        for start in linked.keys where seen.insert(start).inserted {
            var waiting = [start]
            var streams: [UInt32] = []
            while let key = waiting.popLast() {
                if let stream = state.streamID(key.environment, .customer, key.name) {
                    streams.append(stream)
                }
                for next in linked[key] ?? [] where seen.insert(next).inserted {
                    waiting.append(next)
                }
            }
            streams.sort()
            for stream in streams { families[stream] = streams }
        }
    }

    /// The streams of an aggregate's family; `nil` where another aggregate stands for it.
    func streams(ledBy aggregate: UInt32, _ state: LedgerState) -> [UInt32]? {
        guard let family = families[aggregate] else {
            return state.aggregate(of: aggregate) == aggregate ? [aggregate] : nil
        }
        return family.first == aggregate ? family : nil
    }

    /// Where their events are corrected, and where spellings of their ids are joined, ascending.
    func changes(of streams: [UInt32]) -> [Int64] {
        Set(streams.flatMap { points[$0] ?? [] }).sorted()
    }
}
