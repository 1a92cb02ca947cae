import DaybookDomain
import DaybookEvents
import DaybookStore

/// A command with what the caller's own thread can make of it, so that the one writer need not.
///
/// A reference: it is handed on several times, and a copy of a request counts the references of thirty texts.
final class PreparedCommand: Sendable {
    /// With the times of a patch in milliseconds.
    let request: CommandRequest
    /// What the caller wrote that no request may hold: a patch, or the name of a customer.
    let problem: EventProblem?
    /// The request's, or one made for it.
    let key: String
    /// Of the request as the caller sent it: what a later request with the same key is compared with (law 7).
    let digest: Int64

    init(_ request: CommandRequest) {
        key = request.key ?? RandomKey.make()
        digest = EventJSON.requestDigest(request.body)
        guard case .amendEvent(let source, let key, let patch) = request.command else {
            self.request = request
            problem = Self.problem(of: request)
            return
        }
        var amending = request
        var problem: EventProblem?
        do throws(EventProblem) {
            let numbers = try PatchTimes.inMilliseconds(patch)
            amending.command = .amendEvent(source: source, key: key, patch: numbers)
        } catch {
            problem = error
        }
        self.request = amending
        self.problem = problem ?? Self.problem(of: request)
    }

    /// What no event of its customers would be accepted with.
    private static func problem(of request: CommandRequest) -> EventProblem? {
        do throws(EventProblem) {
            try CustomerName.check(request.subject, profile: request.profile)
            if case .transferLineage(_, let recipient) = request.command {
                try CustomerName.check(recipient)
            }
            return nil
        } catch {
            return error
        }
    }
}

/// Decides one command within a group: idempotency first, then the expected version, then the rules.
struct CommandStep {
    let command: PreparedCommand
    let store: any EventStore
    let zones: ZoneTables
    /// Lent without a copy.
    var request: CommandRequest {
        _read { yield command.request }
    }

    enum Outcome {
        case receipt(PendingReceipt)
        case error(LedgerError)
    }

    /// - Parameter foreseen: What was decided beside others of the group.
    func run(
        _ group: inout GroupDecision, _ state: inout LedgerState, foreseen: Foreseen? = nil
    ) throws -> Outcome {
        let eventKey = EventKey(
            request.environment, state.names.intern("ledger"), Reference(command.key))
        if let first = try group.position(of: eventKey, state), let row = try group.row(at: first),
            row.key == command.key
        {
            return try repeated(row, group, state)
        }
        let promotion = try promotionCase(group, state)
        // A code that was redeemed is its own key: the same request again is answered like one.
        if let expected = request.expectedVersion, promotion?.redeemedBy == nil {
            let name = StreamName(request.environment, .customer, request.subject)
            let stream = state.stream(named: name.name, .customer, in: name.environment)
            let actual = stream.map { group.head(of: $0, state).version } ?? 0
            guard actual == expected else {
                return .error(
                    .versionConflict(
                        stream: name.description, expected: expected, actual: actual))
            }
        }
        if let problem = command.problem { return .error(.bad(problem)) }
        return try decide(promotion, foreseen, &group, &state)
    }

    /// What the command comes to, and upon what that was decided.
    struct Decided: Sendable {
        let verdict: Verdict
        /// The time of its events.
        let at: Int64
        /// Without its names: while these are held, an event that brings new ones copies the last layer of them.
        let context: CustomerCase
    }

    private func decide(
        _ promotion: PromotionCase?, _ foreseen: Foreseen?, _ group: inout GroupDecision,
        _ state: inout LedgerState
    ) throws -> Outcome {
        var foreseen = foreseen
        if let known = foreseen, !known.stands(group, state) { foreseen = nil }
        let decided: Decided
        if let foreseen {
            decided = foreseen.decided
        } else {
            switch try verdict(promotion, group, state) {
            case .success(let made): decided = made
            case .failure(let error): return .error(error)
            }
        }
        var first: Int64?
        var positions: [Int64] = []
        var bound = AggregateBound(group.bounds)
        for (index, draft) in decided.verdict.events.enumerated() {
            let isMain = Self.isMain(draft)
            let canonical: EventDraft
            if let event = foreseen?.events[index] {
                canonical = event.draft
            } else {
                do throws(EventProblem) {
                    canonical = try EventValidator.canonical(draft)
                } catch {
                    return .error(.bad(error))
                }
            }
            // Evidence and resets are written once; their keys say what they are about.
            if !isMain, try isWritten(draft, group, &state) { continue }
            let stream = foreseen?.events[index].stream ?? EventRouter.stream(of: canonical)
            do throws(EventProblem) {
                try bound.take(canonical, in: stream, group, state)
            } catch {
                // Evidence is left out where the aggregate is full; the command itself comes first in its verdict.
                if isMain { return .error(.bad(error)) }
                continue
            }
            let number = state.internStream(stream)
            let version = group.head(of: number, state).version + 1
            if let event = foreseen?.events[index], event.draft.sequence == version {
                group.add(event, number, state: &state)
            } else {
                group.add(
                    encoded(canonical, in: stream, version, group.digest), number, state: &state)
            }
            let position = group.rows.last?.event.position ?? 0
            positions.append(position)
            if isMain { first = position }
        }
        return try outcome(of: decided, first, positions, group, state)
    }

    private func isWritten(
        _ draft: EventDraft, _ group: GroupDecision, _ state: inout LedgerState
    ) throws -> Bool {
        let name = EventKey(
            draft.environment, state.names.intern(draft.source.kind),
            Reference(draft.source.key ?? ""))
        return try group.position(of: name, state) != nil
    }

    /// Whether it is the command's own event, not what is written beside it.
    static func isMain(_ draft: EventDraft) -> Bool { draft.extras[Decider.causation] == nil }

    /// An event of the command as it will be written.
    /// - Parameter version: The stream's, once the event is in it: the ledger's own commands keep their order by the
    ///   version at which they were first recorded (rule 2).
    func encoded(
        _ canonical: EventDraft, in stream: StreamName, _ version: Int64, _ digest: RowDigest
    ) -> EncodedEvent {
        var draft = canonical
        draft.sequence = nil
        let requestDigest =
            Self.isMain(draft) ? command.digest : EventJSON.requestDigest(of: draft)
        draft.sequence = version
        return EncodedEvent(draft, in: stream, requestDigest: requestDigest, digest)
    }

    /// - Parameter gathered: The customer at the time of the group's decisions, where that is at hand.
    func verdict(
        _ promotion: PromotionCase?, _ group: GroupDecision, _ state: LedgerState,
        gathered: CustomerCase? = nil
    ) throws -> Result<Decided, LedgerError> {
        let (now, atClock) = try decisionTime(group, state)
        if let error = try correctionError(group, state) { return .failure(error) }
        let context = try context(
            group, state, at: now, gathered: atClock ?? (now == group.now ? gathered : nil))
        let isOfIdentity = request.command.isOfIdentity
        let person = isOfIdentity ? person(state) : []
        var promotion = promotion
        promotion?.find(in: context.catalog(at: now)?.catalog)
        let zones = zones
        let verdict = Decider(
            context, request, now: now, recordedAt: group.now, key: command.key,
            zoneExists: { zones.table(named: $0) != nil }, person: person,
            links: isOfIdentity ? links(state) : [],
            lineage: try lineageCase(of: person, group, state, at: now), promotion: promotion
        ).decide()
        return .success(
            Decided(
                verdict: verdict, at: now,
                context: context.with(folded: context.folded, names: NameTable())))
    }

    /// The ledger's clock, or the client's where the catalog accepts it, which is never ahead of ours.
    /// - Returns: The time, and the customer at it where that was asked to find out; `nil`: not gathered yet.
    private func decisionTime(
        _ group: GroupDecision, _ state: LedgerState
    ) throws -> (at: Int64, gathered: CustomerCase?) {
        // Who owns what, and until when a code is good, is a matter of the ledger's own order; no client's clock may go
        // before it.
        guard let clientAt = request.clientAt, request.command.lineage == nil,
            !request.command.redeems
        else {
            return (group.now, nil)
        }
        let gathered = try group.customerCase(
            state, request.environment, request.subject, at: group.now)
        let clock = gathered.catalog(at: group.now)?.catalog.policies.clock ?? .server
        guard clock == .accept, clientAt < group.now else { return (group.now, gathered) }
        return (clientAt, nil)
    }

    /// Every ID of the subject's person.
    func person(_ state: LedgerState) -> [String] {
        state.namesOfPerson(request.subject, in: request.environment)
    }

    /// The IDs that an alias links with the subject directly.
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
    /// - Parameters:
    ///   - last: Of this group's events, only those up to this position are known.
    ///   - gathered: The customer at this time, with all that the group has, where that is at hand.
    func context(
        _ group: GroupDecision, _ state: LedgerState, at instant: Int64,
        through last: Int64 = Int64.max, gathered: CustomerCase? = nil
    ) throws -> CustomerCase {
        var context =
            try gathered
            ?? group.customerCase(
                state, request.environment, request.subject, at: instant, through: last)
        // Only of a gauge does the answer list what is on it.
        if listsItems(state) {
            context = try ReferenceTexts(state: state, store: store, cut: last)
                .completing(context, undecided: group.rows)
        }
        return zones.completing(context)
    }

    /// Whether the answer shows refs by name.
    func listsItems(_ state: LedgerState) -> Bool {
        guard case .consume(let meter, _, _) = request.command else { return false }
        return state.catalogs.newest?.catalog.meter(counting: meter)?.kind == .gauge
    }

    /// A correction must have a target. A signed fact may only be voided, and then with a reason, a ticket and an
    /// actor (rule 20).
    private func correctionError(
        _ group: GroupDecision, _ state: LedgerState
    ) throws -> LedgerError? {
        let (source, key): (String, String)
        var patch: JSONObject?
        switch request.command {
        case .voidEvent(let told, let name): (source, key) = (told, name)
        case .amendEvent(let told, let name, let change):
            (source, key, patch) = (told, name, change)
        default: return nil
        }
        guard let row = try target(source, key, group, state) else {
            return .rejected(.targetUnknown(source: source, key: key), decision: nil)
        }
        guard !row.isCatalog else {
            return .rejected(.catalogUncorrectable(source: source, key: key), decision: nil)
        }
        let isSigned = row.event.trust == .verified
        if let patch {
            return isSigned
                ? .rejected(.signedFactUnamendable(source: source, key: key), decision: nil)
                : try amendmentError(patch, of: row, state)
        }
        let missing = [
            ("reason", request.reason), ("ticket", request.ticket), ("actor", request.actor),
        ].filter { $0.1?.isEmpty ?? true }.map(\.0)
        return isSigned && !missing.isEmpty
            ? .rejected(.signedFactNeeds(missing, source: source, key: key), decision: nil) : nil
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
        let target = try state.recorded(row)
        do throws(EventProblem) {
            _ = try CorrectionCheck(catalog: catalog).amended(target.draft, by: patch)
        } catch {
            if error.code == .forbidden {
                return .rejected(.fieldUnamendable(error.member), decision: nil)
            }
            return .bad(error.code.rawValue, "\(error.member): \(error.reason)")
        }
        return PatchNames.refusal(of: patch, catalog).map { .rejected($0, decision: nil) }
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

    /// Whether it is decided by which IDs belong to one person.
    var isOfIdentity: Bool {
        switch self {
        case .alias, .unalias, .transferLineage, .undoTransfer, .redeem: true
        default: false
        }
    }
}
