public import DaybookDomain
public import DaybookEvents
public import DaybookStore
public import Logging
import Synchronization

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
    public var app: String { store.header.app }

    package let store: any EventStore
    /// The ledger's file; `nil` for one in memory.
    public let path: String?
    /// Opened so that nothing is written, neither events nor snapshots.
    public let isReadOnly: Bool
    let state: Mutex<LedgerState>
    /// Where hot events are read from.
    let events: EventLog
    let cache = UnitCache()
    /// Catalogs that were read, before anybody needs them who holds a lock.
    let shelf: CatalogShelf
    let clock: @Sendable () -> Int64
    /// Whether that is the machine's.
    let isMachineClock: Bool
    /// Whether it was said that the last recorded time is ahead of it.
    private let saidLead = Mutex(false)
    let zoneTables: ZoneTables
    let log: Logger
    /// What one customer or line may have (rule 30).
    let bounds: UnitBounds
    private let queue = Mutex<WriteQueue?>(nil)
    /// The cut of the snapshot that was used or written last; 0 without one.
    let snapshotPosition = Mutex<Int64>(0)
    /// When the next one is due.
    let startUp: Mutex<StartUpBudget>
    let derived = DerivedWriting()
    /// What no answer may rest on.
    let knowledge: LostKnowledge
    private let seenForeignChange = Mutex<Int64>(-1)
    /// What waits for a transaction, as far as it was looked for.
    let lettersByLine = Mutex(LettersByLine())

    /// Opens a ledger over any store.
    /// - Parameters:
    ///   - zones: Tables that several ledgers may share.
    ///   - log: Is told what was odd and did no harm, such as a snapshot that is not used.
    ///   - clock: Milliseconds since 1970 UTC, `nil`: the machine's. The ledger never records a smaller time than
    ///     before, and none from the year 2100 on.
    ///   - eventsPerUnitMax: How many events one customer or line may have; smaller than the bound of rule 30 for
    ///     tests, or for an app that wants to hear of a runaway client sooner. Checked when an event is appended.
    ///   - idsPerPersonMax: How many ids one person may have; another number for tests.
    ///   - segmentEventCount: How many events a segment has; a power of two, and one size for whoever shares the file.
    ///   - startUp: What an opening may take for the events after the newest snapshot; says when the next is due.
    /// - Throws: `LedgerError.store` when the store cannot be read.
    public init(
        store: any EventStore, path: String? = nil, readOnly: Bool = false,
        zones: ZoneTables = ZoneTables(),
        eventsPerUnitMax: Int = EventBounds.eventsPerUnitMax,
        idsPerPersonMax: Int = EventBounds.idsPerPersonMax,
        segmentEventCount: Int64 = SegmentFolder.eventCountDefault,
        startUp: StartUpBudget = StartUpBudget(),
        log: Logger = Logger(label: "daybook"),
        clock: (@Sendable () -> Int64)? = nil
    ) throws {
        precondition(
            (1...EventBounds.eventsPerUnitMax).contains(eventsPerUnitMax),
            "A unit holds 1 to \(EventBounds.eventsPerUnitMax) events (rule 30).")
        bounds = UnitBounds(eventsMax: Int64(eventsPerUnitMax), idsMax: idsPerPersonMax)
        self.store = store
        shelf = CatalogShelf()
        self.path = path
        isReadOnly = readOnly
        self.startUp = Mutex(startUp)
        self.clock = clock ?? SystemClock.now
        isMachineClock = clock == nil
        zoneTables = zones
        self.log = log
        knowledge = LostKnowledge { log.tell(.warning, $0) }
        events = EventLog(
            store: store,
            segments: Self.segments(
                of: store, path, segmentEventCount, isReadOnly: readOnly, log))
        state = Mutex(LedgerState(log: events, cache: cache))
        takeRequests()
        restoreSnapshot()
        try translating { try catchUp() }
    }

    /// A ledger that goes on from the state of another one in memory alone; that one hears of nothing.
    /// - Parameter begun: Without names and streams that the other one's store does not have.
    init(rehearsing other: Ledger, from begun: LedgerState) {
        bounds = other.bounds
        let overlay = OverlayStore(
            other.store, through: begun.head, nameCount: begun.storedNameCount,
            streamCount: begun.storedStreamCount)
        store = overlay
        path = nil
        shelf = other.shelf
        isReadOnly = false
        startUp = Mutex(StartUpBudget())
        clock = other.clock
        isMachineClock = other.isMachineClock
        zoneTables = other.zoneTables
        log = other.log
        knowledge = other.knowledge
        events = EventLog(store: store, segments: other.events.segments)
        var going = begun.goingOn(in: events, cache)
        // What is decided here goes on from what the overlay shows, whatever becomes of the other ledger's file.
        going.note(overlay.history)
        state = Mutex(going)
        takeRequests()
    }

    private func takeRequests() {
        let commit: @Sendable ([WriteRequest]) -> [WriteRequest] = { [weak self] requests in
            self?.commit(requests) ?? []
        }
        queue.withLock { $0 = WriteQueue(commit: commit) }
    }

    /// A ledger that lives in memory alone, for tests and examples.
    public convenience init(
        inMemory app: String, clock: (@Sendable () -> Int64)? = nil
    ) throws {
        try self.init(store: InMemoryEventStore(app: app), clock: clock)
    }

    // MARK: Writing

    /// Asks the ledger to do something; the answer comes when it is durable.
    /// - Parameter isRestating: Also compute what is different because of it, after the commit: now and about the past.
    /// - Throws: `LedgerError.rejected` with the numbers, `.idempotencyConflict`, `.versionConflict`, `.badInput`,
    ///   or `.store`. Nothing is half-applied.
    @discardableResult
    public func perform(
        _ request: CommandRequest, isRestating: Bool = false
    ) async throws -> Receipt {
        guard case .receipt(var receipt) = try await submit(.command(PreparedCommand(request)))
        else {
            preconditionFailure("a command is answered with a receipt")
        }
        if isRestating { try tellDifferences(in: &receipt) }
        return receipt
    }

    /// Checks and records a use in one step.
    /// - Parameters:
    ///   - amount: At least 1 on counters; +1 or -1 on gauges.
    ///   - ref: What was made; the same ref counts once for ever.
    ///   - key: The same key again returns the first receipt.
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

    /// Takes in facts that somebody else established: wholly, or not at all.
    /// - Throws: `LedgerError.badInput` with every mistake.
    @discardableResult
    public func record(
        _ drafts: [EventDraft], options: ReportOptions = ReportOptions()
    ) async throws -> ReportReceipt {
        var receipt = try await record(.drafts(drafts), options)
        if options.isRestating, let first = receipt.firstPosition,
            let last = receipt.lastPosition
        {
            let found = try restatements(from: first, through: last)
            (receipt.restatements, receipt.restatementsOmitted) = found
        }
        return receipt
    }

    func record(_ reports: Reports, _ options: ReportOptions) async throws -> ReportReceipt {
        try await record(await PreparedReports(preparing: reports, store.header.secret), options)
    }

    func record(
        _ reports: PreparedReports, _ options: ReportOptions
    ) async throws -> ReportReceipt {
        try translating { for report in reports.reports { try shelf.take(from: report, store) } }
        guard case .reports(let receipt) = try await submit(.reports(reports, options)) else {
            preconditionFailure("reports are answered with their receipt")
        }
        return receipt
    }

    /// Brings a catalog into force.
    @discardableResult
    public func publish(_ publication: CatalogPublication) async throws -> Receipt {
        let prepared = PreparedPublication(publication, zoneTables.directory, shelf)
        guard case .receipt(let receipt) = try await submit(.publish(prepared)) else {
            preconditionFailure("a publication is answered with a receipt")
        }
        return receipt
    }

    func submit(_ content: WriteRequest.Content) async throws -> WriteRequest.Answer {
        try await withCheckedThrowingContinuation { continuation in
            let request = WriteRequest(content: content) { result in
                continuation.resume(with: result.mapError { $0 as any Error })
            }
            guard let queue = queue.withLock({ $0 }) else {
                return request.answer(
                    .failure(.store(StoreError(.closed, "the ledger is closed; open it again"))))
            }
            queue.submit(request)
        }
    }

    // MARK: Reading

    /// Sees what other processes committed: microseconds when there is nothing new (rule 29).
    public func refresh() throws { try translating { try takeForeignChanges() } }

    /// The same for whoever is at work within the ledger.
    func takeForeignChanges() throws {
        // Held until the change is taken in: whoever asks after a foreign commit must see it.
        try seenForeignChange.withLock { seen in
            let counter = try store.foreignChangeCounter()
            guard seen != counter else { return }
            try catchUp()
            seen = counter
        }
    }

    /// Notes that what changed is a commit of this ledger, which it has taken in; the caller still keeps others from
    /// writing.
    func passOverOwnCommit() {
        seenForeignChange.withLock { seen in
            // What cannot be asked now is asked at the next look.
            if let counter = try? store.foreignChangeCounter() { seen = counter }
        }
    }

    /// Gathers one customer's case at a moment; every answer is made from one.
    package func customerCase(
        _ subject: String, _ environment: Environment, _ moment: Moment
    ) throws -> (question: CustomerCase, asOf: AsOf) {
        try refresh()
        return try translating {
            let now = clock()
            let cut = try resolve(moment.knownAt, now: now)
            let last = state.withLock { $0.head.recordedAt }
            return try reading(
                about: subject, environment, cut: cut.position,
                at: moment.at ?? LedgerClock(wall: now, last: last).now
            ) { state in
                let time = LedgerClock(wall: now, last: state.head.recordedAt)
                let at = moment.at ?? time.now
                let builder = CaseBuilder(state: state, store: store, cut: cut.position, at: at)
                let question = try builder.build(environment, subject)
                let asOf = AsOf(
                    at: at, knownAt: moment.knownAtInstant,
                    position: min(cut.position, state.head.position),
                    catalog: question.catalog(at: at)?.version, isOpen: cut.isOpen,
                    clockLead: moment.at == nil ? time.lead : 0)
                return (question, asOf)
            }
        }
    }

    /// The time of a commit that follows a head, said to be behind it once.
    /// - Throws: `.wrongClock` for a time that cannot be right.
    func commitTime(after head: StoreHead) throws -> LedgerClock {
        let wall = clock()
        if let problem = LedgerClock.problem(wall, isMachine: isMachineClock) { throw problem }
        let time = LedgerClock(wall: wall, last: head.recordedAt)
        let isNews = saidLead.withLock { said in
            defer { said = time.lead > 0 }
            return time.lead > 0 && !said
        }
        if isNews {
            log.tell(
                .warning,
                "the last event was recorded \(time.lead / 1_000) s ahead of the clock; what follows is decided by the clock and recorded at that time until it is reached"
            )
        }
        return time
    }

    /// A time is resolved once, to the last position recorded by then (rule 5).
    func resolve(_ knownAt: Moment.Knowledge?, now: Int64) throws -> (position: Int64, isOpen: Bool)
    {
        guard let knownAt else { return (Int64.max, true) }
        switch knownAt {
        case .position(let position):
            if (0...state.withLock { $0.head.position }).contains(position) {
                return (position, false)
            }
            // Others may have gone on.
            let last = try store.head().position
            guard position >= 0, position <= last else {
                throw LedgerError.badInput([
                    InputProblem(
                        line: nil, column: nil, code: "unknown_position",
                        reason: "position \(position) is beyond the end, which is \(last)")
                ])
            }
            return (position, false)
        case .instant(let instant):
            let head = try store.head()
            let position = try store.position(recordedAtOrBefore: instant)
            return (position, instant >= max(now, head.recordedAt))
        }
    }

    /// Waits for what was submitted, and closes the store.
    public func close() throws {
        let queue = queue.withLock { queue in
            defer { queue = nil }
            return queue
        }
        queue?.close()
        endDerivedWriting()
        // Also where something was lost for good: nothing is answered any more.
        do {
            try store.close()
        } catch {
            throw LedgerError.store(Self.storeError(error))
        }
    }

    func translating<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            let result = try body()
            try knowledge.check()
            return result
        } catch let error as LedgerError {
            throw error
        } catch let error as CallerError {
            throw error.error
        } catch {
            throw LedgerError.store(Self.storeError(error))
        }
    }
}

/// An error of a closure that a caller handed in, on its way back through the store.
struct CallerError: Error {
    let error: any Error
}
