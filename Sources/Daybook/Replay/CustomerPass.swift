import DaybookDomain
import DaybookEvents
import DaybookStore
import Synchronization

/// The case of every customer at one cut and one time: all aggregates are folded once, several at a time, lineages
/// before customers.
///
/// What a question about one customer reads from the ledger by and by is folded here in the order of its memory; the
/// answers are the same.
package struct CustomerPass: Sendable {
    /// Ends at the cut; remembers nothing.
    package let state: LedgerState
    package let store: any EventStore
    package let environment: Environment
    /// Valid time, milliseconds since 1970 UTC.
    package let at: Int64
    package let workers: Int

    package init(
        state: LedgerState, store: any EventStore, environment: Environment, at: Int64, workers: Int
    ) {
        self.state = state
        self.store = store
        self.environment = environment
        self.at = at
        self.workers = workers
    }

    /// Customers that no event of their own names are built in turns of this size.
    private static let namesPerTurn = 64

    /// - Parameters:
    ///   - initial: What each worker begins with.
    ///   - progress: Work done and work in all: an event counts when it is read from a row, and twice where it is
    ///     folded.
    ///   - visit: Is given every person once, on a worker's thread.
    /// - Returns: What each worker made of its customers.
    package func run<Sum: Sendable>(
        _ initial: Sum, progress: @Sendable (Int64, Int64) throws -> Void = { _, _ in },
        _ visit: @Sendable (inout Sum, CustomerCase) throws -> Void
    ) throws -> [Sum] {
        let last = state.head.position
        var pass = AggregatePass(state, workers: workers)
        pass.until = at
        return try EventPages.reading(
            state.log, through: last, workers: pass.workers, chunkCount: pass.chunkCount,
            progress: { try progress($0, $1 + last) }
        ) { try run(pass, $0, initial, progress: progress, visit) }
    }

    private func run<Sum: Sendable>(
        _ pass: AggregatePass, _ pages: EventPages, _ initial: Sum,
        progress: @Sendable (Int64, Int64) throws -> Void,
        _ visit: @Sendable (inout Sum, CustomerCase) throws -> Void
    ) throws -> [Sum] {
        var pass = pass
        let last = state.head.position
        let shares = try AggregateShares(state.streams, pages, workers: pass.workers)
        pass.kind = .lineage
        let lineages = try pass.run(
            pages, shares, [UInt32: AggregateState](), progress: { try progress($0, $1 + last) }
        ) { lineages, aggregate, folded in lineages[aggregate] = copy folded }
        let folded = lineages.reduce(into: [:]) { all, some in all.merge(some) { first, _ in first }
        }
        pass.kind = .customer
        let sums = try pass.run(
            pages, shares, initial, progress: { try progress($0 + last, $1 + last) }
        ) { sum, aggregate, customer in
            let record = state.stream(aggregate)
            guard record.environment == environment else { return }
            let key = CustomerKey(environment, record.name)
            try visit(&sum, try builder(folded).build(key, folded: copy customer))
        }
        return try sums + namedByLineagesAlone(folded, shares, initial, visit)
    }

    private func builder(_ folded: [UInt32: AggregateState]) -> CaseBuilder {
        var builder = CaseBuilder(state: state, cut: Int64.max, at: at)
        builder.foldedLineages = folded
        return builder
    }

    /// People who have no event of their own: only the events of a lineage, or a transfer of everything to them, name
    /// them.
    private func namedByLineagesAlone<Sum: Sendable>(
        _ folded: [UInt32: AggregateState], _ shares: AggregateShares, _ initial: Sum,
        _ visit: @Sendable (inout Sum, CustomerCase) throws -> Void
    ) throws -> [Sum] {
        var seen: Set<CustomerKey> = []
        var people: [CustomerKey] = []
        func add(_ customer: CustomerKey) {
            guard customer.environment == environment, seen.insert(customer).inserted else {
                return
            }
            let person = state.person(customer)
            // Any member will do: they are all the same person.
            for member in person.members { seen.insert(CustomerKey(environment, member)) }
            let hasEvents = person.members.contains { name in
                guard let stream = state.streamID(environment, .customer, name) else {
                    return false
                }
                return !shares.range(of: state.aggregate(of: stream)).isEmpty
            }
            if !hasEvents { people.append(customer) }
        }
        state.forEachNaming { customer, _ in add(customer) }
        for name in state.receivers(in: environment).sorted() {
            add(CustomerKey(environment, name))
        }
        let size = Self.namesPerTurn
        let customers = people
        return try Parallel.run(
            workers: workers, turns: (people.count + size - 1) / size, workspace: { _ in initial }
        ) { sum, number, _ in
            let turn = number * size..<min((number + 1) * size, customers.count)
            for key in customers[turn] {
                let question = try builder(folded).build(key)
                // A transfer of everything that brought nothing does not make its receiver known.
                if question.isKnown || !question.lineagesOfOthers.isEmpty {
                    try visit(&sum, question)
                }
            }
        }
    }
}
