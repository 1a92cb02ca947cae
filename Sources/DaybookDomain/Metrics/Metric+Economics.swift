import DaybookEvents

extension Metric {
    /// What uses cost and prices bring (docs/metrics.md#economics).
    static let economics: [Metric] = [
        Metric(
            "usage_cost", .money, "What uses cost, by the cost of one that the catalog states.",
            formula: "uses × unitCost of the meter"
        ) { subject, tally in
            subject.addCost(to: &tally)
        },
        Metric(
            "usage_cost_per_customer", .moneyAverage,
            "The same for each customer who used anything.",
            formula: "usage_cost ÷ customers with a use that has a cost"
        ) { subject, tally in
            for bucket in subject.addCost(to: &tally) { tally.add(1, .denominator, in: bucket) }
        },
        Metric(
            "break_even_purchases", .count,
            "How many purchases pay for what was used, before and after the store's commission.",
            formula:
                "usage_cost ÷ the price at that time of the catalog's first product that is bought once; of proceeds the price × (1 - commission)",
            by: "basis"
        ) { subject, tally in
            subject.forEachCost { at, cost, currency in
                guard let price = subject.catalog?.oncePrice(in: currency, at: at) else { return }
                let kept = 100_000 - subject.rules.commissionMilli
                let bucket = tally.bucket(at)
                // Costs are in millionths of the currency, prices in thousandths.
                tally.add(
                    Share(numerator: cost, denominator: price.multipliedSaturated(by: 1_000)),
                    in: bucket, of: "gross")
                guard kept > 0 else { return }
                tally.add(
                    Share(
                        numerator: cost.multipliedSaturated(by: 100),
                        denominator: price.multipliedSaturated(by: kept)), in: bucket,
                    of: "proceeds")
            }
        },
        Metric(
            "yearly_saving", .ratio, "How much less a year costs than twelve months.",
            formula:
                "(12 × monthly price - yearly payment) ÷ (12 × monthly price), summed over the payments for a year; the monthly price is the catalog's at that time, in the same group, of the same entitlements and currency",
            by: "product"
        ) { subject, tally in
            for payment in subject.payments where payment.isPaid {
                guard let yearly = payment.product, payment.fact.offerType == 0,
                    let monthly = subject.catalog?.monthlyPrice(beside: yearly, payment)
                else { continue }
                let year = monthly.multipliedSaturated(by: 12)
                let bucket = tally.bucket(payment.at)
                tally.add(year, .denominator, in: bucket, of: yearly.id)
                tally.add(year - payment.amount, in: bucket, of: yearly.id)
            }
        },
    ]
}

extension MetricSubject {
    /// What each use cost, in millionths of the currency.
    fileprivate func forEachCost(
        _ body: (_ at: Int64, _ micros: Int64, _ currency: String) -> Void
    ) {
        for use in uses {
            guard let meter = catalog?.meter(named: use.meter), let micros = meter.unitCostMicros,
                let currency = meter.costCurrency
            else { continue }
            body(use.at, use.amount.multipliedSaturated(by: micros), currency)
        }
    }

    /// Adds what uses cost, in thousandths of the currency.
    /// - Returns: The buckets in which there was any.
    @discardableResult
    fileprivate func addCost(to tally: inout MetricTally) -> Set<Int> {
        var buckets: Set<Int> = []
        forEachCost { at, micros, currency in
            guard let bucket = tally.bucket(at) else { return }
            tally.add(
                money: micros, times: Share(numerator: 1, denominator: 1_000), in: bucket,
                of: conversion?.shown(currency, at: at)
                    ?? ShownCurrency(name: currency, factor: .one))
            buckets.insert(bucket)
        }
        return buckets
    }
}

extension Catalog {
    /// What the first product that is bought once costs at a time, in thousandths; `nil`: there is none, or it is free.
    fileprivate func oncePrice(in currency: String, at instant: Int64) -> Int64? {
        self.products.lazy.filter { $0.kind == .nonConsumable }
            .compactMap { $0.price(at: instant) }
            .first { $0.amountMilli > 0 && haveSameBytes($0.currency, currency) }?.amountMilli
    }

    /// What a month of the same costs when a year is paid, in thousandths; `nil` where it is no year, or there is no
    /// month of it.
    fileprivate func monthlyPrice(
        beside yearly: Product, _ payment: MetricPayment
    ) -> Int64? {
        guard yearly.kind == .autoRenewable, yearly.isOf(months: 12), yearly.group != nil else {
            return nil
        }
        for product in self.products where product.kind == .autoRenewable && product.isOf(months: 1)
        {
            guard product.group == yearly.group,
                Set(product.entitlements) == Set(yearly.entitlements),
                let price = product.price(at: payment.at),
                haveSameBytes(price.currency, payment.currency), price.amountMilli > 0
            else { continue }
            return price.amountMilli.multipliedSaturated(by: max(1, payment.fact.quantity))
        }
        return nil
    }
}

extension Product {
    fileprivate func isOf(months: Int) -> Bool {
        period.flatMap(PeriodLength.init) == PeriodLength(CivilDuration(months: months))
    }
}
