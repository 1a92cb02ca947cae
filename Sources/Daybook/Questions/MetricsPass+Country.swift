import DaybookDomain
import DaybookEvents

/// Where customers are (docs/metrics.md#filters).
extension MetricsPass {
    /// Whether the filter's countries, if it has any, are those of some lineages and of a customer's own events.
    func isOfCountry(_ lineages: [MetricSubject.Lineage], _ events: [Event]) throws -> Bool {
        let countries = rules.filter.countries
        guard !countries.isEmpty else { return true }
        let purchases = lineages.flatMap(Self.purchases)
        let told =
            try country(ofNewest: purchases, in: "storefront")
            ?? country(ofNewest: events.filter { $0.type == .subjectCreated }, in: "country")
        return told.map(countries.contains) ?? false
    }

    /// What stores said of the purchases of a lineage at the times at which it was the customer's, without what only a
    /// client said and what a family shares.
    private static func purchases(_ lineage: MetricSubject.Lineage) -> [Event] {
        var shared: Set<Reference> = []
        for fact in lineage.owned.state.transactions where fact.isFamilyShared {
            shared.insert(fact.id)
        }
        return lineage.events.filter { event in
            event.type.namesStorefront && event.trust.classRank > 0
                && !shared.contains(event.reference)
                && lineage.owned.stretches.contains {
                    $0.from <= event.occurredAt && event.occurredAt < $0.until
                }
        }
    }

    /// How many events are read at once: the newest mostly tells.
    private static let readCount = 16

    /// The country that the newest of some events tells, corrected; `nil`: none does.
    private func country(ofNewest events: [Event], in member: String) throws -> String? {
        var newest = events.filter { $0.occurredAt <= at }.sorted {
            OrderKey($1).precedes(OrderKey($0), names: state.names)
        }[...]
        var count = 1
        while !newest.isEmpty {
            let drafts = try state.drafts(
                of: Array(newest.prefix(count)), cut: cut, in: core.store)
            for draft in drafts {
                if let code = draft.data[member]?.text.flatMap(CountryCode.short) { return code }
            }
            newest = newest.dropFirst(count)
            count = Self.readCount
        }
        return nil
    }
}

extension EventType {
    /// Whether an event may tell in the store of which country something was bought.
    fileprivate var namesStorefront: Bool {
        Vocabulary.current(self)?.fields.contains { $0.name == "storefront" } ?? false
    }
}
