extension AggregateState {
    /// About how many bytes of memory it takes, with the room that its arrays have for more.
    ///
    /// Each part counts its own arrays: with a look through an accessor (`lineage`) the whole state would be copied
    /// first where it lies in a class.
    /// - Complexity: O(1).
    public var heldByteCount: Int {
        let parts =
            switch kind {
            case .customer: usage.heldByteCount + customer.heldByteCount
            case .lineage: heldLineage.byteCount
            case .ledger: 0
            }
        return MemoryLayout<AggregateState>.stride + parts + byteCount(of: funnel.steps)
    }
}

/// An array has a header of 32 bytes; an empty one takes nothing.
private func byteCount<Element>(of array: [Element]) -> Int {
    array.capacity > 0 ? 32 + array.capacity * MemoryLayout<Element>.stride : 0
}

extension UsageState {
    /// How many bytes its arrays take.
    fileprivate var heldByteCount: Int {
        byteCount(of: entries) + byteCount(of: reservations) + byteCount(of: outcomes)
            + byteCount(of: reversals) + byteCount(of: resets) + byteCount(of: pins)
    }
}

extension CustomerState {
    /// How many bytes its arrays take.
    fileprivate var heldByteCount: Int {
        byteCount(of: zones) + byteCount(of: profiles) + byteCount(of: assignments)
            + byteCount(of: grants) + byteCount(of: voids) + byteCount(of: overrides)
            + byteCount(of: consents)
    }
}

extension LineageState {
    /// How many bytes its arrays take.
    var heldByteCount: Int {
        byteCount(of: transactions) + byteCount(of: formerNotices) + byteCount(of: extensions)
            + byteCount(of: switches) + byteCount(of: lapses) + byteCount(of: continuities)
            + byteCount(of: claims) + byteCount(of: transfers)
    }
}
