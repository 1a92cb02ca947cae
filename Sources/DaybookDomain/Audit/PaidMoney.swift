public import DaybookEvents

/// What a customer has paid and got back, by currency, in thousandths: net revenue at the refund's date
/// (docs/rules.md#money).
///
/// Every transaction counts once, with the price that its weightiest statement gave (rule 3). Free periods count
/// nothing, a family's share is another person's payment, and what only a client said is none.
public struct PaidMoney: Sendable, Equatable {
    /// By currency.
    public private(set) var amounts: [String: Int64] = [:]

    /// Creates a sum without payments.
    public init() {}

    /// Adds the payments of one lineage that this customer owned when they were made, up to the case's time.
    /// - Parameter events: Of the lineage, corrected, in canonical order.
    public mutating func add(
        _ lineage: CustomerCase.OwnedLineage, _ events: [Event], of context: CustomerCase
    ) {
        for fact in lineage.state.transactions {
            // What is free is told by the offer: some sources name the price that comes after it.
            guard !fact.coreRank.isNone, !fact.isProvisional, !fact.isFamilyShared, !fact.isFree,
                fact.startsAt <= context.at, lineage.isOwned(at: fact.startsAt),
                let statement = events.first(where: {
                    $0.reference == fact.id && $0.key == fact.coreRank.key
                        && $0.source == fact.coreRank.source
                }), let price = statement.money.orNil
            else { continue }
            let paid = price.multipliedSaturated(by: max(1, fact.quantity))
            let isRefunded =
                fact.revokedAt != Event.absent && fact.revokedAt <= context.at
                && fact.revocation != .family
            let back = isRefunded ? Self.share(paid, fact.refundedMilli) : 0
            let currency = context.names[statement.nameC]
            amounts[currency, default: 0] = (amounts[currency] ?? 0).addingSaturated(paid - back)
        }
    }

    /// - Parameter milli: Thousandths of a percent.
    static func share(_ amount: Int64, _ milli: Int64) -> Int64 {
        let product = amount.multipliedFullWidth(by: min(max(milli, 0), 100_000))
        return Int64(100_000).dividingFullWidth(product).quotient
    }

    /// Adds what another customer paid.
    public mutating func add(_ other: PaidMoney) {
        for (currency, amount) in other.amounts {
            amounts[currency, default: 0] = (amounts[currency] ?? 0).addingSaturated(amount)
        }
    }
}
