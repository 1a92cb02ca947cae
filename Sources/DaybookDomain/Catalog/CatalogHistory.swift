public import DaybookEvents

/// For whom a published catalog is in force.
public enum CatalogScope: Sendable, Equatable {
    case all
    /// Customers first seen at or after it took effect.
    case newSubjects
    /// From the first period that begins at or after it took effect.
    case nextPeriod
    /// A fixed share of customers, in percent (MS-64).
    case cohort(Int64)

    /// - Parameter percent: The share of a cohort; without it there is none.
    public init?(_ kind: CatalogScopeKind, percent: Int64?) {
        switch kind {
        case .all: self = .all
        case .newSubjects: self = .newSubjects
        case .nextPeriod: self = .nextPeriod
        case .cohort:
            guard let percent else { return nil }
            self = .cohort(percent)
        }
    }

    /// The kind of scope, without the share of a cohort.
    public var kind: CatalogScopeKind {
        switch self {
        case .all: .all
        case .newSubjects: .newSubjects
        case .nextPeriod: .nextPeriod
        case .cohort: .cohort
        }
    }

    /// The share of customers; `nil` where it is no cohort.
    public var percent: Int64? {
        if case .cohort(let percent) = self { percent } else { nil }
    }
}

/// One published catalog.
public struct CatalogVersion: Sendable {
    /// Number of the catalog; a rollback publishes it again under the same number.
    public var version: Int64
    /// From when on it counts, in milliseconds since 1970 UTC; the first publication counts from the beginning.
    public var effectiveAt: Int64
    /// Whom it is for; the first publication is for all customers.
    public var scope: CatalogScope
    /// Position of the event that published it or rolled back to it; 0 where it is only checked.
    public var position: Int64
    /// The catalog, as read from its document.
    public var catalog: Catalog
    /// Hexadecimal SHA-256 of the document.
    public var documentDigest: String

    /// Makes a publication; nothing is checked.
    public init(
        version: Int64, effectiveAt: Int64, scope: CatalogScope, position: Int64,
        catalog: Catalog, documentDigest: String
    ) {
        self.version = version
        self.effectiveAt = effectiveAt
        self.scope = scope
        self.position = position
        self.catalog = catalog
        self.documentDigest = documentDigest
    }
}

/// Every catalog that was published, and which one is in force for a customer at a time (rule 8).
public struct CatalogHistory: Sendable {
    /// In the order in which they take effect.
    private var entries: [CatalogVersion] = []
    private var firstPosition = Int64.max

    /// Makes a history without publications.
    public init() {}

    /// Whether no catalog was published.
    public var isEmpty: Bool { entries.isEmpty }

    /// How often a catalog came into force, or will.
    package var count: Int { entries.count }

    /// Every published catalog, in the order in which they take effect.
    public var versions: [CatalogVersion] { entries }

    /// Whether any catalog has a meter whose periods follow the day of billing.
    var countsByBilling: Bool {
        entries.contains { $0.catalog.meters.contains { $0.period.anchor == .billing } }
    }

    /// Whether any known catalog begins a meter anew when the plan changes.
    var resetsOnPlanChange: Bool {
        entries.contains { $0.catalog.meters.contains { $0.resetsOnPlanChange } }
    }

    /// The highest version number; 0 when nothing was published.
    public var versionMax: Int64 { entries.map(\.version).max() ?? 0 }

    /// Adds a publication; that of the lowest position counts as the first, whatever the order of adding.
    public mutating func publish(_ version: CatalogVersion) {
        firstPosition = min(firstPosition, version.position)
        let index =
            entries.firstIndex {
                ($0.effectiveAt, $0.position) > (version.effectiveAt, version.position)
            } ?? entries.count
        entries.insert(version, at: index)
    }

    /// An older version rules again, for all customers.
    public mutating func rollBack(to version: Int64, effectiveAt: Int64, position: Int64) {
        guard var older = entries.last(where: { $0.version == version }) else { return }
        older.effectiveAt = effectiveAt
        older.scope = .all
        older.position = position
        publish(older)
    }

    /// The history as known at a cut.
    public func known(at cut: Int64) -> CatalogHistory {
        if entries.allSatisfy({ $0.position <= cut }) { return self }
        var history = CatalogHistory()
        for entry in entries where entry.position <= cut { history.publish(entry) }
        return history
    }

    /// The newest that is known: what funnels and questions about the future use.
    public var newest: CatalogVersion? { entries.max { $0.position < $1.position } }

    /// The publication that takes effect last of those that have by then, whatever its scope; before any, the first.
    public func latest(at instant: Int64) -> CatalogVersion? {
        entries.last { $0.effectiveAt <= instant && $0.position != firstPosition }
            ?? entries.first { $0.position == firstPosition }
    }

    /// When a publication that is known already takes over from one that takes effect at a time; `nil`: none does.
    public func supersession(after instant: Int64) -> Int64? {
        entries.first { $0.effectiveAt > instant && $0.position != firstPosition }?.effectiveAt
    }

    /// The meter of this name or alias in the newest catalog that has it: structure never changes (rule 8), and a
    /// rollback does not take the uses of a newer meter back.
    public func meter(named name: String) -> Meter? {
        if let meter = newest?.catalog.meter(named: name) { return meter }
        return entries.sorted { $0.position > $1.position }.lazy
            .compactMap { $0.catalog.meter(named: name) }.first
    }

    /// What an app's own event name stands for, in the newest catalog that has it; `nil` where none does.
    public func eventName(_ name: String) -> EventName? {
        var found: (position: Int64, name: EventName)?
        for entry in entries where entry.position > found?.position ?? Int64.min {
            let own = entry.catalog.eventNames.first { haveSameBytes($0.name, name) }
            if let own { found = (entry.position, own) }
        }
        return found?.name
    }

    /// Every published event name, those of the newest catalog first: what a rollback takes out of force still names
    /// what it named.
    public var eventNames: [EventName] {
        var seen: Set<ExactText> = []
        return entries.sorted { $0.position > $1.position }.flatMap { $0.catalog.eventNames }
            .filter { seen.insert(ExactText($0.name)).inserted }
    }

    /// What keeps a catalog from being published: names that any earlier one had with another structure, and names of
    /// the newest one that are missing (rule 8).
    /// - Returns: Sentences with their remedies; empty when there is no conflict.
    public func conflicts(with catalog: Catalog) -> [String] {
        let structure = CatalogStructure(catalog)
        var sentences: [String] = []
        for entry in entries.sorted(by: { $0.position > $1.position }) {
            // What a rollback has taken out of force may stay away, but may not come back as something else.
            let found = CatalogStructure(entry.catalog).conflicts(
                with: structure, allowsMissing: entry.position != newest?.position)
            sentences += found.filter { !sentences.contains($0) }
        }
        return sentences
    }

    /// The customer, as far as scopes need to know.
    public struct Subject {
        /// The customer's id as it is shown; it decides the place in cohorts.
        public var name: String
        /// When the customer was first seen, in milliseconds since 1970 UTC.
        public var firstSeenAt: Int64
        /// The start of the period that contains the asked time, as a catalog counts periods.
        public var periodStart: (CatalogVersion) -> Int64

        /// Makes a customer for one asked time; nothing is checked.
        public init(
            name: String, firstSeenAt: Int64, periodStart: @escaping (CatalogVersion) -> Int64
        ) {
            self.name = name
            self.firstSeenAt = firstSeenAt
            self.periodStart = periodStart
        }
    }

    /// The catalog in force for a customer at a time; the first one rules from the beginning of time.
    public func inForce(at instant: Int64, for subject: Subject) -> CatalogVersion? {
        guard let first = entries.first(where: { $0.position == firstPosition }) else {
            return nil
        }
        // Its own time does not count: a catalog that is later made to rule from before it rules on after it.
        for entry in entries.reversed()
        where entry.effectiveAt <= instant && entry.position != firstPosition {
            switch entry.scope {
            case .all: return entry
            case .newSubjects where subject.firstSeenAt >= entry.effectiveAt: return entry
            case .nextPeriod where subject.periodStart(entry) >= entry.effectiveAt: return entry
            case .cohort(let percent)
            where Self.bucket(subject.name, document: entry.documentDigest) < percent:
                return entry
            default: continue
            }
        }
        return first
    }

    /// A customer's place between 0 and 99, fixed per document: the same on every machine, so a customer in a cohort
    /// stays in it when the same document is published for a larger one (MS-64).
    public static func bucket(_ name: String, document digest: String) -> Int64 {
        let prefix = Digest.sha256Prefix(Array("\(digest)/\(name)".utf8))
        return Int64(prefix % 100)
    }
}
