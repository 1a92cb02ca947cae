public import DaybookDomain
public import DaybookEvents
public import DaybookStore
public import Logging

/// An event-sourced entitlement ledger: what happened, what it means, and what was known when.
///
/// Reads answer from memory, from one cut. Writes are asynchronous: many callers share one durable commit, each with
/// its own verdict. Any number of threads and processes may use one file at once.
///
/// ```swift
/// let ledger = try Ledger(inMemory: "dozzi")
/// try await ledger.publish(CatalogPublication(document: yaml))
/// try await ledger.consume("stories", by: "ada", ref: "story-1")
/// let decision = try ledger.check("stories", for: "ada")
/// ```
public final class Ledger: Sendable {
    /// The app's name: one ledger is one app.
    public var app: String { core.app }

    package let core: LedgerCore
    package let writer: LedgerWriter

    /// The ledger's file; `nil` for one in memory.
    public var path: String? { core.path }
    /// Opened so that nothing is written, neither events nor snapshots.
    public var isReadOnly: Bool { core.isReadOnly }

    /// Opens a ledger over any store.
    /// - Parameters:
    ///   - store: Has the events; `close` closes it.
    ///   - path: The file of the store: snapshots, segments and key arrays lie in a folder beside it. `nil`: there are
    ///     none.
    ///   - readOnly: Whether the store was opened for reading alone; then nothing is written beside it either.
    ///   - zones: Tables that several ledgers may share.
    ///   - eventsPerAggregateMax: How many events one customer or lineage may have; smaller than the bound of rule 30
    ///     for tests, or for an app that wants to hear of a runaway client sooner. Checked when an event is appended.
    ///   - idsPerPersonMax: How many IDs one person may have; another number for tests.
    ///   - cacheByteCountMax: About how much memory folded states may take that are kept at hand, in bytes.
    ///   - segmentEventCount: How many events a segment has; a power of two, and the same for all processes that share
    ///     the file.
    ///   - startUp: What an opening may take for the events after the newest snapshot; says when the next is due.
    ///   - log: Is told what was odd and did no harm, such as a snapshot that is not used.
    ///   - clock: Milliseconds since 1970 UTC, `nil`: the machine's. The ledger never records a smaller time than
    ///     before, and none from the year 2100 on.
    ///   - progress: Events that are folded, and the position at which the ledger ends.
    /// - Throws: `LedgerError.store` when the store cannot be read.
    public init(
        store: any EventStore, path: String? = nil, readOnly: Bool = false,
        zones: ZoneTables = ZoneTables(),
        eventsPerAggregateMax: Int = EventBounds.eventsPerAggregateMax,
        idsPerPersonMax: Int = EventBounds.idsPerPersonMax,
        cacheByteCountMax: Int = Ledger.cacheByteCountDefault,
        segmentEventCount: Int64 = SegmentFolder.eventCountDefault,
        startUp: StartUpBudget = StartUpBudget(),
        log: Logger = Logger(label: "daybook"),
        clock: (@Sendable () -> Int64)? = nil,
        progress: @escaping @Sendable (Int64, Int64) -> Void = { _, _ in }
    ) throws {
        precondition(
            (1...EventBounds.eventsPerAggregateMax).contains(eventsPerAggregateMax),
            "An aggregate holds 1 to \(EventBounds.eventsPerAggregateMax) events (rule 30).")
        core = try LedgerCore(
            store: store, path: path, isReadOnly: readOnly,
            LedgerCore.Surroundings(
                zones: zones,
                bounds: AggregateBounds(
                    eventsMax: Int64(eventsPerAggregateMax), idsMax: idsPerPersonMax),
                cacheByteCountMax: cacheByteCountMax, segmentEventCount: segmentEventCount,
                startUp: startUp, log: log, clock: clock,
                progress: progress))
        writer = LedgerWriter(core)
    }

    /// What folded states may take where nothing else is said, in bytes.
    public static let cacheByteCountDefault = 256 << 20

    /// A ledger upon a writer that is there.
    init(writer: LedgerWriter) {
        core = writer.core
        self.writer = writer
    }

    /// A ledger that lives in memory alone, for tests and examples.
    public convenience init(
        inMemory app: String, clock: (@Sendable () -> Int64)? = nil
    ) throws {
        try self.init(store: InMemoryEventStore(app: app), clock: clock)
    }

    // MARK: Writing

    /// Asks the ledger to do something; the answer comes when it is durable.
    /// - Parameters:
    ///   - request: The command, the customer, and who asks; with a key of its own it may be sent again safely.
    ///   - isRestating: Also compute what is different because of it, after the commit: now and about the past.
    /// - Throws: `LedgerError.rejected` with the numbers, `.idempotencyConflict`, `.versionConflict`, `.badInput`,
    ///   or `.store`. Nothing is half-applied.
    @discardableResult
    public func perform(
        _ request: CommandRequest, isRestating: Bool = false
    ) async throws -> Receipt {
        var receipt = try await writer.perform(request)
        if isRestating { try Differences(core: core).tell(in: &receipt) }
        return receipt
    }

    /// Checks and records a use in one step.
    /// - Parameters:
    ///   - meter: A counter or a gauge, by its name, an alias of it, or the feature that it counts.
    ///   - amount: At least 1 on counters; +1 or -1 on gauges.
    ///   - subject: The customer, by any of their ids.
    ///   - ref: What was made; the same ref counts once for ever.
    ///   - key: The same key again returns the first receipt.
    ///   - environment: The environment in which the subject is a customer.
    @discardableResult
    public func consume(
        _ meter: String, _ amount: Int64 = 1, by subject: String, ref: String? = nil,
        key: String? = nil, environment: Environment = .production
    ) async throws -> Receipt {
        try await perform(
            CommandRequest(
                .consume(meter: meter, amount: amount, ref: ref), subject: subject,
                environment: environment, key: key))
    }

    /// Takes in facts that other systems established: wholly, or not at all.
    /// - Throws: `LedgerError.badInput` with every mistake.
    @discardableResult
    public func record(
        _ drafts: [EventDraft], options: ReportOptions = ReportOptions()
    ) async throws -> ReportReceipt {
        var receipt = try await writer.record(drafts, options)
        if options.isRestating { try Restatements(core: core).tell(in: &receipt) }
        return receipt
    }

    /// Takes in many facts in batches, one after the other: each wholly or not at all, in a commit of its own. While
    /// one is written the next is prepared, so this is the fastest way to bring a whole history in.
    ///
    /// ```swift
    /// try await ledger.record(batches: stride(from: 0, to: orders.count, by: 1_000).lazy.map { start in
    ///     orders[start..<min(start + 1_000, orders.count)].map(\.event)
    /// })
    /// ```
    /// - Parameters:
    ///   - batches: Some thousand events each. The sequence is asked for a batch while the one before is still being
    ///     prepared or written.
    ///   - isAsRecorded: Keep the `recordedAt` that each event carries (rule 28).
    ///   - progress: Is told after each commit what all batches so far came to.
    /// - Returns: What all batches came to; the first and last position that was appended.
    /// - Throws: `LedgerError.badInput` for the first batch that is refused, with the place of each mistake among all
    ///   events, from 1 on, as `line`. The batches before it stay, and running the same again skips them by their keys.
    @discardableResult
    public func record(
        batches: some Sequence<[EventDraft]>, isAsRecorded: Bool = false,
        progress: (ReportReceipt) -> Void = { _ in }
    ) async throws -> ReportReceipt {
        try await BatchRecording(writer: writer).record(
            batches, isAsRecorded: isAsRecorded, progress: progress)
    }

    /// Brings a catalog into force.
    @discardableResult
    public func publish(_ publication: CatalogPublication) async throws -> Receipt {
        try await writer.publish(publication)
    }

    /// What this open ledger has done so far, and how far it is: what an operator watches.
    public func activity() throws -> LedgerActivity { try writer.activity() }

    /// How many events were recorded at or after a time, milliseconds since 1970 UTC.
    /// - Throws: `LedgerError.store` where the ledger cannot be read.
    /// - Complexity: O(log *n*) in all events.
    public func eventCount(since instant: Int64) throws -> Int64 {
        let last = try head().position
        return try core.translating {
            let (before, _) = try core.resolve(.instant(instant - 1), now: core.clock())
            return max(0, last - min(last, before))
        }
    }

    // MARK: Keeping up

    /// Sees what other processes committed: microseconds when there is nothing new (rule 29).
    public func refresh() throws { try core.refresh() }

    /// Seals what is not sealed yet and writes what the ledger must know at its end, so that the next opening only
    /// reads what came after.
    /// - Parameters:
    ///   - givesWay: Whether threads that answer and commit go first (on Linux); `false` when nothing else is left to
    ///     do, as before a program ends.
    ///   - progress: Events that were sealed, and how many are to be; called on another thread while the caller waits.
    /// - Throws: `LedgerError.store` for a ledger in memory, or when the folder cannot be written; what `progress`
    ///   throws. The ledger itself is not concerned.
    @discardableResult
    public func snapshot(
        givesWay: Bool = true, progress: (Int64, Int64) throws -> Void = { _, _ in }
    ) throws -> SnapshotReport {
        try SnapshotWriting(core: core).write(
            isDigesting: true, givesWay: givesWay, progress: progress)
    }

    /// Waits for what was submitted, and closes the store.
    public func close() throws { try writer.close() }
}
