import Daybook
import DaybookTesting

/// The app of docs/testing.md.
enum Tale {
    static let catalog = """
        app: tale
        groups: [club]
        products:
          club.monthly: { kind: autoRenewable, group: club, period: P1M, entitlements: [club] }
        entitlements:
          club: [voices]
        features:
          voices:
        meters:
          stories: { kind: counter, period: P1M, limit: 2, limitsWith: { club: unlimited } }

        """
}

extension Tale {
    /// Tells an invented history to an empty ledger, in any order, and asks it and the reference model the same.
    static func differences(over ledger: Ledger, seed: UInt64) async throws -> [String] {
        let document = Array(catalog.utf8)
        try await ledger.publish(CatalogPublication(document: document, effectiveAt: 0))
        var generator = EventGenerator(seed: seed, catalog: try CatalogReader.read(document))
        var random = SplitMix64(seed: seed)
        let drafts = generator.stream(subjects: 3, events: 60).shuffled(using: &random)
        for draft in drafts { try await ledger.record([draft]) }

        let comparison = try ModelComparison(ledger)
        let moments = comparison.moments.shuffled(using: &random).prefix(8)
        let last = Int64(comparison.events.count)
        return try [last / 2, last].flatMap { try comparison.differences(at: moments, cut: $0) }
    }
}
