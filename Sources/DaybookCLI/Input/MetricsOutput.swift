import ArgumentParser
import Daybook

/// The format in which metrics are written.
struct MetricsOutput: ParsableArguments {
    @Flag(help: "Write comma-separated values with a header line instead of text.")
    var csv = false

    @Flag(help: "Write a JSON object a line for each value instead of text.")
    var ndjson = false

    @OptionGroup var output: OutputOptions

    /// Whether values are written one a line.
    var isOfLines: Bool { csv || ndjson }

    mutating func validate() throws {
        try require(
            [csv, ndjson, output.json].filter(\.self).count <= 1,
            "--csv, --ndjson and --json are three formats; choose one.")
    }

    /// - Parameter text: Gets the terminal, for its colours.
    func show(_ rows: some NumberRows, _ text: (Terminal) -> HumanText) throws {
        guard !isOfLines else {
            return try Terminal.output.write(HumanText(lines: csv ? rows.csv : rows.lines))
        }
        try output.show(rows.json, text)
    }
}
