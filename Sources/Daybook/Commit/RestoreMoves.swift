import DaybookDomain
import DaybookEvents

/// Decides who owns restored lineages, and writes the events that move them.
struct RestoreMoves {
    let request: RestoreRequest
    let zones: ZoneTables
    let policy: Policies.Transfer
    /// The state with the aliases that were decided here; `nil`: none.
    private(set) var later: LedgerState?

    /// The owner of a lineage now.
    func belonging(
        of lineage: String, _ group: GroupDecision, _ state: LedgerState
    ) throws -> CaseBuilder.Belonging {
        guard let stream = state.stream(named: lineage, .lineage, in: request.environment)
        else { return CaseBuilder.Belonging() }
        return try group.belonging(of: stream, state, at: group.now)
    }

    /// Decides about a lineage whose facts are taken in; a transfer is written at once.
    /// - Parameter before: The owner before that; 0: none.
    func decide(
        _ lineage: String, before: NameID, _ group: inout GroupDecision, _ state: inout LedgerState
    ) throws -> RestoreReceipt.Lineage {
        let owner = try belonging(of: lineage, group, state).owner
        let outcome = try RestoreRule.outcome(
            before: side(before, state), now: side(owner, state), policy: policy,
            isInUse: {
                let answer = try answer(state.names[owner], group, state)
                return answer.source(ofLineage: lineage)?.isInUse ?? false
            })
        var found = RestoreReceipt.Lineage(
            name: lineage,
            product: request.statements.first { haveSameBytes($0.lineage, lineage) }?.product,
            outcome: outcome)
        // A customer whom the store's token named just now had it before it moved.
        let former = outcome == .transferred ? owner : before
        if former != 0 {
            found.ownerBefore = state.shownName(of: former, request.environment)
        }
        guard outcome == .transferred else { return found }
        let end = group.now + LineageTransfer.reversibleMilliseconds
        found.reversibleUntil = end
        let data = LineageTransfer.data(
            lineage, from: state.names[owner], to: request.subject, rule: "restore",
            reversibleUntil: end)
        try write(
            .purchaseTransferred, data, of: state.names[owner], key: "restore/\(lineage)", &group,
            &state)
        return found
    }

    /// Joins the customer with the owners of the lineages that both are to have.
    mutating func share(
        _ receipt: inout RestoreReceipt, _ group: inout GroupDecision, _ state: inout LedgerState
    ) throws {
        for index in receipt.lineages.indices where receipt.lineages[index].outcome == .shared {
            let owner = try belonging(of: receipt.lineages[index].name, group, state).owner
            // Two lineages of one owner are shared by one alias.
            guard side(owner, later ?? state) == .other else { continue }
            let event = try write(
                .subjectAliased,
                [
                    "alias": .string(request.subject), "canonical": .string(state.names[owner]),
                    "rule": "share",
                ], of: request.subject, key: "share/\(request.subject)", &group, &state)
            later = (later ?? state).joined(by: event, in: request.environment)
        }
    }

    /// Says who owns each lineage after everything, and what it gives.
    /// - Returns: What each owner has after everything, by the name under which the customer is shown.
    func finish(
        _ receipt: inout RestoreReceipt, _ group: GroupDecision, _ state: LedgerState
    ) throws -> [ExactText: EntitlementsAnswer] {
        var answers: [ExactText: EntitlementsAnswer] = [:]
        for index in receipt.lineages.indices where receipt.lineages[index].outcome != .consumable {
            let lineage = receipt.lineages[index].name
            let owner = try belonging(of: lineage, group, state).owner
            guard owner != 0 else { continue }
            let name = state.shownName(of: owner, request.environment)
            let answer = try answers[ExactText(name)] ?? answer(name, group, state)
            answers[ExactText(name)] = answer
            receipt.lineages[index].ownerAfter = name
            receipt.lineages[index].source = answer.source(ofLineage: lineage)
        }
        return answers
    }

    private func answer(
        _ subject: String, _ group: GroupDecision, _ state: LedgerState
    ) throws -> EntitlementsAnswer {
        EntitlementsAnswer(
            try zones.customerCase(subject, request.environment, group, state, at: group.now))
    }

    private func side(_ owner: NameID, _ state: LedgerState) -> RestoreRule.Owner {
        guard owner != 0 else { return .noCustomer }
        guard let id = state.customer(named: request.subject, in: request.environment) else {
            return .other
        }
        let members = state.person(CustomerKey(request.environment, id)).members
        return members.contains(owner) ? .customer : .other
    }

    /// Writes an event of the restore's own.
    /// - Parameter key: What it is about; a number follows that no event of this name has.
    @discardableResult
    private func write(
        _ type: EventType, _ data: JSONObject, of subject: String, key: String,
        _ group: inout GroupDecision, _ state: inout LedgerState
    ) throws -> Event {
        var draft = EventDraft(
            type: EventTypeName(type), version: Vocabulary.current(type)?.version ?? 1,
            environment: request.environment, subject: subject, occurredAt: group.now,
            source: EventSource(kind: "ledger", key: nil),
            trust: request.actor == nil ? .system : .admin, data: data,
            extras: JSONObject(actor: request.actor, reason: request.reason))
        let ledger = state.names.intern("ledger")
        var number = group.nextPosition
        repeat {
            draft.source.key = EventSource.boundedKey("\(key)/\(number)")
            number += 1
        } while try group.position(
            of: EventKey(request.environment, ledger, Reference(draft.source.key ?? "")), state)
            != nil
        let canonical = try EventValidator.canonical(draft)
        let stream = EventRouter.stream(of: canonical)
        var bound = AggregateBound(group.bounds)
        try bound.take(canonical, in: stream, group, state)
        group.add(
            canonical, in: stream, requestDigest: EventJSON.requestDigest(of: canonical),
            state: &state,
            isCommand: true)
        guard let event = group.rows.last?.event else {
            preconditionFailure("a group has the event that was added to it")
        }
        return event
    }
}
