import DaybookEvents
import DaybookStore

/// The journey of one event: lock, catch up, decide, append, publish, answer.
struct Journey: Sendable {
    let core: LedgerCore

    struct Outcome {
        /// The requests that must see this group committed first; they come next, in order.
        var rest: [WriteRequest] = []
        /// Requests that were taken to come next while this group was written; `nil` where there is a rest.
        var next: WriteGroup?
        /// Whether the group failed: nothing of it was appended then.
        var hasFailed = false
        /// Whether events were appended; a group of refusals and repeated requests appends none.
        var hasAppended: Bool { eventCount > 0 }
        /// Events that were appended.
        var eventCount = 0
    }

    /// Commits a group of requests.
    /// - Parameter take: Gives the requests of the next group, if they can be decided ahead.
    func commit(_ group: WriteGroup, taking take: () -> [WriteRequest]) -> Outcome {
        let requests = group.requests
        defer { if let time = group.takenAt { core.pendingTimes.end(time) } }
        var answers: [(WriteRequest, Result<WriteRequest.Answer, LedgerError>)] = []
        var outcome = Outcome()
        do {
            // Before others have to wait for the right to write: what another process published is read, where keys
            // stand is read once, what is large is folded, and what is foreseen is finished.
            try core.takeForeignChanges()
            if !core.isReadOnly { try core.readKeys() }
            core.foldAhead(requests)
            if let foresight = group.foresight, foresight.isTimely(at: core.clock()) {
                foresight.finish()
            } else {
                group.foresight?.abandon()
            }
            try core.store.exclusively { writer in
                try core.takeForeignChanges()
                try core.readKeys()
                // No other process can commit now, so what changes is this ledger's own, and visible when it is
                // published: a reader need not read it from the file.
                core.isCommitting.store(true, ordering: .releasing)
                defer { core.isCommitting.store(false, ordering: .releasing) }
                let time = core.pendingTimes.begin(core.clock)
                defer { core.pendingTimes.end(time) }
                var decided = try GroupDecider(core: core).decide(group)
                // Nothing is refused, and nothing gets on the disk, because of what was lost.
                try core.knowledge.check()
                outcome.rest = decided.rest
                answers = decided.answers
                // A refusal may have given names that no batch will carry to the store.
                guard !decided.rows.isEmpty else { return }
                let isAsked = requests.allSatisfy(\.isCommand)
                if isAsked, decided.rest.isEmpty, !decided.isClosed {
                    outcome.next = next(take(), after: decided.rows)
                }
                try core.publication.withLock { _ in
                    let point = try writer.append(decided.batch)
                    outcome.eventCount = decided.rows.count
                    core.recentCursors.note(decided.batch)
                    if publish(decided.rows, &decided.names, point, isAsked: isAsked) {
                        core.passOverOwnCommit()
                    }
                }
                writeKeys()
            }
        } catch {
            group.foresight?.abandon()
            let failure = LedgerError.store(StoreError.wrapping(error))
            // No caller may believe in what is not on disk: the whole group gets the environment's error.
            for request in requests { request.answer(.failure(failure)) }
            return Outcome(next: outcome.next, hasFailed: true)
        }
        for (request, answer) in answers { request.answer(answer) }
        return outcome
    }

    /// The group that comes after a commit of these rows; it is decided while they are written.
    private func next(_ requests: [WriteRequest], after rows: [EventRow]) -> WriteGroup? {
        if requests.isEmpty { return nil }
        let time = core.pendingTimes.begin(core.clock)
        return WriteGroup(
            requests, takenAt: time, Foresight.ahead(requests, at: time, after: rows, core))
    }

    /// What is committed becomes visible, by the same path as what other processes committed.
    /// - Parameters:
    ///   - names: Those of the ledger with those of the commit; taken out.
    ///   - isAsked: Its customers are asked about, not imported by the thousand: new ones are kept at hand.
    /// - Returns: Whether all of it is taken in.
    private func publish(
        _ rows: [EventRow], _ names: inout LedgerState.Names?, _ point: HistoryPoint, isAsked: Bool
    ) -> Bool {
        do {
            if try !publishBeside(rows, &names, point, isAsked: isAsked) {
                try core.state.withLock { state in
                    // Another thread may have read the commit from the store already, with its names.
                    if let given = names.take(), state.head.position < rows[0].event.position {
                        state.take(given)
                    }
                    try take(rows, into: &state, point, isAsked: isAsked)
                }
            }
            return true
        } catch {
            // The commit stands, so its receipts do too; what could not be folded is folded at the next look.
            core.log.tell(.warning, "folding waits: \(StoreError.wrapping(error).message)")
            return false
        }
    }

    /// Commits of up to so many events are taken in upon a copy only where customers were asked about lately; else in
    /// place, which keeps a first question waiting for one of them.
    ///
    /// Why: even one event changes parts all over the state's tables, and a writer would pay for copies of those that
    /// nothing reads. Of more events than these the wait would be too long.
    private static let eventsInPlaceMax = GroupDecider.eventsPerCommitMax
    /// A commit of more events than this counts as several of those that follow a question.
    private static let eventsOfSmall = 64

    /// Whether taking an event in may read the store or sort persons anew (`Settling`): of a small commit that is done
    /// upon a copy, which a failure leaves behind.
    private static func needsSettling(_ event: Event) -> Bool {
        switch event.type {
        case .catalogPublished, .catalogRolledBack, .correctionVoided, .correctionAmended,
            .subjectAliased, .subjectUnaliased:
            true
        default: false
        }
    }

    /// Takes a commit in beside those who ask, to whom it is shown at once: the state is held for a moment alone.
    /// - Returns: `false` where another thread has taken it in, or a copy would cost more than the wait; nothing was
    ///   shown then.
    private func publishBeside(
        _ rows: [EventRow], _ names: inout LedgerState.Names?, _ point: HistoryPoint, isAsked: Bool
    ) throws -> Bool {
        let isSmall = rows.count <= Self.eventsOfSmall
        if rows.count <= Self.eventsInPlaceMax,
            !(isSmall && rows.contains { Self.needsSettling($0.event) })
        {
            let left = core.commitsBeside.load(ordering: .relaxed)
            guard left > 0 else { return false }
            let count = (rows.count + Self.eventsOfSmall - 1) / Self.eventsOfSmall
            core.commitsBeside.store(left - count, ordering: .relaxed)
        }
        var next = core.state.withLock { $0 }
        let before = next.head.position
        guard before < rows[0].event.position,
            !rows.contains(where: { next.copiesLongTable(for: $0.event) }),
            let given = names.take()
        else { return false }
        // Of one event hardly anything is asked meanwhile.
        let keepsFormer = rows.count > 1
        if keepsFormer { core.cache.beginPublishing() }
        defer { if keepsFormer { core.cache.endPublishing() } }
        next.take(consume given)
        try take(rows, into: &next, point, isAsked: isAsked)
        return core.state.withLock { state in
            guard state.head.position == before else { return false }
            // What was before is freed after those who ask have gone on.
            swap(&state, &next)
            return true
        }
    }

    private func take(
        _ rows: [EventRow], into state: inout LedgerState, _ point: HistoryPoint, isAsked: Bool
    ) throws {
        for index in rows.indices where rows[index].event.position > state.head.position {
            state.apply(rows[index].event, recordedAt: rows[index].recordedAt)
            if isAsked { state.keepAtHand(beginningWith: rows[index].event) }
        }
        state.note(point)
        try core.settling.settle(&state)
    }

    /// Writes the lookup arrays that this commit filled; the caller holds the ledger's lock.
    private func writeKeys() {
        let runs = core.state.withLock { $0.keys?.runs ?? [] }
        core.keys.write(runs) { written in
            core.state.withLock { $0.keys?.replace(written) }
        }
    }
}
