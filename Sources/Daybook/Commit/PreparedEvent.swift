import DaybookDomain
import DaybookEvents
import DaybookStore

/// A draft with everything that can be known of it without the ledger: canonical, routed to its stream, encoded, with
/// its digests.
///
/// Why: callers work this out beside the one writer and on as many cores as there are, so that only what the ledger
/// must say is asked while it is held.
///
/// A reference to what never changes: it is handed on several times, and its draft has many parts to count.
final class PreparedEvent: Sendable {
    /// In canonical form, without the document of a catalog or report, which is kept by its digest (rule 8).
    /// `occurredAt` may still be open. A draft that was refused, or that the writer must check, is as it came, and
    /// nothing below but `problem` and `isUnchecked` is known of it.
    let draft: EventDraft
    /// Why the draft is no event.
    let problem: EventProblem?
    /// Not checked yet: only the writer can say whether the ledger has its document.
    let isUnchecked: Bool
    /// Of the payload as the source sent it (rule 16); worked out at each question of an event that is only checked.
    var requestDigest: Int64 { knownDigest ?? ReportCheck.digest(of: draft) }
    private let knownDigest: Int64?
    /// Of an event under an app's own name, the digest of what the name stands for: engines that knew the name before
    /// any catalog did have recorded that one.
    let namedDigest: Int64?
    /// Of an event without a key under an app's own name: the key that ledgers have given it whose engine knew the
    /// name before any catalog did.
    let olderKey: Reference?
    /// What the event brings to be kept by its digest.
    let document: StoredDocument?
    /// Read from a payload that the ledger keeps: the same key from the same bytes is the same event, also where newer
    /// code reads them otherwise; `reinterpret` tells of that.
    let isRead: Bool
    let stream: StreamName
    /// Of the source's key.
    let key: Reference
    /// The row without its place in the ledger and without the numbers of its names; `nil` while the ledger has to say
    /// when it happened, and of an event that is only checked.
    let row: EventRow?
    /// The names of the row.
    let names: RowDigest.Names
    /// Of the row (`RowDigest`); `nil` as long as there is none.
    let digest: HistoryHash?
    /// Whether there is a row, asked without a copy of it.
    var hasRow: Bool { digest != nil }
    /// Neither a correction nor an alias nor a catalog, nor anything that names what it changes: nothing but its key,
    /// its customer and its meter is asked of the ledger.
    let isPlain: Bool
    /// Of a type, or a version of one, that this build does not know; perhaps an app's own name.
    let isUnknown: Bool

    /// - Parameters:
    ///   - draft: In canonical form.
    ///   - schema: Of the draft's type and version; `nil`: this build does not know it.
    ///   - requestDigest: `ReportCheck.digest` of what was said, or what else tells whether the same key is the same
    ///     event; `nil`: the event is only checked.
    ///   - rowDigest: With the secret of the ledger; `nil`: the event is only checked.
    private init(
        _ draft: consuming EventDraft, _ schema: EventSchema?, requestDigest: Int64?,
        _ rowDigest: RowDigest?, document: StoredDocument? = nil, isRead: Bool = false,
        namedDigest: Int64? = nil, olderKey: Reference? = nil
    ) {
        let stream = EventRouter.stream(of: draft, schema)
        problem = nil
        isUnchecked = false
        knownDigest = requestDigest
        self.namedDigest = namedDigest
        self.olderKey = olderKey
        self.document = document
        self.isRead = isRead
        key = Reference(draft.source.key ?? "")
        if let requestDigest, draft.occurredAt != nil {
            var (encoded, names) = EventEncoder.encode(draft, schema)
            encoded.requestDigest = requestDigest
            digest = rowDigest?.of(encoded, names, in: stream)
            row = consume encoded
            self.names = names
        } else {
            (row, names, digest) = (nil, RowDigest.Names(), nil)
        }
        isPlain = Self.isPlain(draft, schema)
        isUnknown = schema == nil
        self.draft = draft
        self.stream = stream
    }

    /// The same by itself.
    /// - Parameter isUnknown: The type was unknown when the event was recorded, and stays so.
    convenience init(
        _ draft: consuming EventDraft, requestDigest: Int64, _ secret: LedgerSecret,
        document: StoredDocument? = nil, isRead: Bool = false, namedDigest: Int64? = nil,
        olderKey: Reference? = nil, isUnknown: Bool = false
    ) {
        let schema =
            isUnknown ? nil : Vocabulary.schema(named: draft.type, version: draft.version)
        self.init(
            draft, schema, requestDigest: requestDigest, RowDigest(secret), document: document,
            isRead: isRead, namedDigest: namedDigest, olderKey: olderKey)
    }

    /// The same of an event that is checked and not appended: without a row.
    convenience init(checking draft: consuming EventDraft, document: StoredDocument?) {
        let schema = Vocabulary.schema(named: draft.type, version: draft.version)
        self.init(draft, schema, requestDigest: nil, nil, document: document)
    }

    /// A draft that is no event, or that the writer must check: `problem` is `nil` then.
    private init(unprepared draft: EventDraft, problem: EventProblem?) {
        self.draft = draft
        self.problem = problem
        isUnchecked = problem == nil
        knownDigest = 0
        namedDigest = nil
        olderKey = nil
        document = nil
        isRead = false
        stream = StreamName(draft.environment, .ledger, "")
        key = .none
        row = nil
        names = RowDigest.Names()
        digest = nil
        isPlain = false
        isUnknown = false
    }

    /// What is used again from draft to draft.
    private struct Scratch: ~Copyable {
        let row: RowDigest
        /// Memory in which drafts are written to be digested.
        var request = JSONWriter(reserving: 512)

        init(_ secret: LedgerSecret) { row = RowDigest(secret) }
    }

    /// Checks and prepares a draft as far as that needs no ledger.
    static func preparing(_ draft: EventDraft, _ secret: LedgerSecret) -> PreparedEvent {
        var scratch = Scratch(secret)
        return preparing(draft, &scratch)
    }

    private static func preparing(_ draft: EventDraft, _ scratch: inout Scratch) -> PreparedEvent {
        // Another request that waits before this one may bring the document.
        if draft.type.hasDocument {
            return PreparedEvent(unprepared: draft, problem: nil)
        }
        do throws(EventProblem) {
            let schema = Vocabulary.schema(named: draft.type, version: draft.version)
            var canonical = draft
            try EventValidator.bringIntoForm(&canonical, schema)
            let digest = ReportCheck.digest(of: canonical, in: &scratch.request)
            return PreparedEvent(consume canonical, schema, requestDigest: digest, scratch.row)
        } catch {
            return PreparedEvent(unprepared: draft, problem: error)
        }
    }

    /// Checks and prepares drafts, as far as that needs no ledger; the order stays.
    static func preparing(
        _ drafts: ArraySlice<EventDraft>, _ secret: LedgerSecret
    ) -> [PreparedEvent] {
        var scratch = Scratch(secret)
        return drafts.map { preparing($0, &scratch) }
    }

    /// Prepares canonical drafts that were read from one payload; the first one brings its bytes, and so does a claim,
    /// which comes alone where the store signed the same once more.
    /// - Parameter digest: What tells whether the same key is the same event.
    static func reading(
        _ drafts: [EventDraft], from bytes: [UInt8], _ secret: LedgerSecret,
        digest: (EventDraft) -> Int64
    ) -> [PreparedEvent] {
        let sha256 = Digest.hexadecimal(Digest.sha256(bytes))
        return drafts.enumerated().map { index, draft in
            var told = draft
            told.extras["raw_sha256"] = .string(sha256)
            let bringsBytes = index == 0 || draft.type == .purchaseClaimed
            return PreparedEvent(
                told, requestDigest: digest(draft), secret,
                document: bringsBytes ? StoredDocument(sha256: sha256, bytes: bytes) : nil,
                isRead: true)
        }
    }

    /// The same with the time that only the commit knows.
    func happening(at instant: Int64, _ secret: LedgerSecret) -> PreparedEvent {
        var draft = draft
        draft.occurredAt = instant
        return PreparedEvent(
            draft, requestDigest: requestDigest, secret, document: document, isRead: isRead,
            namedDigest: namedDigest, olderKey: olderKey)
    }

    private static func isPlain(_ draft: EventDraft, _ schema: EventSchema?) -> Bool {
        switch schema?.type {
        case nil, .subjectAliased, .subjectUnaliased, .correctionVoided, .correctionAmended,
            .catalogPublished, .catalogRolledBack, .ledgerRestored, .reportFrozen:
            false
        default: draft.data["patch"] == nil
        }
    }
}
