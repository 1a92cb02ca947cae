import DaybookEvents

/// One transaction as money sees it: with the price that its weightiest statement gave, and what of it went back.
///
/// Not among them are what only a client said and a family's share of another person's payment
/// (docs/metrics.md#revenue).
struct MetricPayment {
    /// What went back to the customer.
    struct Refund {
        var at: Int64
        /// Thousandths of the currency.
        var amount: Int64
    }

    /// ISO 4217's word for no currency.
    private static let noCurrency = "XXX"

    let fact: TransactionFact
    /// Of the case's lineages.
    let lineage: Int
    /// As the newest catalog has it; `nil` for one that it does not name.
    let product: Product?
    /// Whether the customer owned it when it was bought: then the money is theirs.
    let isOwn: Bool
    /// Whether nothing was asked for it, by the offer's name or by a price of 0 in a currency. A price of 0 in none is
    /// what sources record that do not know it: not free, and no payment.
    let isFree: Bool
    /// Price times quantity in thousandths of the currency; 0 for what is free.
    let amount: Int64
    /// ISO 4217; `XXX` where none was told.
    let currency: String
    /// The currency in which its amounts are shown: at the rate of the day on which it was bought, what goes back too.
    let shown: ShownCurrency
    let refund: Refund?

    /// When it was bought.
    var at: Int64 { fact.startsAt }
    /// Whether money was asked for it.
    var isPaid: Bool { !isFree && amount > 0 }

    /// Whether the customer began it, rather than the store that renews; where it is not said, all but renewals.
    var isBegun: Bool {
        guard fact.reasonRank.isNone else { return fact.isPurchase }
        return fact.kindRank.isNone || fact.isStart || product?.kind != .autoRenewable
    }

    /// Whether it counts as a payment for questions that only ask whether there was one: with refunds taken back to
    /// their payment, none is left of one that went back as a whole.
    func isKept(_ rules: MetricRules) -> Bool {
        isPaid && (rules.refunds != .retroactive || refund.map { $0.amount < amount } ?? true)
    }

    /// - Parameters:
    ///   - statement: The event that gave the fact its product and dates.
    ///   - end: The time of the question: a refund after it is not known.
    ///   - conversion: `nil`: amounts are shown in their own currency.
    init(
        _ fact: TransactionFact, ofLineage lineage: Int, isOwn: Bool, told statement: Event?,
        _ product: Product?,
        names: NameTable, until end: Int64, _ conversion: CurrencyConversion?
    ) {
        self.fact = fact
        self.lineage = lineage
        self.isOwn = isOwn
        self.product = product
        let told = names[statement?.nameC ?? 0]
        let currency = told.isEmpty ? Self.noCurrency : told
        self.currency = currency
        shown =
            conversion?.shown(currency, at: fact.startsAt)
            ?? ShownCurrency(name: currency, factor: .one)
        isFree = fact.isFree || (statement?.money == 0 && currency != Self.noCurrency)
        let price = isFree ? 0 : statement?.money.orNil ?? 0
        amount = price.multipliedSaturated(by: max(1, fact.quantity))
        refund =
            fact.isGivenBack && fact.revokedAt <= end
            ? Refund(at: fact.revokedAt, amount: PaidMoney.share(amount, fact.refundedMilli)) : nil
    }

    /// What is earned of it by the rules of a question, and when.
    func net(_ rules: MetricRules, _ body: (_ at: Int64, _ amount: Int64) -> Void) {
        guard isPaid else { return }
        switch (rules.refunds, refund) {
        case (.retroactive, let refund?): body(at, amount - refund.amount)
        case (.atRefundDate, let refund?):
            body(at, amount)
            body(refund.at, -refund.amount)
        default: body(at, amount)
        }
    }

    /// What it is worth in a month, in the currency in which it is shown; `nil` where it is unknown how long it serves.
    func monthly(_ rules: MetricRules) -> ExactAmount? {
        guard let length = servedLength else { return nil }
        return ExactAmount(amount, times: rules.monthlyPrice.factor(of: length), in: shown)
    }

    /// The period that the price is for: the catalog's, and of an introductory price that is paid up front for several
    /// periods the time that the store stated.
    var servedLength: PeriodLength? {
        let isUpFront = fact.offerDiscount == 3
        if !isUpFront, let period = product?.period { return PeriodLength(period) }
        guard let end = fact.expiresAt.orNil, end > fact.startsAt else { return nil }
        let length = end.addingSaturated(-fact.startsAt).addingSaturated(.day / 2)
        let days = Int(length / .day)
        let months = (days * 12 + 182) / 365
        // As many days as so many months have: 28 to 31, 59 to 62, 365 and 366.
        let isMonths = months > 0 && abs(days - (months * 365 + 6) / 12) <= 2
        return PeriodLength(
            isMonths ? CivilDuration(months: months) : CivilDuration(days: max(1, days)))
    }
}
