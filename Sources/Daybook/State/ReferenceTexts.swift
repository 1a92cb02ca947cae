import DaybookDomain
import DaybookEvents
import DaybookStore

/// Looks up what only rows know: the texts of long references that an answer shows by name.
struct ReferenceTexts {
    let state: LedgerState
    let store: any EventStore
    /// Only what was recorded at or before this position is known.
    let cut: Int64

    /// Gives a case the texts that it wants; nothing is read where it wants none.
    /// - Parameter undecided: Rows that were decided but are not committed yet.
    /// - Complexity: O(*e*) in the events of the customer, where there is something to look up.
    func complete(_ question: inout CustomerCase, undecided: [EventRow] = []) throws {
        var wanted = question.namesToLookUp
        guard !wanted.isEmpty, let name = state.names.id(of: question.subject) else { return }
        for row in undecided { take(row.reference, &wanted, &question) }
        let members = state.identity.person(
            CustomerKey(question.environment, name), cut: cut, corrections: state.corrections,
            names: state.names
        ).members
        for member in members {
            let stream = state.streamID(question.environment, .customer, member)
            guard let stream, state.headOf(stream).position > 0 else { continue }
            for row in try store.stream(endingAt: state.headOf(stream).position)
            where row.event.position <= cut {
                if wanted.isEmpty { return }
                take(row.reference, &wanted, &question)
                for text in try amended(row, question.environment) {
                    take(text, &wanted, &question)
                }
            }
        }
    }

    private func take(
        _ text: String?, _ wanted: inout Set<Reference>, _ question: inout CustomerCase
    ) {
        guard let text, let reference = wanted.remove(Reference(text)) else { return }
        question.texts[reference] = text
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
