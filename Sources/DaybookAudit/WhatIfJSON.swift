import DaybookDomain
package import DaybookEvents

/// The shapes of what would be different under other circumstances.
extension WhatIfReport {
    package var json: JSONObject {
        [
            "environment": .string(environment.name), "as_of": .object(asOf.json),
            "customers": .count(customers), "changed": .count(changed),
            "features": .array(
                features.map {
                    [
                        "feature": .string($0.name), "gained": .count($0.gained),
                        "lost": .count($0.lost),
                    ]
                }),
            "meters": .objects(meters.map(\.json)),
            "revenue": .array(
                revenue.map {
                    [
                        "currency": .string($0.currency), "before_milli": .integer($0.before),
                        "after_milli": .integer($0.after),
                    ]
                }),
            "top": .objects(top.map(\.json)), "conflicts": .texts(conflicts),
        ]
    }
}

extension WhatIfReport.MeterShift {
    package var json: JSONObject {
        [
            "meter": .string(name), "limit_reached": .count(reached), "limit_freed": .count(freed),
            "limit_changed": .count(limitChanged), "overage_before": .integer(overageBefore),
            "overage_after": .integer(overageAfter),
        ]
    }
}

extension WhatIfReport.Customer {
    package var json: JSONObject {
        [
            "subject": .string(subject),
            "features": .array(
                difference.features.map {
                    [
                        "feature": .string($0.name), "profile": .orNull($0.profile),
                        "gained": .bool($0.isGained), "reason": .string($0.reason.rawValue),
                    ]
                }),
            "meters": .array(
                difference.meters.map {
                    [
                        "meter": .string($0.name), "before": .orNull($0.before?.json),
                        "after": .orNull($0.after?.json),
                    ]
                }),
            "paid_before": .object(paidBefore.json), "paid_after": .object(paidAfter.json),
        ]
    }
}

extension OutcomeDifference.Numbers {
    fileprivate var json: JSONObject {
        [
            "limit": .orNull(limit), "used": .integer(used), "remaining": .orNull(remaining),
            "overage": .integer(overage),
        ]
    }
}

extension PaidMoney {
    /// By currency.
    fileprivate var json: JSONObject {
        JSONObject(amounts.map { .init(name: $0.key, value: .integer($0.value)) })
    }
}
