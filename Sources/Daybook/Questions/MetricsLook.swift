import DaybookDomain
import DaybookEvents

/// The state of knowledge and the time of a question about all customers.
struct MetricsLook {
    let known: LedgerState
    /// Only what was recorded at or before this position is known.
    let cut: Int64
    let at: Int64
    /// Whether the answer may change by what happens yet.
    let isOpen: Bool
    /// The newest that is known.
    let catalog: CatalogVersion?

    init(_ core: LedgerCore, _ moment: Moment) throws {
        let now = core.clock()
        let (asked, isOpen) = try core.resolve(moment.knownAt, now: now)
        known = try core.knownState(at: asked)
        cut = min(asked, known.head.position)
        catalog = known.catalogs.known(at: cut).newest
        at = Self.time(of: moment, known.head.recordedAt, now)
        self.isOpen = isOpen || at >= now
    }

    /// Without a time of its own a question about what was known is asked as of then.
    private static func time(
        of moment: Moment, _ recordedAt: Int64, _ now: Int64
    ) -> Int64 {
        if let at = moment.at { return at }
        switch moment.knownAt {
        case nil: return LedgerClock(wall: now, last: recordedAt).now
        case .instant(let instant): return instant
        case .position: return recordedAt
        }
    }
}
