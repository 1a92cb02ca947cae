import Daybook
import DaybookDomain

/// Metrics and targets as people read them.
enum MetricsText {
    static func list(_ metrics: [Metric], _ terminal: Terminal) -> HumanText {
        Table(metrics) { metric in
            [
                .init(metric.name, .bold), .init(MetricWords.unit(metric), .dim),
                .init(metric.meaning),
            ]
        }.text(terminal, indent: 0)
    }

    static func explanation(_ metrics: [Metric], _ terminal: Terminal) -> HumanText {
        var text: HumanText = ""
        for metric in metrics {
            text += "\(terminal.paint(metric.name, .heading)) · \(MetricWords.unit(metric))\n"
            var table = Table()
            table.add(label: "meaning", metric.meaning)
            table.add(label: "formula", metric.formula)
            table.add(label: "final", MetricWords.maturity(metric))
            text += table.text(terminal)
        }
        return text
    }

    static func text(_ report: MetricsReport, _ terminal: Terminal) -> HumanText {
        var text: HumanText = ""
        for series in report.series {
            text +=
                "\(terminal.paint(series.metric.name, .heading)) · \(MetricWords.unit(series.metric))\n"
            guard !series.values.isEmpty else {
                text += "  nothing was counted\n"
                continue
            }
            text += table(series, report, terminal)
        }
        let sentence = "periods in \(report.zone); \(report.asOf.sentence)"
        return text + "  \(terminal.paint(sentence, .dim))\n" + note(report.rates, terminal)
    }

    private static func note(_ rates: RatesKnown?, _ terminal: Terminal) -> HumanText {
        rates.map { "  \(terminal.paint(sentence($0), .dim))\n" } ?? ""
    }

    private static func sentence(_ rates: RatesKnown) -> String {
        let currency = rates.conversion.currency
        if rates.count == 0 {
            return
                "no rate to or from \(currency) is recorded: money stays in its own currency (daybook import --map)"
        }
        let pairs = rates.conversion.dayCounts.map { "\($0.currency) on \($0.count) days" }
        return
            "in \(currency) by rates of \(rates.sources.joined(separator: ", ")), for \(pairs.joined(separator: ", ")); what has none stays in its own currency"
    }

    private static func table(
        _ series: MetricSeries, _ report: MetricsReport, _ terminal: Terminal
    ) -> HumanText {
        Table(series.values) { value in
            [
                .init(report.periods[value.bucket].name), .init(value.group, .dim),
                .init(value.age.map { "age \($0)" } ?? "", .dim),
                .init(MetricWords.number(value.micros, series.metric.shape), .bold, isRight: true),
                .init(
                    MetricWords.fraction(
                        value.numerator, value.denominator, series.metric.shape), .dim,
                    isRight: true),
                .init(value.isComplete ? "" : "not over yet", .warning),
            ]
        }.text(terminal)
    }

    // MARK: Targets

    static func text(_ report: KPIReport, _ terminal: Terminal) -> HumanText {
        if report.rows.isEmpty { return "the catalog has no targets; `kpis:` in it lists them\n" }
        let table = Table(report.rows) { row in
            let shape = Metric.named(row.target.metric)?.shape ?? .average
            return [
                .init(row.target.name, .bold), .init(row.target.metric),
                .init(row.group, .dim), .init(MetricWords.number(row.micros, shape), isRight: true),
                .init(sparkline(row.trend)), .init(MetricWords.target(row.target, shape), .dim),
                verdict(row),
            ]
        }
        let sentence =
            "\(report.period.name) in \(report.zone); \(report.asOf.sentence)"
        return table.text(terminal, indent: 0) + "  \(terminal.paint(sentence, .dim))\n"
            + note(report.rates, terminal)
    }

    private static func verdict(_ row: KPIReport.Row) -> Table.Cell {
        switch (row.isMet, row.isComplete) {
        case (nil, _): .init("no value", .dim)
        case (true?, true): .init("met", .good)
        case (true?, false): .init("met so far", .good)
        case (false?, true): .init("missed", .bad)
        case (false?, false): .init("missed so far", .warning)
        }
    }

    /// The course of some values; a gap where there is none.
    static func sparkline(_ values: [Int64?]) -> String {
        let known = values.compactMap(\.self)
        guard let least = known.min(), let most = known.max(), known.count > 1 else { return "" }
        let bars = Array("▁▂▃▄▅▆▇█")
        // Far from exact is near enough for a bar.
        let span = max(1, Double(most) - Double(least))
        return String(
            values.map { value in
                guard let value else { return " " }
                let place = (Double(value) - Double(least)) / span * Double(bars.count - 1)
                return bars[min(bars.count - 1, max(0, Int(place.rounded())))]
            })
    }
}
