import Daybook

/// Frozen reports as people read them.
enum ReportText {
    private static let subjectCountMax = 50

    static func receipt(_ report: FrozenReport, isNew: Bool, _ terminal: Terminal) -> HumanText {
        let verb = isNew ? "is frozen" : "was frozen before"
        return
            "\(terminal.paint(report.name, .bold)) \(verb) at @\(report.position): \(report.request?.metrics.count ?? 0) metrics by what was known at @\(report.knownPosition)\n"
    }

    static func list(_ reports: [FrozenReport], _ terminal: Terminal) -> HumanText {
        if reports.isEmpty { return "no report was frozen\n" }
        return Table(reports) { report in
            [
                .init(report.name, .bold), .init(span(report)),
                .init("\(report.request?.metrics.count ?? 0) metrics"),
                .init("frozen \(Words.time(report.recordedAt))"),
                .init("by @\(report.knownPosition)", .dim), .init(report.actor ?? "", .dim),
                .init(report.isVoid ? "void" : "", .warning),
            ]
        }.text(terminal, indent: 0)
    }

    static func text(
        _ frozen: FrozenReport, _ report: MetricsReport, _ terminal: Terminal
    ) -> HumanText {
        let sentence =
            "frozen \(Words.time(frozen.recordedAt)) at @\(frozen.position) by Daybook \(frozen.engine), document \(frozen.digest)"
        return MetricsText.text(report, terminal) + "  \(terminal.paint(sentence, .dim))\n"
            + (frozen.isVoid
                ? "  \(terminal.paint("taken back by a correction", .warning))\n" : "")
    }

    /// From when to when.
    private static func span(_ report: FrozenReport) -> String {
        guard let request = report.request, let from = request.from, let until = request.until
        else {
            return ""
        }
        return "\(Words.time(from)) to \(Words.time(until))"
    }

    // MARK: Comparing

    static func text(
        _ comparison: ReportComparison, isAll: Bool, _ terminal: Terminal
    ) -> HumanText {
        let report = comparison.report
        let moments =
            "known at @\(report.knownPosition), compared with @\(comparison.current.asOf.position)"
        var text: HumanText =
            "\(terminal.paint(report.name, .heading)) · \(span(report)) · \(moments)\n"
        if comparison.isSame { return text + "  nothing is different\n" }
        text += values(comparison, terminal)
        if comparison.differences.contains(where: \.isOfEngine) {
            let origin =
                comparison.isOfThisHistory
                ? "part of it comes from another version: Daybook \(report.engine) computed it, this is \(DaybookVersion.current)"
                : "it was frozen in another history, before an import or a restore, where other events may have been known"
            text += "  \(terminal.paint(origin, .warning))\n"
        }
        text += byCause(comparison, terminal)
        text += byCustomer(comparison, isAll: isAll, terminal)
        if !comparison.unexplained.isEmpty {
            text += "\(terminal.paint("unexplained, which is a fault of Daybook", .bad))\n"
            text += table(comparison.unexplained.map { ([], $0) }, comparison, terminal)
        }
        return text
    }

    private static func values(
        _ comparison: ReportComparison, _ terminal: Terminal
    ) -> HumanText {
        Table(comparison.differences) { difference in
            func value(_ value: MetricSeries.Value?) -> String {
                guard let value else { return "none" }
                let number = MetricWords.number(value.micros, difference.metric.shape)
                let fraction = MetricWords.fraction(
                    value.numerator, value.denominator, difference.metric.shape)
                return fraction.isEmpty ? number : "\(number) (\(fraction))"
            }
            return [
                .init(difference.metric.name, .bold), .init(difference.period),
                .init(difference.group, .dim),
                .init(difference.age.map { "age \($0)" } ?? "", .dim),
                .init(value(difference.frozen), isRight: true),
                .init("became", .dim),
                .init(
                    difference.isOfEngine ? "\(value(difference.recomputed)) by this version" : ""),
                .init(value(difference.current), .bold, isRight: true),
            ]
        }.text(terminal)
    }

    private static func byCause(
        _ comparison: ReportComparison, _ terminal: Terminal
    ) -> HumanText {
        let sums = comparison.sumsByCause
        if sums.isEmpty { return "" }
        let rows = sums.flatMap { cause, changes in
            changes.map { ([Table.Cell(Words.spaced(cause.rawValue))], $0) }
        }
        return "\(terminal.paint("by cause", .heading))\n" + table(rows, comparison, terminal)
    }

    private static func byCustomer(
        _ comparison: ReportComparison, isAll: Bool, _ terminal: Terminal
    ) -> HumanText {
        let contributions = comparison.contributions
        if contributions.isEmpty { return "" }
        let shown = isAll ? contributions[...] : contributions.prefix(subjectCountMax)
        let rows = shown.flatMap { contribution in
            contribution.changes.map { change in
                (
                    [
                        Table.Cell(contribution.subject ?? "no customer", .bold),
                        Table.Cell(Words.spaced(contribution.cause.rawValue)),
                        Table.Cell(places(contribution.positions), .dim),
                    ], change
                )
            }
        }
        var text =
            "\(terminal.paint("by customer", .heading))\n" + table(rows, comparison, terminal)
        if shown.count < contributions.count {
            let rest = "and \(contributions.count - shown.count) more; --all shows them"
            text += "  \(terminal.paint(rest, .dim))\n"
        }
        return text
    }

    private static func places(_ positions: [Int64]) -> String {
        let shown = positions.prefix(3).map { "@\($0)" }.joined(separator: " ")
        return positions.count > 3 ? "\(shown) and \(positions.count - 3) more" : shown
    }

    private static func table(
        _ rows: [(cells: [Table.Cell], change: MetricChange)], _ comparison: ReportComparison,
        _ terminal: Terminal
    ) -> HumanText {
        Table(rows) { cells, change in
            cells + [
                .init(change.metric),
                .init(comparison.current.periods[change.bucket].name),
                .init(change.group, .dim), .init(change.age.map { "age \($0)" } ?? "", .dim),
                .init(amount(change), .bold, isRight: true),
            ]
        }.text(terminal)
    }

    /// By how much, with a sign; of a fraction both sides.
    private static func amount(_ change: MetricChange) -> String {
        let shape = Metric.named(change.metric)?.shape ?? .count
        let above = signed(change.numerator, isMoney: shape.isMoney)
        switch shape {
        case .count, .money: return above
        case .ratio, .average, .moneyAverage:
            return "\(above) of \(signed(change.denominator, isMoney: false))"
        }
    }

    private static func signed(_ side: MetricChange.Side, isMoney: Bool) -> String {
        let micros = side.number.multipliedReportingOverflow(by: isMoney ? 1_000 : 1_000_000)
        // What does not fit is shown as it is.
        guard !micros.overflow, let value = Int64(exactly: micros.partialValue / side.parts) else {
            return "\(side.number) ÷ \(side.parts)"
        }
        let number = MetricWords.number(value, isMoney ? .money : .count)
        return side.number > 0 ? "+\(number)" : number
    }
}
