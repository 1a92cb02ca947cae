import DaybookDomain
import DaybookEvents

/// Takes reports under an app's own event names in, as the catalogs that are published by then say (rule 27).
///
/// The digest of the request stays that of the names as they were sent: the same report again is the same event,
/// whether the catalog learnt the name before or after it.
struct AppEventNames {
    /// By type as it was sent; `nil` inside where no catalog has it.
    private var known: [String: EventName?] = [:]
    /// More types than any app has: whoever invents them looks each up anew.
    private static let knownMax = 1_024

    /// The report under the ledger's own type; as it is where that is its type, or no catalog has the name.
    /// - Throws: `EventProblem` where the event that the name stands for does not hold what it must.
    mutating func canonical(
        _ report: PreparedReport, _ catalogs: CatalogHistory, _ secret: LedgerSecret
    ) throws(EventProblem) -> PreparedReport {
        guard report.isUnknown,
            let draft = name(report.report.draft.type, catalogs)?.canonical(report.report.draft)
        else { return report }
        return try report.named(draft, secret)
    }

    /// Catalogs changed.
    mutating func forget() { known = [:] }

    private mutating func name(_ type: String, _ catalogs: CatalogHistory) -> EventName? {
        if let name = known[type] { return name }
        let name = catalogs.eventName(type)
        if known.count >= Self.knownMax { known = [:] }
        known[type] = .some(name)
        return name
    }
}

extension PreparedReport {
    /// The report as what its name stands for.
    /// - Parameter draft: This report's, under the ledger's own type.
    fileprivate func named(
        _ draft: EventDraft, _ secret: LedgerSecret
    ) throws(EventProblem) -> PreparedReport {
        let key = report.draft.source.key
        let isKeyless = EventValidator.hasDigestKey(report.draft)
        var named = report
        named.draft = draft
        if isKeyless { named.draft.source.key = nil }
        named.draft = try EventValidator.canonical(named.draft)
        let olderKey = isKeyless ? named.draft.source.key.map { Reference($0) } : nil
        named.draft.source.key = key
        named.namedDigest = ReportCheck.digest(of: named.draft)
        return PreparedReport(named, secret, olderKey: olderKey)
    }
}
