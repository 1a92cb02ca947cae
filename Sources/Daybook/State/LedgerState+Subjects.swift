import DaybookDomain
import DaybookEvents

extension LedgerState {
    /// Every customer who has an event of their own or whom a lineage names, in the order of the names' bytes.
    package func subjects(in environment: Environment) -> [String] {
        named(in: environment).map { names[$0] }.sorted(by: precedesInBytes)
    }

    /// The same with every customer to whom another one gave everything: they may own lineages of which no event names
    /// them.
    /// - Parameter cut: Only what was recorded at or before this position is known.
    package func subjectsAndReceivers(
        in environment: Environment, cut: Int64 = Int64.max
    ) -> [String] {
        idsAndReceivers(in: environment, cut: cut).map { names[$0] }.sorted(by: precedesInBytes)
    }

    /// The ids of the same customers, in no order.
    package func idsAndReceivers(in environment: Environment, cut: Int64) -> Set<NameID> {
        named(in: environment).union(receivers(in: environment, cut: cut))
    }

    /// The streams of all lineages that have events.
    package func lineageStreams(in environment: Environment) -> [UInt32] {
        (1..<UInt32(storedStreamCount + 1)).filter { id in
            let entry = streams[id]
            return entry.record.environment == environment && entry.record.kind == .lineage
                && entry.head.position > 0
        }
    }

    private func named(in environment: Environment) -> Set<NameID> {
        // A state of the past knows the numbers of streams that were still to come.
        var known: Set<NameID> = []
        for id in 1..<UInt32(storedStreamCount + 1) {
            let entry = streams[id]
            let isTheirs = entry.record.environment == environment && entry.record.kind == .customer
            if isTheirs, entry.head.position > 0 { known.insert(entry.record.name) }
        }
        forEachNaming { customer, _ in
            if customer.environment == environment { known.insert(customer.name) }
        }
        return known
    }

    /// Every customer to whom another one gave everything: they may own lineages that do not name them.
    /// - Parameter cut: Only what was recorded at or before this position is known.
    package func receivers(in environment: Environment, cut: Int64 = Int64.max) -> Set<NameID> {
        var found: Set<NameID> = []
        identity.forEachHandover { key, handover in
            if key.environment == environment, handover.position <= cut, handover.to != 0 {
                found.insert(handover.to)
            }
        }
        return found
    }

    /// The name under which an aggregate enters the digest: the person's shown name, or the lineage's.
    package func aggregateName(_ aggregate: UInt32) -> StreamName {
        let record = stream(aggregate)
        guard record.kind == .customer else { return streamName(aggregate) }
        let person = person(CustomerKey(record.environment, record.name))
        return StreamName(record.environment, .customer, names[person.shown])
    }
}
