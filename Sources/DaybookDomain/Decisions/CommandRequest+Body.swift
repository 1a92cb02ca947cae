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
        var (word, members) = command.named
        // Of a correction the ticket is a member of the command itself.
        if command.isCorrection, let ticket { members["ticket"] = .string(ticket) }
        // In the order of the names, so that nothing must be sorted.
        return .given([
            ("actor", .text(actor)), ("client_at", .number(clientAt)), ("command", .string(word)),
            ("data", .object(members)), ("environment", .string(environment.name)),
            ("expected_version", .number(expectedVersion)), ("profile", .text(profile)),
            ("reason", .text(reason)), ("subject", .string(subject)),
            ("ticket", command.isCorrection ? nil : .text(ticket)),
            ("v", .integer(Self.bodyVersion)),
        ])
    }
}

extension Command {
    /// The command's word in a request body, and its own members there.
    fileprivate var named: (word: String, members: JSONObject) {
        switch self {
        case .consume(let meter, let amount, let ref):
            Self.named(
                "consume", ("amount", .number(amount)), ("meter", .text(meter)), ("ref", .text(ref))
            )
        case .reserve(let meter, let amount, let reservation, let timeout):
            Self.named(
                "reserve", ("amount", .number(amount)), ("meter", .text(meter)),
                ("reservation", .text(reservation)), ("timeout_ms", .number(timeout)))
        case .commit(let reservation, let amount):
            Self.named("commit", ("amount", .number(amount)), ("reservation", .text(reservation)))
        case .release(let reservation): Self.named("release", ("reservation", .text(reservation)))
        case .reverseUsage(let target, let meter):
            Self.named("reverse_usage", ("target", .text(target)), ("meter", .text(meter)))
        case .resetUsage(let meter, let terms):
            Self.named(
                "reset_usage", ("meter", .text(meter)),
                ("effective_at", .number(terms.effectiveAt)),
                ("retain_anchor", terms.retainsAnchor ? nil : .bool(false)),
                ("preserve_overage", terms.preservesOverage ? .bool(true) : nil))
        case .pin(let meter, let ref):
            Self.named("pin", ("meter", .text(meter)), ("ref", .text(ref)))
        case .expose(let experiment): Self.named("expose", ("experiment", .text(experiment)))
        case .issueGrant(let terms): ("issue_grant", terms.members)
        case .voidGrant(let grant, let instant):
            Self.named("void_grant", ("grant", .text(grant)), ("voided_at", .number(instant)))
        case .redeem(let code): Self.named("redeem", ("code", .text(code)))
        case .createProfile(let profile, let kind, let freeStartedAt):
            Self.named(
                "create_profile", ("profile", .text(profile)), ("kind", .text(kind)),
                ("free_started_at", .number(freeStartedAt)))
        case .deleteProfile(let profile): Self.named("delete_profile", ("profile", .text(profile)))
        case .assignPurchase(let transaction, let profile):
            Self.named(
                "assign_purchase", ("transaction", .text(transaction)), ("profile", .text(profile)))
        case .unassignPurchase(let transaction):
            Self.named("unassign_purchase", ("transaction", .text(transaction)))
        case .transferLineage(let lineage, let recipient):
            Self.named("transfer_line", ("line", .text(lineage)), ("to", .text(recipient)))
        case .undoTransfer(let lineage, let isForced):
            Self.named(
                "undo_transfer", ("line", .text(lineage)), ("force", isForced ? .bool(true) : nil))
        case .alias(let canonical): Self.named("alias", ("to", .text(canonical)))
        case .unalias(let canonical): Self.named("unalias", ("from", .text(canonical)))
        case .changeTimeZone(let zone): Self.named("change_time_zone", ("tz", .text(zone)))
        case .voidEvent(let source, let key):
            Self.named("void_event", ("source", .text(source)), ("key", .text(key)))
        case .amendEvent(let source, let key, let patch):
            Self.named(
                "amend_event", ("source", .text(source)), ("key", .text(key)),
                ("patch", .object(patch)))
        case .setOverride(let kind, let value, let expiresAt):
            Self.named(
                "set_override", ("kind", .text(kind)), ("value", .text(value)),
                ("expires_at", .number(expiresAt)))
        case .clearOverride(let kind): Self.named("clear_override", ("kind", .text(kind)))
        }
    }

    private static func named(
        _ word: String, _ members: (name: String, value: JSONValue?)...
    ) -> (word: String, members: JSONObject) {
        (word, .given(members))
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
        return .given([
            ("id", .text(id)), what, ("amount", .number(amount)),
            ("starts_at", .number(startsAt)), ("expires_at", .number(expiresAt)),
            ("priority", .number(priority)), ("profile", .text(profile)), ("reason", .text(reason)),
            ("every", .text(every)), ("rollover_min", .number(rollover?.least)),
            ("rollover_max", .number(rollover?.most)),
        ])
    }
}

extension JSONObject {
    /// The members that were given; absent ones are left out.
    fileprivate static func given(_ members: [(name: String, value: JSONValue?)]) -> JSONObject {
        var given: [Member] = []
        given.reserveCapacity(members.count)
        for (name, value) in members {
            if let value { given.append(Member(name: name, value: value)) }
        }
        return JSONObject(given)
    }
}

extension JSONValue? {
    fileprivate static func text(_ text: String?) -> JSONValue? { text.map(JSONValue.string) }
    fileprivate static func number(_ number: Int64?) -> JSONValue? {
        number.map(JSONValue.integer)
    }
}
