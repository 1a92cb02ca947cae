public import DaybookEvents

/// What metrics are computed of: a customer's case with its events, or a lineage that no customer owned.
///
/// A function of events, catalogs and zones alone, for a time and a state of knowledge; contributions of different
/// subjects add up.
public struct MetricSubject {
    /// A lineage's state with its events.
    public struct Lineage {
        /// The folded state, with the times of ownership.
        public var owned: CustomerCase.OwnedLineage
        /// Corrected, in canonical order.
        public var events: [Event]

        /// Takes a lineage with its events; nothing is checked or sorted.
        public init(owned: CustomerCase.OwnedLineage, events: [Event]) {
            self.owned = owned
            self.events = events
        }
    }

    /// `nil` for a lineage without an owner: it has payments and is no customer.
    let customer: CustomerState?
    /// The customer's own events up to the time of the question, without those of a time in which consent was withdrawn
    /// (DZ-43), in canonical order.
    var events: [Event]
    let lineages: [CustomerCase.OwnedLineage]
    /// All that these lineages tell of, also of times at which another customer owned them.
    let transactions: [MetricPayment]
    /// Those that were this customer's.
    var payments: [MetricPayment]
    /// `nil`: nothing was ever assigned.
    let assignments: Assignments?
    /// Of all lineages, each in ascending order of start.
    var spans: [SubscriptionSpan]
    /// Of each lineage what was said of its renewal, in canonical order.
    let notices: [[RenewalNotice]]
    let usage: UsageState
    private let funnel: FunnelState
    let catalog: Catalog?
    let names: NameTable
    let rules: MetricRules
    /// Of the first sight; `nil`: none was told, or no rule asks for it.
    let zone: ZoneTable?
    /// `nil`: money is shown in its own currency.
    let conversion: CurrencyConversion?
    /// The time of the question.
    let at: Int64
    /// When the customer was first seen; `nil` for one of whom nothing is known by then.
    var firstSeenAt: Int64?
    /// What was used before it does not count.
    var beginsAt = Int64.min

    /// - Parameters:
    ///   - context: The case, as of the time of the question. Of an ownerless lineage one of no customer.
    ///   - events: The customer's own, corrected, in canonical order.
    ///   - lineages: Those of the case, in its order.
    ///   - catalog: The newest that is known.
    ///   - conversion: `nil`: money is shown in its own currency.
    public init(
        _ context: CustomerCase, events: [Event], lineages: [Lineage], catalog: Catalog?,
        rules: MetricRules, _ conversion: CurrencyConversion? = nil
    ) {
        let customer = context.state.customer
        self.customer = context.isKnown ? customer : nil
        self.events = events.filter {
            $0.occurredAt <= context.at && !customer.isConsentWithdrawn(at: $0.occurredAt)
        }
        self.lineages = lineages.map(\.owned)
        notices = lineages.map { lineage in
            lineage.events.compactMap { event in
                event.occurredAt <= context.at ? RenewalNotice(event, context.names) : nil
            }
        }
        usage = context.state.usage
        funnel = context.state.funnel
        self.catalog = catalog
        names = context.names
        self.rules = rules
        self.conversion = conversion
        zone = rules.retention == .ownCalendar ? context.firstZone : nil
        at = context.at
        var transactions: [MetricPayment] = []
        var spans: [SubscriptionSpan] = []
        let products = Set(rules.filter.products.map(ExactText.init))
        for (index, lineage) in lineages.enumerated() {
            let places = Self.add(
                lineage, numbered: index, to: &transactions, of: products, catalog, context,
                conversion)
            guard !places.isEmpty else { continue }
            spans += SubscriptionSpans(
                owned: lineage.owned, lineage: index, names: names, catalog: catalog, rules: rules,
                at: at
            ).spans(transactions, places)
        }
        self.transactions = transactions
        self.spans = spans
        payments = transactions.filter(\.isOwn)
        assignments = customer.assignments.isEmpty ? nil : Assignments(context)
        // The first event of any kind: of a purchase that came from another customer when it came.
        let bought = lineages.compactMap { lineage in
            lineage.owned.state.firstEventAt.orNil.map {
                max($0, lineage.owned.stretches.first?.from ?? $0)
            }
        }
        let first =
            customer.firstSeenAt.orNil
            ?? (bought + [customer.firstEventAt.orNil ?? Int64.max]).min() ?? Int64.max
        firstSeenAt = context.isKnown && first <= context.at ? first : nil
    }

    /// Adds the transactions of a lineage, of all its owners.
    /// - Parameter products: Those that count; empty: all.
    /// - Returns: Their places by the transaction's id.
    private static func add(
        _ lineage: Lineage, numbered number: Int, to transactions: inout [MetricPayment],
        of products: Set<ExactText>,
        _ catalog: Catalog?, _ context: CustomerCase, _ conversion: CurrencyConversion?
    ) -> [Reference: Int] {
        let statements = Self.statements(of: lineage)
        var places: [Reference: Int] = [:]
        for fact in lineage.owned.state.transactions {
            guard !fact.coreRank.isNone, !fact.isProvisional, !fact.isFamilyShared,
                fact.startsAt <= context.at,
                products.isEmpty || products.contains(ExactText(context.names[fact.product]))
            else { continue }
            places[fact.id] = transactions.count
            transactions.append(
                MetricPayment(
                    fact, ofLineage: number,
                    isOwn: lineage.owned.stretches.contains {
                        $0.from <= fact.startsAt && fact.startsAt < $0.until
                    }, told: statements[fact.id], catalog?.product(context.names[fact.product]),
                    names: context.names, until: context.at, conversion))
        }
        return places
    }

    /// Of each transaction the event that gave it its product, dates and price.
    /// - Complexity: O(*n*) in the events and transactions.
    private static func statements(of lineage: Lineage) -> [Reference: Event] {
        var ranks: [Reference: StatementRank] = [:]
        for fact in lineage.owned.state.transactions where !fact.coreRank.isNone {
            ranks[fact.id] = fact.coreRank
        }
        var statements: [Reference: Event] = [:]
        for event in lineage.events {
            guard let rank = ranks[event.reference], event.key == rank.key,
                event.source == rank.source, statements[event.reference] == nil
            else { continue }
            statements[event.reference] = event
        }
        return statements
    }

    /// What funnels are made of, in canonical order: the customer's own events and those of the lineages at the times
    /// at which they were the customer's.
    public var funnelSteps: [FunnelState.Step] {
        guard isCustomer, let customer else { return [] }
        var steps = funnel.steps
        for lineage in lineages {
            steps += lineage.funnel.steps.filter { lineage.isOwned(at: $0.at) }
        }
        // Nothing is counted of the time in which consent is withdrawn (DZ-43).
        steps = steps.filter {
            $0.at <= at && $0.at >= beginsAt && !customer.isConsentWithdrawn(at: $0.at)
        }
        let order = steps.indices.sorted { (steps[$0].at, $0) < (steps[$1].at, $1) }
        return order.map { steps[$0] }
    }

    /// Whether an event says that the customer used the app, as the newest catalog has it.
    func isActivity(_ event: Event) -> Bool {
        guard let catalog else { return event.type == .appLaunched }
        return catalog.activity.contains(event.type)
    }

    /// Whether it is a customer, known at the time of the question.
    public var isCustomer: Bool { customer != nil && firstSeenAt != nil }

    /// The customer's spans that are paid for and contain a time.
    func paidSpans(at instant: Int64) -> [SubscriptionSpan] {
        spans.filter { $0.isOwn && !$0.isFree && $0.contains(instant) }
    }

    /// What the paid subscriptions of a time are worth in a month, by currency.
    func recurring(at instant: Int64) -> [String: [ExactAmount]] {
        var worth: [String: [ExactAmount]] = [:]
        for span in paidSpans(at: instant) {
            let payment = transactions[span.payment]
            guard payment.amount > 0, let amount = payment.monthly(rules) else { continue }
            worth[payment.shown.name, default: []].append(amount)
        }
        return worth
    }

    /// The times for which each lineage served without a break from when it was first paid, with all its owners.
    func paidStretches() -> [PaidStretch] {
        var stretches: [PaidStretch] = []
        for span in spans where !span.isVoid {
            if let last = stretches.indices.last, stretches[last].lineage == span.lineage,
                span.start <= stretches[last].range.upperBound
            {
                let range = stretches[last].range
                stretches[last].range = range.lowerBound..<max(range.upperBound, span.end)
                stretches[last].spans.append(span)
            } else if !span.isFree {
                stretches.append(
                    PaidStretch(lineage: span.lineage, range: span.start..<span.end, spans: [span]))
            }
        }
        return stretches
    }
}

/// A time for which a lineage served without a break from when it was first paid; what was free after that goes on
/// with it.
struct PaidStretch {
    var lineage: Int
    var range: Range<Int64>
    var spans: [SubscriptionSpan]

    /// Whether it is the customer's at a time: by the last transaction that had begun.
    func isOwn(at instant: Int64) -> Bool {
        (spans.last { $0.start <= instant } ?? spans[0]).isOwn
    }
}
