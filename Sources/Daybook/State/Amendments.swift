import DaybookDomain
import DaybookEvents
import DaybookStore

/// Applies the amendments of one event in canonical order, the last of a field winning (rule 20).
///
/// A patch that came before its target could not be checked then. It is checked here: what no command would be allowed
/// to say changes nothing, and `verify` tells of it.
package struct Amendments {
    package let store: any EventStore
    package let names: NameTable

    package init(store: any EventStore, names: NameTable) {
        self.store = store
        self.names = names
    }

    package struct Outcome {
        /// The event as amended; as recorded where no amendment holds.
        var draft: EventDraft
        /// Positions of the amendments that hold.
        var holding: [Int64] = []
        /// Those that change nothing, and why.
        package var ignored: [(position: Int64, problem: EventProblem)] = []
    }

    /// - Parameters:
    ///   - positions: Where the amendments stand, in any order.
    ///   - stream: The target's.
    package func apply(_ positions: [Int64], to row: EventRow, in stream: StreamName) throws
        -> Outcome
    {
        var outcome = Outcome(
            draft: try EventDecoder.recorded(row, stream: stream, names: names).draft)
        for (position, patch) in try patches(positions, stream.environment) {
            do throws(EventProblem) {
                outcome.draft = try outcome.draft.amending(by: patch)
                outcome.holding.append(position)
            } catch {
                outcome.ignored.append((position, error))
            }
        }
        return outcome
    }

    /// What amendments say, in canonical order.
    package func patches(
        _ positions: [Int64], _ environment: Environment
    ) throws -> [(position: Int64, patch: JSONObject)] {
        let ledger = StreamName(environment, .ledger, "corrections")
        return try ordered(positions).map { correction in
            let recorded = try EventDecoder.recorded(correction, stream: ledger, names: names)
            return (
                correction.event.position, recorded.draft.data["patch"]?.object ?? JSONObject()
            )
        }
    }

    /// Only the texts of the keys tell the canonical order.
    private func ordered(_ positions: [Int64]) throws -> [EventRow] {
        let rows = try store.rows(at: positions)
        var corrections = rows.map { OrderedEvent(event: $0.event, key: $0.key) }
        OrderedEvent.sort(&corrections, names: names)
        return corrections.compactMap { correction in
            rows.first { $0.event.position == correction.event.position }
        }
    }
}

extension LedgerState {
    /// Events with all that they tell, with the corrections that are known at a cut applied, in the given order.
    /// - Returns: Without those that are not in the store.
    func drafts(
        of events: [Event], cut: Int64, in store: any EventStore
    ) throws -> [EventDraft] {
        var rows: [Int64: EventRow] = [:]
        for row in try store.rows(at: events.map(\.position).sorted()) {
            rows[row.event.position] = row
        }
        return try events.compactMap { event in
            guard let row = rows[event.position] else { return nil }
            let stream = streamName(event.stream)
            let patches = corrections.amendments(of: eventKey(event), cut: cut)
            return try patches.isEmpty
                ? EventDecoder.recorded(row, stream: stream, names: names).draft
                : Amendments(store: store, names: names).apply(patches, to: row, in: stream).draft
        }
    }
}
