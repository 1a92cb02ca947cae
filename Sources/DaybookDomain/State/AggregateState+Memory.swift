extension AggregateState {
    /// About how many bytes of memory it takes, with the room that its arrays have for more.
    /// - Complexity: O(1).
    public var heldByteCount: Int {
        var sum = MemoryLayout<AggregateState>.stride
        func add<Element>(_ array: [Element]) {
            // An array has a header of 32 bytes; an empty one takes nothing.
            if array.capacity > 0 { sum += 32 + array.capacity * MemoryLayout<Element>.stride }
        }
        switch kind {
        case .customer:
            add(usage.entries)
            add(usage.reservations)
            add(usage.outcomes)
            add(usage.reversals)
            add(usage.resets)
            add(usage.pins)
            add(customer.zones)
            add(customer.profiles)
            add(customer.assignments)
            add(customer.grants)
            add(customer.voids)
            add(customer.overrides)
            add(customer.consents)
        case .lineage:
            sum += heldLineage.byteCount
            add(lineage.transactions)
            add(lineage.formerNotices)
            add(lineage.extensions)
            add(lineage.switches)
            add(lineage.lapses)
            add(lineage.continuities)
            add(lineage.claims)
            add(lineage.transfers)
        case .ledger: break
        }
        add(funnel.steps)
        return sum
    }
}
