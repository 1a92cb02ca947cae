package import DaybookDomain
package import DaybookEvents

/// The shapes of metrics and of what is asked about them.
extension Metric {
    package var json: JSONObject {
        [
            "name": .string(name), "shape": .string(shape.rawValue), "meaning": .string(meaning),
            "formula": .string(formula), "by": .orNull(groups),
        ]
    }
}

extension MetricSeries.Value {
    /// Fractions are in millionths, because no number of ours is one; money is in thousandths of the currency before
    /// the division.
    fileprivate func json(_ groups: String?, _ period: String) -> JSONValue {
        var object: JSONObject = [
            "period": .string(period), "from": .integer(range.lowerBound),
            "until": .integer(range.upperBound),
            "numerator": .integer(numerator), "denominator": .integer(denominator),
            "value_micros": .orNull(micros), "complete": .bool(isComplete),
        ]
        if let groups { object[groups] = .string(group) }
        return .object(object)
    }
}

extension MetricsReport {
    package var json: JSONObject {
        [
            "metrics": .array(
                series.map { series in
                    [
                        "name": .string(series.metric.name),
                        "shape": .string(series.metric.shape.rawValue),
                        "values": .array(
                            series.values.map {
                                $0.json(series.metric.groups, periods[$0.bucket].name)
                            }),
                    ]
                }),
            "env": .string(request.environment.name), "by": .string(request.resolution.rawValue),
            "tz": .string(zone), "refunds": .string(request.rules.refunds.rawValue),
            "monthly_price": .string(request.rules.monthlyPrice.rawValue),
            "commission_milli": .integer(request.rules.commissionMilli),
            "subjects": .integer(Int64(subjectCount)), "as_of": .object(asOf.json),
        ]
    }
}

extension KPIReport {
    package var json: JSONObject {
        [
            "kpis": .array(rows.map { .object($0.json) }), "period": .string(period.name),
            "from": .integer(period.range.lowerBound), "until": .integer(period.range.upperBound),
            "tz": .string(zone), "as_of": .object(asOf.json),
        ]
    }
}

extension KPIReport.Row {
    fileprivate var json: JSONObject {
        [
            "name": .string(target.name), "metric": .string(target.metric),
            "compare": .string(target.comparison.rawValue),
            "target_milli": .integer(target.targetMilli), "upper_milli": .orNull(target.upperMilli),
            "group": .string(group), "numerator": .orNull(numerator),
            "denominator": .orNull(denominator), "value_micros": .orNull(micros),
            "met": isMet.map { .bool($0) } ?? .null, "complete": .bool(isComplete),
            "trend_micros": .array(trend.map { .orNull($0) }),
        ]
    }
}
