import DaybookDomain
import DaybookEvents

/// Where customers are (docs/metrics.md#filters).
extension MetricsPass {
    /// Whether the filter's countries, if it has any, are those of some lineages and of a customer's own events.
    func isOfCountry(_ lineages: [MetricSubject.Lineage], _ events: [Event]) throws -> Bool {
        let countries = rules.filter.countries
        guard !countries.isEmpty else { return true }
        let purchases = lineages.flatMap { lineage in
            lineage.events.filter {
                $0.type.namesStorefront && lineage.owned.isOwned(at: $0.occurredAt)
            }
        }
        let told =
            try country(ofNewest: purchases, in: "storefront")
            ?? country(ofNewest: events.filter { $0.type == .subjectCreated }, in: "country")
        return told.map(countries.contains) ?? false
    }

    /// The country that the newest of some events tells, corrected; `nil`: none does.
    private func country(ofNewest events: [Event], in member: String) throws -> String? {
        let newest = events.filter { $0.occurredAt <= at }.sorted {
            OrderKey($1).precedes(OrderKey($0), names: state.names)
        }
        for event in newest {
            let draft = try state.draft(of: event, cut: cut, in: core.store)
            if let code = draft?.data[member]?.text.flatMap(CountryCode.short) { return code }
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
