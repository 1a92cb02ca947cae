import DaybookDomain
import DaybookEvents
import DaybookStore
import Synchronization

/// The journey of one event: lock, catch up, decide, commit, publish, answer.
extension Ledger {
    /// Commits a group of requests; whatever must see this group first is returned and comes next.
    func commit(_ requests: [WriteRequest]) -> [WriteRequest] {
        var answers: [(WriteRequest, Result<WriteRequest.Answer, LedgerError>)] = []
        var rest: [WriteRequest] = []
        do {
            // Before others have to wait for the right to write: what somebody else published is read, and what is
            // large is folded.
            try takeForeignChanges()
            foldAhead(requests)
            try store.exclusively { writer in
                try takeForeignChanges()
                try readKeys()
                let decided = try decide(requests)
                // Nobody is refused, and nothing gets on the disk, because of what was lost.
                try knowledge.check()
                rest = decided.rest
                answers = decided.answers
                guard !decided.group.rows.isEmpty else {
                    // A refusal may have given names that no batch will carry to the store.
                    return state.withLock { $0.dropUnstored() }
                }
                let point = try writer.append(state.withLock { decided.group.batch($0) })
                if publish(decided.group.rows, point) { passOverOwnCommit() }
                writeKeyRuns()
            }
        } catch {
            state.withLock { $0.dropUnstored() }
            let failure = LedgerError.store(Self.storeError(error))
            // Nobody may believe in something that is not on disk: the whole group gets the environment's error.
            for request in requests { request.answer(.failure(failure)) }
            return []
        }
        for (request, answer) in answers { request.answer(answer) }
        scheduleDerivedWriting()
        return rest
    }

    private struct Decided {
        var group: GroupDecision
        var answers: [(WriteRequest, Result<WriteRequest.Answer, LedgerError>)]
        var rest: [WriteRequest]
    }

    /// A commit that has this many events takes no further request, so that readers and other processes get their
    /// turn; one request is never split.
    static let eventsPerCommitMax = 8_192

    private func decide(_ requests: [WriteRequest]) throws -> Decided {
        var group = try state.withLock { state in
            GroupDecision(
                store: store, state: state, time: try commitTime(after: state.head),
                bounds: bounds)
        }
        var answers: [(WriteRequest, Result<WriteRequest.Answer, LedgerError>)] = []
        for (index, request) in requests.enumerated() {
            if group.isClosed || group.rows.count >= Self.eventsPerCommitMax {
                return Decided(group: group, answers: answers, rest: Array(requests[index...]))
            }
            // Readers get their turn between two requests: what is decided is in the group alone.
            let answer: Result<WriteRequest.Answer, LedgerError>? = try state.withLock { state in
                if let customer = request.customer, group.mustCommit(before: customer, state) {
                    return nil
                }
                group.index(state)
                return try decideAlone(request, &group, &state)
            }
            guard let answer else {
                return Decided(group: group, answers: answers, rest: Array(requests[index...]))
            }
            answers.append((request, answer))
        }
        return Decided(group: group, answers: answers, rest: [])
    }

    /// A damaged row is in the way of whoever meets it, and of nobody else; every other failure concerns all.
    private func decideAlone(
        _ request: WriteRequest, _ group: inout GroupDecision, _ state: inout LedgerState
    ) throws -> Result<WriteRequest.Answer, LedgerError> {
        let mark = group.mark(state)
        do {
            return try decide(request, &group, &state)
        } catch {
            let failure = Self.storeError(error)
            guard failure.code == .damaged else { throw error }
            group.rollBack(to: mark, &state)
            return .failure(.store(failure))
        }
    }

    /// Commits some commands as one group, as the queue does with those that wait at the same time.
    package func performTogether(
        _ requests: [CommandRequest]
    ) -> [Result<Receipt, LedgerError>] {
        let answers = Mutex([Int: Result<Receipt, LedgerError>]())
        var rest = requests.enumerated().map { index, request in
            WriteRequest(content: .command(PreparedCommand(request))) { result in
                answers.withLock {
                    $0[index] = result.map { answer in
                        guard case .receipt(let receipt) = answer else {
                            preconditionFailure("a command is answered with a receipt")
                        }
                        return receipt
                    }
                }
            }
        }
        while !rest.isEmpty { rest = commit(rest) }
        return answers.withLock { answers in requests.indices.compactMap { answers[$0] } }
    }

    /// Records one event on the caller's thread.
    func recordAtOnce(_ draft: EventDraft) throws {
        let reports = PreparedReports([PreparedReport.preparing(draft, store.header.secret)])
        let answer = Mutex<Result<WriteRequest.Answer, LedgerError>?>(nil)
        _ = commit([
            WriteRequest(content: .reports(reports, ReportOptions())) { result in
                answer.withLock { $0 = result }
            }
        ])
        _ = try answer.withLock { $0 }?.get()
    }

    private func decide(
        _ request: WriteRequest, _ group: inout GroupDecision, _ state: inout LedgerState
    ) throws -> Result<WriteRequest.Answer, LedgerError> {
        switch request.content {
        case .command(let command):
            loadZones(&state)
            let step = CommandStep(command: command, store: store, zones: zoneTables)
            switch try step.run(&group, &state) {
            case .receipt(let receipt): return .success(.receipt(receipt))
            case .error(let error): return .failure(error)
            }
        case .reports(let reports, let options):
            let step = ReportStep(
                reports: reports, options: options, store: store, shelf: shelf)
            return try step.run(&group, &state).map { .reports($0) }
        case .publish(let publication):
            let step = PublishStep(publication, app: app, store: store)
            return try step.run(&group, &state).map { .receipt($0) }
        case .restore(let request):
            loadZones(&state)
            let step = RestoreStep(
                request: request, store: store, zones: zoneTables, shelf: shelf)
            return try step.run(&group, &state).map { .restore($0) }
        case .transfer(let command):
            loadZones(&state)
            let step = TransferStep(command: command, store: store, zones: zoneTables)
            return try step.run(&group, &state).map { .transfer($0) }
        case .tick(let at, let units):
            loadZones(&state)
            let step = TickStep(at: at, units: units, store: store, zones: zoneTables)
            return try step.run(&group, &state).map { .reports($0) }
        }
    }

    /// What is committed becomes visible, by the same path as what others committed.
    /// - Returns: Whether all of it is taken in.
    private func publish(_ rows: [EventRow], _ point: HistoryPoint) -> Bool {
        do {
            try state.withLock { state in
                state.markStored()
                // A reader that noticed the commit may have taken it in already.
                for index in rows.indices
                where rows[index].event.position > state.head.position {
                    state.apply(rows[index].event, recordedAt: rows[index].recordedAt)
                }
                state.note(point)
                try settle(&state)
            }
            return true
        } catch {
            // The commit stands, so its receipts do too; what could not be folded is folded at the next look.
            log.tell(.warning, "folding waits: \(Self.storeError(error).message)")
            return false
        }
    }

    /// Takes in what others appended since; the caller holds the lock, or does not mind more coming.
    ///
    /// Only where the store goes on from what this ledger has taken in: a file that was restored or replaced since has
    /// other events at the same positions, and numbers that mean other names (law 9).
    /// - Throws: `.otherHistory`; then this ledger answers and writes nothing any more.
    func catchUp() throws {
        let end = try store.end()
        try shelveCatalogs(after: state.withLock { $0.head }, through: end.head)
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
                return try state.needsSettling ? settle(&state) : ()
            }
            state.dropUnstored()
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
    func advance(_ state: inout LedgerState, through head: StoreHead) throws {
        let start = ContinuousClock.now
        let count = head.position - state.head.position
        try state.takeNames(from: store)
        for record in try store.streams(after: UInt32(state.storedStreamCount)) {
            state.add(record)
        }
        try store.scan(
            after: state.head.checkpoint, through: head.checkpoint, chunkCount: 1_000
        ) { events in
            for index in events.indices {
                state.apply(events[index], recordedAt: head.recordedAt)
            }
        }
        try settle(&state)
        // As an opening would read them.
        startUp.withLock { $0.note(count, took: ContinuousClock.now - start) }
    }

    /// The state of the whole ledger as it was known at a position: the newest snapshot that is not younger, and the
    /// events between (rule 4).
    func knownState(at position: Int64) throws -> LedgerState {
        let live = state.withLock { $0 }
        guard position < live.head.position else { return live }
        var known = newestSnapshot(through: position) ?? LedgerState(log: events)
        // Where a key stands is no knowledge: corrections find their targets, which are older than they are.
        known.keys = live.keys
        if let row = try store.rows(at: [position]).first, position > known.head.position {
            try advance(
                &known, through: StoreHead(position: position, recordedAt: row.recordedAt))
        }
        return known
    }

    /// Does what `apply` could not do in memory: reads catalogs, finds corrected events.
    func settle(_ state: inout LedgerState) throws {
        state.regroup()
        while let event = state.pending.first {
            switch event.type {
            case .catalogPublished, .catalogRolledBack: try noteCatalog(event, &state)
            default: try noteCorrection(event, &state)
            }
            state.finishPending()
        }
        state.regroup()
        loadZones(&state)
    }

    private func noteCatalog(_ event: Event, _ state: inout LedgerState) throws {
        guard let row = try store.rows(at: [event.position]).first else { return }
        if event.type == .catalogRolledBack {
            state.catalogs.rollBack(
                to: event.amount, effectiveAt: event.timeA.orNil ?? event.occurredAt,
                position: event.position)
            return
        }
        let digest = row.reference ?? ""
        let outcome = try shelf.outcome(digest) {
            guard let bytes = try store.document(sha256: digest) else {
                throw StoreError(
                    .damaged,
                    "the catalog of position \(event.position) (\(digest)) is not in the ledger")
            }
            return bytes
        }
        let catalog: Catalog
        do throws(CatalogProblems) {
            catalog = try outcome.get()
        } catch {
            // Published by code that accepted it; a rule that became stricter must not close the ledger.
            log.tell(.warning, "catalog at position \(event.position) cannot be read: \(error)")
            return
        }
        let scope: CatalogScope
        switch event.catalogScope {
        case 1: scope = .all
        case 2: scope = .newSubjects
        case 3: scope = .nextPeriod
        case 4: scope = .cohort(event.money.orNil ?? 100)
        default:
            // Written by code that knows more: for whom it is cannot be told, so it is for nobody.
            return log.tell(
                .warning, "catalog at position \(event.position) is for an unknown scope")
        }
        state.catalogs.publish(
            CatalogVersion(
                version: event.amount, effectiveAt: event.timeA, scope: scope,
                position: event.position, catalog: catalog, documentDigest: digest))
    }

    private func noteCorrection(_ event: Event, _ state: inout LedgerState) throws {
        let environment = state.stream(event.stream).environment
        if event.type == .correctionAmended { try noteZone(inPatchAt: event.position, &state) }
        // Of a voided alias it must be known; every other unit is folded anew because of the correction itself.
        var target = EventKey(environment, event.nameA, event.reference)
        var seen: Set<EventKey> = []
        try readKeys(&state)
        // A correction of a correction reaches through to what that one corrected; a circle of them reaches nothing.
        while seen.insert(target).inserted,
            let position = try state.position(of: target, in: store),
            let row = try store.rows(at: [position]).first
        {
            switch row.event.type {
            case .correctionVoided, .correctionAmended:
                target = EventKey(environment, row.event.nameA, row.event.reference)
            case .subjectAliased, .subjectUnaliased:
                return state.touch(link: row.event, environment)
            default: return
            }
        }
    }

    /// A zone that only a correction names; a damaged one names none, and `verify` tells of it.
    private func noteZone(inPatchAt position: Int64, _ state: inout LedgerState) throws {
        guard let row = try store.rows(at: [position]).first,
            let recorded = try? EventDecoder.recorded(
                row, stream: state.streamName(row.event.stream), names: state.names),
            let zone = recorded.draft.data.value(at: ["patch", "tz"])?.text,
            let id = state.names.id(of: zone)
        else { return }
        state.note(zone: id)
    }

    /// Every zone that a customer or a catalog names, as a table.
    private func loadZones(_ state: inout LedgerState) {
        for catalog in state.catalogs.versions {
            add(catalog.catalog.defaultTimeZone, to: &state.zones)
        }
        for id in state.takeNewZones() { add(state.names[id], to: &state.zones) }
    }

    private func add(_ name: String, to zones: inout ZoneSet) {
        guard !zones.contains(name), let table = zoneTables.table(named: name) else { return }
        zones.add(table, named: name)
    }

    static func storeError(_ error: any Error) -> StoreError {
        if let error = error as? StoreError { return error }
        if let error = error as? RowDamage { return StoreError(.damaged, "\(error)") }
        return StoreError(.failed, "the store failed: \(error)", cause: error)
    }

    static func randomKey() -> String {
        var generator = SystemRandomNumberGenerator()
        // RFC 9562 §5.4: a random UUID, version 4.
        let (left, right): (UInt64, UInt64) = (generator.next(), generator.next())
        let high = (left & 0xFFFF_FFFF_FFFF_0FFF) | 0x4000
        let low = (right & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
        return UUIDText.format((high, low))
    }
}
