import DaybookDomain
import DaybookEvents
import Synchronization

/// Rates between currencies as a state of knowledge has them, kept for the last few questions.
final class ExchangeRates: Sendable {
    /// What is asked for: the same one has the same rates.
    private struct Question: Equatable {
        let currency: String
        /// Of the last rate and the last correction that are known.
        let rate: Int64
        let correction: Int64
    }

    private static let countMax = 8

    /// The one that was used last is the last.
    private let kept = Mutex<[(question: Question, rates: RatesKnown)]>([])

    init() {}

    /// - Parameter currency: ISO 4217.
    /// - Complexity: O(*n*) in the rates of all currencies, the first time.
    func rates(
        to currency: String, in state: LedgerState, cut: Int64
    ) throws -> RatesKnown {
        let heads = ["rates", "corrections"].map { name in
            // As `EventRouter` calls the streams.
            state.names.id(of: name).flatMap { state.streamID(.production, .ledger, $0) }
                .map { state.headOf($0).position } ?? 0
        }
        let question = Question(
            currency: currency, rate: min(heads[0], cut), correction: min(heads[1], cut))
        let found = kept.withLock { kept -> RatesKnown? in
            guard let place = kept.firstIndex(where: { $0.question == question }) else {
                return nil
            }
            kept.append(kept.remove(at: place))
            return kept.last?.rates
        }
        if let found { return found }
        let rates = try Self.read(currency, in: state, cut: cut, head: heads[0])
        kept.withLock { kept in
            kept.append((question, rates))
            if kept.count > Self.countMax { kept.removeFirst() }
        }
        return rates
    }

    private static func read(
        _ currency: String, in state: LedgerState, cut: Int64, head: Int64
    ) throws -> RatesKnown {
        let events = try AggregateFold(state, cut: cut).events(
            environment: .production, heads: [head]
        ).filter { $0.type == .rateRecorded }.sorted { $0.position < $1.position }
        let names = state.names
        var sources: Set<NameID> = []
        let rates = events.compactMap { event -> CurrencyConversion.Rate? in
            guard let nanos = event.money.orNil else { return nil }
            let rate = CurrencyConversion.Rate(
                at: event.occurredAt, from: names[event.nameA], to: names[event.nameB],
                nanos: nanos)
            guard rate.from == currency || rate.to == currency else { return nil }
            sources.insert(event.source)
            return rate
        }
        return RatesKnown(
            conversion: CurrencyConversion(to: currency, rates),
            sources: sources.map { names[$0] }.sorted(by: precedesInBytes), count: rates.count,
            position: events.last?.position)
    }
}
