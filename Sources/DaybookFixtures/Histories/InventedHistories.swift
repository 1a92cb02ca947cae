import Daybook
import DaybookDomain
import DaybookEvents
import DaybookTesting

/// Invented histories on which the ledger is compared with the naive model (law 4).
public enum InventedHistories {
    /// The five apps, and one that uses what they do not.
    public static let apps = Fixtures.apps + ["sampler"]

    /// A history in a random order of arrival. In two of three another catalog is published somewhere on the way, for
    /// all or for some, and in some of those the first one comes back.
    public static func history(
        _ app: String, seed: UInt64, subjects: Int, events: Int
    ) throws -> InventedHistory {
        let (first, second) = try documents(app)
        var random = SplitMix64(seed: seed ^ 0x5EED)
        let changes = Int.random(in: 0..<3, using: &random) > 0
        let newest = try CatalogReader.read(changes ? second : first)
        var generator = EventGenerator(seed: seed, catalog: newest)
        let drafts = generator.stream(subjects: subjects, events: events)
        var arrivals = drafts.shuffled(using: &random).map(InventedHistory.Arrival.event)
        if changes {
            let half = EventGenerator.start...EventGenerator.end
            let scopes = [CatalogScope.all, .all, .newSubjects, .nextPeriod, .cohort(50)]
            arrivals.insert(
                .catalog(
                    CatalogPublication(
                        document: second, scope: scopes.randomElement(using: &random) ?? .all,
                        effectiveAt: Int64.random(in: half, using: &random))),
                at: Int.random(in: 0...arrivals.count, using: &random))
            if Int.random(in: 0..<4, using: &random) == 0 {
                arrivals.append(
                    .catalog(
                        CatalogPublication(
                            effectiveAt: Int64.random(in: half, using: &random), rollBackTo: 1)))
            }
        }
        return InventedHistory(app: app, document: first, arrivals: arrivals, seed: seed)
    }

    /// The app's own catalog, and one that changes limits, promises and policies.
    private static func documents(_ app: String) throws -> (first: [UInt8], second: [UInt8]) {
        if app == "sampler" { return (SamplerCatalog.first, SamplerCatalog.second) }
        let first = try Fixtures.catalogDocument(app)
        let changes = [
            ("limit: 2\n", "limit: 4\n"), ("limit: 3\n", "limit: 1\n"),
            ("limit: 1\n", "limit: 2\n"),
            ("limit: 10\n", "limit: 4\n"), ("limit: 30\n", "limit: 14\n"),
            ("duration: P21D", "duration: P14D"),
            ("clientAssertedHours: 72", "clientAssertedHours: 24"),
            ("billingRetryAccess: false", "billingRetryAccess: true"),
            ("familyShareable: false", "familyShareable: true"),
        ]
        let text = changes.reduce(String(decoding: first, as: UTF8.self)) {
            $0.replacing($1.0, with: $1.1)
        }
        return (first, Array(text.utf8))
    }
}
