import Daybook
import DaybookDomain

/// Metrics and targets as people read them.
enum MetricsText {
    static func list(_ metrics: [Metric], _ terminal: Terminal) -> HumanText {
        var table = Table()
        for metric in metrics {
            table.add(
                .init(metric.name, .bold), .init(unit(metric), .dim), .init(metric.meaning))
        }
        return table.text(terminal, indent: 0)
    }

    static func explanation(_ metrics: [Metric], _ terminal: Terminal) -> HumanText {
        var text: HumanText = ""
        for metric in metrics {
            text += "\(terminal.paint(metric.name, .heading)) · \(unit(metric))\n"
            var table = Table()
            table.add(.init("meaning", .dim), .init(metric.meaning))
            table.add(.init("formula", .dim), .init(metric.formula))
            table.add(.init("final", .dim), .init(maturity(metric)))
            text += table.text(terminal)
        }
        return text
    }

    private static func unit(_ metric: Metric) -> String {
        let shape = Words.spaced(metric.shape.rawValue)
        return metric.groups.map { "\(shape) by \($0)" } ?? shape
    }

    private static func maturity(_ metric: Metric) -> String {
        switch metric.maturity {
        case .atEnd: "when the period is over, as far as time goes"
        case .after(let wait): "\(Words.duration(wait)) after the period"
        case .whenKnown: "when the period is over and it is known of each"
        case .never: "never: it is of everything up to now"
        }
    }

    static func text(_ report: MetricsReport, _ terminal: Terminal) -> HumanText {
        var text: HumanText = ""
        for series in report.series {
            text += "\(terminal.paint(series.metric.name, .heading)) · \(unit(series.metric))\n"
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
        var table = Table()
        for value in series.values {
            table.add(
                .init(report.periods[value.bucket].name), .init(value.group, .dim),
                .init(value.age.map { "age \($0)" } ?? "", .dim),
                .init(number(value.micros, series.metric.shape), .bold, isRight: true),
                .init(fraction(value, series.metric.shape), .dim, isRight: true),
                .init(value.isComplete ? "" : "not over yet", .warning))
        }
        return table.text(terminal)
    }

    /// Both sides of a value that is one by the other; empty for others.
    static func fraction(_ value: MetricSeries.Value, _ shape: Metric.Shape) -> String {
        if shape == .count || shape == .money { return "" }
        guard value.denominator != 0 else { return "of none" }
        let top =
            shape.isMoney
            ? number(value.numerator.multipliedReportingOverflow(by: 1_000).partialValue, .money)
            : Words.grouped(value.numerator)
        return "\(top) of \(Words.grouped(value.denominator))"
    }

    /// A value as a decimal: a share in percent, money with two to four decimals.
    static func number(_ micros: Int64?, _ shape: Metric.Shape) -> String {
        guard let micros else { return "-" }
        switch shape {
        case .count: return decimal(micros, 0...6)
        case .average: return decimal(micros, 0...4)
        case .ratio:
            return decimal(micros.multipliedReportingOverflow(by: 100).partialValue, 1...2) + " %"
        case .money, .moneyAverage: return decimal(micros, 2...4)
        }
    }

    /// - Parameter digits: How many decimals are shown at least and at most; more are cut off by rounding half to even.
    private static func decimal(_ micros: Int64, _ digits: ClosedRange<Int>) -> String {
        var unit: UInt64 = 1
        for _ in digits.upperBound..<6 { unit *= 10 }
        var (units, rest) = micros.magnitude.quotientAndRemainder(dividingBy: unit)
        if rest * 2 > unit || (rest * 2 == unit && units % 2 == 1) { units += 1 }
        rest = 1
        for _ in 0..<digits.upperBound { rest *= 10 }
        var fraction = Substring(String(rest + units % rest).dropFirst())
        while fraction.count > digits.lowerBound, fraction.last == "0" { fraction.removeLast() }
        let whole = Words.grouped(Int64(clamping: units / rest))
        return (micros < 0 && units > 0 ? "-" : "") + whole
            + (fraction.isEmpty ? "" : ".\(fraction)")
    }

    // MARK: Targets

    static func text(_ report: KPIReport, _ terminal: Terminal) -> HumanText {
        if report.rows.isEmpty { return "the catalog has no targets; `kpis:` in it lists them\n" }
        var table = Table()
        for row in report.rows {
            let shape = Metric.named(row.target.metric)?.shape ?? .average
            table.add(
                .init(row.target.name, .bold), .init(row.target.metric),
                .init(row.group, .dim), .init(number(row.micros, shape), isRight: true),
                .init(sparkline(row.trend)), .init(target(row.target, shape), .dim),
                verdict(row))
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

    private static func target(_ target: KPITarget, _ shape: Metric.Shape) -> String {
        func text(_ milli: Int64) -> String {
            number(milli.multipliedReportingOverflow(by: 1_000).partialValue, shape)
        }
        return switch target.comparison {
        case .atLeast: "at least \(text(target.targetMilli))"
        case .atMost: "at most \(text(target.targetMilli))"
        case .between: "\(text(target.targetMilli)) to \(text(target.upperMilli ?? 0))"
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
