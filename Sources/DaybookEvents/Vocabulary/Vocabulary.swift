/// The table of everything that can happen: the single source of validation, JSON Schemas, columns and slots.
public enum Vocabulary {
    /// Every version of every type, oldest version first within a type.
    public static let schemas: [EventSchema] =
        identity + purchases + subscriptions + grants + usage + gates + catalogs + analytics
        + corrections + debug

    /// The same by name, number and version.
    public static let table = SchemaTable(schemas)

    /// The newest schema of a type; `nil` for `unknown`.
    public static func current(_ type: EventType) -> EventSchema? {
        table.current(code: type.rawValue)
    }

    /// The schema of one version of a named type; `nil` when this build does not know it.
    public static func schema(named name: String, version: Int) -> EventSchema? {
        table.schema(named: name, version: version)
    }

    /// The same by the name of a draft's type.
    public static func schema(named name: EventTypeName, version: Int) -> EventSchema? {
        table.schema(named: name.rawValue, version: version)
    }

    /// Whether some version of the name is known.
    public static func isKnown(_ name: String) -> Bool { table.isKnown(name) }

    /// The same by the name of a draft's type.
    public static func isKnown(_ name: EventTypeName) -> Bool { table.isKnown(name.rawValue) }

    /// The wire name of a type.
    public static func name(of type: EventType) -> String { current(type)?.name ?? "unknown" }

    /// The names of all types.
    public static let names: Set<String> = Set(schemas.map(\.name))

    static let identity: [EventSchema] = [
        EventSchema(
            .subjectCreated, "subject.created", "A customer was first seen.",
            [
                EventField("first_seen_at", .time, .timeA, required: true),
                EventField("tz", .text, .nameA, "IANA zone"),
                EventField("locale", .text), EventField("country", .text),
            ]),
        EventSchema(
            .subjectTimeZoneChanged, "subject.tz_changed",
            "A customer's time zone changed; it rules from the next period on.",
            [EventField("tz", .text, .nameA, required: true, "IANA zone")]),
        EventSchema(
            .subjectAliased, "subject.aliased", "Two ids are one person.",
            [
                EventField("alias", .text, .nameA, required: true),
                EventField("canonical", .text, .nameB, required: true),
                EventField("rule", .text),
            ]),
        EventSchema(
            .subjectUnaliased, "subject.unaliased", "An alias was a mistake.",
            [
                EventField("alias", .text, .nameA, required: true),
                EventField("canonical", .text, .nameB),
                EventField("rule", .text),
            ]),
        EventSchema(
            .subjectErased, "subject.erased", "A customer asked to be forgotten.",
            [EventField("key_id", .text, nil, required: true), EventField("legal_basis", .text)]),
        EventSchema(
            .consentRescinded, "consent.rescinded", "A guardian withdrew consent.",
            [EventField("subject", .text)]),
        EventSchema(
            .consentGiven, "consent.given", "A guardian gave consent, perhaps again.",
            [EventField("subject", .text)]),
        EventSchema(
            .profileCreated, "profile.created", "A profile began (a child, a dog).",
            [
                EventField("profile", .text, .profile, required: true),
                EventField(
                    "kind", .text, .nameA, required: true, "child, puppy or another kind"),
                EventField("free_started_at", .time, .timeA),
            ]),
        EventSchema(
            .profileDeleted, "profile.deleted", "A profile ended.",
            [
                EventField("profile", .text, .profile, required: true),
                EventField("kind", .text, .nameA),
            ]),
        EventSchema(
            .profileRestored, "profile.restored", "A profile came back.",
            [
                EventField("profile", .text, .profile, required: true),
                EventField("original_created_at", .time, .timeA),
                EventField("kind", .text, .nameA),
            ]),
    ]

    static let gates: [EventSchema] = [
        EventSchema(
            .accessDenied, "access.denied", "A request was refused.",
            [
                EventField("feature", .text, .nameA, required: true),
                EventField("reason_code", .text, .nameB, required: true),
                EventField("limit", .integer), EventField("used", .integer),
                EventField("enforcement", .text), EventField("catalog_version", .integer),
            ]),
        EventSchema(
            .limitReached, "limit.reached", "The last unit of a meter was taken.",
            [
                EventField("meter", .text, .nameA, required: true),
                EventField("limit", .integer), EventField("used", .integer),
            ]),
        EventSchema(
            .featureRestricted, "feature.restricted", "A locked feature was asked for.",
            [EventField("feature", .text, .nameA, required: true)]),
        EventSchema(
            .assignmentConflict, "assignment.conflict",
            "A purchase was claimed for a second profile.",
            [
                EventField("transaction_id", .text, .reference, required: true),
                EventField("profile", .text, .profile),
                EventField("assigned_profile", .text),
            ]),
        EventSchema(
            .ingestRejected, "ingest.rejected", routing: .ledger,
            "Something could not be read or verified.",
            [
                EventField("code", .text, .nameA), EventField("kind", .text),
                EventField("raw_sha256", .text, nil, "of the body as it was posted"),
                EventField(
                    "text_sha256", .text, nil,
                    "of the signed text in it that was refused; left out where that is the body"),
                EventField("place", .text, nil, "where in the body it stands"),
                EventField(
                    "waits_for", .text, nil, "the line that a transaction must tell of first"),
                EventField("for", .text, nil, "the customer who sent it"),
            ]),
    ]

    static let catalogs: [EventSchema] = [
        EventSchema(
            .catalogPublished, "catalog.published", routing: .ledger, "A catalog came into force.",
            [
                EventField("version", .integer, .amount, required: true),
                EventField("effective_at", .time, .timeA, required: true),
                EventField(
                    "applies_to",
                    .word(CatalogScopeKind.allCases.map(\.eventWord)), .flags(shift: 0, width: 3),
                    required: true),
                EventField("percent", .integer, .money, "with cohort: 0 to 100"),
                EventField("document_sha256", .text, .reference, required: true),
                EventField("document", .document, nil, "inline in exports"),
            ]),
        EventSchema(
            .catalogRolledBack, "catalog.rolled_back", routing: .ledger,
            "An older catalog rules again.",
            [
                EventField("to_version", .integer, .amount, required: true),
                EventField("effective_at", .time, .timeA),
            ]),
        EventSchema(
            .ledgerRestored, "ledger.restored", routing: .ledger,
            "The ledger goes on from a backup: a new epoch begins.",
            [
                EventField(
                    "epoch", .integer, .amount, required: true, "the one that begins; 2 or more"),
                EventField(
                    "history", .text, nil, required: true,
                    "the hash of the history that the backup ends with"),
                EventField("reason", .text, nil, required: true),
                EventField(
                    "abandoned_position", .integer, nil,
                    "the last position of the ledger that was replaced"),
                EventField("abandoned_history", .text, nil, "the hash of its history"),
            ]),
        EventSchema(
            .reportFrozen, "report.frozen", routing: .ledger,
            "Metrics as they were known, kept for ever.",
            [
                EventField("name", .text, .nameA, required: true),
                EventField(
                    "position", .integer, .amount, required: true,
                    "the last position that the report knows"),
                EventField(
                    "place", .text, nil, required: true,
                    "the place of that position, with the hash of the history before it"),
                EventField("at", .time, .timeA, required: true, "the time of the question"),
                EventField(
                    "definition", .any, nil, required: true,
                    "the question: metrics, periods, zone and rules"),
                EventField(
                    "engine", .text, nil, required: true, "the version that computed it"),
                EventField("document_sha256", .text, .reference, required: true),
                EventField("document", .document, nil, "the report as JSON; inline in exports"),
            ]),
        EventSchema(
            .rateRecorded, "rate.recorded", routing: .ledger,
            "What one unit of a currency was worth in another on the day (UTC) of `occurred_at`.",
            [
                EventField("from", .currency, .nameA, required: true),
                EventField("to", .currency, .nameB, required: true, "another one"),
                EventField(
                    "rate_nanos", .integer, .money, required: true, in: 1...CurrencyCode.nanosMax,
                    "billionths of `to` for one unit of `from`"),
            ]),
    ]

    static let corrections: [EventSchema] = [
        EventSchema(
            .correctionVoided, "correction.voided", routing: .ledger,
            "An event is folded as if it were absent.",
            [
                EventField("target.source", .text, .nameA, required: true),
                EventField("target.key", .text, .reference, required: true),
                EventField("reason", .text, nil, required: true),
                EventField("ticket", .text),
            ]),
        EventSchema(
            .correctionAmended, "correction.amended", routing: .ledger,
            "Fields of an event are replaced.",
            [
                EventField("target.source", .text, .nameA, required: true),
                EventField("target.key", .text, .reference, required: true),
                EventField("patch", .any, nil, required: true),
                EventField("reason", .text, nil, required: true),
                EventField("ticket", .text),
            ]),
    ]

    private static let overrideKinds = EventFieldKind.word([
        "force_entitlement", "expire_trial", "clear_subscription", "reset_trial_eligibility",
    ])

    static let debug: [EventSchema] = [
        EventSchema(
            .debugOverrideSet, "debug.override_set", "A developer pretends something.",
            [
                EventField("kind", overrideKinds, .flags(shift: 0, width: 3), required: true),
                EventField("value", .text, .nameA, "the entitlement to force"),
                EventField("expires_at", .time, .timeA, required: true),
                EventField("actor", .text, nil, required: true),
            ]),
        EventSchema(
            .debugOverrideCleared, "debug.override_cleared", "The pretence ends.",
            [
                EventField("kind", overrideKinds, .flags(shift: 0, width: 3)),
                EventField("actor", .text),
            ]),
        EventSchema(
            .clockAdvanced, "clock.advanced", "A test clock moved.",
            [EventField("virtual_now", .time, nil, required: true)]),
    ]
}
