package import DaybookDomain
package import DaybookEvents

/// The shapes of metrics and of what is asked about them.
extension Metric {
    package var json: JSONObject {
        [
            "name": .string(name), "shape": .string(shape.rawValue), "meaning": .string(meaning),
            "formula": .string(formula), "by": .orNull(groups), "ages": .bool(hasAges),
        ]
    }
}

extension MetricSeries.Value {
    /// Fractions are in millionths, because no number of ours is one; money is in thousandths of the currency before
    /// the division.
    func json(_ groups: String?, _ period: String) -> JSONObject {
        var object: JSONObject = [
            "period": .string(period), "from": .integer(range.lowerBound),
            "until": .integer(range.upperBound),
            "numerator": .integer(numerator), "denominator": .integer(denominator),
            "value_micros": .orNull(micros), "complete": .bool(isComplete),
        ]
        if let groups { object[groups] = .string(group) }
        if let age { object["age"] = .integer(Int64(age)) }
        return object
    }
}

extension MetricsReport {
    package var json: JSONObject {
        var object = request.counting.adding([
            "metrics": .array(
                series.map { series in
                    [
                        "name": .string(series.metric.name),
                        "shape": .string(series.metric.shape.rawValue),
                        "values": .array(
                            series.values.map {
                                .object($0.json(series.metric.groups, periods[$0.bucket].name))
                            }),
                    ]
                }),
            "env": .string(request.environment.name), "tz": .string(zone),
            "subjects": .count(subjectCount), "as_of": .object(asOf.json),
        ])
        if let rates { object.note(rates) }
        return object
    }
}

extension MetricsRequest {
    /// How long the periods are, and how and of which customers is counted.
    var counting: JSONObject {
        [
            "by": .string(chosenResolution.rawValue), "refunds": .string(rules.refunds.rawValue),
            "monthly_price": .string(rules.monthlyPrice.rawValue),
            "commission_milli": .integer(rules.commissionMilli),
            "retention": .string(rules.retention.rawValue),
            "attribution": .string(rules.attribution.rawValue),
            "every": .orNull(rules.ageUnit?.rawValue), "ages": .count(rules.ageMax),
            "filter": .object(rules.filter.json),
        ]
    }
}

extension MetricsReport {
    /// A JSON object a line for each value.
    package var lines: String {
        var text = ""
        for series in series {
            for value in series.values {
                var object = value.json(series.metric.groups, periods[value.bucket].name)
                object["metric"] = .string(series.metric.name)
                text += JSONValue.object(object).canonicalText + "\n"
            }
        }
        return text
    }
}

extension JSONObject {
    fileprivate mutating func note(_ rates: RatesKnown) {
        self["currency"] = .string(rates.conversion.currency)
        self["rates"] = .object(rates.json)
    }
}

extension RatesKnown {
    fileprivate var json: JSONObject {
        [
            "count": .count(count), "sources": .texts(sources),
            "days": .members(of: conversion.dayCounts) { ($0.currency, .count($0.count)) },
            "position": .orNull(position),
        ]
    }
}

extension KPIReport {
    package var json: JSONObject {
        var object: JSONObject = [
            "kpis": .objects(rows.map(\.json)), "period": .string(period.name),
            "from": .integer(period.range.lowerBound), "until": .integer(period.range.upperBound),
            "tz": .string(zone), "as_of": .object(asOf.json),
        ]
        if let rates { object.note(rates) }
        return object
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

extension MetricFilter {
    /// What it asks for; without the rest.
    package var json: JSONObject {
        var object = JSONObject()
        if !products.isEmpty { object["products"] = .array(products.map { .string($0) }) }
        if !countries.isEmpty { object["countries"] = .texts(countries) }
        if let cohort { object["cohort"] = .string(cohort.name) }
        if let experiment { object["experiment"] = .string(experiment) }
        if let variant { object["variant"] = .string(variant) }
        if let catalogVersion { object["catalog_version"] = .integer(catalogVersion) }
        return object
    }

    /// Reads what `json` writes.
    /// - Returns: `nil` where it asks for something that this build does not know.
    init?(_ object: JSONObject) {
        self.init()
        products = (object["products"]?.array ?? []).compactMap(\.text)
        countries = (object["countries"]?.array ?? []).compactMap(\.text)
        experiment = object["experiment"]?.text
        variant = object["variant"]?.text
        catalogVersion = object["catalog_version"]?.integer
        if let name = object["cohort"]?.text {
            guard let period = CalendarPeriod(name) else { return nil }
            cohort = period
        }
        guard json == object else { return nil }
    }
}
