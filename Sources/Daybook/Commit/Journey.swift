import DaybookEvents
import DaybookStore

/// The journey of one event: lock, catch up, decide, append, publish, answer.
struct Journey: Sendable {
    let core: LedgerCore

    struct Outcome {
        /// The requests that must see this group committed first; they come next, in order.
        var rest: [WriteRequest] = []
        /// Whether the group failed: nothing of it was appended then.
        var hasFailed = false
        /// Whether events were appended; a group of refusals and repeated requests appends none.
        var hasAppended: Bool { eventCount > 0 }
        /// Events that were appended.
        var eventCount = 0
    }

    /// Commits a group of requests.
    func commit(_ requests: [WriteRequest]) -> Outcome {
        var answers: [(WriteRequest, Result<WriteRequest.Answer, LedgerError>)] = []
        var outcome = Outcome()
        do {
            // Before others have to wait for the right to write: what another process published is read, and what is
            // large is folded.
            try core.takeForeignChanges()
            core.foldAhead(requests)
            try core.store.exclusively { writer in
                try core.takeForeignChanges()
                try core.readKeys()
                // No other process can commit now, so what changes is this ledger's own, and visible when it is
                // published: a reader need not read it from the file.
                core.isCommitting.store(true, ordering: .releasing)
                defer { core.isCommitting.store(false, ordering: .releasing) }
                var decided = try GroupDecider(core: core).decide(requests)
                // Nothing is refused, and nothing gets on the disk, because of what was lost.
                try core.knowledge.check()
                outcome.rest = decided.rest
                answers = decided.answers
                // A refusal may have given names that no batch will carry to the store.
                guard !decided.rows.isEmpty else { return }
                let point = try writer.append(decided.batch)
                outcome.eventCount = decided.rows.count
                let isAsked = requests.allSatisfy(\.isCommand)
                if publish(decided.rows, &decided.names, point, isAsked: isAsked) {
                    core.passOverOwnCommit()
                }
                writeKeys()
            }
        } catch {
            let failure = LedgerError.store(StoreError.wrapping(error))
            // No caller may believe in what is not on disk: the whole group gets the environment's error.
            for request in requests { request.answer(.failure(failure)) }
            return Outcome(hasFailed: true)
        }
        for (request, answer) in answers { request.answer(answer) }
        return outcome
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
            try core.state.withLock { state in
                // Another thread may have read the commit from the store already, with its names.
                if let given = names.take(), state.head.position < rows[0].event.position {
                    state.take(given)
                }
                for index in rows.indices
                where rows[index].event.position > state.head.position {
                    state.apply(rows[index].event, recordedAt: rows[index].recordedAt)
                    if isAsked { state.keepAtHand(beginningWith: rows[index].event) }
                }
                state.note(point)
                try core.settling.settle(&state)
            }
            return true
        } catch {
            // The commit stands, so its receipts do too; what could not be folded is folded at the next look.
            core.log.tell(.warning, "folding waits: \(StoreError.wrapping(error).message)")
            return false
        }
    }

    /// Writes the lookup arrays that this commit filled; the caller holds the ledger's lock.
    private func writeKeys() {
        let runs = core.state.withLock { $0.keys?.runs ?? [] }
        core.keys.write(runs) { written in
            core.state.withLock { $0.keys?.replace(written) }
        }
    }
}
