import DaybookDomain
package import DaybookEvents

/// The shapes of what would be different under other circumstances.
extension WhatIfReport {
    package var json: JSONObject {
        [
            "environment": .string(environment.name), "as_of": .object(asOf.json),
            "customers": .integer(Int64(customers)), "changed": .integer(Int64(changed)),
            "features": .array(
                features.map {
                    [
                        "feature": .string($0.name), "gained": .integer(Int64($0.gained)),
                        "lost": .integer(Int64($0.lost)),
                    ]
                }),
            "meters": .array(meters.map { .object($0.json) }),
            "revenue": .array(
                revenue.map {
                    [
                        "currency": .string($0.currency), "before_milli": .integer($0.before),
                        "after_milli": .integer($0.after),
                    ]
                }),
            "top": .array(top.map { .object($0.json) }), "conflicts": .texts(conflicts),
        ]
    }
}

extension WhatIfReport.MeterShift {
    package var json: JSONObject {
        [
            "meter": .string(name), "limit_reached": .integer(Int64(reached)),
            "limit_freed": .integer(Int64(freed)),
            "limit_changed": .integer(Int64(limitChanged)),
            "overage_before": .integer(overageBefore), "overage_after": .integer(overageAfter),
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
                        "meter": .string($0.name),
                        "before": $0.before.map { .object($0.json) } ?? .null,
                        "after": $0.after.map { .object($0.json) } ?? .null,
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
