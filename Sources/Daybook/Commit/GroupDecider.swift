import DaybookEvents
import DaybookStore

/// Decides the requests of one commit and chooses the step for each.
struct GroupDecider {
    let core: LedgerCore

    struct Outcome {
        var rows: [EventRow]
        var answers: [(WriteRequest, Result<WriteRequest.Answer, LedgerError>)]
        var rest: [WriteRequest]
        /// Whether what comes next rests on more than this group's customers.
        var isClosed: Bool
        var batch: AppendBatch
        /// `nil` once they were handed on: who changes them must be the only one who has them.
        var names: LedgerState.Names?
    }

    /// A commit that has this many events takes no further request, so that readers and other processes get their
    /// turn; one request is never split.
    static let eventsPerCommitMax = 8_192
    /// So many bytes of customers are held until a group is committed, for the numbers that their callers work out;
    /// what is beyond is worked out at once.
    private static let heldByteCountMax = 16 << 20

    /// Decides requests in order, each upon what the ones before it decided; the caller holds the right to write.
    func decide(_ requested: WriteGroup) throws -> Outcome {
        let requests = requested.requests
        // The writer's own, so that no reader waits for a decision; what it gives is published with the commit.
        var state = core.state.withLock { state in
            core.settling.loadZones(&state)
            return state
        }
        var time = try core.commitTime(after: state.head)
        var wave = Wave()
        if let foresight = requested.foresight {
            let found = foresight.take()
            if foresight.isTimely(time, after: state.head) {
                wave = Wave(0..<found.count, found)
                time = foresight.time
            }
        }
        var group = GroupDecision(
            store: core.store, head: state.head.position, time: time, bounds: core.bounds)
        var rest: [WriteRequest] = []
        var answers: [(WriteRequest, Result<WriteRequest.Answer, LedgerError>)] = []
        var heldByteCount = 0
        for (index, request) in requests.enumerated() {
            let isFull = group.isClosed || group.rows.count >= Self.eventsPerCommitMax
            if isFull || request.customer.map({ group.mustCommit(before: $0, state) }) == true {
                rest = Array(requests[index...])
                break
            }
            group.index(state)
            if index >= wave.end {
                wave = self.wave(requests, from: index, group, state)
            }
            let foreseen = wave.take(index)
            var answer = try decideAlone(request, foreseen, &group, &state)
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
        return Outcome(
            rows: group.rows, answers: answers, rest: rest, isClosed: group.isClosed,
            batch: group.batch(state),
            names: LedgerState.Names(names: state.names, streams: state.streams))
    }

    /// Requests of which commands were foreseen together.
    private struct Wave {
        private var start = 0
        private(set) var end = 0
        /// In the order of the requests; `nil` of what is decided in its turn alone. Empty: nothing is foreseen.
        private var found: [Foreseen?] = []

        init() {}

        init(_ requests: Range<Int>, _ found: [Foreseen?]) {
            (start, end) = (requests.lowerBound, requests.upperBound)
            self.found = found
        }

        mutating func take(_ index: Int) -> Foreseen? {
            found.isEmpty ? nil : found[index - start].take()
        }
    }

    /// Decides the commands that come next upon what is known now.
    private func wave(
        _ requests: [WriteRequest], from first: Int, _ group: GroupDecision, _ state: LedgerState
    ) -> Wave {
        let next = requests[first...]
        let range = first..<first + max(1, Foresight.count(of: next))
        let foresight = Foresight.beginning(requests[range], group, state, core)
        return Wave(range, foresight?.take() ?? [])
    }

    /// A damaged row fails the request that needs it and no other; every other failure concerns all.
    private func decideAlone(
        _ request: WriteRequest, _ foreseen: Foreseen?, _ group: inout GroupDecision,
        _ state: inout LedgerState
    ) throws -> Result<WriteRequest.Answer, LedgerError> {
        let mark = group.mark(state)
        do {
            return try decide(request, foreseen, &group, &state)
        } catch {
            let failure = StoreError.wrapping(error)
            guard failure.code == .damaged else { throw error }
            group.rollBack(to: mark, &state)
            return .failure(.store(failure))
        }
    }

    private func decide(
        _ request: WriteRequest, _ foreseen: Foreseen?, _ group: inout GroupDecision,
        _ state: inout LedgerState
    ) throws -> Result<WriteRequest.Answer, LedgerError> {
        switch request.content {
        case .command(let command):
            core.settling.loadZones(&state)
            let step = CommandStep(command: command, store: core.store, zones: core.zoneTables)
            switch try step.run(&group, &state, foreseen: foreseen) {
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
