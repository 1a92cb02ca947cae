import DaybookDomain
import DaybookEvents

/// Takes reports under an app's own event names in, as the catalogs that are published by then say (rule 27).
///
/// The digest of the request stays that of the names as they were sent: the same report again is the same event,
/// whether the catalog learnt the name before or after it.
struct AppEventNames {
    /// By type as it was sent; `nil` inside where no catalog has it.
    private var known: [EventTypeName: EventName?] = [:]
    /// More types than any app has: with more than these, each is looked up anew.
    private static let knownMax = 1_024

    /// The report under the ledger's own type; as it is where that is its type, or no catalog has the name.
    /// - Throws: `EventProblem` where the event that the name stands for does not hold what it must.
    mutating func canonical(
        _ report: PreparedEvent, _ catalogs: CatalogHistory, _ secret: LedgerSecret
    ) throws(EventProblem) -> PreparedEvent {
        guard report.isUnknown,
            let draft = name(report.draft.type, catalogs)?.canonical(report.draft)
        else { return report }
        return try report.named(draft, secret)
    }

    /// Catalogs changed.
    mutating func forget() { known = [:] }

    private mutating func name(_ type: EventTypeName, _ catalogs: CatalogHistory) -> EventName? {
        if let name = known[type] { return name }
        let name = catalogs.eventName(type.rawValue)
        if known.count >= Self.knownMax { known = [:] }
        known[type] = .some(name)
        return name
    }
}

extension PreparedEvent {
    /// The report as what its name stands for.
    /// - Parameter draft: This report's, under the ledger's own type.
    fileprivate func named(
        _ draft: EventDraft, _ secret: LedgerSecret
    ) throws(EventProblem) -> PreparedEvent {
        let isKeyless = EventValidator.hasDigestKey(self.draft)
        var named = draft
        if isKeyless { named.source.key = nil }
        named = try EventValidator.canonical(named)
        let olderKey = isKeyless ? named.source.key.map { Reference($0) } : nil
        named.source.key = self.draft.source.key
        return PreparedEvent(
            named, requestDigest: requestDigest, secret, document: document, isRead: isRead,
            namedDigest: ReportCheck.digest(of: named), olderKey: olderKey)
    }
}
