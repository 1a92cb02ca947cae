import DaybookDomain
import DaybookEvents
import DaybookStore

/// A command with what the caller's own thread can make of it, so that the one writer need not.
struct PreparedCommand: Sendable {
    /// With the times of a patch in milliseconds.
    let request: CommandRequest
    /// What the caller wrote that no request may hold.
    let problem: EventProblem?
    /// The request's, or one made for it.
    let key: String
    /// Of the body as the caller sent it: what a later request of the same key is compared with (law 7).
    let digest: Int64

    init(_ request: CommandRequest) {
        key = request.key ?? RandomKey.make()
        digest = EventJSON.requestDigest(request.body)
        var request = request
        var problem: EventProblem?
        if case .amendEvent(let source, let key, let patch) = request.command {
            do throws(EventProblem) {
                let numbers = try PatchTimes.inMilliseconds(patch)
                request.command = .amendEvent(source: source, key: key, patch: numbers)
            } catch {
                problem = error
            }
        }
        self.request = request
        self.problem = problem
    }
}

/// Decides one command within a group: idempotency first, then the expected version, then the rules.
struct CommandStep {
    let command: PreparedCommand
    let store: any EventStore
    let zones: ZoneTables
    var request: CommandRequest { command.request }

    enum Outcome {
        case receipt(Receipt)
        case error(LedgerError)
    }

    func run(_ group: inout GroupDecision, _ state: inout LedgerState) throws -> Outcome {
        let (key, digest) = (command.key, command.digest)
        let eventKey = EventKey(
            request.environment, state.names.intern("ledger"), Reference(key))
        if let first = try group.position(of: eventKey, state), let row = try group.row(at: first),
            row.key == key
        {
            return try repeated(row, key, digest, group, state)
        }
        // A code that was redeemed is its own key: the same request again is answered like one.
        let isRedeemed = try promotionCase(nil, group, state)?.redeemedBy != nil
        if let expected = request.expectedVersion, !isRedeemed {
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
            if let problem = command.problem { throw problem }
            try CustomerName.check(request.subject, request.environment, request.profile)
            if case .transferLineage(_, let recipient) = request.command {
                try CustomerName.check(recipient, request.environment)
            }
        } catch {
            return badInput(error)
        }
        return try decide(key, digest, &group, &state)
    }

    private func badInput(_ problem: EventProblem) -> Outcome {
        .error(.badInput([InputProblem(line: nil, problem)]))
    }

    private func decide(
        _ key: String, _ digest: Int64, _ group: inout GroupDecision, _ state: inout LedgerState
    ) throws -> Outcome {
        let now = try decisionTime(group, state)
        if let error = try correctionError(group, state) { return .error(error) }
        let (verdict, context) = try verdict(key, group, state, at: now)
        var first: Int64?
        var positions: [Int64] = []
        var bound = AggregateBound(group.bounds)
        for draft in verdict.events {
            let isMain = draft.extras[Decider.causation] == nil
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
                isMain ? digest : EventJSON.requestDigest(of: canonical)
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
            let last = positions.last ?? Int64.max
            let after =
                try followed(context, by: positions.count, group, state, at: now)
                ?? self.context(group, state, at: now, through: last)
            decision = try answer(after) ?? decision
        }
        return .receipt(
            Receipt(
                key: key, positions: positions, recordedAt: group.recordedAt,
                durability: store.durability, decision: decision, variant: verdict.variant,
                wasDoneBefore: verdict.isRepeated,
                clockLead: lead(of: group.rows.last { $0.event.position == first })))
    }

    /// What the command comes to, and the case that it was decided upon, without its names: whoever held these while
    /// an event brings new ones would make the ledger copy all of them.
    private func verdict(
        _ key: String, _ group: GroupDecision, _ state: LedgerState, at now: Int64
    ) throws -> (Verdict, CustomerCase) {
        let context = try context(group, state, at: now)
        let zones = zones
        let verdict = Decider(
            context, request, now: now, recordedAt: group.now, key: key,
            zoneExists: { zones.table(named: $0) != nil },
            person: request.command.isOfIdentity ? person(state) : [],
            links: request.command.isOfIdentity ? links(state) : [],
            lineage: try lineageCase(group, state, at: now),
            promotion: try promotionCase(context.catalog(at: now)?.catalog, group, state)
        ).decide()
        return (verdict, context.with(state: context.state, names: NameTable()))
    }

    /// The ledger's clock, or the client's where the catalog accepts it, which is never ahead of ours.
    private func decisionTime(_ group: GroupDecision, _ state: LedgerState) throws -> Int64 {
        // Who owns what, and until when a code is good, is a matter of the ledger's own order; no client's clock may go
        // before it.
        guard let clientAt = request.clientAt, request.command.lineage == nil,
            !request.command.redeems
        else {
            return group.now
        }
        let context = try group.customerCase(
            state, request.environment, request.subject, at: group.now)
        let clock = context.catalog(at: group.now)?.catalog.policies.clock ?? .server
        return clock == .accept ? min(clientAt, group.now) : group.now
    }

    /// Every id that is the same person as the subject.
    func person(_ state: LedgerState) -> [String] {
        guard let id = state.customer(named: request.subject, in: request.environment) else {
            return [request.subject]
        }
        return state.identity.person(
            CustomerKey(request.environment, id), cut: Int64.max,
            corrections: state.corrections, names: state.names
        ).members.map { state.names[$0] }
    }

    /// The ids that an alias links with the subject directly.
    private func links(_ state: LedgerState) -> [AliasLink] {
        guard let id = state.customer(named: request.subject, in: request.environment) else {
            return []
        }
        return state.identity.links(
            of: CustomerKey(request.environment, id), cut: Int64.max,
            corrections: state.corrections, names: state.names
        ).map { AliasLink(other: state.names[$0.other], isAlias: $0.isAliasSide) }
    }

    /// What the command is decided upon, or an earlier answer repeated from.
    /// - Parameter last: Of this group's events, only those up to this position are known.
    private func context(
        _ group: GroupDecision, _ state: LedgerState, at instant: Int64,
        through last: Int64 = Int64.max
    ) throws -> CustomerCase {
        var context = try group.customerCase(
            state, request.environment, request.subject, at: instant, through: last)
        // Only of a gauge does the answer list what is on it.
        if listsItems(state) {
            context = try ReferenceTexts(state: state, store: store, cut: last)
                .completing(context, undecided: group.rows)
        }
        return zones.completing(context)
    }

    /// A correction must have a target. A signed fact may only be voided, and then somebody answers for it (rule 20).
    private func correctionError(
        _ group: GroupDecision, _ state: LedgerState
    ) throws -> LedgerError? {
        switch request.command {
        case .voidEvent(let source, let key):
            guard let row = try target(source, key, group, state) else {
                return .rejected(.targetUnknown(source: source, key: key), decision: nil)
            }
            guard !row.isCatalog else {
                return .rejected(.catalogUncorrectable(source: source, key: key), decision: nil)
            }
            guard row.event.trust == .verified else { return nil }
            let missing = [
                ("reason", request.reason), ("ticket", request.ticket), ("actor", request.actor),
            ].filter { $0.1?.isEmpty ?? true }.map(\.0)
            return missing.isEmpty
                ? nil
                : .rejected(
                    .signedFactNeeds(missing, source: source, key: key), decision: nil)
        case .amendEvent(let source, let key, let patch):
            guard let row = try target(source, key, group, state) else {
                return .rejected(.targetUnknown(source: source, key: key), decision: nil)
            }
            guard !row.isCatalog else {
                return .rejected(.catalogUncorrectable(source: source, key: key), decision: nil)
            }
            guard row.event.trust != .verified else {
                return .rejected(.signedFactUnamendable(source: source, key: key), decision: nil)
            }
            return try amendmentError(patch, of: row, state)
        default: return nil
        }
    }

    private func target(
        _ source: String, _ key: String, _ group: GroupDecision, _ state: LedgerState
    ) throws -> EventRow? {
        guard let id = state.names.id(of: source),
            let position = try group.position(
                of: EventKey(request.environment, id, Reference(key)), state)
        else { return nil }
        return try group.row(at: position)
    }

    /// The outcome of a patch must be an event that would have been accepted (rule 30, E76).
    private func amendmentError(
        _ patch: JSONObject, of row: EventRow, _ state: LedgerState
    ) throws -> LedgerError? {
        guard let catalog = state.catalogs.newest?.catalog else {
            return .rejected(.noCatalog, decision: nil)
        }
        let target = try EventDecoder.recorded(
            row, stream: state.streamName(row.event.stream), names: state.names)
        do throws(EventProblem) {
            _ = try CorrectionCheck(catalog: catalog).amended(target.draft, by: patch)
        } catch {
            if error.code == .forbidden {
                return .rejected(.fieldUnamendable(error.member), decision: nil)
            }
            return .badInput([
                InputProblem(
                    line: nil, column: nil, code: error.code.rawValue,
                    reason: "\(error.member): \(error.reason)")
            ])
        }
        return PatchNames.refusal(of: patch, catalog).map { .rejected($0, decision: nil) }
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
        while let other = try group.row(at: next), try isCaused(other, by: row, state) {
            positions.append(next)
            next += 1
        }
        // Nothing after the command's own events is known, so that the same request gets the same answer for ever.
        let decision = try answer(
            context(
                group, state, at: row.event.occurredAt, through: positions.last ?? next))
        return .receipt(
            Receipt(
                key: key, positions: positions, recordedAt: row.recordedAt,
                durability: store.durability, decision: decision,
                variant: try exposedVariant(row, state), clockLead: lead(of: row)))
    }

    private func exposedVariant(_ row: EventRow, _ state: LedgerState) throws -> String? {
        guard case .expose = request.command else { return nil }
        return try EventDecoder.recorded(
            row, stream: state.streamName(row.event.stream), names: state.names
        ).draft.data["variant"]?.text
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

    /// Whether the answer shows refs by name.
    private func listsItems(_ state: LedgerState) -> Bool {
        guard case .consume(let meter, _, _) = request.command else { return false }
        return state.catalogs.newest?.catalog.meter(counting: meter)?.kind == .gauge
    }

    /// The case that a use was decided upon, carried on by the events that it came to: nothing else of the customer has
    /// changed.
    /// - Returns: `nil` where that does not follow, and the case must be gathered anew.
    private func followed(
        _ context: CustomerCase, by count: Int, _ group: GroupDecision, _ state: LedgerState,
        at instant: Int64
    ) throws -> CustomerCase? {
        if listsItems(state) { return nil }
        var customer = context.state
        for row in group.rows.suffix(count) {
            guard row.event.occurredAt <= instant, customer.accepts(row.event) else { return nil }
            customer.evolve(row.event, names: state.names)
        }
        return context.with(state: customer, names: state.names)
    }

    /// The numbers after a use or a reservation, from the same rules that decided it.
    private func answer(_ context: CustomerCase) throws -> Decision? {
        let name: String
        let amount: Int64
        switch request.command {
        case .consume(let meter, let count, _): (name, amount) = (meter, count)
        case .reserve(let meter, let count, _, _): (name, amount) = (meter, count)
        default: return nil
        }
        guard let check = Check(context), let meter = check.catalog.meter(counting: name)
        else { return nil }
        var decision = try check.decide(CheckQuestion(name, amount: 0, profile: request.profile))
        // A question about the meter itself was answered with its usage.
        if check.catalog.meter(named: name)?.name != meter.name {
            decision.usage = check.usage.answer(meter, profile: request.profile)
        }
        decision.amount = amount
        return decision
    }
}

extension EventRow {
    /// Which catalog ruled when is read beside the folds; a rollback is the event that says otherwise (rule 8).
    fileprivate var isCatalog: Bool {
        event.type == .catalogPublished || event.type == .catalogRolledBack
    }
}

extension Command {
    fileprivate var redeems: Bool {
        if case .redeem = self { true } else { false }
    }

    /// Whether it is decided by who is the same person as whom.
    fileprivate var isOfIdentity: Bool {
        switch self {
        case .alias, .unalias, .transferLineage, .undoTransfer, .redeem: true
        default: false
        }
    }
}
