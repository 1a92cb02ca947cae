import DaybookDomain
import DaybookEvents
import Synchronization

/// Rates between currencies as a state of knowledge has them, kept for the last few questions.
final class ExchangeRates: Sendable {
    /// What is asked for: the same one has the same rates.
    private struct Question: Equatable {
        let currency: String
        /// Of the last rate and the last correction that are known; 0: none is.
        let rate: Int64
        let correction: Int64
    }

    private struct Kept {
        /// The one that was used last is the last.
        var answers: [(question: Question, rates: RatesKnown)] = []
        /// The positions of a stream's events, ascending, by the position of its last one.
        var positions: [Int64: [Int64]] = [:]
    }

    private static let countMax = 8

    private let kept = Mutex(Kept())

    /// - Parameter currency: ISO 4217.
    /// - Complexity: O(*n*) in the rates of all currencies, once for each state of knowledge of them.
    func rates(
        to currency: String, in state: LedgerState, cut: Int64
    ) throws -> RatesKnown {
        // As `EventRouter` calls the streams.
        let head = state.headOfLedger("rates", in: .production)
        let question = Question(
            currency: currency, rate: try last(head, in: state, cut: cut),
            correction: try last(
                state.headOfLedger("corrections", in: .production), in: state, cut: cut))
        let found = kept.withLock { kept -> RatesKnown? in
            guard let place = kept.answers.firstIndex(where: { $0.question == question }) else {
                return nil
            }
            kept.answers.append(kept.answers.remove(at: place))
            return kept.answers.last?.rates
        }
        if let found { return found }
        let rates = try Self.read(currency, in: state, cut: cut, head: head)
        kept.withLock { kept in
            kept.answers.append((question, rates))
            if kept.answers.count > Self.countMax { kept.answers.removeFirst() }
        }
        return rates
    }

    /// The last position of a stream within a cut; 0: it has none.
    private func last(_ head: Int64, in state: LedgerState, cut: Int64) throws -> Int64 {
        if head <= cut { return head }
        let known = kept.withLock { $0.positions[head] }
        let positions =
            try known
            ?? state.log.stream(endingAt: head, cut: Int64.max).map(\.position).sorted()
        if known == nil {
            kept.withLock { kept in
                if kept.positions.count >= Self.countMax { kept.positions = [:] }
                kept.positions[head] = positions
            }
        }
        return positions.prefix(positions.sortedPrefixCount { $0 <= cut }).last ?? 0
    }

    private static func read(
        _ currency: String, in state: LedgerState, cut: Int64, head: Int64
    ) throws -> RatesKnown {
        let events = try AggregateFold(state, cut: cut).events(
            environment: .production, heads: [head]
        ).filter { $0.type == .rateRecorded }
        let names = state.names
        var sources: Set<NameID> = []
        // What was signed last counts, whatever arrived first; else the last in canonical order.
        let weighed = events.enumerated().sorted {
            ($0.element.signedAt, $0.offset) < ($1.element.signedAt, $1.offset)
        }
        let rates = weighed.compactMap { _, event -> CurrencyConversion.Rate? in
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
            position: events.map(\.position).max())
    }
}
