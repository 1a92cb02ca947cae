import DaybookDomain
import DaybookEvents

extension MetricsReport {
    /// A header line and a line for each value, as RFC 4180 has them; values are decimals.
    package var csv: String {
        var text = "metric,group,from,until,numerator,denominator,value,complete,age\n"
        for series in series {
            for value in series.values {
                let cells = [
                    series.metric.name, CSVText.cell(value.group),
                    RFC3339.format(value.range.lowerBound),
                    RFC3339.format(value.range.upperBound), String(value.numerator),
                    String(value.denominator), value.micros.map(CSVText.decimal) ?? "",
                    value.isComplete ? "true" : "false", value.age.map(String.init) ?? "",
                ]
                text += cells.joined(separator: ",") + "\n"
            }
        }
        return text
    }
}
