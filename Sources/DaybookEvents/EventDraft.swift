/// The source of an event, and the key under which it would send the event again.
public struct EventSource: Sendable, Equatable {
    /// `native`, `apple_asn_v2`, `revenuecat`, `ledger`, …
    public var kind: String
    /// Unique per environment and kind, for ever (rule 16). `nil` until one is given.
    public var key: String?
    /// When the source said so; `nil`: when it happened.
    public var signedAt: Int64?

    /// Creates a source; nothing is checked.
    public init(kind: String, key: String?, signedAt: Int64? = nil) {
        self.kind = kind
        self.key = key
        self.signedAt = signedAt
    }

    /// Equal when kind and key have the same bytes and the signed times are equal.
    public static func == (left: EventSource, right: EventSource) -> Bool {
        haveSameBytes(left.kind, right.kind) && haveSameBytes(left.key, right.key)
            && left.signedAt == right.signedAt
    }

    /// A key that is made of names: itself, or its digest where it would be longer than a key may be (rule 30).
    public static func boundedKey(_ text: String) -> String {
        text.utf8.count <= EventBounds.nameByteCountMax ? text : digestKey(of: Array(text.utf8))
    }

    /// The kind of source of grants that codes gave; one key is one code, for ever.
    public static let promotion = "promotion"

    /// The key that stands in for some bytes.
    static func digestKey(of bytes: [UInt8]) -> String {
        "sha256:" + Digest.hexadecimal(Digest.sha256(bytes).prefix(16))
    }
}

/// An event before it has a place in the ledger: what a source says. Two are equal when their texts have the same
/// bytes.
///
/// Why: every source, from a line of a file to a store's notification, says what it knows in one form, which is checked
/// and made canonical in one place (`EventValidator`).
public struct EventDraft: Sendable, Equatable {
    /// The wire name, also of a type that this build does not know.
    public var type: EventTypeName
    /// The version of the type's schema, from 1 on.
    public var version: Int
    /// Part of the identity of the stream and of the key (rules 9 and 16).
    public var environment: Environment
    /// The customer as named by the source; `nil` only where none is named (an orphan lineage, a catalog).
    public var subject: String?
    /// The profile that the envelope names; `nil`: none.
    public var profile: String?
    /// `nil`: the ledger's clock at the commit.
    public var occurredAt: Int64?
    /// The source's own counter, which orders events of one millisecond (rule 2); `nil`: it gave none.
    public var sequence: Int64?
    /// Who says it, and under which key.
    public var source: EventSource
    /// How far it is believed (rule 3).
    public var trust: Trust
    /// The fields of the type, and what else was sent among them.
    public var data: JSONObject
    /// What else the envelope held: actor, reason, correlation, unknown members.
    public var extras: JSONObject
    /// Where the file said that it was recorded; used by `--as-recorded` alone.
    public var recordedAt: Int64?

    /// Creates a draft; nothing is checked before `EventValidator.canonical`.
    public init(
        type: EventTypeName, version: Int = 1, environment: Environment = .production,
        subject: String?,
        profile: String? = nil, occurredAt: Int64?, sequence: Int64? = nil, source: EventSource,
        trust: Trust, data: JSONObject, extras: JSONObject = JSONObject(),
        recordedAt: Int64? = nil
    ) {
        self.type = type
        self.version = version
        self.environment = environment
        self.subject = subject
        self.profile = profile
        self.occurredAt = occurredAt
        self.sequence = sequence
        self.source = source
        self.trust = trust
        self.data = data
        self.extras = extras
        self.recordedAt = recordedAt
    }

    /// Equal when all members are; texts are compared by their bytes.
    public static func == (left: EventDraft, right: EventDraft) -> Bool {
        left.type == right.type && left.version == right.version
            && left.environment == right.environment && haveSameBytes(left.subject, right.subject)
            && haveSameBytes(left.profile, right.profile) && left.occurredAt == right.occurredAt
            && left.sequence == right.sequence && left.source == right.source
            && left.trust == right.trust && left.data == right.data && left.extras == right.extras
            && left.recordedAt == right.recordedAt
    }
}

/// An event with its place in the ledger: the cold view, for audit and export.
public struct RecordedEvent: Sendable, Equatable {
    /// Global, 1-based, without gaps.
    public var position: Int64
    /// 1-based within the stream.
    public var streamVersion: Int64
    /// The ledger's clock at the commit, never smaller than the one before.
    public var recordedAt: Int64
    /// The stream in which the event stands.
    public var stream: StreamName
    /// What the event says.
    public var draft: EventDraft

    /// Creates a recorded event; nothing is checked.
    public init(
        position: Int64, streamVersion: Int64, recordedAt: Int64, stream: StreamName,
        draft: EventDraft
    ) {
        self.position = position
        self.streamVersion = streamVersion
        self.recordedAt = recordedAt
        self.stream = stream
        self.draft = draft
    }

    /// The type of the draft; `unknown` where this build does not know its name in this version.
    public var type: EventType {
        Vocabulary.schema(named: draft.type, version: draft.version)?.type ?? .unknown
    }
}

/// The identity of a stream (rule 6).
public struct StreamName: Sendable, Hashable, CustomStringConvertible {
    /// Streams of different environments never mix (rule 9).
    public var environment: Environment
    /// Whether it is the stream of a customer, of a lineage or of the ledger.
    public var kind: StreamKind
    /// The id of a customer, `apple:2000000123` of a lineage, a word such as `catalogs` of the ledger.
    public var name: String

    /// Creates a name; nothing is checked.
    public init(_ environment: Environment, _ kind: StreamKind, _ name: String) {
        self.environment = environment
        self.kind = kind
        self.name = name
    }

    /// For messages: `production/customer/ada`, `production/line/apple:2000000123`.
    public var description: String { "\(environment.name)/\(kind.name)/\(name)" }

    /// Equal when environment and kind are, and the names have the same bytes.
    public static func == (left: StreamName, right: StreamName) -> Bool {
        left.environment == right.environment && left.kind == right.kind
            && haveSameBytes(left.name, right.name)
    }

    /// Hashes environment, kind and the bytes of the name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(environment)
        hasher.combine(kind)
        hasher.combine(ExactText(name))
    }
}
