package import DaybookDomain
package import DaybookEvents

/// A decision that is at hand, for as long as nothing that it rests on has changed.
///
/// A reference: it has some thirty texts and lists to count, and is handed on at every question.
package final class StandingDecision: Sendable {
    package let question: CheckQuestion
    package let decision: Decision
    /// The version of the catalog that decided.
    package let catalog: Int64?
    /// The times at which it stands (`Check.standing`).
    let times: Range<Int64>
    /// By what it was decided.
    let rules: Rules

    /// How many catalogs and zones are known; neither is ever forgotten.
    struct Rules: Equatable {
        var catalogs: Int
        var zones: Int
    }

    /// Longer texts of a question are a client's own, and take memory that the cache does not count.
    private static let textByteCountMax = 128

    /// - Parameter context: What it was decided upon: others may have published since.
    /// - Returns: `nil` for a question that is not worth its memory.
    package init?(
        _ question: CheckQuestion, _ decision: Decision, catalog: Int64?, times: Range<Int64>,
        upon context: CustomerCase
    ) {
        let texts = [question.name, question.profile ?? "", question.locale ?? ""]
        guard texts.reduce(0, { $0 + $1.utf8.count }) <= Self.textByteCountMax else { return nil }
        self.question = question
        self.decision = decision
        self.catalog = catalog
        self.times = times
        rules = Rules(catalogs: context.catalogs.count, zones: context.zones.count)
    }

    /// Whether it was asked the same, byte by byte: texts that look the same may name different profiles.
    func answers(_ other: CheckQuestion) -> Bool {
        haveSameBytes(question.name, other.name) && question.amount == other.amount
            && haveSameBytes(question.profile, other.profile) && question.itemAt == other.itemAt
            && haveSameBytes(question.locale, other.locale)
    }
}

extension LedgerState {
    fileprivate var standingRules: StandingDecision.Rules {
        .init(catalogs: catalogs.count, zones: zones.count)
    }

    /// The aggregate of a customer of whom nothing is known but what they did: no other id, no purchase, and nothing
    /// that was given away.
    private func plainAggregate(_ key: CustomerKey) -> StreamTable.Entry? {
        guard identity.isAlone(key), lineages(naming: key).isEmpty,
            let stream = streams.entry(key.environment, .customer, key.name),
            isAlone(stream, stream.record.id)
        else { return nil }
        return stream
    }

    /// Whether a customer is one of whom `Check.standing` can speak: of others time can bring what others did.
    package func isPlain(_ key: CustomerKey) -> Bool { plainAggregate(key) != nil }

    /// What was decided before about a customer, if it still stands.
    package func standing(
        _ question: CheckQuestion, about key: CustomerKey, at now: Int64
    ) -> StandingDecision? {
        guard let cache, !needsSettling, let aggregate = plainAggregate(key) else { return nil }
        let rules = standingRules
        return cache.decision(on: aggregate.record.id, stamp(of: aggregate)) {
            $0.times.contains(now) && $0.rules == rules && $0.answers(question)
        }
    }

    /// Remembers a decision about a customer as they are now.
    /// - Parameters:
    ///   - context: What it was decided upon; it is not remembered where that is not how the customer is now.
    ///   - customer: The number of the customer's id, where that is known.
    package func remember(
        _ decision: StandingDecision, about context: CustomerCase, customer: NameID? = nil
    ) {
        guard let cache,
            let name = customer ?? self.customer(named: context.subject, in: context.environment),
            let aggregate = plainAggregate(CustomerKey(context.environment, name)),
            decision.rules == standingRules
        else { return }
        cache.keep(
            decision, on: aggregate.record.id, stamp(of: aggregate), of: context.folded)
    }
}
