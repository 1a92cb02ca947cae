package import DaybookDomain
package import DaybookEvents

/// Who is behind a number, in the forms in which it is told.
extension Contributions {
    package var json: JSONObject {
        [
            "metric": .string(metric.name), "shape": .string(metric.shape.rawValue),
            "value": .object(value.json(metric.groups, period.name)),
            "customers": .array(rows.map { .object(object($0)) }), "count": .count(count),
            "tz": .string(zone), "as_of": .object(asOf.json),
        ]
    }

    /// A JSON object a line for each row.
    package var lines: String {
        rows.map { JSONValue.object(object($0)).canonicalText + "\n" }.joined()
    }

    /// A header line and a line for each row, as RFC 4180 has them; both sides are decimals.
    package var csv: String {
        "customer,lineage,numerator,denominator\n"
            + rows.map { row in
                [
                    CSVText.cell(row.isCustomer ? row.name : ""),
                    CSVText.cell(row.isCustomer ? "" : row.name),
                    micros(row, \.numerator).map(CSVText.decimal) ?? "",
                    micros(row, \.denominator).map(CSVText.decimal) ?? "",
                ].joined(separator: ",") + "\n"
            }.joined()
    }

    package func micros(
        _ row: Row, _ side: KeyPath<MetricContribution, MetricChange.Side>
    ) -> Int64? {
        row.part.micros(side, isMoney: isMoney(side))
    }

    /// What money is divided by is a count; a part of money is money by money.
    private func isMoney(_ side: KeyPath<MetricContribution, MetricChange.Side>) -> Bool {
        metric.shape == .ratio
            ? metric.groups == "currency" : side == \.numerator && metric.shape.isMoney
    }

    /// `4.99`, or `1 of 1` where the value is one by the other.
    package func words(_ row: Row) -> String {
        func text(_ side: KeyPath<MetricContribution, MetricChange.Side>) -> String {
            MetricWords.number(micros(row, side), isMoney(side) ? .money : .average)
        }
        return metric.shape == .count || metric.shape == .money
            ? text(\.numerator) : "\(text(\.numerator)) of \(text(\.denominator))"
    }

    /// Both sides in millionths, of money of the currency itself.
    private func object(_ row: Row) -> JSONObject {
        [
            row.isCustomer ? "customer" : "lineage": .string(row.name),
            "numerator_micros": .orNull(micros(row, \.numerator)),
            "denominator_micros": .orNull(micros(row, \.denominator)),
        ]
    }
}

extension FunnelCustomers {
    package var json: JSONObject {
        [
            "step": .string(step.name), "event": .string(step.event.rawValue),
            "stopped": .bool(isStopped), "customers": .array(rows.map { .object(object($0)) }),
            "count": .count(count), "as_of": .object(asOf.json),
        ]
    }

    package var lines: String {
        rows.map { JSONValue.object(object($0)).canonicalText + "\n" }.joined()
    }

    package var csv: String {
        "customer,times,next_times\n"
            + rows.map { row in
                [CSVText.cell(row.name), String(row.count), String(row.nextCount)]
                    .joined(separator: ",") + "\n"
            }.joined()
    }

    private func object(_ row: Row) -> JSONObject {
        [
            "customer": .string(row.name), "times": .count(row.count),
            "next_times": .count(row.nextCount),
        ]
    }
}
