import DaybookDomain
import DaybookEvents
import DaybookStore

extension Command {
    /// The lineage that the command is about; `nil`: none.
    var lineage: String? {
        switch self {
        case .transferLineage(let lineage, _), .undoTransfer(let lineage, _): lineage
        default: nil
        }
    }
}

extension CommandStep {
    /// What a transfer is decided upon; `nil` for other commands.
    /// - Parameter members: Every ID of the subject's person.
    func lineageCase(
        of members: [String], _ group: GroupDecision, _ state: LedgerState, at instant: Int64
    ) throws -> LineageCase? {
        guard let name = request.command.lineage else { return nil }
        guard let stream = state.stream(named: name, .lineage, in: request.environment),
            group.head(of: stream, state).version > 0
        else { return LineageCase(name: name) }
        let owner = try group.belonging(of: stream, state, at: instant).owner
        var lineage = LineageCase(
            name: name, isKnown: true,
            owner: owner == 0 ? nil : state.shownName(of: owner, request.environment),
            isSubjects: owner != 0
                && members.contains { haveSameBytes($0, state.names[owner]) })
        lineage.latest = try latestTransfer(of: stream, group, state)
        if case .transferLineage(_, let recipient) = request.command {
            lineage.isRecipientKnown = try group.customerCase(
                state, request.environment, recipient, at: instant
            ).isKnown
        }
        return lineage
    }

    /// The last transfer of a lineage in canonical order, those that were voided left out.
    private func latestTransfer(
        of stream: UInt32, _ group: GroupDecision, _ state: LedgerState
    ) throws -> LineageCase.Transfer? {
        let committed = try store.stream(endingAt: state.headOf(stream).position)
        let decided = group.rows.filter { $0.event.stream == stream }
        let rows = (committed + decided).filter { row in
            let key = EventKey(request.environment, row.event.source, row.event.key)
            return row.event.type == .purchaseTransferred
                && !state.corrections.isVoid(key, cut: Int64.max)
        }
        var ordered = rows.map { OrderedEvent(event: $0.event, key: $0.key) }
        OrderedEvent.sort(&ordered, names: state.names)
        guard let position = ordered.last?.event.position,
            let row = rows.first(where: { $0.event.position == position })
        else { return nil }
        let draft = try state.recorded(row).draft
        return LineageCase.Transfer(
            source: draft.source.kind, key: row.key, from: draft.data["from"]?.text ?? "",
            to: draft.data["to"]?.text ?? "",
            reversibleUntil: draft.data["reversible_until"]?.integer,
            isUndo: draft.data[LineageTransfer.undoes] != nil)
    }
}

extension LedgerState {
    /// The name under which a customer is shown.
    func shownName(of customer: NameID, _ environment: Environment) -> String {
        let person = person(CustomerKey(environment, customer))
        return names[person.shown]
    }
}
