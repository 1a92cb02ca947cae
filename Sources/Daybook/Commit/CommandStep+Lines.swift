import DaybookDomain
import DaybookEvents
import DaybookStore

extension Command {
    /// The line that the command is about; `nil`: none.
    var line: String? {
        switch self {
        case .transferLine(let line, _), .undoTransfer(let line, _): line
        default: nil
        }
    }
}

extension CommandStep {
    /// What a transfer is decided upon; `nil` for other commands.
    func lineCase(
        _ group: GroupDecision, _ state: LedgerState, at instant: Int64
    ) throws -> LineCase? {
        guard let name = request.command.line else { return nil }
        guard let id = state.names.id(of: name),
            let stream = state.streamID(request.environment, .line, id),
            group.head(of: stream, state).version > 0
        else { return LineCase(name: name) }
        let owner = try group.belonging(of: stream, state, at: instant).owner
        let members = person(state)
        var line = LineCase(
            name: name, isKnown: true,
            owner: owner == 0 ? nil : state.shownName(of: owner, request.environment),
            isSubjects: owner != 0
                && members.contains { haveSameBytes($0, state.names[owner]) })
        line.latest = try latestTransfer(of: stream, group, state)
        if case .transferLine(_, let recipient) = request.command {
            line.isRecipientKnown = try group.customerCase(
                state, request.environment, recipient, at: instant
            ).isKnown
        }
        return line
    }

    /// The last transfer of a line in canonical order, those that were voided left out.
    private func latestTransfer(
        of stream: UInt32, _ group: GroupDecision, _ state: LedgerState
    ) throws -> LineCase.Transfer? {
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
        let draft = try EventDecoder.recorded(
            row, stream: state.streamName(stream), names: state.names
        ).draft
        return LineCase.Transfer(
            source: draft.source.kind, key: row.key, from: draft.data["from"]?.text ?? "",
            to: draft.data["to"]?.text ?? "",
            reversibleUntil: draft.data["reversible_until"]?.integer,
            isUndo: draft.data[LineTransfer.undoes] != nil)
    }
}

extension LedgerState {
    /// The name under which a customer is shown.
    func shownName(of customer: NameID, _ environment: Environment) -> String {
        let person = identity.person(
            CustomerKey(environment, customer), cut: Int64.max, corrections: corrections,
            names: names)
        return names[person.shown]
    }
}
