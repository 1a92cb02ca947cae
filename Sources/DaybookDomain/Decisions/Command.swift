public import DaybookEvents

/// What somebody asks the ledger to do, and what it may refuse.
public enum Command: Sendable, Equatable {
    case consume(meter: String, amount: Int64, ref: String?)
    case reserve(meter: String, amount: Int64, reservation: String, timeoutMilliseconds: Int64?)
    case commit(reservation: String, amount: Int64?)
    case release(reservation: String)
    case reverseUsage(target: String)
    case resetUsage(meter: String)
    case pin(meter: String?, ref: String)
    case issueGrant(GrantTerms)
    case voidGrant(grant: String)
    case createProfile(profile: String, kind: String, freeStartedAt: Int64?)
    case deleteProfile(profile: String)
    case assignPurchase(transaction: String, profile: String)
    case unassignPurchase(transaction: String)
    case alias(to: String)
    case unalias(from: String)
    case changeTimeZone(String)
    case voidEvent(source: String, key: String, ticket: String?)
    case amendEvent(source: String, key: String, patch: JSONObject, ticket: String?)
    case setOverride(kind: String, value: String?, expiresAt: Int64?)
    case clearOverride(kind: String?)

    /// A grant of access or of units.
    public struct GrantTerms: Sendable, Equatable {
        public enum Target: Sendable, Equatable {
            case entitlement(String), feature(String), meter(String)
        }
        public var id: String
        public var target: Target
        /// `nil`: unlimited for a meter, plain access for an entitlement or a feature.
        public var amount: Int64?
        /// `nil`: the ledger's clock.
        public var startsAt: Int64?
        public var expiresAt: Int64?
        /// 0 to 255; lower burns first.
        public var priority: Int64?
        public var profile: String?
        /// `promo`, `support`, `beta`, `migration`, `compensation`.
        public var reason: String

        public init(
            id: String, target: Target, amount: Int64? = nil, startsAt: Int64? = nil,
            expiresAt: Int64? = nil, priority: Int64? = nil, profile: String? = nil,
            reason: String = "support"
        ) {
            self.id = id
            self.target = target
            self.amount = amount
            self.startsAt = startsAt
            self.expiresAt = expiresAt
            self.priority = priority
            self.profile = profile
            self.reason = reason
        }
    }
}

/// A command with who asks, for whom, and under which name they would ask again.
public struct CommandRequest: Sendable, Equatable {
    public var environment: Environment
    public var subject: String
    public var command: Command
    /// The same key and body again return the first receipt (law 7). `nil`: one is given.
    public var key: String?
    public var profile: String?
    public var actor: String?
    public var reason: String?
    /// The client's clock; decides only under `clock: accept`, and is recorded with its skew anyway.
    public var clientAt: Int64?
    /// Refuse unless the customer's stream is at this version.
    public var expectedVersion: Int64?

    public init(
        _ command: Command, subject: String, environment: Environment = .production,
        key: String? = nil, profile: String? = nil, actor: String? = nil, reason: String? = nil,
        clientAt: Int64? = nil, expectedVersion: Int64? = nil
    ) {
        self.command = command
        self.subject = subject
        self.environment = environment
        self.key = key
        self.profile = profile
        self.actor = actor
        self.reason = reason
        self.clientAt = clientAt
        self.expectedVersion = expectedVersion
    }

    /// What the caller sent, as one canonical object: equal requests have equal bodies (rule 16).
    public var body: JSONObject {
        [
            "command": .string(String(describing: command)), "subject": .string(subject),
            "environment": .string(environment.name),
            "profile": profile.map(JSONValue.string) ?? .null,
            "client_at": clientAt.map(JSONValue.integer) ?? .null,
        ]
    }
}

/// Why a command was refused: a closed list, with the numbers. It changes nothing that anybody is entitled to.
public enum Rejection: Error, Sendable, Equatable {
    case limitReached(
        meter: String, limit: Int64, used: Int64, reserved: Int64, requested: Int64,
        resetsAt: Int64?)
    case notEntitled(name: String, reason: String)
    case unknownName(name: String, nearest: String?)
    case unknownSubject(String)
    case unknownProfile(String)
    case profileExists(String)
    case unknownTransaction(String)
    case productMismatch(transaction: String, product: String)
    case transactionAlreadyAssigned(transaction: String, profile: String)
    /// A family member's share that the catalog lets serve nobody, or no profile (OL-26).
    case familyNotServed(transaction: String, product: String, reason: String)
    case unknownReservation(String)
    case reservationExpired(String, expiredAt: Int64)
    case reservationClosed(String)
    case reservationExists(String)
    case grantExists(String)
    case unknownGrant(String)
    case unknownUsage(String)
    case aliasToItself(String)
    case alreadyAliased(String, canonical: String)
    case aliasCycle(String, canonical: String)
    case unknownAlias(String)
    case overrideForbidden
    case unknownOverride(String)
    case amountOutOfBounds(Int64)
    case unknownTimeZone(String)
    case targetUnknown(source: String, key: String)
    case signedFactUnamendable(source: String, key: String)
    case fieldUnamendable(String)
    case ambiguousGauge(meter: String)
    case noCatalog

    /// A stable word for scripts.
    public var code: String {
        switch self {
        case .limitReached: "limit_reached"
        case .notEntitled(_, let reason): reason
        case .unknownName: "unknown_name"
        case .unknownSubject: "not_found"
        case .unknownProfile: "unknown_profile"
        case .profileExists: "profile_exists"
        case .unknownTransaction: "unknown_transaction"
        case .productMismatch: "product_mismatch"
        case .transactionAlreadyAssigned: "transaction_already_assigned"
        case .familyNotServed(_, _, let reason): reason
        case .unknownReservation: "unknown_reservation"
        case .reservationExpired: "reservation_expired"
        case .reservationClosed: "reservation_closed"
        case .reservationExists: "reservation_exists"
        case .grantExists: "grant_exists"
        case .unknownGrant: "unknown_grant"
        case .unknownUsage: "unknown_usage"
        case .aliasToItself: "alias_to_itself"
        case .alreadyAliased: "already_aliased"
        case .aliasCycle: "alias_cycle"
        case .unknownAlias: "unknown_alias"
        case .overrideForbidden: "override_forbidden"
        case .unknownOverride: "unknown_override"
        case .amountOutOfBounds: "amount_out_of_bounds"
        case .unknownTimeZone: "unknown_time_zone"
        case .targetUnknown: "target_unknown"
        case .signedFactUnamendable: "signed_fact_unamendable"
        case .fieldUnamendable: "field_unamendable"
        case .ambiguousGauge: "gauge_needs_ref"
        case .noCatalog: "no_catalog"
        }
    }
}

extension Rejection: CustomStringConvertible {
    public var description: String {
        switch self {
        case .limitReached(let meter, let limit, let used, let reserved, let requested, let resets):
            "\(meter): \(used) of \(limit) used"
                + (reserved > 0 ? ", \(reserved) reserved" : "") + ", \(requested) requested"
                + (resets.map { "; more from \(RFC3339.format($0)) on" } ?? "")
        case .notEntitled(let name, let reason): "\(name) is not open to this customer: \(reason)"
        case .unknownName(let name, let nearest):
            "the catalog has no \"\(name)\"" + (nearest.map { "; did you mean \"\($0)\"?" } ?? "")
        case .unknownSubject(let subject): "User not found: \(subject)"
        case .unknownProfile(let profile): "no profile \"\(profile)\"; create it first"
        case .profileExists(let profile): "the profile \"\(profile)\" exists already"
        case .unknownTransaction(let id): "this customer owns no purchase \(id)"
        case .productMismatch(let id, let product):
            "purchase \(id) is of \(product), which is not sold per profile"
        case .transactionAlreadyAssigned(let id, let profile):
            "purchase \(id) already serves profile \(profile); unassign it first or buy another"
        case .familyNotServed(let id, let product, let reason):
            "purchase \(id) of \(product) is shared by the family and serves no profile: \(reason)"
        case .unknownReservation(let id): "no reservation \(id)"
        case .reservationExpired(let id, let at):
            "reservation \(id) expired at \(RFC3339.format(at)); consume anew"
        case .reservationClosed(let id): "reservation \(id) was committed or released before"
        case .reservationExists(let id): "a reservation \(id) exists already"
        case .grantExists(let id): "a grant \(id) exists already"
        case .unknownGrant(let id): "no grant \(id)"
        case .unknownUsage(let id): "no usage with key or ref \(id)"
        case .aliasToItself(let name): "\(name) cannot be its own alias"
        case .alreadyAliased(let name, let canonical): "\(name) and \(canonical) are one already"
        case .aliasCycle(let name, let canonical):
            "\(canonical) is an alias of \(name) already; a circle is refused"
        case .unknownAlias(let name): "\(name) is no alias"
        case .overrideForbidden: "debug overrides are refused in production; use --env sandbox"
        case .unknownOverride(let kind): "no debug override \"\(kind)\""
        case .amountOutOfBounds(let amount):
            "the amount \(amount) is outside 1 to \(EventBounds.amountMax)"
        case .unknownTimeZone(let zone): "\"\(zone)\" is no IANA time zone"
        case .targetUnknown(let source, let key): "no event with source \(source) and key \(key)"
        case .signedFactUnamendable(let source, let key):
            "\(source)/\(key) is signed: it can be voided, not amended"
        case .fieldUnamendable(let field):
            "\(field) cannot be amended; void the event and record it anew"
        case .ambiguousGauge(let meter): "\(meter) is a gauge: say which one with --ref"
        case .noCatalog: "the ledger has no catalog; publish one first"
        }
    }
}
