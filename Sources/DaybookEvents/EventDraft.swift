/// The source of an event, and the key under which it would send the event again.
public struct EventSource: Sendable, Equatable {
    /// `native`, `apple_asn_v2`, `revenuecat`, `ledger`, …
    public var kind: String
    /// Unique per environment and kind, for ever (rule 16). `nil` until one is given.
    public var key: String?
    /// When the source said so; `nil`: when it happened.
    public var signedAt: Int64?

    public init(kind: String, key: String?, signedAt: Int64? = nil) {
        self.kind = kind
        self.key = key
        self.signedAt = signedAt
    }

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
    public var version: Int
    public var environment: Environment
    /// The customer as named by the source; `nil` only where none is named (an orphan lineage, a catalog).
    public var subject: String?
    public var profile: String?
    /// `nil`: the ledger's clock at the commit.
    public var occurredAt: Int64?
    public var sequence: Int64?
    public var source: EventSource
    public var trust: Trust
    public var data: JSONObject
    /// What else the envelope held: actor, reason, correlation, unknown members.
    public var extras: JSONObject
    /// Where the file said that it was recorded; used by `--as-recorded` alone.
    public var recordedAt: Int64?

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
    public var stream: StreamName
    public var draft: EventDraft

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

    public var type: EventType {
        Vocabulary.schema(named: draft.type, version: draft.version)?.type ?? .unknown
    }
}

/// The identity of a stream (rule 6).
public struct StreamName: Sendable, Hashable, CustomStringConvertible {
    public var environment: Environment
    public var kind: StreamKind
    public var name: String

    public init(_ environment: Environment, _ kind: StreamKind, _ name: String) {
        self.environment = environment
        self.kind = kind
        self.name = name
    }

    public var description: String { "\(environment.name)/\(kind.name)/\(name)" }

    public static func == (left: StreamName, right: StreamName) -> Bool {
        left.environment == right.environment && left.kind == right.kind
            && haveSameBytes(left.name, right.name)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(environment)
        hasher.combine(kind)
        hasher.combine(ExactText(name))
    }
}
