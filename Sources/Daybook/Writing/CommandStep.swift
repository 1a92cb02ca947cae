import DaybookDomain
import DaybookEvents
import DaybookStore

/// Decides one command within a group: idempotency first, then the expected version, then the rules.
struct CommandStep {
    let request: CommandRequest
    let store: any EventStore
    let zones: ZoneTables
    let randomKey: () -> String

    enum Outcome {
        case receipt(Receipt)
        case error(LedgerError)
    }

    func run(_ group: inout GroupDecision, _ state: inout LedgerState) throws -> Outcome {
        let key = request.key ?? randomKey()
        let digest = EventJSON.requestDigest(request.body)
        let eventKey = EventKey(
            request.environment, state.names.intern("ledger"), Reference(key))
        if let first = try group.position(of: eventKey, state), let row = try group.row(at: first),
            row.key == key
        {
            return try repeated(row, key, digest, group, state)
        }
        if let expected = request.expectedVersion {
            let name = StreamName(request.environment, .customer, request.subject)
            let stream = state.names.id(of: name.name).flatMap {
                state.streamID(name.environment, .customer, $0)
            }
            let actual = stream.map { group.head(of: $0, state).version } ?? 0
            guard actual == expected else {
                return .error(
                    .versionConflict(
                        stream: name.description, expected: expected, actual: actual))
            }
        }
        do throws(EventProblem) {
            try checkSubject()
        } catch {
            return badInput(error)
        }
        return try decide(key, digest, &group, &state)
    }

    private func badInput(_ problem: EventProblem) -> Outcome {
        .error(.badInput([InputProblem(line: nil, problem)]))
    }

    private func checkSubject() throws(EventProblem) {
        _ = try EventValidator.canonical(
            EventDraft(
                type: "app.launched", environment: request.environment, subject: request.subject,
                profile: request.profile, occurredAt: 0,
                source: EventSource(kind: "ledger", key: "probe"), trust: .system,
                data: JSONObject()))
    }

    private func decide(
        _ key: String, _ digest: Int64, _ group: inout GroupDecision, _ state: inout LedgerState
    ) throws -> Outcome {
        let now = try decisionTime(group, state)
        let question = try group.customerCase(
            state, request.environment, request.subject, at: now)
        if let error = try targetError(group, state) {
            return .error(.rejected(error, decision: nil))
        }
        let zones = zones
        let verdict = Decider(
            question, request, now: now, recordedAt: group.recordedAt, key: key,
            zoneExists: { zones.table(named: $0) != nil }, person: person(state)
        ).decide()
        var first: Int64?
        var positions: [Int64] = []
        var bound = UnitBound(eventsMax: group.eventsPerUnitMax)
        for draft in verdict.events {
            let isMain = draft.source.key == key
            let canonical: EventDraft
            do throws(EventProblem) {
                canonical = try EventValidator.canonical(draft)
            } catch {
                return badInput(error)
            }
            let name = EventKey(
                draft.environment, state.names.intern(draft.source.kind),
                Reference(draft.source.key ?? ""))
            // Evidence and resets are written once; their keys say what they are about.
            if !isMain, try group.position(of: name, state) != nil { continue }
            do throws(EventProblem) {
                try bound.take(canonical, group, state)
            } catch {
                // Evidence is left out where there is no room; the command itself comes first in its verdict.
                if isMain { return badInput(error) }
                continue
            }
            let body =
                isMain ? digest : EventJSON.requestDigest(EventJSON.object(of: canonical))
            group.add(canonical, requestDigest: body, state: &state, isCommand: true)
            let position = group.rows.last?.event.position ?? 0
            positions.append(position)
            if isMain { first = position }
        }
        if let rejection = verdict.rejection {
            return .error(.rejected(rejection, decision: verdict.decision))
        }
        var decision = verdict.decision
        if first != nil, verdict.decision != nil {
            decision = try answer(after: group, state, at: now) ?? decision
        }
        return .receipt(
            Receipt(
                key: key, positions: positions, recordedAt: group.recordedAt,
                durability: store.durability, decision: decision))
    }

    /// The ledger's clock, or the client's where the catalog accepts it, which is never ahead of ours.
    private func decisionTime(_ group: GroupDecision, _ state: LedgerState) throws -> Int64 {
        guard let clientAt = request.clientAt else { return group.recordedAt }
        let clock = state.catalogs.newest?.catalog.policies.clock ?? .server
        return clock == .accept ? min(clientAt, group.recordedAt) : group.recordedAt
    }

    /// Every id that is the same person as the subject.
    private func person(_ state: LedgerState) -> [String] {
        guard let id = state.names.id(of: request.subject) else { return [request.subject] }
        return state.identity.person(
            CustomerKey(request.environment, id), cut: Int64.max,
            corrections: state.corrections, names: state.names
        ).members.map { state.names[$0] }
    }

    /// A correction must have a target, and a signed fact may only be voided (rule 20).
    private func targetError(_ group: GroupDecision, _ state: LedgerState) throws -> Rejection? {
        let source: String
        let key: String
        var isAmending = false
        switch request.command {
        case .voidEvent(let kind, let name, _): (source, key) = (kind, name)
        case .amendEvent(let kind, let name, _, _):
            (source, key) = (kind, name)
            isAmending = true
        default: return nil
        }
        guard let id = state.names.id(of: source),
            let position = try group.position(
                of: EventKey(request.environment, id, Reference(key)), state),
            let row = try group.row(at: position)
        else { return .targetUnknown(source: source, key: key) }
        return isAmending && row.event.trust == .verified
            ? .signedFactUnamendable(source: source, key: key) : nil
    }

    /// The numbers after the event, from the same rules that decided it.
    private func answer(
        after group: GroupDecision, _ state: LedgerState, at instant: Int64
    ) throws -> Decision? {
        let name: String
        var amount: Int64 = 1
        switch request.command {
        case .consume(let meter, let count, _): (name, amount) = (meter, count)
        case .reserve(let meter, let count, _, _): (name, amount) = (meter, count)
        default: return nil
        }
        let question = try group.customerCase(
            state, request.environment, request.subject, at: instant)
        guard let check = Check(question), let meter = check.catalog.meter(counting: name)
        else { return nil }
        var decision = try check.decide(CheckQuestion(name, amount: 0, profile: request.profile))
        decision.usage = check.usage.answer(meter)
        decision.amount = amount
        return decision
    }

    /// The same key: the first receipt again, or a conflict when the body differs (law 7).
    private func repeated(
        _ row: EventRow, _ key: String, _ digest: Int64, _ group: GroupDecision,
        _ state: LedgerState
    ) throws -> Outcome {
        guard row.requestDigest == digest else {
            return .error(.idempotencyConflict(key: key, firstPosition: row.event.position))
        }
        var positions = [row.event.position]
        var next = row.event.position + 1
        // What one command wrote stands together and is written by the ledger itself.
        while let other = try group.row(at: next), other.recordedAt == row.recordedAt,
            other.event.stream == row.event.stream, other.event.source == row.event.source,
            other.event.type.isEvidence || other.event.type == .usageReset
        {
            positions.append(next)
            next += 1
        }
        var decision: Decision?
        if case .consume(let meter, let amount, _) = request.command {
            decision = try answer(asOf: positions, row, meter, amount, state)
        }
        if case .reserve(let meter, let amount, _, _) = request.command {
            decision = try answer(asOf: positions, row, meter, amount, state)
        }
        return .receipt(
            Receipt(
                key: key, positions: positions, recordedAt: row.recordedAt,
                durability: store.durability, decision: decision))
    }

    /// What was answered then: the answer as known right after the first event.
    private func answer(
        asOf positions: [Int64], _ row: EventRow, _ meter: String, _ amount: Int64,
        _ state: LedgerState
    ) throws -> Decision? {
        let question = try CaseBuilder(
            state: state, store: store, cut: positions.last ?? row.event.position,
            at: row.event.occurredAt
        ).build(request.environment, request.subject)
        guard let check = Check(question), let rule = check.catalog.meter(counting: meter) else {
            return nil
        }
        var decision = try check.decide(CheckQuestion(meter, amount: 0, profile: request.profile))
        decision.usage = check.usage.answer(rule)
        decision.amount = amount
        return decision
    }
}
