import DaybookEvents

/// For whom a published catalog is in force.
public enum CatalogScope: Sendable, Equatable {
    case all
    /// Customers first seen at or after it took effect.
    case newSubjects
    /// From the first period that begins at or after it took effect.
    case nextPeriod
    /// A fixed share of customers, in percent (MS-64).
    case cohort(Int64)
}

/// One published catalog.
public struct CatalogVersion: Sendable {
    public var version: Int64
    public var effectiveAt: Int64
    public var scope: CatalogScope
    public var position: Int64
    public var catalog: Catalog
    /// Hexadecimal SHA-256 of the document.
    public var documentDigest: String

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

/// Every catalog that was published, and which one rules whom and when (rule 8).
public struct CatalogHistory: Sendable {
    /// In the order in which they take effect.
    private var entries: [CatalogVersion] = []
    private var firstPosition = Int64.max

    public init() {}

    public var isEmpty: Bool { entries.isEmpty }

    /// Every published catalog, in the order in which they take effect.
    public var versions: [CatalogVersion] { entries }

    /// Whether any known catalog begins a meter anew when the plan changes.
    var resetsOnPlanChange: Bool {
        entries.contains { $0.catalog.meters.contains(where: \.resetsOnPlanChange) }
    }

    /// The highest version number; 0 when nothing was published.
    public var versionMax: Int64 { entries.map(\.version).max() ?? 0 }

    public mutating func publish(_ version: CatalogVersion) {
        firstPosition = min(firstPosition, version.position)
        let index =
            entries.firstIndex {
                ($0.effectiveAt, $0.position) > (version.effectiveAt, version.position)
            } ?? entries.count
        entries.insert(version, at: index)
    }

    /// An older version rules again, for everybody.
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

    /// Who is asking, as far as scopes need to know.
    public struct Subject {
        public var name: String
        public var firstSeenAt: Int64
        /// The start of the period that contains the asked time.
        public var periodStart: Int64

        public init(name: String, firstSeenAt: Int64, periodStart: Int64) {
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
        for entry in entries.reversed() where entry.effectiveAt <= instant {
            if entry.position == firstPosition { return entry }
            switch entry.scope {
            case .all: return entry
            case .newSubjects where subject.firstSeenAt >= entry.effectiveAt: return entry
            case .nextPeriod where subject.periodStart >= entry.effectiveAt: return entry
            case .cohort(let percent)
            where Self.bucket(subject.name, version: entry.version) < percent:
                return entry
            default: continue
            }
        }
        return first
    }

    /// A customer's place between 0 and 99, fixed per version: the same people on every machine.
    public static func bucket(_ name: String, version: Int64) -> Int64 {
        let prefix = Digest.sha256Prefix(Array("\(version)/\(name)".utf8))
        return Int64(prefix % 100)
    }
}
