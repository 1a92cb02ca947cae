public import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookTesting

/// One invented history in its order of arrival.
public struct InventedHistory {
    /// One event's worth of history.
    enum Arrival {
        case event(EventDraft)
        case catalog(CatalogPublication)
    }

    let app: String
    let document: [UInt8]
    let arrivals: [Arrival]
    let seed: UInt64

    /// A ledger that took everything in this order, neighbours in batches of random size.
    /// - Returns: It with what its answers can come from (`HistoryLedger.end`).
    static func ledger(
        _ app: String, _ document: [UInt8], _ arrivals: [Arrival], _ place: HistoryLedger.Place
    ) async throws -> (ledger: HistoryLedger, sources: Set<String>) {
        let seed = UInt64(arrivals.count)
        let told = try await HistoryLedger(place, app: app, catalog: document, seed: seed)
        var random = SplitMix64(seed: seed)
        var batch: [EventDraft] = []
        func flush() async throws {
            if !batch.isEmpty { try await told.ledger.record(batch) }
            batch = []
            try told.rest()
        }
        for arrival in arrivals {
            switch arrival {
            case .event(let draft):
                batch.append(draft)
                if Int.random(in: 0..<8, using: &random) == 0 { try await flush() }
            case .catalog(let publication):
                try await flush()
                try await told.ledger.publish(publication)
            }
        }
        try await flush()
        return (told, try told.end())
    }

    /// A ledger in memory that took everything in this order.
    public func ledger() async throws -> Ledger {
        try await Self.ledger(app, document, arrivals, .memory).ledger.ledger
    }

    /// Compares at random cuts, the end of the history among them, and at random moments when something may change.
    /// - Parameters:
    ///   - place: Where the ledger lies.
    ///   - words: Takes up the states and reasons that were answered, and `snapshot` and `segments` where answers could
    ///     come from one: what the comparison got to see.
    /// - Returns: The first difference; `nil` when there is none.
    public func check(
        cuts: Int, moments count: Int, in place: HistoryLedger.Place = .memory,
        words: inout Set<String>
    ) async throws -> Failure? {
        var random = SplitMix64(seed: seed &+ 7)
        let (told, sources) = try await Self.ledger(app, document, arrivals, place)
        words.formUnion(sources)
        let comparison = try ModelComparison(told.ledger)
        let last = Int64(comparison.events.count)
        let chosen = (1..<cuts).map { _ in Int64.random(in: 1...last, using: &random) } + [last]
        for cut in chosen {
            for environment in [Environment.production, .sandbox] {
                let told = comparison.moments.shuffled(using: &random).prefix(count * 2 / 3)
                let answers = try comparison.answers(in: environment, at: told, cut: cut)
                words.formUnion(answers.flatMap(\.words))
                let computed = ModelComparison.boundaries(of: answers).shuffled(using: &random)
                    .prefix(count / 3)
                for at in told + computed {
                    let differences = try comparison.differences(
                        in: environment, at: [at], cut: cut)
                    guard differences.isEmpty else {
                        return Failure(
                            history: self, place: place, environment: environment, at: at, cut: cut,
                            differences: differences)
                    }
                }
            }
        }
        return nil
    }

    /// Where the two differ.
    public struct Failure {
        let history: InventedHistory
        let place: HistoryLedger.Place
        let environment: Environment
        let at: Int64
        let cut: Int64
        /// One sentence each.
        public let differences: [String]
    }
}

extension InventedHistory.Failure {
    /// The differences, with the smallest history that shows one: a line for each event, in order of arrival, and
    /// whether it was known.
    public func explained() async throws -> String {
        let known = Int(cut) - 1
        let steps = history.arrivals.enumerated().map { ($0.element, isKnown: $0.offset < known) }
        let smallest = await HistoryShrinker.smallest(steps) {
            // Without its catalog a roll-back fails: such a history shows nothing.
            (try? await !self.differences(of: $0).isEmpty) ?? false
        }
        let lines = smallest.map { arrival, isKnown in
            (isKnown ? "known " : "later ") + Self.line(arrival)
        }
        return (try await differences(of: smallest) + lines).joined(separator: "\n")
    }

    private static func line(_ arrival: InventedHistory.Arrival) -> String {
        switch arrival {
        case .event(let draft):
            String(decoding: EventJSON.object(of: draft).canonicalBytes, as: UTF8.self)
        case .catalog(let catalog):
            "catalog of \(catalog.document.count) bytes for \(catalog.scope), "
                + "from \(catalog.effectiveAt ?? 0), back to \(catalog.rollBackTo ?? 0)"
        }
    }

    private func differences(
        of steps: [(InventedHistory.Arrival, isKnown: Bool)]
    ) async throws -> [String] {
        let ordered = steps.filter(\.isKnown) + steps.filter { !$0.isKnown }
        let (told, _) = try await InventedHistory.ledger(
            history.app, history.document, ordered.map(\.0), place)
        return try ModelComparison(told.ledger).differences(
            in: environment, at: [at], cut: Int64(steps.count(where: \.isKnown)) + 1)
    }
}
