import Daybook

/// Cohorts as people read them: a row for each, a column for each age, deeper colours for larger values.
enum CohortsText {
    static func text(_ report: MetricsReport, _ terminal: Terminal) -> HumanText {
        var text: HumanText = ""
        for series in report.series {
            let groups =
                series.metric.groups == nil ? [""] : Set(series.values.map(\.group)).sorted()
            text += "\(terminal.paint(series.metric.name, .heading)) · \(series.metric.meaning)\n"
            if series.values.isEmpty || groups.isEmpty { text += "  nothing was counted\n" }
            for group in groups {
                if !group.isEmpty { text += "  \(terminal.paint(group, .bold))\n" }
                text += table(series.metric, series.values.filter { $0.group == group }, report)
                    .text(terminal)
            }
        }
        let isOpen = report.series.contains { $0.values.contains { !$0.isComplete } }
        let mark = isOpen ? "* may still change by time alone; " : ""
        let sentence = "\(mark)periods in \(report.zone); \(report.asOf.sentence)"
        return text + "  \(terminal.paint(sentence, .dim))\n"
    }

    private static func table(
        _ metric: Metric, _ values: [MetricSeries.Value], _ report: MetricsReport
    ) -> Table {
        var table = Table()
        let last = values.compactMap(\.age).max() ?? 0
        table.add(
            [.init("cohort", .dim), .init("size", .dim, isRight: true)]
                + (0...last).map { .init("\($0)", .dim, isRight: true) })
        // The first age is the whole of a cohort, beside which all others would be pale.
        let most = values.filter { $0.age != 0 }.compactMap(\.micros).max() ?? 0
        for (bucket, period) in report.periods.enumerated() {
            let row = values.filter { $0.bucket == bucket }
            guard let first = row.first else { continue }
            var cells: [Table.Cell] = [
                .init(period.name, .bold),
                .init(Words.grouped(first.denominator), isRight: true),
            ]
            for age in 0...last {
                guard let value = row.first(where: { $0.age == age }) else { break }
                let number = MetricWords.number(value.micros, metric.shape)
                cells.append(
                    .init(
                        value.isComplete ? number : number + "*", style(value.micros, of: most),
                        isRight: true))
            }
            table.add(cells)
        }
        return table
    }

    private static func style(_ micros: Int64?, of most: Int64) -> Terminal.Style {
        guard let micros, micros > 0, most > 0 else { return .plain }
        let steps = Terminal.Style.heat
        // Far from exact is near enough for a colour.
        let step = Int(Double(micros) / Double(most) * Double(steps.count))
        return steps[min(step, steps.count - 1)]
    }
}
