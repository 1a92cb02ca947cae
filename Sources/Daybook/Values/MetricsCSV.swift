import DaybookDomain
import DaybookEvents

extension MetricsReport {
    /// A header line and a line for each value, as RFC 4180 has them; values are decimals.
    package var csv: String {
        var text = "metric,group,from,until,numerator,denominator,value,complete,age\n"
        for series in series {
            for value in series.values {
                let cells = [
                    series.metric.name, value.group, RFC3339.format(value.range.lowerBound),
                    RFC3339.format(value.range.upperBound), String(value.numerator),
                    String(value.denominator), value.micros.map(Self.plain) ?? "",
                    value.isComplete ? "true" : "false", value.age.map(String.init) ?? "",
                ]
                text += cells.map(Self.quoted).joined(separator: ",") + "\n"
            }
        }
        return text
    }

    /// Millionths as a decimal without anything that a program could misread.
    private static func plain(_ micros: Int64) -> String {
        let (whole, rest) = micros.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        let fraction = String(1_000_000 + rest).dropFirst()
        return "\(micros < 0 ? "-" : "")\(whole).\(fraction)"
    }

    /// A name that a spreadsheet would take for a formula begins with an apostrophe.
    private static func quoted(_ cell: String) -> String {
        let isFormula =
            cell.unicodeScalars.first.map { "=+@\t\r".unicodeScalars.contains($0) } ?? false
        return CSVText.field(isFormula ? "'" + cell : cell)
    }
}
