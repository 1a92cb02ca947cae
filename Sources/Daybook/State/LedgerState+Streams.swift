import DaybookDomain
import DaybookEvents
import DaybookStore

/// Streams by their names, and what rows and persons are by the state's own names and corrections.
extension LedgerState {
    /// The stream of a name; `nil`: the ledger has none.
    func stream(
        named name: String, _ kind: StreamKind, in environment: Environment
    ) -> UInt32? {
        names.id(of: name).flatMap { streamID(environment, kind, $0) }
    }

    /// The newest event of a stream of the ledger itself, as `EventRouter` calls it; 0 where there is none.
    func headOfLedger(_ name: String, in environment: Environment) -> Int64 {
        stream(named: name, .ledger, in: environment).map { headOf($0).position } ?? 0
    }

    func recorded(_ row: EventRow) throws(RowDamage) -> RecordedEvent {
        try EventDecoder.recorded(row, stream: streamName(row.event.stream), names: names)
    }

    /// The ids that are one customer, and the one that is shown for them.
    package func person(
        _ key: CustomerKey, cut: Int64 = Int64.max
    ) -> (members: [NameID], shown: NameID) {
        identity.person(key, cut: cut, corrections: corrections, names: names)
    }

    /// All ids of the customer of a name; the name alone where the ledger has none.
    func namesOfPerson(_ name: String, in environment: Environment) -> [String] {
        guard let id = customer(named: name, in: environment) else { return [name] }
        return person(CustomerKey(environment, id)).members.map { names[$0] }
    }

    /// Where the event of a source's key stands; `nil`: there is none.
    func position(
        of key: String, from source: String, in environment: Environment, _ store: any EventStore
    ) throws -> Int64? {
        guard let source = names.id(of: source) else { return nil }
        return try position(of: EventKey(environment, source, Reference(key)), in: store)
    }

    /// Where the event of a draft's source and key stands; `nil`: there is none.
    func position(of draft: EventDraft, in store: any EventStore) throws -> Int64? {
        try position(
            of: draft.source.key ?? "", from: draft.source.kind, in: draft.environment, store)
    }

    /// Transfers of everything by or to any of the ids, in canonical order.
    func handovers(
        of members: [NameID], in environment: Environment, cut: Int64 = Int64.max
    ) -> [Identity.Handover] {
        identity.handovers(
            of: members, in: environment, cut: cut, corrections: corrections, names: names)
    }

    // MARK: Keys

    /// Where the event of this name stands; `nil` while it is unknown.
    /// - Parameter freeThrough: No event up to this position has the name.
    /// - Complexity: O(*n*) in the events of the ledger while the keys were not read.
    package func position(
        of key: EventKey, freeThrough: Int64 = 0, in store: any EventStore
    ) throws -> Int64? {
        guard let keys else {
            return head.position == 0 ? nil : try scan(1...head.position, for: key, in: store)
        }
        switch keys.candidates(key, freeThrough: freeThrough) {
        case .exact(let position): return position
        case .perhaps(let positions, let unread):
            if !positions.isEmpty {
                for row in try store.rows(at: positions) where eventKey(row.event) == key {
                    return row.event.position
                }
            }
            for range in unread {
                if let position = try scan(range, for: key, in: store) { return position }
            }
            return nil
        }
    }

    private func scan(
        _ range: ClosedRange<Int64>, for key: EventKey, in store: any EventStore
    ) throws -> Int64? {
        var found: Int64?
        try store.scan(
            after: Checkpoint(position: range.lowerBound - 1),
            through: Checkpoint(position: range.upperBound), chunkCount: 1_000
        ) { events in
            for index in events.indices where found == nil && eventKey(events[index]) == key {
                found = events[index].position
            }
        }
        return found
    }

    // MARK: Aggregates

    /// Which events an aggregate has now.
    package func stamp(of aggregate: UInt32) -> AggregateCache.Stamp {
        identity.isEmpty ? stamp(headOf(aggregate)) : stamp(ofLinked: aggregate)
    }

    /// - Parameter first: The aggregate's first stream, whose number it has.
    package func stamp(of first: StreamTable.Entry) -> AggregateCache.Stamp {
        identity.isEmpty ? stamp(first.head) : stamp(ofLinked: first.record.id)
    }

    private func stamp(_ head: StreamTable.Head) -> AggregateCache.Stamp {
        var stamp = AggregateCache.Stamp(corrections: corrections.count)
        stamp.take(head)
        return stamp
    }

    private func stamp(ofLinked aggregate: UInt32) -> AggregateCache.Stamp {
        var stamp = AggregateCache.Stamp(corrections: corrections.count)
        for stream in streams(of: aggregate) { stamp.take(headOf(stream)) }
        return stamp
    }

    /// Where the streams of an aggregate end.
    /// - Parameter first: The aggregate's first stream, whose number it has.
    func heads(of first: StreamTable.Entry) -> [StreamTable.Head] {
        // Without links an aggregate is its own stream.
        identity.isEmpty ? [first.head] : streams(of: first.record.id).map { headOf($0) }
    }
}
