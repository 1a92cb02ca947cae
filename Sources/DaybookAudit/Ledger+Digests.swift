public import Daybook

/// Where two builds of the code first disagree about a ledger.
public struct DigestBisection: Sendable {
    /// The first event after which the states are not the same.
    public struct Found: Sendable {
        /// `nil`: the trace of the other build goes on beyond the end of this ledger.
        public var event: RecordedEvent?
        /// What is different lies between these positions, both included; one position as a rule.
        public var range: ClosedRange<Int64>
        /// The digest at the checkpoint that follows.
        public var ours: StateDigest
        /// The same of the other build, by its trace.
        public var theirs: StateDigest
    }

    /// `nil`: none; every digest is the same.
    public var found: Found?
    /// How many events both have.
    public var events: Int64
    /// How often the ledger was folded from zero.
    public var folds: Int
}

extension Ledger {
    /// Digests the ledger after each of its events.
    /// - Parameters:
    ///   - every: Events between two checkpoints, within `DigestTrace.everyRange`.
    ///   - through: The last position; `nil`: the end.
    ///   - workers: Threads; the digests are the same for any number. `nil`: one for each core.
    ///   - progress: Work done and work in all: an event counts when it is read from a row and when it is folded.
    /// - Complexity: One pass, and one digest of its aggregate for each event: a few microseconds.
    public func digests(
        every: Int64 = DigestTrace.everyDefault, through: Int64? = nil, workers: Int? = nil,
        progress: @Sendable (Int64, Int64) throws -> Void = { _, _ in }
    ) throws -> DigestTrace {
        try digests(
            every: every, through: through, workers: workers,
            fold: { $0.evolve($1, names: $2) }, progress: progress)
    }

    /// - Parameter fold: Takes the place of `AggregateState.evolve`, so that a test can plant a mistake there.
    package func digests(
        every: Int64 = DigestTrace.everyDefault, through: Int64? = nil, workers: Int? = nil,
        fold: @escaping AggregateStep,
        progress: @Sendable (Int64, Int64) throws -> Void = { _, _ in }
    ) throws -> DigestTrace {
        precondition(
            DigestTrace.everyRange.contains(every), "Checkpoints are 1 to 1,000,000 events apart.")
        try refresh()
        try core.readKeys()
        return try core.translating {
            let last = try core.resolve(through.map { .position($0) }, now: core.clock()).position
            let known = try core.knownState(at: min(last, try core.store.head().position))
                .forgetful()
            return try TracePass(
                state: known, every: every, workers: workers ?? AggregatePass.workersDefault,
                fold: fold
            ).run(app: app, ledgerID: core.store.header.ledgerID, progress: progress)
        }
    }

    /// Finds the first event after which this build and the one that wrote a trace disagree.
    /// - Throws: `LedgerError.badInput` with `other_ledger` for the trace of another ledger or app, and with
    ///   `other_history` where the events themselves are not the same.
    public func bisect(
        against trace: DigestTrace, workers: Int? = nil,
        progress: @Sendable (Int64, Int64) throws -> Void = { _, _ in }
    ) throws -> DigestBisection {
        try bisect(
            against: trace, workers: workers, fold: { $0.evolve($1, names: $2) },
            progress: progress)
    }

    /// - Parameter fold: As of `digests`.
    package func bisect(
        against trace: DigestTrace, workers: Int? = nil, fold: @escaping AggregateStep,
        progress: @Sendable (Int64, Int64) throws -> Void = { _, _ in }
    ) throws -> DigestBisection {
        try LedgerError.require(
            trace.app == app && trace.ledgerID == core.store.header.ledgerID, "other_ledger",
            "the digests are of ledger \(trace.ledgerID) (\(trace.app)), this is \(core.store.header.ledgerID) (\(app))"
        )
        let head = try head().position
        try LedgerError.require(
            trace.events <= head, "other_history",
            "the digests go on to position \(trace.events), this ledger ends at \(head); restore the newer one"
        )
        // No event, no difference.
        guard trace.events > 0 else { return DigestBisection(found: nil, events: 0, folds: 0) }
        let own = try digests(
            every: trace.every, through: trace.events, workers: workers, fold: fold,
            progress: progress)
        for (index, pair) in zip(own.histories, trace.histories).enumerated()
        where pair.0 != pair.1 {
            let range = own.range(of: index)
            throw LedgerError.bad(
                "other_history",
                "the events themselves are not the same between positions \(range.lowerBound) and \(range.upperBound)"
            )
        }
        var result = DigestBisection(found: nil, events: own.events, folds: 1)
        let position =
            zip(own.lowBits, trace.lowBits).enumerated().first { $0.element.0 != $0.element.1 }
            .map { Int64($0.offset) + 1 }
        let checkpoint = zip(own.digests, trace.digests).enumerated()
            .first { $0.element.0 != $0.element.1 }.map(\.offset)
        // Where the low bits happen to be the same, the checkpoint tells.
        let last = checkpoint.map { own.range(of: $0).upperBound }
        guard let found = [position, last].compactMap(\.self).min() else { return result }
        let index = Int((found - 1) / own.every)
        let isExact = found == position && !own.coarse.contains(index)
        result.found = DigestBisection.Found(
            event: try event(at: found),
            range: (isExact ? found : own.range(of: index).lowerBound)...found,
            ours: own.digests[index], theirs: trace.digests[index])
        return result
    }
}
