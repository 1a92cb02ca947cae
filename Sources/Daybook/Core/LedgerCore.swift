package import DaybookDomain
package import DaybookEvents
package import DaybookStore
package import Logging
package import Synchronization

/// What every step and every question needs of a ledger: its store, its state, its clock and its zones, and how the
/// state keeps up with the store.
///
/// Steps of a commit, questions, imports and the facade `Ledger` take a core; the core knows none of them.
package final class LedgerCore: Sendable {
    package let store: any EventStore
    /// The ledger's file; `nil` for one in memory.
    package let path: String?
    /// Opened so that nothing is written, neither events nor snapshots.
    package let isReadOnly: Bool
    package let state: Mutex<LedgerState>
    /// Where hot events are read from.
    package let events: EventLog
    package let cache: AggregateCache
    /// Catalogs that were read before they are needed under a lock.
    let catalogCache: CatalogCache
    package let clock: @Sendable () -> Int64
    /// Whether that is the machine's.
    package let isMachineClock: Bool
    /// Whether it was said that the last recorded time is ahead of it.
    private let saidLead = Mutex(false)
    package let zoneTables: ZoneTables
    package let log: Logger
    /// What one customer or lineage may have (rule 30).
    let bounds: AggregateBounds
    /// What is held in memory before it is written beside the work.
    let held: HeldBounds
    let settling: Settling
    let keys: KeyFiles
    package let snapshots: SnapshotFiles
    /// The cut of the snapshot that was used or written last; 0 without one.
    package let snapshotPosition = Mutex<Int64>(0)
    /// When the next one is due.
    package let startUp: Mutex<StartUpBudget>
    /// Whether something was lost that answers rest on.
    let knowledge: LostKnowledge
    private let seenForeignChange = Mutex<Int64>(-1)
    /// Set while this ledger has the right to write and knows all that was committed before.
    let isCommitting = Atomic(false)
    let pendingTimes = PendingTimes()
    /// Held from the moment at which a commit is in the file until those who ask see it.
    let publication = Mutex(())
    /// Held while the keys of all events are read.
    private let keyReading = Mutex(())
    /// How many of the next commits are taken in beside those who ask, a large one counted as several; a question about
    /// a customer sets it.
    let commitsBeside = Atomic(0)
    /// Is told what an opening, or a look at what other processes wrote, has folded, and of how many events.
    private let progress: @Sendable (Int64, Int64) -> Void
    /// Dead letters that wait for a transaction, as far as they were looked for.
    let deadLettersByLineage = Mutex(DeadLettersByLineage())
    let recentCursors = RecentCursors()
    /// What the last questions about metrics were answered with.
    package let keptMetrics = KeptMetrics()
    let exchangeRates = ExchangeRates()

    /// Where a core's parts come from that several ledgers may share.
    package struct Surroundings {
        var zones: ZoneTables
        var bounds: AggregateBounds
        /// How much memory folded states may take that are at hand.
        var cacheByteCountMax: Int
        var segmentEventCount: Int64
        var held = HeldBounds()
        var startUp: StartUpBudget
        var log: Logger
        /// `nil`: the machine's.
        var clock: (@Sendable () -> Int64)?
        /// Events that were folded, and how many are to be.
        var progress: @Sendable (Int64, Int64) -> Void = { _, _ in }
    }

    /// Opens a store: begins with the newest snapshot that fits and takes in what came after it.
    /// - Throws: `LedgerError.store` when the store cannot be read.
    package init(
        store: any EventStore, path: String?, isReadOnly: Bool, _ surroundings: Surroundings
    ) throws {
        let log = surroundings.log
        self.store = store
        self.path = path
        self.isReadOnly = isReadOnly
        self.log = log
        progress = surroundings.progress
        cache = AggregateCache(byteCountMax: surroundings.cacheByteCountMax)
        catalogCache = CatalogCache()
        bounds = surroundings.bounds
        held = surroundings.held
        startUp = Mutex(surroundings.startUp)
        clock = surroundings.clock ?? SystemClock.now
        isMachineClock = surroundings.clock == nil
        zoneTables = surroundings.zones
        knowledge = LostKnowledge { log.tell(.warning, $0) }
        let folder = path.map { DerivedFolder(of: $0, isReadOnly: isReadOnly, log: log) }
        events = EventLog(
            store: store,
            segments: folder?.segments(of: store, eventCount: surroundings.segmentEventCount))
        keys = KeyFiles(
            store: store, folder: folder, countMaxOfCommit: held.keysOfCommitMax,
            knowledge: knowledge, log: log)
        settling = Settling(
            store: store, catalogCache: catalogCache, zoneTables: zoneTables, keys: keys, log: log)
        snapshots = SnapshotFiles(
            store: store, folder: folder, events: events, settling: settling,
            knowledge: knowledge, log: log)
        state = Mutex(LedgerState(log: events, cache: cache))
        if let restored = snapshots.newest(through: Int64.max, cache: cache) {
            state.withLock { $0 = restored }
            snapshotPosition.withLock { $0 = restored.head.position }
        }
        try translating { try catchUp() }
    }

    /// A core that goes on from the state of another one in memory alone; that one hears of nothing.
    /// - Parameter begun: Without names and streams that the other one's store does not have.
    package init(goingOnFrom other: LedgerCore, _ begun: LedgerState) {
        let overlay = OverlayStore(
            other.store, through: begun.head, nameCount: begun.storedNameCount,
            streamCount: begun.storedStreamCount)
        store = overlay
        path = nil
        isReadOnly = false
        log = other.log
        progress = { _, _ in }
        cache = AggregateCache(byteCountMax: min(32 << 20, other.cache.byteCountMax))
        catalogCache = other.catalogCache
        bounds = other.bounds
        held = other.held
        startUp = Mutex(StartUpBudget())
        clock = other.clock
        isMachineClock = other.isMachineClock
        zoneTables = other.zoneTables
        knowledge = other.knowledge
        events = EventLog(store: overlay, segments: other.events.segments)
        keys = KeyFiles(
            store: overlay, folder: nil, countMaxOfCommit: held.keysOfCommitMax,
            knowledge: knowledge, log: log)
        settling = Settling(
            store: overlay, catalogCache: catalogCache, zoneTables: zoneTables, keys: keys, log: log
        )
        snapshots = SnapshotFiles(
            store: overlay, folder: nil, events: events, settling: settling,
            knowledge: knowledge, log: log)
        var going = begun.goingOn(in: events, cache)
        // What is decided here goes on from what the overlay shows, whatever becomes of the other ledger's file.
        going.note(overlay.history)
        state = Mutex(going)
    }

    /// The app's name: one ledger is one app.
    package var app: String { store.header.app }

    // MARK: Keeping up

    /// Sees what other processes committed: microseconds when there is nothing new (rule 29).
    package func refresh() throws { try translating { try takeForeignChanges() } }

    /// The same within work whose errors are translated already.
    package func takeForeignChanges() throws {
        // Held until the change is taken in: a question after a foreign commit must see it.
        try seenForeignChange.withLock { seen in
            let counter = try store.foreignChangeCounter()
            guard seen != counter, !isCommitting.load(ordering: .acquiring) else { return }
            try catchUp()
            seen = counter
        }
    }

    /// Notes that what changed is a commit of this ledger, which it has taken in; the caller still keeps other
    /// processes from writing.
    package func passOverOwnCommit() {
        seenForeignChange.withLock { seen in
            // What cannot be asked now is asked at the next look.
            if let counter = try? store.foreignChangeCounter() { seen = counter }
        }
    }

    /// Takes in what other processes appended since; the caller holds the lock, or does not mind more coming.
    ///
    /// Only where the store goes on from what this ledger has taken in: a file that was restored or replaced since has
    /// other events at the same positions, and numbers that mean other names (law 9).
    /// - Throws: `.otherHistory`; then this ledger answers and writes nothing any more.
    package func catchUp() throws {
        let end = try store.end()
        try catalogCache.take(
            after: state.withLock { $0.head }, through: end.head, of: store)
        try state.withLock { state in
            // Another thread may have taken in more meanwhile.
            let end = end.head.position < state.head.position ? try store.end() : end
            guard try continues(state, to: end) else {
                throw StoreError.otherHistory(
                    path ?? app, "this process went on to", state.history?.hash ?? .zero,
                    at: state.history?.position ?? state.head.position, end.history)
            }
            guard end.head.position > state.head.position else {
                if state.history == nil { state.note(end.history) }
                return try state.needsSettling ? settling.settle(&state) : ()
            }
            try advance(&state, through: end.head)
            state.note(end.history)
        }
    }

    private func continues(_ state: LedgerState, to end: StoreEnd) throws -> Bool {
        guard let known = state.history else { return end.head.position >= state.head.position }
        if known.position == end.history.position { return known.hash == end.history.hash }
        return try known.position < end.history.position && store.confirms(known)
    }

    /// Folds the events up to a position of the store that come after the state's own.
    package func advance(_ state: inout LedgerState, through head: StoreHead) throws {
        let start = ContinuousClock.now
        let count = head.position - state.head.position
        for record in try state.takeNames(from: store) { state.add(record) }
        try store.scan(
            after: state.head.checkpoint, through: head.checkpoint, chunkCount: 1_000
        ) { events in
            for index in events.indices {
                state.apply(events[index], recordedAt: head.recordedAt)
            }
            progress(state.head.position, head.position)
        }
        try settling.settle(&state)
        // As an opening would read them.
        startUp.withLock { $0.note(count, took: ContinuousClock.now - start) }
    }

    /// The state of the whole ledger as it was known at a position: the newest snapshot that is not younger, and the
    /// events between (rule 4).
    package func knownState(at position: Int64) throws -> LedgerState {
        let live = state.withLock { $0 }
        guard position < live.head.position else { return live }
        var known = snapshots.newest(through: position) ?? LedgerState(log: events)
        // Where a key stands is no knowledge: corrections find their targets, which are older than they are.
        known.keys = live.keys
        if let row = try store.rows(at: [position]).first, position > known.head.position {
            try advance(
                &known, through: StoreHead(position: position, recordedAt: row.recordedAt))
        }
        return known
    }

    /// Reads where every key stands, before the first one is looked for: beside those who ask, for without the files of
    /// keys every event is read.
    package func readKeys() throws {
        try translating {
            // One thread reads; any other that needs the keys waits for it.
            try keyReading.withLock { _ in
                guard let start = state.withLock({ $0.keys == nil ? $0 : nil }) else { return }
                var found = try keys.read(start)
                // What was committed meanwhile, until hardly anything is left to read while all wait.
                while true {
                    let (now, before) = (state.withLock { $0 }, found.through)
                    guard now.head.position - before > Self.eventsUnderLockMax else { break }
                    try keys.go(on: &found, to: now)
                    // A store that gives nothing more, against its promise, must not keep this going.
                    guard found.through > before else { break }
                }
                try state.withLock { state in
                    guard state.keys == nil else { return }
                    try keys.go(on: &found, to: state)
                    state.keys = found
                }
            }
        }
    }

    /// The last position, and when it was recorded.
    package func head() throws -> StoreHead {
        try refresh()
        return state.withLock { $0.head }
    }

    /// The published catalogs, in the order in which they take effect.
    package func catalogs() throws -> CatalogHistory {
        try refresh()
        return state.withLock { $0.catalogs }
    }

    /// Every customer who has an event of their own or whom a store's purchase names, in the order of the names' bytes.
    /// An id that only an alias names is not among them (the other id of the same customer is), nor one that is known
    /// by nothing but a transfer of everything to it.
    package func subjects(in environment: Environment) throws -> [String] {
        try refresh()
        return try translating { state.withLock { $0.subjects(in: environment) } }
    }

    /// How many links were looked at to find out which ids are one person, since the ledger was opened.
    package var groupingStepCount: Int { state.withLock { $0.groupingStepCount } }
    /// How many catalogs were read while a lock was held.
    package var lateCatalogReadCount: Int { catalogCache.lateReadCount }
    /// The cut of the snapshot that this ledger began with or wrote last; 0 without one.
    package var snapshotCut: Int64 { snapshotPosition.withLock { $0 } }

    // MARK: Time and errors

    /// The time of a commit that follows a head, said to be behind it once.
    /// - Throws: `.wrongClock` for a time that cannot be right.
    package func commitTime(after head: StoreHead) throws -> LedgerClock {
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
    package func resolve(_ knownAt: Moment.Knowledge?, now: Int64) throws -> (
        position: Int64, isOpen: Bool
    ) {
        guard let knownAt else { return (Int64.max, true) }
        // Looked at first: what becomes visible after that is found below.
        let pending = pendingTimes.earliest
        switch knownAt {
        case .position(let position):
            if (0...state.withLock { $0.head.position }).contains(position) {
                return (position, false)
            }
            // Others may have gone on.
            let last = try store.head().position
            try takeIn(through: min(position, last))
            try LedgerError.require(
                position >= 0 && position <= last, "unknown_position",
                "position \(position) is beyond the end, which is \(last)")
            return (position, false)
        case .instant(let instant):
            let head = try store.head()
            let position = try store.position(recordedAtOrBefore: instant)
            try takeIn(through: position)
            return (position, instant >= min(pending, max(now, head.recordedAt)))
        }
    }

    /// Takes in what a question needs that names a position: waits for a commit of this ledger that is in the file and
    /// not shown yet, and reads what another process has written since the last look.
    /// - Throws: `StoreError` where it cannot be read.
    package func takeIn(through position: Int64) throws {
        func isMissing() -> Bool { position > state.withLock { $0.head.position } }
        guard isMissing() else { return }
        publication.withLock { _ in }
        if isMissing() { try takeForeignChanges() }
    }

    /// Turns errors of the store into the ledger's, and answers nothing once something was lost for good.
    package func translating<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            let result = try body()
            try knowledge.check()
            return result
        } catch let error as LedgerError {
            throw error
        } catch let error as CallerError {
            throw error.error
        } catch {
            throw LedgerError.store(StoreError.wrapping(error))
        }
    }

    /// Answers a question with what other processes have appended, too.
    func answering<Result>(_ body: () throws -> Result) throws -> Result {
        try refresh()
        return try translating(body)
    }
}

/// An error of a closure that a caller handed in, on its way back through the store.
struct CallerError: Error {
    let error: any Error
}
