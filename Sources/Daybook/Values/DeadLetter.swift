public import DaybookEvents
import DaybookIngest

/// Something from outside that could not be read or verified, as it came.
public struct DeadLetter: Sendable, Equatable {
    public var position: Int64
    public var recordedAt: Int64
    public var environment: Environment
    /// The class: `format`, `chain`, `signature`, `app_identity`, `environment`, `conflict` or `retryable`.
    public var code: String
    /// At most 256 characters, without what must not be recorded, such as an e-mail address that it quoted.
    public var detail: String
    public var kind: BodyKind
    public var subject: String?
    /// Lower-case hexadecimal SHA-256 of the signed text that was refused, or of the body where none was found.
    public var sha256: String
    /// The same of the body as it was posted, which the ledger keeps (`rawBody`).
    public var bodySHA256: String
    /// Where in the body the text stands; empty where it is the body.
    public var place: String
    /// The line that a transaction must tell of before it can be taken in; `nil`: none.
    public var waitsFor: String?
    /// When it was taken in after all; `nil` while it was not.
    public var resolvedAt: Int64?
    /// That somebody decided not to take it in; `nil` while nobody has.
    public var dismissal: Dismissal?

    /// Whether somebody should look at it.
    public var isWaiting: Bool { resolvedAt == nil && dismissal == nil }

    /// A decision about a letter.
    public struct Dismissal: Sendable, Equatable {
        public var recordedAt: Int64
        public var reason: String
        public var actor: String?
    }
}

extension DeadLetter {
    /// Source kind of letters and of what becomes of them, and the name of the streams that hold letters alone.
    static let source = "ingest"
    static let resolvedType = "ops.dead_letter_resolved"
    static let dismissedType = "ops.dead_letter_dismissed"

    static func resolutionKey(_ sha256: String) -> String { sha256 + "/resolved" }
    static func dismissalKey(_ sha256: String) -> String { sha256 + "/dismissed" }

    /// - Returns: `nil` for what is no letter.
    init?(_ event: RecordedEvent) {
        let data = event.draft.data
        guard event.draft.type == "ingest.rejected", event.draft.source.kind == Self.source,
            let body = data["raw_sha256"]?.text
        else { return nil }
        self.init(
            position: event.position, recordedAt: event.recordedAt,
            environment: event.draft.environment, code: data["code"]?.text ?? "",
            detail: event.draft.extras["reason"]?.text ?? "",
            kind: (data["kind"]?.text).flatMap(BodyKind.init(word:)) ?? .appStore(.notification),
            subject: data["for"]?.text, sha256: data["text_sha256"]?.text ?? body,
            bodySHA256: body, place: data["place"]?.text ?? "",
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

/// A text as it was posted, for keeping it where it is refused.
struct PostedText {
    var bytes: [UInt8]
    /// Where in the body it stands; empty where it is the body.
    var place = ""
    /// All that was posted.
    var body: [UInt8]
    var kind: BodyKind
    /// The customer for whom it was posted.
    var subject: String?
    var environment: Environment
    /// Whether nothing is written.
    var isDryRun = false
}
