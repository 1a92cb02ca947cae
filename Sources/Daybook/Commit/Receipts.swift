import DaybookDomain
import DaybookEvents
import DaybookStore

/// What the caller of a command is answered: of a new one, and of one that was decided before.
extension CommandStep {
    /// The outcome of a command whose events are in the group.
    /// - Parameters:
    ///   - first: The position of the command's own event; `nil`: it has none.
    ///   - positions: Of all its events.
    func outcome(
        of decided: Decided, _ first: Int64?, _ positions: [Int64], _ group: GroupDecision,
        _ state: LedgerState
    ) throws -> Outcome {
        if let rejection = decided.verdict.rejection {
            var refused = decided.verdict.decision
            refused?.allowed = false
            return .error(.rejected(rejection, decision: refused))
        }
        var numbers: UseAnswer?
        if first != nil, decided.verdict.decision != nil {
            let last = positions.last ?? Int64.max
            let after =
                try followed(decided, by: positions.count, group, state)
                ?? context(group, state, at: decided.at, through: last)
            // Uses change no entitlement, but where they are the first that is known of the customer.
            let isUnchanged = after.hasSameCustomer(as: decided.context)
            numbers = UseAnswer(command, after, isUnchanged ? decided.verdict.entitlements : nil)
        }
        let receipt = Receipt(
            key: command.key, positions: positions, recordedAt: group.recordedAt,
            durability: store.durability, decision: decided.verdict.decision,
            variant: decided.verdict.variant, wasDoneBefore: decided.verdict.isRepeated,
            clockLead: lead(of: group.rows.last { $0.event.position == first }))
        return .receipt(PendingReceipt(receipt, numbers: numbers))
    }

    /// The same key: the first receipt again, or a conflict when the request differs (law 7).
    func repeated(
        _ row: EventRow, _ group: GroupDecision, _ state: LedgerState
    ) throws -> Outcome {
        guard row.requestDigest == command.digest else {
            return .error(
                .idempotencyConflict(key: command.key, firstPosition: row.event.position))
        }
        var positions = [row.event.position]
        var next = row.event.position + 1
        while let other = try group.row(at: next), try isCaused(other, by: row, state) {
            positions.append(next)
            next += 1
        }
        // Nothing after the command's own events is known, so that the same request gets the same answer for ever.
        let context = try context(
            group, state, at: row.event.occurredAt, through: positions.last ?? next)
        let receipt = Receipt(
            key: command.key, positions: positions, recordedAt: row.recordedAt,
            durability: store.durability, decision: nil,
            variant: try exposedVariant(row, state), clockLead: lead(of: row))
        return .receipt(PendingReceipt(receipt, numbers: UseAnswer(command, context)))
    }

    private func exposedVariant(_ row: EventRow, _ state: LedgerState) throws -> String? {
        guard case .expose = request.command else { return nil }
        return try state.recorded(row).draft.data["variant"]?.text
    }

    /// How far the ledger's clock was ahead of the one that decided, as the command's own event tells it for ever;
    /// where a client's clock decided it cannot.
    private func lead(of row: EventRow?) -> Int64 {
        guard let row, request.clientAt == nil else { return 0 }
        return LedgerClock(wall: row.event.occurredAt, last: row.recordedAt).lead
    }

    /// Whether the command wrote this event beside its own: evidence and resets name the key that they came with.
    private func isCaused(
        _ other: EventRow, by row: EventRow, _ state: LedgerState
    ) throws -> Bool {
        guard other.event.type.isEvidence || other.event.type == .usageReset,
            other.event.source == row.event.source, other.recordedAt == row.recordedAt
        else { return false }
        let stream = state.streamName(other.event.stream)
        guard stream.environment == request.environment else { return false }
        let draft = try EventDecoder.recorded(other, stream: stream, names: state.names).draft
        return draft.extras[Decider.causation]?.text == row.key
    }

    /// The case that a use was decided upon, carried on by the events that it came to: nothing else of the customer has
    /// changed.
    /// - Returns: `nil` where that does not follow, and the case must be gathered anew.
    private func followed(
        _ decided: Decided, by count: Int, _ group: GroupDecision, _ state: LedgerState
    ) throws -> CustomerCase? {
        if listsItems(state) { return nil }
        var customer = decided.context.folded
        for row in group.rows.suffix(count) {
            guard row.event.occurredAt <= decided.at, customer.accepts(row.event) else {
                return nil
            }
            customer.evolve(row.event, names: state.names)
        }
        return decided.context.with(folded: customer, names: state.names)
    }
}
