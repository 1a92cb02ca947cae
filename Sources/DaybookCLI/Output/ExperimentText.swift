import Daybook

/// What became of variants, as people read it.
enum ExperimentText {
    static func text(
        _ report: ExperimentReport, detectPermille: Int64, _ terminal: Terminal
    ) -> HumanText {
        var table = Table()
        table.add(
            ["variant", "of", "share", "95 % interval", "against the first", "crossovers"].map {
                .init($0, .dim)
            })
        for variant in report.variants {
            let share = MetricWords.number(variant.micros, .ratio)
            let interval = variant.interval.map { interval in
                MetricWords.number(interval.lowerMicros, .ratio) + " to "
                    + MetricWords.number(interval.upperMicros, .ratio)
            }
            let lift = report.liftMicros(of: variant).map { lift in
                (lift > 0 ? "+" : "") + MetricWords.number(lift, .ratio)
            }
            let isFirst = variant == report.variants.first
            table.add(
                .init(variant.name, .bold),
                .init(
                    "\(Words.grouped(variant.numerator)) of \(Words.grouped(variant.denominator))"),
                .init(share, .bold), .init(interval ?? "-"), .init(isFirst ? "-" : lift ?? "-"),
                .init("\(variant.crossovers)", .dim),
                .init(variant.isComplete ? "" : "not over yet", .warning))
        }
        return "\(terminal.paint(report.experiment, .heading)) · \(report.metric.name)\n"
            + table.text(terminal)
            + "  \(sample(report, detectPermille, terminal))\n  "
            + "\(terminal.paint("\(report.asOf.sentence); days in \(report.zone)", .dim))\n"
    }

    private static func sample(
        _ report: ExperimentReport, _ detectPermille: Int64, _ terminal: Terminal
    ) -> HumanText {
        let difference = MetricWords.number(detectPermille * 1_000, .ratio)
        guard let needed = report.sampleSize(detectPermille: detectPermille) else {
            return
                "how many are needed to see a difference of \(difference) cannot be told without a share of the first variant"
        }
        let size =
            "\(Words.grouped(needed)) customers of each variant show a difference of \(difference)"
        return report.isReached(needed)
            ? terminal.paint("\(size): reached", .good)
            : terminal.paint("\(size): not reached", .warning)
    }
}
