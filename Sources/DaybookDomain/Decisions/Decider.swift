public import DaybookEvents

/// The outcome of a command: events to append, and the answer that the caller sees.
public struct Verdict: Sendable {
    /// To append in one commit: the command's own first, then what is written beside it; of a refusal evidence alone.
    public var events: [EventDraft]
    /// The answer after the events, for usage and reservations.
    public var decision: Decision?
    /// Why the command is refused; `nil`: it is not.
    public var rejection: Rejection?
    /// Of an exposure, what the customer sees.
    public var variant: String?
    /// Already so: nothing to append, and no refusal (a use whose ref was counted before).
    public var isRepeated = false
    /// What it was decided upon; `nil` while no catalog is published. A use changes none of it, so the numbers of its
    /// receipt are worked out from the same.
    package var entitlements: EntitlementsAnswer?
}

/// An alias that joins the customer with another id.
public struct AliasLink: Sendable, Equatable {
    /// The id with which it is joined.
    public var other: String
    /// Whether the customer is the alias of the other, not the other way round.
    public var isAlias: Bool

    /// Creates a link; nothing is checked.
    public init(other: String, isAlias: Bool) {
        self.other = other
        self.isAlias = isAlias
    }
}

/// Turns a command and a state into events or a refusal: no clock, no store, no side effect.
public final class Decider {
    let context: CustomerCase
    let request: CommandRequest
    /// The ledger's clock, or the client's under `clock: accept`.
    let now: Int64
    /// The ledger's clock in any case: how far the client's is off is told against it (T7).
    let recordedAt: Int64
    let key: String
    let zoneExists: (String) -> Bool
    /// Every id that is the same person as the subject.
    let person: [String]
    /// The ids that an alias joins with the subject directly.
    let links: [AliasLink]
    /// The lineage that the command is about; `nil` where it names none.
    let lineage: LineageCase?
    /// The code that is redeemed; `nil` where the command has none, or no promotion has it.
    let promotion: PromotionCase?

    /// The envelope's member that names the command which an event was written beside (docs/rules.md#envelope).
    public static let causation = "causation"

    /// Takes what the decision rests on; nothing is checked before `decide()`.
    /// - Parameters:
    ///   - context: Of the time `now`.
    ///   - key: Of the command's own event.
    ///   - zoneExists: Whether a text names a time zone that the ledger knows.
    public init(
        _ context: CustomerCase, _ request: CommandRequest, now: Int64, recordedAt: Int64,
        key: String, zoneExists: @escaping (String) -> Bool, person: [String], links: [AliasLink],
        lineage: LineageCase? = nil, promotion: PromotionCase? = nil
    ) {
        self.context = context
        self.request = request
        self.now = now
        self.recordedAt = recordedAt
        self.key = key
        self.zoneExists = zoneExists
        self.person = person
        self.links = links
        self.lineage = lineage
        self.promotion = promotion
    }

    /// Decides the command; a refusal stands in the verdict and is never thrown.
    public func decide() -> Verdict {
        do throws(Rejection) {
            guard let check = Check(context) else { throw .noCatalog }
            if check.catalog.policies.refusesUnknownSubjects, !context.isKnown {
                throw .unknownSubject(request.subject)
            }
            var verdict = try decide(check)
            verdict.entitlements = check.entitlements
            return verdict
        } catch {
            return Verdict(events: [], rejection: error)
        }
    }

    private func decide(_ check: Check) throws(Rejection) -> Verdict {
        let usage = UsageDecider(decider: self, check: check)
        switch request.command {
        case .consume(let meter, let amount, let ref):
            return try usage.consume(meter, amount, ref)
        case .reserve(let meter, let amount, let reservation, let timeout):
            return try usage.reserve(meter, amount, reservation, timeout)
        case .commit(let reservation, let amount):
            return try usage.settle(reservation, amount, isCommit: true)
        case .release(let reservation):
            return try usage.settle(reservation, nil, isCommit: false)
        case .reverseUsage(let target, let meter):
            return try usage.reverse(target, of: meter)
        case .resetUsage(let meter, let terms):
            return try usage.reset(meter, terms)
        case .pin(let meter, let ref):
            return try pin(meter, ref, check)
        case .expose(let experiment): return try expose(experiment, check)
        case .issueGrant(let terms): return try issue(terms, check)
        case .voidGrant(let grant, let instant):
            let id = Reference(grant)
            guard context.state.customer.grants.contains(where: { $0.id == id }) else {
                throw .unknownGrant(grant)
            }
            return verdict(
                .grantVoided, ["grant_id": .string(grant), "voided_at": .integer(instant ?? now)])
        case .redeem: return try PromotionDecider(decider: self, check: check).redeem()
        case .createProfile, .deleteProfile, .assignPurchase, .unassignPurchase:
            return try ProfileDecider(decider: self, check: check).decide()
        case .transferLineage, .undoTransfer:
            return try TransferDecider(decider: self, check: check).decide()
        case .alias(let canonical): return try alias(canonical)
        case .unalias(let canonical): return try unalias(canonical)
        case .changeTimeZone(let zone):
            guard zoneExists(zone) else { throw .unknownTimeZone(zone) }
            return verdict(.subjectTimeZoneChanged, ["tz": .string(zone)])
        case .voidEvent(let source, let key):
            return Verdict(events: [correction(.correctionVoided, source, key, nil)])
        case .amendEvent(let source, let key, let patch):
            return Verdict(events: [correction(.correctionAmended, source, key, patch)])
        case .setOverride, .clearOverride: return try override(check)
        }
    }

    /// An event of this request.
    /// - Parameter derived: The key of what is written beside the command's own event, and once; `nil`: the command's
    ///   own event, which carries the request's key.
    func event(_ type: EventType, _ data: JSONObject, key derived: String? = nil) -> EventDraft {
        var extras = JSONObject(actor: request.actor, reason: request.reason)
        if derived != nil { extras[Self.causation] = .string(key) }
        // A correction has it among its data (docs/events.md).
        if let ticket = request.ticket, !request.command.isCorrection {
            extras["ticket"] = .string(ticket)
        }
        if let clientAt = request.clientAt {
            extras["client_at"] = .integer(clientAt)
            extras["skew_ms"] = .integer(clientAt - recordedAt)
        }
        let isDebug = type == .debugOverrideSet || type == .debugOverrideCleared
        return EventDraft(
            type: EventTypeName(type), version: Vocabulary.current(type)?.version ?? 1,
            environment: request.environment, subject: request.subject,
            profile: data["profile"] == nil ? request.profile : nil, occurredAt: now,
            source: EventSource(
                kind: "ledger", key: derived.map(EventSource.boundedKey) ?? key),
            trust: isDebug ? .debug : request.actor == nil ? .system : .admin, data: data,
            extras: extras)
    }

    /// That one event is recorded, and nothing else.
    func verdict(_ type: EventType, _ data: JSONObject) -> Verdict {
        Verdict(events: [event(type, data)])
    }

    func meter(_ name: String, _ check: Check) throws(Rejection) -> Meter {
        if let meter = check.catalog.meter(counting: name) { return meter }
        throw .unknown(name, among: check.catalog.meters.map(\.name))
    }

    private func issue(
        _ terms: Command.GrantTerms, _ check: Check
    ) throws(Rejection) -> Verdict {
        let id = Reference(terms.id)
        if context.state.customer.grants.contains(where: { $0.id == id }) {
            throw .grantExists(terms.id)
        }
        if let amount = terms.amount, amount < 1 || amount > EventBounds.amountMax {
            throw .amountOutOfBounds(amount)
        }
        try checkRecurrence(terms)
        guard Command.GrantTerms.reasons.contains(terms.reason) else {
            throw .unknownWord(
                terms.reason, of: "reason of a grant", known: Command.GrantTerms.reasons)
        }
        var data: JSONObject = [
            "grant_id": .string(terms.id), "starts_at": .integer(terms.startsAt ?? now),
            "reason": .string(terms.reason),
        ]
        switch terms.target {
        case .entitlement(let name):
            guard check.catalog.entitlement(name) != nil else {
                throw .unknown(name, among: check.catalog.entitlements.map(\.name))
            }
            data["entitlement"] = .string(name)
        case .feature(let name):
            guard let feature = check.catalog.feature(named: name) else {
                throw .unknown(name, among: check.catalog.features.map(\.name))
            }
            try checkPeriods(terms, on: feature.meter.flatMap { check.catalog.meter(named: $0) })
            data["feature"] = .string(feature.name)
        case .meter(let name):
            let meter = try meter(name, check)
            try checkPeriods(terms, on: meter)
            data["meter"] = .string(meter.name)
        }
        if let amount = terms.amount { data["amount"] = .integer(amount) }
        if terms.amount == nil { data["unlimited"] = .bool(true) }
        if let end = terms.expiresAt { data["expires_at"] = .integer(end) }
        if let priority = terms.priority { data["priority"] = .integer(priority) }
        if let every = terms.every { data["every"] = .string(every) }
        if let rollover = terms.rollover {
            data["rollover"] = ["min": .integer(rollover.least), "max": .integer(rollover.most)]
        }
        var draft = event(.grantIssued, data)
        draft.profile = terms.profile ?? request.profile
        return Verdict(events: [draft])
    }

    /// Only units come again and roll over, and the least of them is not above the most.
    private func checkRecurrence(_ terms: Command.GrantTerms) throws(Rejection) {
        let words = Vocabulary.recurrences
        if let every = terms.every, !words.contains(every) {
            throw .unknownWord(every, of: "length after which units come again", known: words)
        }
        if terms.every != nil || terms.rollover != nil {
            if case .entitlement = terms.target { throw .amountOutOfBounds(0) }
            if terms.amount == nil { throw .amountOutOfBounds(0) }
        }
        let start = terms.startsAt ?? now
        if terms.every != nil, !EventBounds.times.contains(start) {
            throw .amountOutOfBounds(start)
        }
        guard let rollover = terms.rollover else { return }
        let bounds = 0...EventBounds.amountMax
        guard bounds.contains(rollover.most) else { throw .amountOutOfBounds(rollover.most) }
        guard bounds.contains(rollover.least), rollover.least <= rollover.most else {
            throw .amountOutOfBounds(rollover.least)
        }
    }

    /// With the periods of a meter that has none, units would come once and never again.
    private func checkPeriods(
        _ terms: Command.GrantTerms, on meter: Meter?
    ) throws(Rejection) {
        guard terms.every == "period", let meter, meter.period == .lifetime else { return }
        throw .wrongKind(
            meter: meter.name, kind: meter.kind.rawValue,
            use: "has no periods with which units could come again; say a length, such as P1M")
    }

    /// Whether an id is the subject's or one that is the same person.
    func isOfPerson(_ name: String) -> Bool { person.contains { haveSameBytes($0, name) } }

    private func alias(_ canonical: String) throws(Rejection) -> Verdict {
        guard !haveSameBytes(request.subject, canonical) else { throw .aliasToItself(canonical) }
        if isOfPerson(canonical) {
            throw haveSameBytes(context.subject, request.subject)
                ? .aliasCycle(request.subject, canonical: canonical)
                : .alreadyAliased(request.subject, canonical: canonical)
        }
        return verdict(
            .subjectAliased, ["alias": .string(request.subject), "canonical": .string(canonical)])
    }

    private func unalias(_ canonical: String) throws(Rejection) -> Verdict {
        guard !haveSameBytes(request.subject, canonical), isOfPerson(canonical) else {
            throw .unknownAlias(request.subject)
        }
        guard let link = links.first(where: { haveSameBytes($0.other, canonical) }) else {
            throw .indirectAlias(
                request.subject, canonical: canonical, links: links.map(\.other))
        }
        // In the words in which the alias was recorded, whichever of the two is asked about.
        let alias = link.isAlias ? request.subject : canonical
        let other = link.isAlias ? canonical : request.subject
        return verdict(
            .subjectUnaliased, ["alias": .string(alias), "canonical": .string(other)])
    }

    private func pin(
        _ name: String?, _ ref: String, _ check: Check
    ) throws(Rejection) -> Verdict {
        var data: JSONObject = ["ref": .string(ref)]
        if let name {
            let meter = try meter(name, check)
            guard meter.kind == .gauge else {
                throw .wrongKind(
                    meter: meter.name, kind: meter.kind.rawValue,
                    use: "counts nothing that could be pinned")
            }
            data["meter"] = .string(meter.name)
        } else if !check.catalog.meters.contains(where: { $0.kind == .gauge }) {
            throw .noGauge
        }
        return verdict(.gaugePinned, data)
    }

    /// The first exposure counts, whatever recorded it and whatever the catalog says by now.
    private func expose(_ name: String, _ check: Check) throws(Rejection) -> Verdict {
        let first = context.state.funnel.steps.first {
            $0.typeCode == EventType.experimentExposed.rawValue
                && haveSameBytes(context.names[$0.context], name)
        }
        if let first, first.variant != 0 {
            return Verdict(
                events: [], variant: context.names[first.variant], isRepeated: true)
        }
        guard let experiment = check.catalog.experiments.first(where: { $0.name == name }) else {
            throw .unknown(name, among: check.catalog.experiments.map(\.name))
        }
        let variant = experiment.variant(for: context.subject)
        return Verdict(
            events: [
                event(
                    .experimentExposed,
                    ["experiment": .string(name), "variant": .string(variant)])
            ], variant: variant)
    }

    private func correction(
        _ type: EventType, _ source: String, _ key: String, _ patch: JSONObject?
    ) -> EventDraft {
        var data: JSONObject = [
            "target": ["source": .string(source), "key": .string(key)],
            "reason": .string(request.reason ?? "correction"),
        ]
        if let patch { data["patch"] = .object(patch) }
        if let ticket = request.ticket { data["ticket"] = .string(ticket) }
        var draft = event(type, data)
        draft.trust = .admin
        return draft
    }

    private func override(_ check: Check) throws(Rejection) -> Verdict {
        guard request.environment != .production else { throw .overrideForbidden }
        let known = [
            "force_entitlement", "expire_trial", "clear_subscription", "reset_trial_eligibility",
        ]
        switch request.command {
        case .setOverride(let kind, let value, let expiresAt):
            guard known.contains(kind) else { throw .unknownOverride(kind) }
            if kind == "force_entitlement", let value, check.catalog.entitlement(value) == nil {
                throw .unknown(value, among: check.catalog.entitlements.map(\.name))
            }
            if let expiresAt, expiresAt <= now { throw .overrideEnded(expiresAt: expiresAt) }
            var data: JSONObject = [
                "kind": .string(kind), "actor": .string(request.actor ?? "developer"),
                // A forgotten override must not last: a day is the default (NZ-21).
                "expires_at": .integer(expiresAt ?? now + 86_400_000),
            ]
            if let value { data["value"] = .string(value) }
            return verdict(.debugOverrideSet, data)
        case .clearOverride(let kind):
            var data: JSONObject = ["actor": .string(request.actor ?? "developer")]
            if let kind {
                guard known.contains(kind) else { throw .unknownOverride(kind) }
                data["kind"] = .string(kind)
            }
            return verdict(.debugOverrideCleared, data)
        default: return Verdict(events: [])
        }
    }
}

extension JSONObject {
    /// What an event says besides its data about who asked for it, and why.
    package init(actor: String?, reason: String? = nil) {
        self.init()
        self["actor"] = actor.map(JSONValue.string)
        self["reason"] = reason.map(JSONValue.string)
    }
}
