import DaybookDomain
import DaybookEvents
import DaybookStore

/// How long the state is held: everybody who asks or decides needs it, so nobody may read and fold much of one
/// customer while holding it.
///
/// A question about little is answered while it is held. For one about much the state is copied first: a copy costs
/// nothing by itself, but whatever the next commit changes in what both share is copied then, which is worth it for a
/// long fold alone.
extension Ledger {
    /// About a millisecond of reading and folding.
    package static let eventsUnderLockMax: Int64 = 4_096

    private enum Reading<Result: Sendable>: Sendable {
        case done(Result)
        case long(LedgerState)
    }

    /// Works something out about a customer.
    /// - Parameters:
    ///   - at: What time is asked about, of which a folded state at hand may tell; `nil`: every event is read.
    func reading<Result: Sendable>(
        about subject: String, _ environment: Environment, cut: Int64, at: Int64?,
        _ body: (LedgerState) throws -> Result
    ) throws -> Result {
        let reading: Reading<Result> = try state.withLock { state in
            let isLong =
                state.eventsToFold(subject, environment, cut: cut, at: at)
                > Self.eventsUnderLockMax
            return isLong ? .long(state) : .done(try body(state))
        }
        switch reading {
        case .done(let result): return result
        case .long(let state): return try body(state)
        }
    }

    /// Folds what a request is about and what is large, so that deciding it takes no longer than any other.
    func foldAhead(_ requests: [WriteRequest]) {
        for request in requests {
            switch request.content {
            case .command(let command), .transfer(let command):
                foldAhead(command.request.subject, command.request.environment)
            case .restore(let request): foldAhead(request.subject, request.environment)
            case .tick(_, let units):
                for unit in units {
                    let (record, name) = state.withLock { ($0.stream(unit), $0.streamName(unit)) }
                    if record.kind == .customer { foldAhead(name.name, name.environment) }
                }
            case .reports, .publish: break
            }
        }
    }

    private func foldAhead(_ subject: String, _ environment: Environment) {
        let long: LedgerState? = state.withLock { state in
            let count = state.eventsToFold(
                subject, environment, cut: Int64.max, at: Int64.max)
            return count > Self.eventsUnderLockMax ? state : nil
        }
        guard let long else { return }
        let builder = CaseBuilder(state: long, store: store, cut: Int64.max, at: Int64.max)
        // What cannot be read is the failure of the request that needs it.
        _ = try? builder.build(environment, subject)
    }
}

extension LedgerState {
    /// How many events are read and folded to answer about a customer; of what is at hand, none.
    func eventsToFold(
        _ subject: String, _ environment: Environment, cut: Int64, at: Int64?
    ) -> Int64 {
        let members = members(named: subject, in: environment, cut: cut)
        let streams = members.compactMap { streamID(environment, .customer, $0) }
        let lines = members.flatMap { self.lines(naming: CustomerKey(environment, $0)) }
        let own = streams.reduce(0) { $0 + headOf($1).version }
        let bought = lines.reduce(0) { $0 + headOf($1).version }
        let all = own + bought
        guard let at, all > Ledger.eventsUnderLockMax, cut >= head.position else { return all }
        var count: Int64 = 0
        if let first = streams.min(), !isAtHand(unit(of: first), at) { count += own }
        for line in lines where !isAtHand(line, at) { count += headOf(line).version }
        return count
    }

    private func isAtHand(_ unit: UInt32, _ at: Int64) -> Bool {
        guard let known = cache?.state(of: unit, stamp(of: unit)) else { return false }
        return known.newest.occurredAt <= at
    }
}
