public import DaybookEvents
import DaybookIngest

/// Something from outside that could not be read or verified, as it came.
public struct DeadLetter: Sendable, Equatable {
    /// The position of the event that holds it.
    public var position: Int64
    /// When it was recorded, milliseconds since 1970 UTC.
    public var recordedAt: Int64
    /// The environment for which it was posted.
    public var environment: Environment
    /// The class: `format`, `chain`, `signature`, `app_identity`, `environment`, `conflict` or `retryable`.
    public var code: String
    /// At most 256 characters, without what must not be recorded, such as an e-mail address that it quoted.
    public var detail: String
    /// What it was posted as.
    public var kind: PayloadKind
    /// The customer for whom it was posted; `nil`: none was named.
    public var subject: String?
    /// Lower-case hexadecimal SHA-256 of the signed payload that was refused, or of everything that was posted where
    /// none was found.
    public var sha256: String
    /// The same of everything that was posted, which the ledger keeps (`rawPayload`).
    public var payloadSHA256: String
    /// Where the signed payload stands in what was posted; empty where it is all of it.
    public var place: String
    /// The lineage of which a transaction must be recorded before this can be taken in; `nil`: none.
    public var waitsFor: String?
    /// When it was taken in after all; `nil` while it was not.
    public var resolvedAt: Int64?
    /// The decision not to take it in; `nil` while there is none.
    public var dismissal: Dismissal?

    /// Whether an operator should look at it: it was neither taken in nor dismissed.
    public var isWaiting: Bool { resolvedAt == nil && dismissal == nil }

    /// The decision not to take a dead letter in.
    public struct Dismissal: Sendable, Equatable {
        /// When it was decided by the ledger's clock, milliseconds since 1970 UTC.
        public var recordedAt: Int64
        /// Why it is not taken in; empty where the event gives no reason.
        public var reason: String
        /// Who decided it; `nil`: the event names none.
        public var actor: String?
    }
}

extension DeadLetter {
    /// Source kind of dead letters and of what becomes of them, and the name of the streams that hold dead letters
    /// alone.
    static let source = "ingest"
    static let resolvedType = EventTypeName(.ops, "dead_letter_resolved")
    static let dismissedType = EventTypeName(.ops, "dead_letter_dismissed")

    static func resolutionKey(_ sha256: String) -> String { sha256 + "/resolved" }
    static func dismissalKey(_ sha256: String) -> String { sha256 + "/dismissed" }

    /// - Returns: `nil` for an event that is no dead letter.
    init?(_ event: RecordedEvent) {
        let data = event.draft.data
        guard event.draft.type == .ingestRejected, event.draft.source.kind == Self.source,
            let payload = data["raw_sha256"]?.text
        else { return nil }
        self.init(
            position: event.position, recordedAt: event.recordedAt,
            environment: event.draft.environment, code: data["code"]?.text ?? "",
            detail: event.draft.extras["reason"]?.text ?? "",
            kind: (data["kind"]?.text).flatMap(PayloadKind.init(word:)) ?? .appStore(.notification),
            subject: data["for"]?.text, sha256: data["text_sha256"]?.text ?? payload,
            payloadSHA256: payload, place: data["place"]?.text ?? "",
            waitsFor: data["waits_for"]?.text)
    }
}

extension DeadLetter.Dismissal {
    init(_ event: RecordedEvent) {
        self.init(
            recordedAt: event.recordedAt, reason: event.draft.extras["reason"]?.text ?? "",
            actor: event.draft.extras["actor"]?.text)
    }
}

/// A payload as it was posted, kept where it is refused.
struct PostedText {
    var bytes: [UInt8]
    /// Where it stands in what was posted; empty where it is all of it.
    var place = ""
    /// All that was posted.
    var payload: [UInt8]
    var kind: PayloadKind
    /// The customer for whom it was posted.
    var subject: String?
    var environment: Environment
    /// Whether nothing is written.
    var isDryRun = false
}
