import DaybookEvents
import DaybookStore

/// The epochs of a ledger: where each begins, by the events that say so.
struct Epochs {
    struct Epoch {
        /// From 1.
        let number: Int64
        /// The position of the event that begins it; 0 for the first.
        let start: Int64
        /// Where the ledger ended that was given up for it; `nil`: there was none, or it could not be read.
        let abandonedPosition: Int64?
    }

    /// In order; the first is always there.
    let all: [Epoch]

    /// Those that begin up to a position.
    /// - Complexity: O(*r*) in the restores of the ledger.
    init(_ core: LedgerCore, cut: Int64) throws {
        let last = core.state.withLock { state in
            // As `EventRouter` calls the stream.
            state.headOfLedger("epochs", in: .production)
        }
        var all = [Epoch(number: 1, start: 0, abandonedPosition: nil)]
        for row in try core.store.stream(endingAt: last).reversed()
        where row.event.type == .ledgerRestored && row.event.position <= cut {
            let event = try core.recorded(row)
            // As the history's own count goes on.
            let number = max(all[all.count - 1].number + 1, row.event.amount)
            all.append(
                Epoch(
                    number: number, start: row.event.position,
                    abandonedPosition: event.draft.data["abandoned_position"]?.integer))
        }
        self.all = all
    }

    /// The epoch of a position.
    func epoch(at position: Int64) -> Epoch {
        all.last { $0.start <= position } ?? all[0]
    }

    /// The epoch that follows another one; `nil` for the last.
    func epoch(after epoch: Epoch) -> Epoch? { all.first { $0.start > epoch.start } }
}

extension LedgerCore {
    /// The event of a row.
    /// - Throws: `RowDamage` when the row does not give all of it.
    func recorded(_ row: EventRow) throws -> RecordedEvent {
        try state.withLock { state in
            try state.recorded(row)
        }
    }
}
