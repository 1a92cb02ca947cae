import DaybookDomain
import DaybookEvents
import DaybookStore

extension LedgerCore {
    /// What was known at a position, from rows alone: no snapshot, no segment, no state at hand.
    package func stateFromRows(through cut: Int64) throws -> LedgerState {
        var past = LedgerState(log: EventLog(store: store, segments: nil))
        for record in try past.takeNames(from: store) { past.add(record) }
        try store.scan(
            after: .start, through: Checkpoint(position: cut), chunkCount: 1_000
        ) { events in
            for index in events.indices { past.apply(events[index], recordedAt: 0) }
        }
        // Where a key stands is no knowledge: corrections find their targets, which are older than they are.
        past.keys = state.withLock { $0.keys }
        try settling.settle(&past)
        return past
    }
}
