public import DaybookEvents

/// What a caller asks the ledger to do, and what it may refuse.
public enum Command: Sendable, Equatable {
    case consume(meter: String, amount: Int64, ref: String?)
    case reserve(meter: String, amount: Int64, reservation: String, timeoutMilliseconds: Int64?)
    case commit(reservation: String, amount: Int64?)
    case release(reservation: String)
    /// The target is the key or the ref of a use, or a reservation; the meter where several have it.
    case reverseUsage(target: String, meter: String? = nil)
    case resetUsage(meter: String, terms: ResetTerms = ResetTerms())
    case pin(meter: String?, ref: String)
    /// The customer is about to see an experiment: the variant of the first time, for ever (docs/rules.md#experiments).
    case expose(experiment: String)
    indirect case issueGrant(GrantTerms)
    /// From a time on; `nil`: the ledger's clock.
    case voidGrant(grant: String, at: Int64? = nil)
    /// A code of a promotion is redeemed, once for ever.
    case redeem(code: String)
    case createProfile(profile: String, kind: String, freeStartedAt: Int64?)
    case deleteProfile(profile: String)
    case assignPurchase(transaction: String, profile: String)
    case unassignPurchase(transaction: String)
    /// The subject's lineage goes to another customer; `apple:2000000123` names a lineage.
    case transferLineage(String, to: String)
    /// The latest transfer of a lineage that the subject owns now is taken back.
    case undoTransfer(lineage: String, isForced: Bool)
    case alias(to: String)
    case unalias(from: String)
    case changeTimeZone(String)
    case voidEvent(source: String, key: String)
    /// Times in the patch are milliseconds since 1970 or RFC 3339; what is recorded has milliseconds.
    case amendEvent(source: String, key: String, patch: JSONObject)
    case setOverride(kind: String, value: String?, expiresAt: Int64?)
    case clearOverride(kind: String?)

    /// Whether it names an event of the past and replaces or voids it (rule 20).
    public var isCorrection: Bool {
        switch self {
        case .voidEvent, .amendEvent: true
        default: false
        }
    }

    /// How a counter begins anew.
    public struct ResetTerms: Sendable, Equatable {
        /// `nil`: the ledger's clock.
        public var effectiveAt: Int64?
        /// Whether later periods begin when they would have anyway; else they are counted from the reset.
        public var retainsAnchor: Bool
        /// Whether what was used beyond the limit counts as used after the reset.
        public var preservesOverage: Bool

        /// Creates terms: by default from the ledger's clock on, with the anchor kept and overage not carried over.
        public init(
            effectiveAt: Int64? = nil, retainsAnchor: Bool = true, preservesOverage: Bool = false
        ) {
            self.effectiveAt = effectiveAt
            self.retainsAnchor = retainsAnchor
            self.preservesOverage = preservesOverage
        }
    }

    /// A grant of access or of units.
    public struct GrantTerms: Sendable, Equatable {
        /// What a grant gives; units for a feature count on the meter that counts the feature.
        public enum Target: Sendable, Equatable {
            case entitlement(String), feature(String), meter(String)
        }
        /// Why access or units are given (docs/events.md).
        public static let reasons = [
            "promo", "support", "beta", "migration", "compensation", "intro_period", "consumable",
        ]
        /// New for this customer: the same id again is refused.
        public var id: String
        /// The one thing that is given, by a name or alias of the catalog.
        public var target: Target
        /// `nil`: unlimited for a meter, plain access for an entitlement or a feature.
        public var amount: Int64?
        /// `nil`: the ledger's clock.
        public var startsAt: Int64?
        /// Exclusive, in milliseconds since 1970 UTC; `nil`: without end.
        public var expiresAt: Int64?
        /// 0 to 255; lower burns first.
        public var priority: Int64?
        /// The only profile that it serves; `nil`: the request's, else the whole customer.
        public var profile: String?
        /// One of `reasons`.
        public var reason: String
        /// How often the units come again: one of `Vocabulary.recurrences`; `nil`: once.
        public var every: String?
        /// The least and the most that stays of what is left, when the units come again or the meter begins anew;
        /// `nil`: of a grant that comes once all of it, of others nothing.
        public var rollover: Rollover?

        /// Bounds of what stays of a grant.
        public struct Rollover: Sendable, Equatable {
            /// The least units that stay, even where fewer were left; 0 to `most`.
            public var least: Int64
            /// The most units that stay.
            public var most: Int64

            /// Creates bounds, which are checked when the grant is decided.
            public init(least: Int64 = 0, most: Int64) {
                self.least = least
                self.most = most
            }
        }

        /// Creates terms: by default from support, from now on, without an end; checked when they are decided.
        public init(
            id: String, target: Target, amount: Int64? = nil, startsAt: Int64? = nil,
            expiresAt: Int64? = nil, priority: Int64? = nil, profile: String? = nil,
            reason: String = "support", every: String? = nil, rollover: Rollover? = nil
        ) {
            self.id = id
            self.target = target
            self.amount = amount
            self.startsAt = startsAt
            self.expiresAt = expiresAt
            self.priority = priority
            self.profile = profile
            self.reason = reason
            self.every = every
            self.rollover = rollover
        }
    }
}

/// A command with the actor who asks, the customer, and the key under which it would be asked again.
public struct CommandRequest: Sendable, Equatable {
    /// The environment in which the subject is a customer (rule 9).
    public var environment: Environment
    /// The customer, by any of its ids.
    public var subject: String
    /// What the ledger is asked to do.
    public var command: Command
    /// The same key and body again return the first receipt (law 7). `nil`: one is given.
    public var key: String?
    /// The profile that it is for; `nil`: none in particular.
    public var profile: String?
    /// Who asks, for the audit; most events have the trust `admin` with one, and `system` without.
    public var actor: String?
    /// Why it is asked, for the audit; a transfer of a lineage needs one.
    public var reason: String?
    /// Where it was decided: a reference for the audit.
    public var ticket: String?
    /// The client's clock; decides only under `clock: accept`, and is recorded with its skew anyway.
    public var clientAt: Int64?
    /// Refuse unless the customer's stream is at this version.
    public var expectedVersion: Int64?

    /// Creates a request, in production by default; nothing is checked.
    public init(
        _ command: Command, subject: String, environment: Environment = .production,
        key: String? = nil, profile: String? = nil, actor: String? = nil, reason: String? = nil,
        ticket: String? = nil, clientAt: Int64? = nil, expectedVersion: Int64? = nil
    ) {
        self.command = command
        self.subject = subject
        self.environment = environment
        self.key = key
        self.profile = profile
        self.actor = actor
        self.reason = reason
        self.ticket = ticket
        self.clientAt = clientAt
        self.expectedVersion = expectedVersion
    }
}

/// Why a command was refused: a closed list, with the numbers. It changes no customer's entitlements.
public indirect enum Rejection: Error, Sendable, Equatable {
    case limitReached(
        meter: String, limit: Int64, used: Int64, reserved: Int64, requested: Int64,
        resetsAt: Int64?)
    /// More profiles are there than a gauge allows, and this one, or none, is not among those that stay writable.
    case heldBack(
        meter: String, gauge: String, limit: Int64, used: Int64, profile: String?,
        writable: [String])
    case notEntitled(name: String, reason: DecisionReason)
    case unknownName(name: String, nearest: String?)
    case unknownSubject(String)
    case unknownProfile(String)
    case profileExists(String)
    case unknownTransaction(String)
    case productMismatch(transaction: String, product: String)
    case transactionAlreadyAssigned(transaction: String, profile: String)
    /// It went on to other profiles as often as the catalog lets it (OL-28).
    case reassignmentsUsed(transaction: String, profiles: [String], max: Int64)
    /// A family member's share that the catalog lets serve no customer, or no profile (OL-26).
    case familyNotServed(transaction: String, product: String, reason: FamilyRefusal)
    case unknownLineage(String)
    /// Another customer owns the lineage now, or none does.
    case notOwner(lineage: String, subject: String, owner: String?)
    case sameCustomer(String, String)
    /// No transfer gave the lineage to this customer, or it was taken back already.
    case nothingToUndo(lineage: String)
    /// It could be taken back until then; `nil`: the transfer promised nothing.
    case transferFinal(lineage: String, until: Int64?)
    /// A transfer needs a reason.
    case reasonNeeded
    case unknownReservation(String)
    case reservationExpired(String, expiredAt: Int64)
    case reservationClosed(String)
    case reservationExists(String)
    case grantExists(String)
    case unknownGrant(String)
    /// The text is no code of any promotion.
    case unknownCode
    case codeRedeemed(promotion: String)
    /// The customer redeemed it for another profile.
    case codeServes(promotion: String, profile: String)
    case promotionOver(promotion: String, until: Int64)
    case profileNeeded(promotion: String)
    case unknownUsage(String)
    /// Several meters have a use of this key or ref.
    case ambiguousUsage(String, meters: [String])
    /// The use was taken back; its ref counts no more (rule 12).
    case usageReversed(ref: String)
    /// A meter of this kind is not used that way.
    case wrongKind(meter: String, kind: String, use: String)
    case noGauge
    case aliasToItself(String)
    case alreadyAliased(String, canonical: String)
    case aliasCycle(String, canonical: String)
    case unknownAlias(String)
    /// They are one person, but not by an alias of the two.
    case indirectAlias(String, canonical: String, links: [String])
    case overrideForbidden
    case unknownOverride(String)
    case overrideEnded(expiresAt: Int64)
    /// A word that is none of a closed list.
    case unknownWord(String, of: String, known: [String])
    case amountOutOfBounds(Int64)
    case unknownTimeZone(String)
    case targetUnknown(source: String, key: String)
    case signedFactUnamendable(source: String, key: String)
    /// A publication is taken back by a rollback, not by a correction (rule 8).
    case catalogUncorrectable(source: String, key: String)
    /// Voiding a signed fact needs these, too (rule 20).
    case signedFactNeeds([String], source: String, key: String)
    case fieldUnamendable(String)
    case ambiguousGauge(meter: String)
    case noCatalog

    /// A stable word for scripts.
    public var code: String {
        switch self {
        case .limitReached: DecisionReason.limitReached.rawValue
        case .heldBack(_, _, _, _, let profile, _):
            profile == nil ? "profile_required" : "profile_over_limit"
        case .notEntitled(_, let reason): reason.rawValue
        case .unknownName: "unknown_name"
        case .unknownSubject: "not_found"
        case .unknownProfile: "unknown_profile"
        case .profileExists: "profile_exists"
        case .unknownTransaction: "unknown_transaction"
        case .productMismatch: "product_mismatch"
        case .transactionAlreadyAssigned: "transaction_already_assigned"
        case .reassignmentsUsed: "reassignments_used"
        case .familyNotServed(_, _, let reason): reason.rawValue
        case .unknownLineage: "unknown_line"
        case .notOwner: "not_owner"
        case .sameCustomer: "same_customer"
        case .nothingToUndo: "nothing_to_undo"
        case .transferFinal: "transfer_final"
        case .reasonNeeded: "reason_needed"
        case .unknownReservation: "unknown_reservation"
        case .reservationExpired: "reservation_expired"
        case .reservationClosed: "reservation_closed"
        case .reservationExists: "reservation_exists"
        case .grantExists: "grant_exists"
        case .unknownGrant: "unknown_grant"
        case .unknownCode: "unknown_code"
        case .codeRedeemed, .codeServes: "code_redeemed"
        case .promotionOver: "promotion_over"
        case .profileNeeded: "profile_required"
        case .unknownUsage: "unknown_usage"
        case .ambiguousUsage: "ambiguous_usage"
        case .usageReversed: "usage_reversed"
        case .wrongKind: "wrong_kind"
        case .noGauge: "no_gauge"
        case .aliasToItself: "alias_to_itself"
        case .alreadyAliased: "already_aliased"
        case .aliasCycle: "alias_cycle"
        case .unknownAlias: "unknown_alias"
        case .indirectAlias: "indirect_alias"
        case .overrideForbidden: "override_forbidden"
        case .unknownOverride: "unknown_override"
        case .overrideEnded: "override_ended"
        case .unknownWord: "unknown_word"
        case .amountOutOfBounds: "amount_out_of_bounds"
        case .unknownTimeZone: "unknown_time_zone"
        case .targetUnknown: "target_unknown"
        case .signedFactUnamendable: "signed_fact_unamendable"
        case .catalogUncorrectable: "catalog_uncorrectable"
        case .signedFactNeeds: "signed_fact_needs_ticket"
        case .fieldUnamendable: "field_unamendable"
        case .ambiguousGauge: "gauge_needs_ref"
        case .noCatalog: DecisionReason.noCatalog.rawValue
        }
    }

    /// A name that none of some names is, with the one that was probably meant.
    static func unknown(_ name: String, among names: [String]) -> Rejection {
        .unknownName(name: name, nearest: NearestName.of(name, among: names))
    }
}

extension Rejection: CustomStringConvertible {
    /// For messages: what was refused, with names and numbers, and often what to do.
    public var description: String {
        switch self {
        case .limitReached(let meter, let limit, let used, let reserved, let requested, let resets):
            "\(meter): \(used) of \(limit) used"
                + (reserved > 0 ? ", \(reserved) reserved" : "") + ", \(requested) requested"
                + (resets.map { "; more from \(RFC3339.format($0)) on" } ?? "")
        case .heldBack(let meter, let gauge, let limit, let used, let profile, let writable):
            "\(gauge): \(used) of \(limit) used, so \(meter) is only for \(writable.joined(separator: ", "))"
                + (profile.map { ", not for \($0)" } ?? "; say for which profile it is")
        case .notEntitled(let name, let reason): "\(name) is not open to this customer: \(reason)"
        case .unknownName(let name, let nearest):
            "the catalog has no \"\(name)\"\(NearestName.hint(nearest))"
        case .unknownSubject(let subject): "User not found: \(subject)"
        case .unknownProfile(let profile): "no profile \"\(profile)\"; create it first"
        case .profileExists(let profile): "the profile \"\(profile)\" exists already"
        case .unknownTransaction(let id): "this customer owns no purchase \(id)"
        case .productMismatch(let id, let product):
            "purchase \(id) is of \(product), which is not sold per profile"
        case .transactionAlreadyAssigned(let id, let profile):
            "purchase \(id) already serves profile \(profile); unassign it first or buy another"
        case .reassignmentsUsed(let id, let profiles, let max):
            "purchase \(id) has served \(profiles.joined(separator: ", ")) and may go on to another profile \(max) times at most; buy another"
        case .familyNotServed(let id, let product, let reason):
            "purchase \(id) of \(product) is shared by the family and serves no profile: \(reason)"
        case .unknownLineage(let lineage): "nothing is known of a lineage \(lineage)"
        case .notOwner(let lineage, let subject, let owner):
            "\(lineage) is not \(subject)'s: \(owner ?? "no customer") owns it now"
        case .sameCustomer(let from, let to): "\(from) and \(to) are the same customer"
        case .nothingToUndo(let lineage):
            "\(lineage) did not come to its owner by a transfer that could be taken back"
        case .transferFinal(let lineage, let until?):
            "the transfer of \(lineage) could be taken back until \(RFC3339.format(until))"
        case .transferFinal(let lineage, nil):
            "the transfer of \(lineage) was not made to be taken back"
        case .reasonNeeded: "a transfer needs a reason"
        case .unknownReservation(let id): "no reservation \(id)"
        case .reservationExpired(let id, let at):
            "reservation \(id) expired at \(RFC3339.format(at)); consume anew"
        case .reservationClosed(let id): "reservation \(id) was committed or released before"
        case .reservationExists(let id): "a reservation \(id) exists already"
        case .grantExists(let id): "a grant \(id) exists already"
        case .unknownGrant(let id): "no grant \(id)"
        case .unknownCode: "no promotion has this code"
        case .codeRedeemed(let promotion):
            "this code of \(promotion) was redeemed by another customer"
        case .codeServes(let promotion, let profile):
            "this code of \(promotion) serves \(profile) already"
        case .promotionOver(let promotion, let until):
            "codes of \(promotion) could be redeemed until \(RFC3339.format(until))"
        case .profileNeeded(let promotion):
            "a code of \(promotion) serves one profile; say which"
        case .unknownUsage(let id): "no usage with key or ref \(id)"
        case .ambiguousUsage(let id, let meters):
            "\(id) is a use of \(meters.joined(separator: " and of ")); say of which meter"
        case .usageReversed(let ref):
            "the use of \(ref) was taken back, and one ref counts once; use another ref"
        case .wrongKind(let meter, let kind, let use): "\(meter) is a \(kind): it \(use)"
        case .noGauge: "the catalog has no gauge, and only what a gauge counts can be pinned"
        case .aliasToItself(let name): "\(name) cannot be its own alias"
        case .alreadyAliased(let name, let canonical): "\(name) and \(canonical) are one already"
        case .aliasCycle(let name, let canonical):
            "\(canonical) is an alias of \(name) already; a circle is refused"
        case .unknownAlias(let name): "\(name) is no alias"
        case .indirectAlias(let name, let canonical, let links):
            "no alias joins \(name) and \(canonical) directly; \(name) is joined with \(links.joined(separator: ", ")): take that apart"
        case .overrideForbidden: "debug overrides are refused in production"
        case .unknownOverride(let kind): "no debug override \"\(kind)\""
        case .overrideEnded(let end):
            "an override until \(RFC3339.format(end)) is over already; say a later end"
        case .unknownWord(let word, let what, let known):
            "\"\(word)\" is no \(what); it is one of \(known.joined(separator: ", "))"
        case .amountOutOfBounds(let amount):
            "the amount \(amount) is outside 1 to \(EventBounds.amountMax)"
        case .unknownTimeZone(let zone): "\"\(zone)\" is no IANA time zone"
        case .targetUnknown(let source, let key): "no event with source \(source) and key \(key)"
        case .signedFactUnamendable(let source, let key):
            "\(source)/\(key) is signed: it can be voided, not amended"
        case .catalogUncorrectable(let source, let key):
            "\(source)/\(key) is a catalog, which no correction takes back; bring an older one into force"
        case .signedFactNeeds(let missing, let source, let key):
            "\(source)/\(key) is signed: voiding it needs \(missing.joined(separator: ", "))"
        case .fieldUnamendable(let field):
            "\(field) cannot be amended; void the event and record it anew"
        case .ambiguousGauge(let meter): "\(meter) is a gauge: say which one came or went"
        case .noCatalog: "the ledger has no catalog; publish one first"
        }
    }
}
