import DaybookEvents
import DaybookStore

/// Decides the requests of one commit and chooses the step for each.
struct GroupDecider {
    let core: LedgerCore

    struct Outcome {
        var group: GroupDecision
        var answers: [(WriteRequest, Result<WriteRequest.Answer, LedgerError>)]
        var rest: [WriteRequest]
    }

    /// A commit that has this many events takes no further request, so that readers and other processes get their
    /// turn; one request is never split.
    static let eventsPerCommitMax = 8_192
    /// So many bytes of customers are held until a group is committed, for the numbers that their callers work out;
    /// what is beyond is worked out at once.
    private static let heldByteCountMax = 16 << 20

    /// Decides requests in order, each upon what the ones before it decided; the caller holds the right to write.
    func decide(_ requests: [WriteRequest]) throws -> Outcome {
        var group = try core.state.withLock { state in
            GroupDecision(
                store: core.store, head: state.head.position,
                time: try core.commitTime(after: state.head), bounds: core.bounds)
        }
        var answers: [(WriteRequest, Result<WriteRequest.Answer, LedgerError>)] = []
        var heldByteCount = 0
        for (index, request) in requests.enumerated() {
            if group.isClosed || group.rows.count >= Self.eventsPerCommitMax {
                return Outcome(group: group, answers: answers, rest: Array(requests[index...]))
            }
            // Readers get their turn between two requests: what is decided is in the group alone.
            let answer: Result<WriteRequest.Answer, LedgerError>? = try core.state.withLock {
                state in
                if let customer = request.customer, group.mustCommit(before: customer, state) {
                    return nil
                }
                group.index(state)
                return try decideAlone(request, &group, &state)
            }
            guard var answer else {
                return Outcome(group: group, answers: answers, rest: Array(requests[index...]))
            }
            if case .success(.receipt(let pending)) = answer {
                heldByteCount += pending.heldByteCount
                // Many requests wait together, and each may hold a customer of thousands of uses.
                if heldByteCount > Self.heldByteCountMax {
                    heldByteCount -= pending.heldByteCount
                    let receipt = (try? pending.finished()) ?? pending.bare
                    answer = .success(.receipt(PendingReceipt(receipt)))
                }
            }
            answers.append((request, answer))
        }
        return Outcome(group: group, answers: answers, rest: [])
    }

    /// A damaged row fails the request that needs it and no other; every other failure concerns all.
    private func decideAlone(
        _ request: WriteRequest, _ group: inout GroupDecision, _ state: inout LedgerState
    ) throws -> Result<WriteRequest.Answer, LedgerError> {
        let mark = group.mark(state)
        do {
            return try decide(request, &group, &state)
        } catch {
            let failure = StoreError.wrapping(error)
            guard failure.code == .damaged else { throw error }
            group.rollBack(to: mark, &state)
            return .failure(.store(failure))
        }
    }

    private func decide(
        _ request: WriteRequest, _ group: inout GroupDecision, _ state: inout LedgerState
    ) throws -> Result<WriteRequest.Answer, LedgerError> {
        switch request.content {
        case .command(let command):
            core.settling.loadZones(&state)
            let step = CommandStep(command: command, store: core.store, zones: core.zoneTables)
            switch try step.run(&group, &state) {
            case .receipt(let receipt): return .success(.receipt(receipt))
            case .error(let error): return .failure(error)
            }
        case .reports(let reports, let options):
            let step = ReportStep(
                reports: reports, options: options, store: core.store,
                catalogCache: core.catalogCache)
            return try step.run(&group, &state).map { .reports($0) }
        case .publish(let publication):
            let step = PublishStep(prepared: publication, app: core.app, store: core.store)
            return try step.run(&group, &state).map { .receipt(PendingReceipt($0)) }
        case .restore(let request):
            core.settling.loadZones(&state)
            let step = RestoreStep(
                request: request, store: core.store, zones: core.zoneTables,
                catalogCache: core.catalogCache)
            return try step.run(&group, &state).map { .restore($0) }
        case .transfer(let command):
            core.settling.loadZones(&state)
            let step = TransferStep(command: command, store: core.store, zones: core.zoneTables)
            return try step.run(&group, &state).map { .transfer($0) }
        case .tick(let at, let aggregates):
            core.settling.loadZones(&state)
            let step = TickStep(
                at: at, aggregates: aggregates, store: core.store, zones: core.zoneTables)
            return try step.run(&group, &state).map { .reports($0) }
        }
    }
}
