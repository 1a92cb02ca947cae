public import DaybookEvents

/// The canonical body of a request: what the caller sent, and nothing that the ledger fills in (rule 16).
///
/// ```
/// {"actor":"kim","client_at":1767225600000,"command":"consume","data":{"amount":1,"meter":"stories","ref":"s1"},
///  "environment":"production","expected_version":4,"profile":"rex","reason":"…","subject":"ada",
///  "ticket":"SUP-7","v":1}
/// ```
/// Members that the caller left out are left out. The first 64 bits of the SHA-256 of these bytes stand in the row of
/// the command's event, for ever: a retry after years must come to the same bytes. So the words here are no names of
/// the code, and a change of a word, a member or a default raises `bodyVersion` and keeps the old layout beside the new
/// one. A test holds the bytes of every command.
extension CommandRequest {
    /// The number of this layout, which stands in the member `v`.
    public static let bodyVersion: Int64 = 1

    /// The request in this layout, without the members that the caller left out.
    public var body: JSONObject {
        .given(
            ("v", .integer(Self.bodyVersion)), ("command", .string(command.word)),
            ("data", .object(members)), ("subject", .string(subject)),
            ("environment", .string(environment.name)), ("profile", .text(profile)),
            ("actor", .text(actor)), ("reason", .text(reason)),
            ("ticket", command.isCorrection ? nil : .text(ticket)),
            ("client_at", .number(clientAt)), ("expected_version", .number(expectedVersion)))
    }

    /// Of a correction the ticket is a member of the command itself.
    private var members: JSONObject {
        var members = command.members
        if command.isCorrection, let ticket { members["ticket"] = .string(ticket) }
        return members
    }
}

extension Command {
    /// The command's word in a request body.
    fileprivate var word: String {
        switch self {
        case .consume: "consume"
        case .reserve: "reserve"
        case .commit: "commit"
        case .release: "release"
        case .reverseUsage: "reverse_usage"
        case .resetUsage: "reset_usage"
        case .pin: "pin"
        case .expose: "expose"
        case .issueGrant: "issue_grant"
        case .voidGrant: "void_grant"
        case .redeem: "redeem"
        case .createProfile: "create_profile"
        case .deleteProfile: "delete_profile"
        case .assignPurchase: "assign_purchase"
        case .unassignPurchase: "unassign_purchase"
        case .transferLineage: "transfer_line"
        case .undoTransfer: "undo_transfer"
        case .alias: "alias"
        case .unalias: "unalias"
        case .changeTimeZone: "change_time_zone"
        case .voidEvent: "void_event"
        case .amendEvent: "amend_event"
        case .setOverride: "set_override"
        case .clearOverride: "clear_override"
        }
    }

    /// The command's own members in a request body.
    fileprivate var members: JSONObject {
        switch self {
        case .consume(let meter, let amount, let ref):
            .given(("meter", .text(meter)), ("amount", .number(amount)), ("ref", .text(ref)))
        case .reserve(let meter, let amount, let reservation, let timeout):
            .given(
                ("meter", .text(meter)), ("amount", .number(amount)),
                ("reservation", .text(reservation)), ("timeout_ms", .number(timeout)))
        case .commit(let reservation, let amount):
            .given(("reservation", .text(reservation)), ("amount", .number(amount)))
        case .release(let reservation): .given(("reservation", .text(reservation)))
        case .reverseUsage(let target, let meter):
            .given(("target", .text(target)), ("meter", .text(meter)))
        case .resetUsage(let meter, let terms):
            .given(
                ("meter", .text(meter)), ("effective_at", .number(terms.effectiveAt)),
                ("retain_anchor", terms.retainsAnchor ? nil : .bool(false)),
                ("preserve_overage", terms.preservesOverage ? .bool(true) : nil))
        case .pin(let meter, let ref): .given(("meter", .text(meter)), ("ref", .text(ref)))
        case .expose(let experiment): .given(("experiment", .text(experiment)))
        case .issueGrant(let terms): terms.members
        case .voidGrant(let grant, let instant):
            .given(("grant", .text(grant)), ("voided_at", .number(instant)))
        case .redeem(let code): .given(("code", .text(code)))
        case .createProfile(let profile, let kind, let freeStartedAt):
            .given(
                ("profile", .text(profile)), ("kind", .text(kind)),
                ("free_started_at", .number(freeStartedAt)))
        case .deleteProfile(let profile): .given(("profile", .text(profile)))
        case .assignPurchase(let transaction, let profile):
            .given(("transaction", .text(transaction)), ("profile", .text(profile)))
        case .unassignPurchase(let transaction): .given(("transaction", .text(transaction)))
        case .transferLineage(let lineage, let recipient):
            .given(("line", .text(lineage)), ("to", .text(recipient)))
        case .undoTransfer(let lineage, let isForced):
            .given(("line", .text(lineage)), ("force", isForced ? .bool(true) : nil))
        case .alias(let canonical): .given(("to", .text(canonical)))
        case .unalias(let canonical): .given(("from", .text(canonical)))
        case .changeTimeZone(let zone): .given(("tz", .text(zone)))
        case .voidEvent(let source, let key):
            .given(("source", .text(source)), ("key", .text(key)))
        case .amendEvent(let source, let key, let patch):
            .given(("source", .text(source)), ("key", .text(key)), ("patch", .object(patch)))
        case .setOverride(let kind, let value, let expiresAt):
            .given(
                ("kind", .text(kind)), ("value", .text(value)), ("expires_at", .number(expiresAt)))
        case .clearOverride(let kind): .given(("kind", .text(kind)))
        }
    }
}

extension Command.GrantTerms {
    fileprivate var members: JSONObject {
        let what: (String, JSONValue?) =
            switch target {
            case .entitlement(let name): ("entitlement", .text(name))
            case .feature(let name): ("feature", .text(name))
            case .meter(let name): ("meter", .text(name))
            }
        return .given(
            ("id", .text(id)), what, ("amount", .number(amount)),
            ("starts_at", .number(startsAt)), ("expires_at", .number(expiresAt)),
            ("priority", .number(priority)), ("profile", .text(profile)), ("reason", .text(reason)),
            ("every", .text(every)), ("rollover_min", .number(rollover?.least)),
            ("rollover_max", .number(rollover?.most)))
    }
}

extension JSONObject {
    /// The members that were given; absent ones are left out.
    fileprivate static func given(_ members: (name: String, value: JSONValue?)...) -> JSONObject {
        JSONObject(
            members.compactMap { member in
                member.value.map { Member(name: member.name, value: $0) }
            })
    }
}

extension JSONValue? {
    fileprivate static func text(_ text: String?) -> JSONValue? { text.map(JSONValue.string) }
    fileprivate static func number(_ number: Int64?) -> JSONValue? {
        number.map(JSONValue.integer)
    }
}
