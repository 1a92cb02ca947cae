import DaybookDomain
import DaybookEvents

/// A report with everything that can be known of it without the ledger: whoever brings it works this out, beside the
/// writer and on as many cores as there are.
///
/// A reference to what never changes: it is handed on several times, and its draft has many parts to count.
final class PreparedReport: Sendable {
    /// Of a draft that was refused, or must be checked by the writer, only the draft.
    let report: CheckedReport
    /// Why the draft is no event.
    let problem: EventProblem?
    /// Not checked yet: only the writer can say whether the ledger has the catalog's document.
    let isUnchecked: Bool
    let stream: StreamName
    /// Of the source's key.
    let key: Reference
    /// `nil` while the ledger has to say when it happened.
    let event: EncodedEvent?
    /// Of the row that the event becomes (`RowDigest`); `nil` as long as there is none.
    let digest: HistoryHash?
    /// Neither a correction nor an alias nor a catalog, nor anything that names what it changes: nothing but its key,
    /// its customer and its meter is asked of the ledger.
    let isPlain: Bool
    /// Of a type, or a version of one, that this build does not know; perhaps an app's own name.
    let isUnknown: Bool
    /// Of a report without a key under an app's own name: the key that ledgers have given it whose engine knew the
    /// name before any catalog did.
    let olderKey: Reference?

    /// - Parameter draft: In canonical form, as it was checked.
    init(_ report: CheckedReport, _ secret: LedgerSecret, olderKey: Reference? = nil) {
        let draft = report.draft
        let schema = Vocabulary.schema(named: draft.type, version: draft.version)
        self.report = report
        problem = nil
        isUnchecked = false
        stream = EventRouter.stream(of: draft, schema)
        key = Reference(draft.source.key ?? "")
        event = draft.occurredAt == nil ? nil : EventEncoder.encode(draft, schema)
        var digest = RowDigest(secret)
        self.digest = event?.digest(&digest, in: stream, request: report.digest)
        isPlain = Self.isPlain(draft, schema)
        isUnknown = schema == nil
        self.olderKey = olderKey
    }

    private init(draft: EventDraft, problem: EventProblem?) {
        report = CheckedReport(draft: draft, digest: 0)
        self.problem = problem
        isUnchecked = problem == nil
        stream = StreamName(draft.environment, .ledger, "")
        key = .none
        event = nil
        digest = nil
        isPlain = false
        isUnknown = false
        olderKey = nil
    }

    /// Checks a draft as far as that needs no ledger.
    static func preparing(_ draft: EventDraft, _ secret: LedgerSecret) -> PreparedReport {
        // Another request that waits before this one may bring the document.
        if draft.type == "catalog.published" { return PreparedReport(draft: draft, problem: nil) }
        do throws(EventProblem) {
            let canonical = try EventValidator.canonical(draft)
            return PreparedReport(
                CheckedReport(draft: canonical, digest: ReportCheck.digest(of: canonical)), secret)
        } catch {
            return PreparedReport(draft: draft, problem: error)
        }
    }

    /// The same with the time that only the commit knows.
    func happening(at instant: Int64, _ secret: LedgerSecret) -> PreparedReport {
        var report = report
        report.draft.occurredAt = instant
        return PreparedReport(report, secret, olderKey: olderKey)
    }

    private static func isPlain(_ draft: EventDraft, _ schema: EventSchema?) -> Bool {
        switch schema?.type {
        case nil, .subjectAliased, .subjectUnaliased, .correctionVoided, .correctionAmended,
            .catalogPublished, .catalogRolledBack, .ledgerRestored:
            false
        default: draft.data["patch"] == nil
        }
    }
}

/// The reports of one request, in order.
struct PreparedReports: Sendable {
    let reports: [PreparedReport]
    /// Whether one of them may join two customers.
    let mayJoin: Bool

    init(_ reports: [PreparedReport]) {
        self.reports = reports
        mayJoin = reports.contains { !$0.isPlain && $0.report.draft.type == "subject.aliased" }
    }

    /// Reports that were checked, prepared by the writer itself.
    init(_ checked: [CheckedReport], _ secret: LedgerSecret) {
        self.init(checked.map { PreparedReport($0, secret) })
    }

    /// How many reports one task prepares: about 100 µs, many times what it costs to hand them over.
    private static let partCount = 128

    /// Prepares the reports on as many cores as there are, in the caller's own time.
    init(preparing reports: Reports, _ secret: LedgerSecret) async {
        guard reports.count > Self.partCount else {
            self.init(reports.prepared(0..<reports.count, secret))
            return
        }
        let starts = stride(from: 0, to: reports.count, by: Self.partCount)
        let parts = await withTaskGroup(of: (Int, [PreparedReport]).self) { group in
            for (part, start) in starts.enumerated() {
                let range = start..<min(start + Self.partCount, reports.count)
                group.addTask { (part, reports.prepared(range, secret)) }
            }
            var parts = [[PreparedReport]](repeating: [], count: starts.underestimatedCount)
            for await (part, prepared) in group { parts[part] = prepared }
            return parts
        }
        self.init(parts.flatMap { $0 })
    }
}

extension Reports {
    fileprivate func prepared(_ range: Range<Int>, _ secret: LedgerSecret) -> [PreparedReport] {
        switch self {
        case .drafts(let drafts): range.map { PreparedReport.preparing(drafts[$0], secret) }
        case .checked(let reports): range.map { PreparedReport(reports[$0], secret) }
        }
    }
}
