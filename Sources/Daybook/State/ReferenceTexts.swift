import DaybookDomain
import DaybookEvents
import DaybookStore

/// Looks up what only rows know: the texts of long references that an answer shows by name.
package struct ReferenceTexts {
    package let state: LedgerState
    package let store: any EventStore
    /// Only what was recorded at or before this position is known.
    package let cut: Int64

    /// The case with the texts that it wants; nothing is read where it wants none.
    /// - Parameter undecided: Rows that were decided but are not committed yet.
    /// - Complexity: O(*e*) in the events of the customer, where there is something to look up.
    package func completing(
        _ question: CustomerCase, undecided: [EventRow] = []
    ) throws -> CustomerCase {
        let wanted = question.namesToLookUp
        guard !wanted.isEmpty,
            let name = state.customer(named: question.subject, in: question.environment)
        else {
            return question
        }
        var search = Search(wanted: wanted, found: question.texts)
        for row in undecided { search.take(row.reference) }
        try look(&search, for: question, name)
        return question.with(texts: search.found)
    }

    private func look(
        _ search: inout Search, for question: CustomerCase, _ name: NameID
    ) throws {
        let members = state.person(CustomerKey(question.environment, name), cut: cut).members
        for member in members {
            let stream = state.streamID(question.environment, .customer, member)
            guard let stream, state.headOf(stream).position > 0 else { continue }
            for row in try store.stream(endingAt: state.headOf(stream).position)
            where row.event.position <= cut {
                if search.wanted.isEmpty { return }
                search.take(row.reference)
                for text in try amended(row, question.environment) { search.take(text) }
            }
        }
    }

    private struct Search {
        var wanted: Set<Reference>
        var found: [Reference: String]

        mutating func take(_ text: String?) {
            guard let text, let reference = wanted.remove(Reference(text)) else { return }
            found[reference] = text
        }
    }

    /// What a correction calls it instead.
    private func amended(_ row: EventRow, _ environment: Environment) throws -> [String] {
        let key = EventKey(environment, row.event.source, row.event.key)
        let patches = state.corrections.amendments(of: key, cut: cut)
        if patches.isEmpty || row.event.trust == .verified { return [] }
        let outcome = try Amendments(store: store, names: state.names).apply(
            patches, to: row, in: state.streamName(row.event.stream))
        return ["ref", "grant_id"].compactMap { outcome.draft.data[$0]?.text }
    }
}
