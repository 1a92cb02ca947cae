package import DaybookDomain

/// Metrics and their values in words.
package enum MetricWords {
    package static func unit(_ metric: Metric) -> String {
        let shape = Words.spaced(metric.shape.rawValue)
        return metric.groups.map { "\(shape) by \($0)" } ?? shape
    }

    package static func maturity(_ metric: Metric) -> String {
        switch metric.maturity {
        case .atEnd: "when the period is over, as far as time goes"
        case .after(let wait): "\(Words.duration(wait)) after the period"
        case .whenKnown: "when the period is over and it is known of each"
        case .never: "never: it is of everything up to now"
        }
    }

    /// Both sides of a value that is one by the other; empty for others.
    package static func fraction(
        _ numerator: Int64?, _ denominator: Int64?, _ shape: Metric.Shape
    ) -> String {
        guard let numerator, let denominator, shape != .count, shape != .money else { return "" }
        guard denominator != 0 else { return "of none" }
        let top =
            shape.isMoney
            ? number(numerator.multipliedReportingOverflow(by: 1_000).partialValue, .money)
            : Words.grouped(numerator)
        return "\(top) of \(Words.grouped(denominator))"
    }

    /// A value as a decimal: a share in percent, money with two to four decimals.
    package static func number(_ micros: Int64?, _ shape: Metric.Shape) -> String {
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

    package static func target(_ target: KPITarget, _ shape: Metric.Shape) -> String {
        func text(_ milli: Int64) -> String {
            number(milli.multipliedReportingOverflow(by: 1_000).partialValue, shape)
        }
        return switch target.comparison {
        case .atLeast: "at least \(text(target.targetMilli))"
        case .atMost: "at most \(text(target.targetMilli))"
        case .between: "\(text(target.targetMilli)) to \(text(target.upperMilli ?? 0))"
        }
    }
}
