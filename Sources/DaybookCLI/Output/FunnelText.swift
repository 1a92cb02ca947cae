import Daybook
import DaybookDomain

/// A funnel as bars.
struct FunnelText {
    let report: FunnelReport

    private static let width = 24

    func text(_ terminal: Terminal) -> HumanText {
        let window = Words.duration(report.windowMilliseconds)
        var text: HumanText = "\(terminal.paint(report.name, .heading)) · within \(window)"
        if report.rules.unit != .customer { text += ", by \(report.rules.unit.rawValue)" }
        text += "\n"
        text += bars(report.steps, report.entered, terminal)
        for group in report.groups {
            let title = "\(report.rules.breakdown.rawValue): \(group.name)"
            text += "\n\(terminal.paint(title, .bold))\n"
            text += bars(group.steps, group.entered, terminal)
        }
        return text
    }

    /// - Parameter entered: Of these the bars are shares.
    private func bars(
        _ steps: [FunnelReport.Step], _ entered: Int, _ terminal: Terminal
    ) -> HumanText {
        let isOrdered = report.order != .anyOrder
        guard entered > 0 else {
            return isOrdered
                ? "  no \(report.rules.unit.rawValue) took the first step\n"
                : "  no \(report.rules.unit.rawValue) took any step\n"
        }
        return Table(steps.enumerated()) { index, step in
            let filled = (step.count * Self.width + entered - 1) / entered
            let bar = String(repeating: "█", count: filled)
            let pace = step.medianMilliseconds.map {
                "median \(Words.duration($0)), p90 \(Words.duration(step.p90Milliseconds))"
            }
            let before =
                index > 0 && isOrdered ? Words.share(step.count, of: steps[index - 1].count) : ""
            return [
                .init(step.name), .init(Words.grouped(step.count), .bold, isRight: true),
                .init(bar.padding(to: Self.width), .good),
                .init(Words.share(step.count, of: entered), isRight: true),
                .init(before.isEmpty ? "" : "\(before) of the step before", .dim),
                .init(pace ?? "", .dim),
            ]
        }.text(terminal)
    }
}

extension String {
    /// With spaces up to a count of characters.
    func padding(to count: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, count - self.count))
    }
}
