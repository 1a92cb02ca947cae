import ArgumentParser
import Daybook

/// The format in which metrics are written.
struct MetricsOutput: ParsableArguments {
    @Flag(help: "Write comma-separated values with a header line instead of text.")
    var csv = false

    @OptionGroup var output: OutputOptions

    mutating func validate() throws {
        if csv, output.json {
            throw ValidationError("--csv and --json are two formats; choose one.")
        }
    }

    /// - Parameter text: Gets the terminal, for its colours.
    func show(_ report: MetricsReport, _ text: (Terminal) -> HumanText) throws {
        guard !csv else { return try Terminal.output.write(HumanText(lines: report.csv)) }
        try output.show(report.json, text)
    }
}
