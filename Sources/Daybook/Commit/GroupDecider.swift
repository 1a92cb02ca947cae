import DaybookEvents
import DaybookStore
import Dispatch
import Synchronization

/// Decides the requests of one commit and chooses the step for each.
struct GroupDecider {
    let core: LedgerCore

    struct Outcome {
        var rows: [EventRow]
        var answers: [(WriteRequest, Result<WriteRequest.Answer, LedgerError>)]
        var rest: [WriteRequest]
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
    func decide(_ requests: [WriteRequest]) throws -> Outcome {
        // The writer's own, so that no reader waits for a decision; what it gives is published with the commit.
        var state = core.state.withLock { state in
            core.settling.loadZones(&state)
            return state
        }
        var group = GroupDecision(
            store: core.store, head: state.head.position,
            time: try core.commitTime(after: state.head), bounds: core.bounds)
        var rest: [WriteRequest] = []
        var answers: [(WriteRequest, Result<WriteRequest.Answer, LedgerError>)] = []
        var heldByteCount = 0
        var wave = Wave()
        for (index, request) in requests.enumerated() {
            let isFull = group.isClosed || group.rows.count >= Self.eventsPerCommitMax
            if isFull || request.customer.map({ group.mustCommit(before: $0, state) }) == true {
                rest = Array(requests[index...])
                break
            }
            group.index(state)
            if index >= wave.end {
                wave = self.wave(requests, from: index)
                foresee(&wave, requests, group, state)
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
            rows: group.rows, answers: answers, rest: rest, batch: group.batch(state),
            names: LedgerState.Names(names: state.names, streams: state.streams))
    }

    /// So many requests are foreseen at a time, each with its customer until it is decided in its turn.
    private static let foreseenCount = 64
    /// Fewer are decided in their turns: another thread would not be there in time.
    private static let foreseenCountMin = 8
    /// So many are foreseen by one thread before it takes the next eight.
    private static let foreseenTogether = 8

    /// Requests that are foreseen together.
    private struct Wave {
        private(set) var start = 0
        private(set) var end = 0
        /// In the order of the requests; `nil` of what is decided in its turn alone. Empty: nothing is foreseen.
        var found: [Foreseen?] = []

        init() {}

        init(_ requests: Range<Int>) { (start, end) = (requests.lowerBound, requests.upperBound) }

        mutating func take(_ index: Int) -> Foreseen? {
            found.isEmpty ? nil : found[index - start].take()
        }
    }

    /// The commands that come next, up to the first request that may close the group: what is behind it is decided in
    /// the next group.
    private func wave(_ requests: [WriteRequest], from first: Int) -> Wave {
        let last = min(first + Self.foreseenCount, requests.count)
        let count = requests[first..<last].prefix { $0.foreseeable != nil }.count
        return Wave(first..<first + max(1, count))
    }

    /// Decides the commands of a wave upon what is known now, each on whatever thread is free; of one customer only the
    /// first, which the next ones rest on.
    private func foresee(
        _ wave: inout Wave, _ requests: [WriteRequest], _ group: GroupDecision, _ state: LedgerState
    ) {
        let (start, count) = (wave.start, wave.end - wave.start)
        guard count >= Self.foreseenCountMin, Parallel.processorCount > 1 else { return }
        var subjects: Set<StreamName> = []
        let commands = requests[start..<wave.end].map { request in
            request.foreseeable.flatMap { command in
                let (environment, subject) = (command.request.environment, command.request.subject)
                return subjects.insert(StreamName(environment, .customer, subject)).inserted
                    ? command : nil
            }
        }
        let found = Mutex([Foreseen?](repeating: nil, count: count))
        let turns = (count + Self.foreseenTogether - 1) / Self.foreseenTogether
        DispatchQueue.concurrentPerform(iterations: turns) { turn in
            let builder = group.builder(state, at: group.now)
            let first = turn * Self.foreseenTogether
            for place in first..<min(first + Self.foreseenTogether, count) {
                guard let command = commands[place] else { continue }
                let step = CommandStep(command: command, store: core.store, zones: core.zoneTables)
                let made = Foreseen.foreseeing(step, group, state, builder)
                found.withLock { $0[place] = made }
            }
        }
        wave.found = found.withLock { $0 }
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
